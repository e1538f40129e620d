"""Tournaments that are started from the page: checked, and written down before they run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from msgspec import UNSET

from playproof.arena.database import Store
from playproof.core.errors import PlayproofError
from playproof.core.game import Game
from playproof.core.parallel.executor import cores
from playproof.web.catalog import listing as catalog
from playproof.web.protocol.bodies import StartTournament
from playproof.web.protocol.refusal import Refusal


@dataclass(frozen=True)
class Wanted:
    """A tournament as the page asks for it; ``games`` are in every pairing."""

    game: Game
    players: tuple[str, ...]
    games: int
    plies: int
    seed: int
    workers: int

    @property
    def openings(self) -> str:
        return f"random:plies={self.plies}"

    @property
    def title(self) -> str:
        return f"{self.game.title}: {len(self.players)} players, {self.games} games in a pairing"

    def command(self) -> list[str]:
        """What follows ``playproof``; the same command goes on with it."""
        return [
            "tournament", self.game.spec, *self.players, "--games", str(self.games),
            "--openings", self.openings, "--seed", str(self.seed), "--workers", str(self.workers),
        ]  # fmt: skip


def check(fields: StartTournament) -> Wanted:
    """What was posted, as far as it depends on the game, its agents and this machine."""
    variant = None if fields.variant is UNSET else fields.variant
    game = catalog.make_game(fields.game, variant)
    if fields.games % 2:
        raise Refusal("bad", f"games={fields.games}: want an even number, since sides are swapped")
    if fields.workers > cores():
        raise Refusal("bad", f"workers must be a whole number from 1 to {cores()}")
    players = tuple(catalog.allowed(player, game) for player in fields.players)
    return Wanted(game, players, fields.games, fields.plies, fields.seed, fields.workers)


def begin(wanted: Wanted, path: Path) -> int:
    """Write the tournament into the book; its number there, which the job will find again."""
    from playproof.arena.tournament import Tournament, Wishes  # with kernels: not at start

    wishes = Wishes(pairs=wanted.games // 2, openings=wanted.openings, seed=wanted.seed)
    try:
        with Store(path) as store:
            return Tournament.prepare(wanted.game, wanted.players, wishes, store).begin()
    except PlayproofError as error:
        raise Refusal("bad", str(error)) from None
