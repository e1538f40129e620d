"""What a tournament, or a match, has found out."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from playproof.agents.identity import short_digests
from playproof.arena.statistics.ratings import Ratings, rate
from playproof.arena.statistics.score import Score
from playproof.arena.statistics.sprt import Sprt


@dataclass(frozen=True)
class Reuse:
    """Kept games of one player: how many count again, and how many of its name do not.

    A name is that of another player where other content lies behind it: a net that was
    replaced, an engine or code that was changed.  ``digests`` are of what is there now.
    """

    player: str
    digests: tuple[tuple[str, str], ...]
    games: int
    others: int  # of the same name and other content

    def lines(self) -> list[str]:
        """What there is to say, for people."""
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
    """One for each player, of all that is known of it."""
    found: dict[str, Reuse] = {}
    for part in parts:
        other = found.get(part.player, replace(part, games=0, others=0))
        found[part.player] = replace(
            part, games=part.games + other.games, others=part.others + other.others
        )
    return tuple(found.values())


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
    statistics: dict[tuple[int, int], dict[str, Any]]  # as Store.facts
    sprt: Sprt | None = None
    reuse: tuple[Reuse, ...] = ()  # what was there before, by player

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
        found: dict[str, int] = {}
        for statistics in self.statistics.values():
            for reason, count in statistics["reasons"].items():
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
