"""Tournaments that are started from the page: checked, and written down before they run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playproof.arena.store import Store
from playproof.core.errors import PlayproofError
from playproof.core.game import Game
from playproof.core.jobs import cores
from playproof.web import catalog
from playproof.web.messages import Refusal, options, text, whole

MOST_PLAYERS = 6
MOST_GAMES = 2_000  # of two players
MOST_PLIES = 40  # of an opening
MOST_SEED = 2**31 - 1
_FIELDS = ("game", "variant", "players", "games", "plies", "seed", "workers")


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


def read(fields: Mapping[str, Any]) -> Wanted:
    """What was posted, checked field by field."""
    for name in fields:
        if name not in _FIELDS:
            raise Refusal("bad", f"a tournament has no {name[:40]!r}: want {', '.join(_FIELDS)}")
    variant = options("variant", fields["variant"]) if "variant" in fields else None
    game = catalog.make_game(text(32)("game", fields.get("game")), variant)
    games = whole(2, MOST_GAMES)("games", fields.get("games", 20))
    if games % 2:
        raise Refusal("bad", f"games={games}: want an even number, since sides are swapped")
    return Wanted(
        game,
        players(fields.get("players"), game),
        games,
        whole(0, MOST_PLIES)("plies", fields.get("plies", 6)),
        whole(0, MOST_SEED)("seed", fields.get("seed", 1)),
        whole(1, cores())("workers", fields.get("workers", 1)),
    )


def players(given: Any, game: Game) -> tuple[str, ...]:
    """Agents that may play here, each spec checked."""
    few = isinstance(given, list) and 2 <= len(given) <= MOST_PLAYERS
    if not few or not all(isinstance(one, str) and 0 < len(one.strip()) <= 200 for one in given):
        raise Refusal("bad", f"players: want 2 to {MOST_PLAYERS} agents, such as greedy")
    return tuple(catalog.allowed(one, game) for one in given)


def begin(wanted: Wanted, path: Path) -> int:
    """Write the tournament into the book; its number there, which the job will find again."""
    from playproof.arena.tournament import Tournament, Wishes  # with kernels: not at start

    wishes = Wishes(pairs=wanted.games // 2, openings=wanted.openings, seed=wanted.seed)
    try:
        with Store(path) as store:
            return Tournament.prepare(wanted.game, wanted.players, wishes, store).begin()
    except PlayproofError as error:
        raise Refusal("bad", str(error)) from None
