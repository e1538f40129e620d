"""Joint ratings of many players, from all their matches together.

The model is Davidson's (1970), see ``davidson.py``.  Ratings are its strengths ``theta`` in Elo
points: ``theta * (400 / ln 10) * 2 / (2 + nu)``.  With the last factor a small difference means the
same expected score as an ordinary Elo difference.  Draws flatten the curve, so without the factor
ratings would grow with the draw rate.  BayesElo (Coulom, 2008) scales in the same way.  For large
differences the two scales diverge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.arena.statistics.davidson import Fit, Pairings, expected_score, fit
from playproof.arena.statistics.pentanomial import Floats
from playproof.arena.statistics.score import Score, format_estimate
from playproof.core.errors import UsageError

Flags = npt.NDArray[np.bool_]
_ELO_OF_NAT = 400.0 / math.log(10.0)


@dataclass(frozen=True)
class Rating:
    """A player's Elo with its interval.  None stands for an open end, or for an unknown Elo."""

    name: str
    elo: float | None
    lower: float | None
    upper: float | None
    games: int
    points: float

    def __str__(self) -> str:
        return format_estimate(self.elo, self.lower, self.upper)


@dataclass(frozen=True)
class Ratings:
    """All players in the order given; the mean of those with a rating is 0 Elo.

    ``draw`` is Davidson's nu: among equals, draws are to decisive games as nu
    is to 2.
    """

    players: tuple[Rating, ...]
    draw: float
    confidence: float = 0.95

    def expected(self, i: int, j: int) -> float | None:
        """The expected score, 0..1, of player i against j; None if one has no rating."""
        one, other = self.players[i].elo, self.players[j].elo
        if one is None or other is None:
            return None
        difference = np.array((one - other) / _scale(self.draw))
        return float(expected_score(difference, self.draw))

    def to_json(self) -> dict[str, Any]:
        """The ratings as JSON can hold them: None stands for an open end or an unknown Elo."""
        return {
            "draw": self.draw,
            "confidence": self.confidence,
            "players": [
                {
                    "name": player.name,
                    "elo": player.elo,
                    "interval": [player.lower, player.upper],
                    "games": player.games,
                    "points": player.points,
                }
                for player in self.players
            ],
        }


def rate(
    players: Sequence[str],
    scores: Mapping[tuple[int, int], Score],
    confidence: float = 0.95,
) -> Ratings:
    """Joint maximum likelihood ratings.

    ``scores[i, j]`` is the score of ``players[i]`` against ``players[j]``; scores under (i, j) and
    (j, i) are added.  If all points between two groups of players went one way, no finite
    difference fits best.  Then the largest group in which a chain of points leads from every player
    to every other is rated, and the others get a one-sided bound against it.  A bound through a
    third group rests on that group's bound.
    """
    if not 0.0 < confidence < 1.0:
        raise UsageError(f"a confidence of {confidence} makes no sense: want 0 < it < 1")
    pairings = _pairings(len(players), scores)
    games, points = _totals(len(players), pairings)
    if not games.any():
        return Ratings(
            tuple(Rating(name, None, None, None, 0, 0.0) for name in players), 0.0, confidence
        )
    reach = _reach(len(players), pairings)
    mutual = reach & reach.T
    groups = mutual.argmax(axis=1)  # a group has the number of its first player
    inside = groups[pairings.first] == groups[pairings.second]
    fitted = fit(pairings.select(inside), groups)
    base = groups == _base(mutual, games)
    elo, lower, upper = _estimates(fitted, base, confidence)

    across = pairings.select(~inside)
    for above, ends in ((True, lower), (False, upper)):
        bounds = _bounds(fitted, across, groups, reach, base, above, 1.0 - confidence)
        ends.update((i, bound * _scale(fitted.draw)) for i, bound in bounds.items())
    ratings = (
        Rating(name, elo.get(i), lower.get(i), upper.get(i), int(games[i]), float(points[i]))
        for i, name in enumerate(players)
    )
    return Ratings(tuple(ratings), fitted.draw, confidence)


def _scale(draw: float) -> float:
    """Elo points per nat of strength."""
    return _ELO_OF_NAT * 2.0 / (2.0 + draw)


def _pairings(players: int, scores: Mapping[tuple[int, int], Score]) -> Pairings:
    """The pairings of players that met, each of them once."""
    met: dict[tuple[int, int], Score] = {}
    for (i, j), score in scores.items():
        if i == j or not (0 <= i < players and 0 <= j < players):
            raise UsageError(f"({i}, {j}) is no pairing: want two different players of {players}")
        key, seen = ((i, j), score) if i < j else ((j, i), score.swapped())
        met[key] = met.get(key, Score()) + seen
    met = {key: score for key, score in met.items() if score.games}
    numbers = np.array(list(met), dtype=np.int64).reshape(-1, 2)
    pairs = np.array([score.pairs for score in met.values()], dtype=np.float64).reshape(-1, 6)
    return Pairings(numbers[:, 0], numbers[:, 1], pairs)


