"""The score of a match: mean, Elo difference, intervals, likelihood of superiority.

Games are played in pairs, from one opening with sides swapped.  The unit of evidence is the pair:
its games share the opening, so counting them as independent would overstate or understate what is
known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from playproof.arena.statistics.pentanomial import PAIR_SCORES, likelihood_interval, likelihood_lost
from playproof.core.errors import UsageError

PAIR_KINDS = ("LL", "LD", "DD", "WL", "WD", "WW")  # the two games of a pair, in any order
_WINS = (0, 0, 0, 1, 1, 2)
_DRAWS = (0, 1, 2, 0, 1, 0)
_LOSSES = (2, 1, 0, 1, 0, 0)
_KIND_OF_RESULTS = {
    (0.0, 0.0): 0, (0.0, 0.5): 1, (0.5, 0.5): 2, (0.0, 1.0): 3, (0.5, 1.0): 4, (1.0, 1.0): 5,
}  # fmt: skip
MINUS = "\N{MINUS SIGN}"
_NORMAL = NormalDist()


def wilson(kept: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of Wilson (1927) for a share; it stays inside 0..1, even at 0 and 1."""
    if not total:
        return 0.0, 1.0
    z = _NORMAL.inv_cdf((1.0 + confidence) / 2.0)
    share = kept / total
    middle = share + z * z / (2 * total)
    width = z * math.sqrt(share * (1.0 - share) / total + z * z / (4 * total * total))
    scale = 1.0 + z * z / total
    # At 0 and 1 the formula gives these ends but for rounding.
    lower = 0.0 if kept == 0 else (middle - width) / scale
    upper = 1.0 if kept == total else (middle + width) / scale
    return lower, upper


def elo_of_score(score: float) -> float:
    """The Elo difference at which a player is expected to score ``score``, 0 < score < 1."""
    return 400.0 * (math.log10(score) - math.log10(1.0 - score))


def score_of_elo(elo: float) -> float:
    """The expected score, 0..1, of a player who is ``elo`` points stronger."""
    # In the form that cannot overflow: the exponent is never positive.
    weaker: float = 10.0 ** (-abs(elo) / 400.0)
    return (1.0 if elo >= 0 else weaker) / (1.0 + weaker)


