"""Fits a rating to games against opponents whose ratings are taken as given.

The opponents are the levels of one engine.  The fitted rating is the most likely one under the
logistic law of Elo (1978).  The likelihood is that of the pair scores at every level
(``pentanomial``), so nothing is assumed about draws or about how the two games of a pair depend on
each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np

from playproof.arena.statistics.pentanomial import likelihood_lost
from playproof.arena.statistics.score import Score, allowed_loss, score_of_elo
from playproof.core.errors import UsageError

_REACH = 1500  # Elo points beyond the levels in which the rating is searched
_FINE = 0.05  # Elo points: the precision of the rating
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Tally:
    """Results of the games with one colour."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def win_rate(self) -> float | None:
        return self.wins / self.games if self.games else None

    def add(self, result: float) -> Tally:
        """One more game, worth 1, 0.5 or 0."""
        return Tally(
            self.wins + (result == 1.0), self.draws + (result == 0.5), self.losses + (result == 0.0)
        )

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "win_rate": self.win_rate}


@dataclass(frozen=True)
class LevelResult:
    """The games at one level.

    ``colours`` are the player's tallies (as White, as Black), ``itself`` those of the level in
    games against itself.
    """

    nominal: int
    spec: str
    score: Score
    colours: tuple[Tally, Tally]
    itself: tuple[Tally, Tally] = (Tally(), Tally())
    failures: dict[str, int] = field(default_factory=dict)

    @property
    def reaches(self) -> bool | None:
        """Whether the player passes the chess paper's test: a higher share of wins than the level
        has against itself, both as White and as Black.  None without games to compare."""
        pairs = [
            (one.win_rate, two.win_rate) for one, two in zip(self.colours, self.itself, strict=True)
        ]
        rates = [(one, two) for one, two in pairs if one is not None and two is not None]
        return all(one > two for one, two in rates) if len(rates) == 2 else None

    def to_json(self) -> dict[str, Any]:
        sides = ("white", "black")
        return {
            "nominal": self.nominal,
            "spec": self.spec,
            **self.score.to_json(),
            **{side: tally.to_json() for side, tally in zip(sides, self.colours, strict=True)},
            "itself": {
                side: tally.to_json() for side, tally in zip(sides, self.itself, strict=True)
            },
            "reaches": self.reaches,
            "failures": self.failures,
        }


@dataclass(frozen=True)
class EloRating:
    """A rating with its interval, on the levels' nominal scale.

    None stands for an open end, or for a rating that cannot be given.  ``misfit`` is twice the
    log-likelihood that the common rating loses against a separate rating for every level.  Beyond
    ``misfit_limit``, which chance exceeds in one case of twenty, the levels contradict each other.
    Then the scale is wrong, and the interval is widened by the ratio of the misfit to its expected
    value (Birge, 1932).
    """

    elo: float | None
    lower: float | None
    upper: float | None
    misfit: float
    misfit_limit: float | None

    @property
    def levels_disagree(self) -> bool:
        return self.misfit_limit is not None and self.misfit > self.misfit_limit

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "levels_disagree": self.levels_disagree}


def fit(levels: Sequence[LevelResult], confidence: float = 0.95) -> EloRating:
    """The most likely rating, with its interval."""
    played = [level for level in levels if level.score.games]
    if not played:
        raise UsageError("no games, no rating: play some first")
    nominal = np.array([float(level.nominal) for level in played])
    counts = np.array([level.score.pentanomial for level in played])
    pairs = [level.score.pair_count for level in played]
    low, high = float(nominal.min()) - _REACH, float(nominal.max()) + _REACH
    allowed = allowed_loss(confidence, sum(pairs))

    def lost(ratings: Any) -> Any:
        expected = np.vectorize(score_of_elo)(ratings - nominal[:, None])
        return likelihood_lost(counts[:, None, :], np.clip(expected, 1e-9, 1 - 1e-9)).sum(0)

    coarse = np.arange(low, high + 1.0, 4.0)
    near = coarse[int(np.argmin(lost(coarse)))]
    fine = np.arange(near - 4.0, near + 4.0, _FINE)
    values = lost(fine)
    best, least = float(fine[int(np.argmin(values))]), float(values.min())
    freedom = len(played) - 1
    limit = _chi_square(freedom) if freedom else None
    if limit is not None and 2 * least > limit:
        allowed *= 2 * least / freedom

    def end(inside: float, outside: float) -> float:
        """The rating between the two at which the loss exceeds what is allowed."""
        while abs(outside - inside) > _FINE:
            middle = (inside + outside) / 2
            if lost(np.array([middle]))[0] - least <= allowed:
                inside = middle
            else:
                outside = middle
        return inside

    lower, upper = end(best, low), end(best, high)
    # No results may claim more than perfect results would (see Score.interval).
    below, above = _perfect(nominal, pairs, confidence)
    lower, upper = min(lower, below), max(upper, above)
    points, games = sum(x.score.points for x in played), sum(x.score.games for x in played)
    if points == games:
        return EloRating(None, below, None, 2 * least, limit)
    if points == 0:
        return EloRating(None, None, above, 2 * least, limit)
    return EloRating(best, lower, upper, 2 * least, limit)


def _perfect(nominal: Any, pairs: list[int], confidence: float) -> tuple[float, float]:
    """The lower end of the interval if every game had been won, and the upper end if every game had
    been lost.

    The probability of winning both games of a pair is at most the expected score.
    """
    ends = []
    for sign in (1.0, -1.0):
        middle = float(nominal.mean())
        inside, outside = middle + sign * 4000.0, middle - sign * 4000.0
        while abs(inside - outside) > _FINE:
            middle = (inside + outside) / 2
            chances = [score_of_elo(sign * (middle - level)) for level in nominal]
            nats = sum(n * math.log(max(s, 1e-300)) for n, s in zip(pairs, chances, strict=True))
            if nats >= math.log(1.0 - confidence):
                inside = middle
            else:
                outside = middle
        ends.append(inside)
    return ends[0], ends[1]


def _chi_square(freedom: int) -> float:
    """The 95 % point of the chi-square law (Wilson and Hilferty, 1931)."""
    spread = 2.0 / (9.0 * freedom)
    root: float = 1.0 - spread + _NORMAL.inv_cdf(0.95) * math.sqrt(spread)
    return freedom * root**3
