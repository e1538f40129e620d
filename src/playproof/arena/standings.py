"""What a tournament, or a match, has found out."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from playproof.arena.ratings import Ratings, rate
from playproof.arena.sprt import Sprt
from playproof.arena.statistics import Score


@dataclass(frozen=True)
class Standings:
    """Scores of all pairings; ``scores[i, j]``, i < j, is for ``players[i]``."""

    game: str
    players: list[str]
    seed: int
    openings: str
    scores: dict[tuple[int, int], Score]
    facts: dict[tuple[int, int], dict[str, Any]]  # as Store.facts
    sprt: Sprt | None = None

    def score(self, i: int, j: int) -> Score:
        """The score of player i against player j."""
        return self.scores[i, j] if i < j else self.scores[j, i].swapped()

    def total(self, i: int) -> Score:
        """The score of player i against all."""
        return sum((self.score(i, j) for j in range(len(self.players)) if j != i), Score())

    @functools.cached_property
    def ratings(self) -> Ratings:
        return rate(self.players, self.scores)

    @functools.cached_property
    def order(self) -> list[int]:
        """The players, best first."""

        def strength(i: int) -> tuple[float, float]:
            rating = self.ratings.players[i]
            known = [e for e in (rating.elo, rating.lower, rating.upper) if e is not None]
            # One who won every game stands above a bound, one who lost them all below it.
            return (known[0] if known else 0.0), self.total(i).mean or 0.0

        return sorted(range(len(self.players)), key=strength, reverse=True)

    def _repr_svg_(self) -> str:
        """A notebook shows the cross table with ratings."""
        from playproof.arena.picture import render

        return render(self)

    @property
    def failures(self) -> dict[str, int]:
        """How often each reason other than the rules ended a game."""
        found: dict[str, int] = {}
        for facts in self.facts.values():
            for reason, count in facts["reasons"].items():
                found[reason] = found.get(reason, 0) + count
        return found

    @property
    def verdict(self) -> str | None:
        """What the sequential test has decided, if there was one."""
        if self.sprt is None:
            return None
        return self.sprt.decision(self.scores[0, 1]) or "undecided"

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, the same for the same games."""
        data: dict[str, Any] = {
            "game": self.game,
            "players": self.players,
            "seed": self.seed,
            "openings": self.openings,
            "pairings": [
                {
                    "players": [self.players[i], self.players[j]],
                    **score.to_json(),
                    "mean_plies": self.facts[i, j]["mean_plies"],
                    "reasons": self.facts[i, j]["reasons"],
                }
                for (i, j), score in self.scores.items()
            ],
            "ratings": self.ratings.to_json(),
        }
        if self.sprt is not None:
            data["sprt"] = {
                **self.sprt.to_json(),
                "llr": self.sprt.llr(self.scores[0, 1]),
                "decision": self.verdict,
            }
        return data