@dataclass(frozen=True)
class Score:
    """The pairs of a match, counted by kind (``PAIR_KINDS``), for the first named player.

    Two draws give the same score as a win and a loss, but they are different results.  So there are
    six kinds of pairs; ``pentanomial`` has the counts of the five pair scores.
    """

    pairs: tuple[int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        if len(self.pairs) != len(PAIR_KINDS) or any(count < 0 for count in self.pairs):
            raise UsageError(
                f"{self.pairs} are not counts of pairs: want six numbers from 0, "
                f"for {', '.join(PAIR_KINDS)}"
            )

    @classmethod
    def from_results(cls, results: Iterable[tuple[float, float]]) -> Score:
        """From the two results of every pair, each 1, 0.5 or 0 for the first named player."""
        counts = [0] * len(PAIR_KINDS)
        for result in results:
            first, second = sorted(result)
            kind = _KIND_OF_RESULTS.get((float(first), float(second)))
            if kind is None:
                raise UsageError(f"{result} is not a pair of results: want two of 1, 0.5 and 0")
            counts[kind] += 1
        return cls(tuple(counts))  # type: ignore[arg-type]

    def swapped(self) -> Score:
        """The same match from the other player's side."""
        ll, ld, dd, wl, wd, ww = self.pairs
        return Score((ww, wd, dd, wl, ld, ll))

    def __add__(self, other: Score) -> Score:
        if not isinstance(other, Score):
            return NotImplemented
        return Score(tuple(a + b for a, b in zip(self.pairs, other.pairs, strict=True)))  # type: ignore[arg-type]

    # Counts

    @property
    def pentanomial(self) -> tuple[int, int, int, int, int]:
        """Counts of pairs by pair score 0, 1/2, 1, 3/2, 2."""
        ll, ld, dd, wl, wd, ww = self.pairs
        return ll, ld, dd + wl, wd, ww

    @property
    def pair_count(self) -> int:
        return sum(self.pairs)

    @property
    def games(self) -> int:
        return 2 * self.pair_count

    @property
    def wins(self) -> int:
        return _games(_WINS, self.pairs)

    @property
    def draws(self) -> int:
        return _games(_DRAWS, self.pairs)

    @property
    def losses(self) -> int:
        return _games(_LOSSES, self.pairs)

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    # Estimates: None where there are no games

    @property
    def mean(self) -> float | None:
        """Points per game, 0..1."""
        return self.points / self.games if self.games else None

    @property
    def variance(self) -> float | None:
        """The variance of a pair's mean score, over all pairs."""
        mean, total = self.mean, self.pair_count
        if mean is None:
            return None
        squares = (
            count * (score - mean) ** 2
            for count, score in zip(self.pentanomial, PAIR_SCORES.tolist(), strict=True)
        )
        return math.fsum(squares) / total

    @property
    def one_way(self) -> bool:
        """Whether all points went to one side, so that no finite Elo fits best."""
        return self.games > 0 and self.points in (0, self.games)

    def interval(self, confidence: float = 0.95) -> tuple[float | None, float | None]:
        """(lower, upper) for the expected score; (None, None) without games.

        This is the likelihood-ratio interval of the pentanomial (Owen, 1988).  Unlike the mean plus
        or minus two standard errors, it stays inside 0..1, is as asymmetric as the likelihood, and
        has a width even if all pairs ended alike.
        """
        if not 0.0 < confidence < 1.0:
            raise UsageError(f"a confidence of {confidence} makes no sense: want 0 < it < 1")
        total = self.pair_count
        if not total:
            return None, None
        # Suppose all n pairs were won twice.  The probability p of such a pair is at most the
        # expected score s, since a pair's mean score is at most 1.  So the probability of this
        # result, p^n, is at most s^n.  With s below 0.05^(1/n) it would be rarer than 5 %.
        # Nothing is assumed about draws or about how the two games of a pair depend on each other.
        farthest = (1.0 - confidence) ** (1.0 / total)
        if self.one_way:
            return (farthest, 1.0) if self.points else (0.0, 1.0 - farthest)
        lower, upper = likelihood_interval(self.pentanomial, allowed_loss(confidence, total))
        # No result of n pairs may claim more than the perfect result.
        return min(float(lower), farthest), max(float(upper), 1.0 - farthest)

    @property
    def elo(self) -> float | None:
        """The Elo difference that fits best; None if all points went one way."""
        mean = self.mean
        return None if mean is None or self.one_way else elo_of_score(mean)

    def elo_interval(self, confidence: float = 0.95) -> tuple[float | None, float | None]:
        """(lower, upper) for the Elo difference; None is an open end."""
        lower, upper = (
            elo_of_score(end) if end is not None and 0.0 < end < 1.0 else None
            for end in self.interval(confidence)
        )
        return lower, upper

    @property
    def superiority(self) -> float | None:
        """Likelihood of superiority (LOS), 0..1: the confidence that the first player is stronger.

        It is the one-sided confidence at which ``interval`` just includes an even score.
        """
        mean, total = self.mean, self.pair_count
        if mean is None:
            return None
        lost = float(likelihood_lost(self.pentanomial, 0.5))
        # Solves allowed_loss(z) = lost for z.
        half = total + 0.5
        deviation = math.sqrt(math.sqrt(half * half + 4.0 * total * lost) - half)
        return _NORMAL.cdf(math.copysign(deviation, mean - 0.5) if mean != 0.5 else 0.0)

    def to_json(self) -> dict[str, Any]:
        """The score as JSON can hold it: finite numbers, or None for what is open or unknown."""
        return {
            "pairs": dict(zip(PAIR_KINDS, self.pairs, strict=True)),
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "points": self.points,
            "mean": self.mean,
            "interval": list(self.interval()),
            "elo": self.elo,
            "elo_interval": list(self.elo_interval()),
            "superiority": self.superiority,
        }


def format_elo(score: Score, confidence: float = 0.95) -> str:
    """``+35 [+12, +58]``; ``≥ +412`` or ``≤ -300`` if all points went one way; or ``n/a``."""
    return format_estimate(score.elo, *score.elo_interval(confidence))


def format_estimate(elo: float | None, lower: float | None, upper: float | None) -> str:
    """An Elo number with its interval, or only the bound that is known."""
    if elo is not None:
        return f"{signed(elo)} [{_end(lower)}, {_end(upper)}]"
    if lower is not None:
        return f"≥ {signed(lower)}"
    return f"≤ {signed(upper)}" if upper is not None else "n/a"


def signed(elo: float) -> str:
    """A whole number with its sign (the minus is a true one): ``+35``, ``-7``, ``0``."""
    whole = round(elo)
    return f"{'+' if whole > 0 else MINUS}{abs(whole)}" if whole else "0"


def _end(elo: float | None) -> str:
    return "open" if elo is None else signed(elo)


def _games(of_kind: tuple[int, ...], pairs: tuple[int, ...]) -> int:
    return sum(games * count for games, count in zip(of_kind, pairs, strict=True))


def allowed_loss(confidence: float, pairs: int) -> float:
    """The log-likelihood, in nats, that values inside an interval may lose.

    It is half the square of Student's quantile, by the first terms of its expansion: the variance
    is estimated too, which matters if there are few pairs.
    """
    square = _NORMAL.inv_cdf((1.0 + confidence) / 2.0) ** 2
    return square / 2.0 * (1.0 + (square + 1.0) / (2.0 * pairs))
