"""Ratings of many players at once, from all their matches together.

The model is Davidson's (1970), see ``davidson.py``.  Ratings are its
strengths ``theta`` in Elo points: ``theta * (400 / ln 10) * 2 / (2 + nu)``.
The last factor makes a small difference mean the same expected score as an
ordinary Elo difference; draws flatten the curve, and without it ratings
would grow with the draw rate.  (BayesElo, Coulom 2008, scales alike.)  Over
large differences the two scales part.
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
    """A player's Elo; None if only one-sided bounds, or nothing, can be said."""

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
        """Plain finite numbers; None is an open side or nothing to tell."""
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

    ``scores[i, j]`` is the score of ``players[i]`` against ``players[j]``;
    scores under (i, j) and (j, i) are added.  Where all points between two
    groups of players went one way, no finite difference fits best: the
    largest group in which points lead from everybody to everybody is rated,
    and the others get a one-sided bound against it.  A bound through a third
    group rests on that group's bound.
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
    groups = mutual.argmax(axis=1)  # a group is called by its first player
    inside = groups[pairings.first] == groups[pairings.second]
    fitted = fit(pairings.only(inside), groups)
    base = groups == _base(mutual, games)
    elo, lower, upper = _estimates(fitted, base, confidence)

    across = pairings.only(~inside)
    for above, ends in ((True, lower), (False, upper)):
        bounds = _bounds(fitted, across, groups, reach, base, above, 1.0 - confidence)
        ends.update((i, bound * _scale(fitted.draw)) for i, bound in bounds.items())
    ratings = (
        Rating(name, elo.get(i), lower.get(i), upper.get(i), int(games[i]), float(points[i]))
        for i, name in enumerate(players)
    )
    return Ratings(tuple(ratings), fitted.draw, confidence)


def _scale(draw: float) -> float:
    """Elo points of a nat of strength."""
    return _ELO_OF_NAT * 2.0 / (2.0 + draw)


def _pairings(players: int, scores: Mapping[tuple[int, int], Score]) -> Pairings:
    """Every two players that met, once."""
    met: dict[tuple[int, int], Score] = {}
    for (i, j), score in scores.items():
        if i == j or not (0 <= i < players and 0 <= j < players):
            raise UsageError(f"({i}, {j}) is no pairing: want two different players of {players}")
        key, seen = ((i, j), score) if i < j else ((j, i), score.swapped())
        met[key] = met.get(key, Score()) + seen
    met = {key: score for key, score in met.items() if score.games}
    who = np.array(list(met), dtype=np.int64).reshape(-1, 2)
    pairs = np.array([score.pairs for score in met.values()], dtype=np.float64).reshape(-1, 6)
    return Pairings(who[:, 0], who[:, 1], pairs)


def _totals(players: int, pairings: Pairings) -> tuple[Floats, Floats]:
    """(games, points) of every player."""
    games, points = np.zeros(players), np.zeros(players)
    met = 2 * pairings.pairs.sum(1)
    scored = pairings.pairs @ np.array([0.0, 0.5, 1.0, 1.0, 1.5, 2.0])
    for who, gained in ((pairings.first, scored), (pairings.second, met - scored)):
        np.add.at(games, who, met)
        np.add.at(points, who, gained)
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
    """The group that is rated: most players, then most games, then the first named."""
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
        # The slope of the rating in (strengths, log draw): the scale is an estimate too.
        slope = np.append(np.where(base, -1.0 / base.sum(), 0.0), 0.0)
        slope[i] += 1.0
        slope[-1] = -fitted.strengths[i] * fitted.draw / (2.0 + fitted.draw)
        variance = float(slope @ fitted.covariance @ slope)
        least = float(np.square(fitted.unseen @ slope).max(initial=0.0))
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
    """In nats: lower bounds of the players of groups above the base, or upper ones below it."""
    sign = 1.0 if above else -1.0
    leads = reach if above else reach.T
    placed = {i: float(fitted.strengths[i]) for i in np.flatnonzero(base).tolist()}
    outside = leads[:, base].any(axis=1) & ~base
    bounds: dict[int, float] = {}
    # Who leads to more players lies farther out, and is placed after those it leads to.
    for group in sorted(set(groups[outside].tolist()), key=lambda g: int(leads[g].sum())):
        ours = {i: float(fitted.strengths[i]) for i in np.flatnonzero(groups == group).tolist()}
        gaps, pairs = [], []
        for i, j, counts in zip(
            across.first.tolist(), across.second.tolist(), across.pairs, strict=True
        ):
            for one, other in ((i, j), (j, i)):
                if one in ours and other in placed and leads[one, other]:
                    gaps.append(sign * (ours[one] - placed[other]))
                    pairs.append(float(counts.sum()))
        shift = sign * _shift(np.array(gaps), np.array(pairs), fitted.draw, chance)
        moved = {i: strength + shift for i, strength in ours.items()}
        placed |= moved
        bounds |= moved
    return bounds


def _shift(gaps: Floats, pairs: Floats, draw: float, chance: float) -> float:
    """How far players must be moved up for winning every pair to have probability ``chance``.

    ``gaps`` are the differences before, in nats.  As in ``Score.interval``,
    the chance to win both games of a pair is at most the expected score.
    """
    far = 100.0 + float(np.abs(gaps).max()) + 2.0 * math.log1p(draw)
    return _root(
        lambda shift: float((pairs * np.log(expected_score(gaps + shift, draw))).sum()),
        math.log(chance),
        far,
    )


def _root(rising: Callable[[float], float], value: float, far: float) -> float:
    """Where ``rising`` reaches ``value``, between -far and far, by bisection."""
    low, high = -far, far
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < value else (low, middle)
    return (low + high) / 2