def _totals(players: int, pairings: Pairings) -> tuple[Floats, Floats]:
    """(games, points) of every player."""
    games, points = np.zeros(players), np.zeros(players)
    played = 2 * pairings.pairs.sum(1)
    scored = pairings.pairs @ np.array([0.0, 0.5, 1.0, 1.0, 1.5, 2.0])
    for numbers, gained in ((pairings.first, scored), (pairings.second, played - scored)):
        np.add.at(games, numbers, played)
        np.add.at(points, numbers, gained)
    return games, points


def _reach(players: int, pairings: Pairings) -> Flags:
    """``reach[i, j]``: a chain of at least half points leads from i down to j (Ford, 1957)."""
    reach = np.eye(players, dtype=np.bool_)
    reach[pairings.first, pairings.second] = pairings.pairs[:, 1:].any(axis=1)
    reach[pairings.second, pairings.first] = pairings.pairs[:, :5].any(axis=1)
    for middle in range(players):
        reach |= reach[:, middle, None] & reach[None, middle, :]
    return reach


def _base(mutual: Flags, games: Floats) -> int:
    """The group that is rated: the one with most players, then most games, then the first named."""
    rank = [(int(row.sum()), float(games[row].sum())) for row in mutual]
    return max(range(len(rank)), key=lambda i: (games[i] > 0, *rank[i], -i))


def _estimates(
    fitted: Fit, base: Flags, confidence: float
) -> tuple[dict[int, float], dict[int, float], dict[int, float]]:
    """(Elo, lower, upper) of the players of the base, around their mean."""
    scale = _scale(fitted.draw)
    quantile = NormalDist().inv_cdf((1.0 + confidence) / 2.0)
    elo, lower, upper = {}, {}, {}
    for i in np.flatnonzero(base).tolist():
        # The gradient of the rating in (strengths, log draw), since the scale is an estimate too.
        slope = np.append(np.where(base, -1.0 / base.sum(), 0.0), 0.0)
        slope[i] += 1.0
        slope[-1] = -fitted.strengths[i] * fitted.draw / (2.0 + fitted.draw)
        variance = float(slope @ fitted.covariance @ slope)
        least = float(np.square(fitted.pair_shifts @ slope).max(initial=0.0))
        error = scale * math.sqrt(max(variance, least))
        elo[i] = scale * float(fitted.strengths[i])
        lower[i], upper[i] = elo[i] - quantile * error, elo[i] + quantile * error
    return elo, lower, upper


def _bounds(
    fitted: Fit,
    across: Pairings,
    groups: npt.NDArray[np.int64],
    reach: Flags,
    base: Flags,
    above: bool,
    chance: float,
) -> dict[int, float]:
    """Bounds in nats: lower bounds for players in groups above the base, or upper bounds for those
    in groups below it."""
    sign = 1.0 if above else -1.0
    leads = reach if above else reach.T
    placed = {i: float(fitted.strengths[i]) for i in np.flatnonzero(base).tolist()}
    outside = leads[:, base].any(axis=1) & ~base
    bounds: dict[int, float] = {}
    # A group that leads to more players lies farther out, and comes after those it leads to.
    for group in sorted(set(groups[outside].tolist()), key=lambda g: int(leads[g].sum())):
        members = {i: float(fitted.strengths[i]) for i in np.flatnonzero(groups == group).tolist()}
        gaps, pairs = [], []
        for i, j, counts in zip(
            across.first.tolist(), across.second.tolist(), across.pairs, strict=True
        ):
            for one, other in ((i, j), (j, i)):
                if one in members and other in placed and leads[one, other]:
                    gaps.append(sign * (members[one] - placed[other]))
                    pairs.append(float(counts.sum()))
        shift = sign * _shift(np.array(gaps), np.array(pairs), fitted.draw, chance)
        moved = {i: strength + shift for i, strength in members.items()}
        placed |= moved
        bounds |= moved
    return bounds


def _shift(gaps: Floats, pairs: Floats, draw: float, chance: float) -> float:
    """How far players must be moved up so that winning every pair has probability ``chance``.

    ``gaps`` are the differences before the move, in nats.  As in ``Score.interval``, the
    probability of winning both games of a pair is at most the expected score.
    """
    far = 100.0 + float(np.abs(gaps).max()) + 2.0 * math.log1p(draw)
    return _root(
        lambda shift: float((pairs * np.log(expected_score(gaps + shift, draw))).sum()),
        math.log(chance),
        far,
    )


def _root(rising: Callable[[float], float], value: float, far: float) -> float:
    """The argument between -far and far at which the function ``rising`` reaches ``value``, by
    bisection."""
    low, high = -far, far
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < value else (low, middle)
    return (low + high) / 2
