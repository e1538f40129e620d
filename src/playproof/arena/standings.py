"""The standings of a tournament or a match: scores, ratings, failures."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from playproof.agents.identity import short_digests
from playproof.arena.statistics.ratings import Ratings, rate
from playproof.arena.statistics.score import Score
from playproof.arena.statistics.sprt import Sprt

if TYPE_CHECKING:
    from playproof.arena.database import PairingStatistics


@dataclass(frozen=True)
class Reuse:
    """Recorded games of one player: how many count again, and how many under its name do not.

    The same name may stand for another player: a net was replaced, or an engine or code was
    changed.  ``digests`` are those of the present content.
    """

    player: str
    digests: tuple[tuple[str, str], ...]
    games: int
    others: int  # games under the same name, with other content

    def lines(self) -> list[str]:
        """The lines that are printed about it."""
        content = short_digests(self.digests)
        lines = []
        if self.games:
            what = f" ({content})" if content else ""
            lines.append(f"reuses {_games(self.games)} of {self.player}{what}")
        if self.others:
            lines.append(
                f"does not reuse {_games(self.others)} of {self.player}: kept with other content"
                + (f", now it is {content}" if content else "")
            )
        return lines

    def to_json(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "digests": dict(self.digests),
            "reused": self.games,
            "not_reused": self.others,
        }


def merged_reuse(parts: Iterable[Reuse]) -> tuple[Reuse, ...]:
    """The sum of several reports, one for each player."""
    by_player: dict[str, Reuse] = {}
    for part in parts:
        other = by_player.get(part.player, replace(part, games=0, others=0))
        by_player[part.player] = replace(
            part, games=part.games + other.games, others=part.others + other.others
        )
    return tuple(by_player.values())


def _games(count: int) -> str:
    return f"{count} game{'s' if count > 1 else ''}"


@dataclass(frozen=True)
class Standings:
    """Scores of all pairings; ``scores[i, j]``, i < j, is for ``players[i]``."""

    game: str
    players: list[str]
    seed: int
    openings: str
    scores: dict[tuple[int, int], Score]
    statistics: Mapping[tuple[int, int], PairingStatistics]
    sprt: Sprt | None = None
    reuse: tuple[Reuse, ...] = ()  # games that were recorded before, by player

    def score(self, i: int, j: int) -> Score:
        """The score of player i against player j."""
        return self.scores[i, j] if i < j else self.scores[j, i].swapped()

    def total(self, i: int) -> Score:
        """The score of player i against all others."""
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
            # A player who won every game has a lower bound only, one who lost all an upper one.
            return (known[0] if known else 0.0), self.total(i).mean or 0.0

        return sorted(range(len(self.players)), key=strength, reverse=True)

    def __str__(self) -> str:
        from playproof.arena.standings_text import text

        return text(self)

    def _repr_svg_(self) -> str:
        """A notebook shows the cross table with ratings."""
        from playproof.arena.standings_picture import render

        return render(self)

    @property
    def failures(self) -> dict[str, int]:
        """How often each reason other than the rules ended a game."""
        counts: dict[str, int] = {}
        for statistics in self.statistics.values():
            for reason, count in statistics["reasons"].items():
                counts[reason] = counts.get(reason, 0) + count
        return counts

    @property
    def verdict(self) -> str | None:
        """The sequential test's decision: accept H0, accept H1 or undecided; None if none."""
        if self.sprt is None:
            return None
        return self.sprt.decision(self.scores[0, 1]) or "undecided"

    def to_json(self) -> dict[str, Any]:
        """The standings as JSON can hold them; the same for the same games."""
        data: dict[str, Any] = {
            "game": self.game,
            "players": self.players,
            "seed": self.seed,
            "openings": self.openings,
            "pairings": [
                {
                    "players": [self.players[i], self.players[j]],
                    **score.to_json(),
                    "mean_plies": self.statistics[i, j]["mean_plies"],
                    "reasons": self.statistics[i, j]["reasons"],
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
