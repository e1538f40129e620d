"""Starting a tournament from the page: it is checked, and recorded before it runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from msgspec import UNSET

from playproof.arena.database import GameDatabase
from playproof.core.errors import PlayproofError
from playproof.core.game import Game
from playproof.core.parallel.executor import cores
from playproof.web.catalog import listing as catalog
from playproof.web.protocol.bodies import StartTournament
from playproof.web.protocol.refusal import Refusal


@dataclass(frozen=True)
class TournamentRequest:
    """A tournament to start.  ``games`` is the number of games in every pairing."""

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
        """The words after ``playproof``; the same command resumes the tournament."""
        return [
            "tournament", self.game.spec, *self.players, "--games", str(self.games),
            "--openings", self.openings, "--seed", str(self.seed), "--workers", str(self.workers),
        ]  # fmt: skip


def check(fields: StartTournament) -> TournamentRequest:
    """The request in posted fields, with all checks that depend on the game, its agents or this
    machine."""
    variant = None if fields.variant is UNSET else fields.variant
    game = catalog.make_game(fields.game, variant)
    if fields.games % 2:
        raise Refusal("bad", f"games={fields.games}: want an even number, since sides are swapped")
    if fields.workers > cores():
        raise Refusal("bad", f"workers must be a whole number from 1 to {cores()}")
    players = tuple(catalog.check_agent(player, game) for player in fields.players)
    return TournamentRequest(game, players, fields.games, fields.plies, fields.seed, fields.workers)


def register_run(request: TournamentRequest, path: Path) -> int:
    """Record the tournament in the file of games.  Its number is what its job finds it by."""
    from playproof.arena.tournament import MatchConfig, Tournament  # with kernels: not at start

    config = MatchConfig(pairs=request.games // 2, openings=request.openings, seed=request.seed)
    try:
        with GameDatabase(path) as database:
            return Tournament.prepare(
                request.game, request.players, config, database
            ).register_run()
    except PlayproofError as error:
        raise Refusal("bad", str(error)) from None
