"""The Bradley-Terry model with draws (Davidson, 1970), fitted to pairs of games.

With strengths ``theta`` (in nats) and draw parameter ``nu``, player i wins, draws or loses against
player j with probabilities in the proportion

    exp(theta_i) : nu * exp((theta_i + theta_j) / 2) : exp(theta_j).

This is an exponential family in (theta, log nu), so the log-likelihood is concave and Newton's
method finds its maximum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.arena.statistics.pentanomial import Floats

# For each kind of pair, LL, LD, DD, WL, WD, WW: wins minus losses, and draws.
_BALANCE: Floats = np.array([-2.0, -1.0, 0.0, 0.0, 1.0, 2.0])
_DRAWS: Floats = np.array([0.0, 1.0, 2.0, 0.0, 1.0, 0.0])
_MAX_ITERATIONS = 200
_MAX_STEP = 2.0  # nats: far from the maximum the quadratic model is not reliable
_TOLERANCE = 1e-11  # nats: a smaller step ends the fit


@dataclass(frozen=True)
class Pairings:
    """The pairings and their results.

    ``first`` and ``second`` are player numbers, shape (pairings,).  ``pairs`` counts the pairs of
    games of each kind from LL to WW, from the first player's side, shape (pairings, 6).
    """

    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    pairs: Floats

    def select(self, mask: npt.NDArray[np.bool_]) -> Pairings:
        """The pairings where ``mask``, shape (pairings,), is true."""
        return Pairings(self.first[mask], self.second[mask], self.pairs[mask])


@dataclass(frozen=True)
class Fit:
    """Fitted strengths in nats, with mean 0 in every group, and the draw parameter.

    ``strengths`` has shape (players,).  ``covariance`` is that of (strengths, log draw), shape
    (players + 1, players + 1).  ``pair_shifts``, shape (2 * pairings, players + 1), is how far one
    more pair of games would move (strengths, log draw): first for a pair lost twice in each
    pairing, then for a pair won twice.  No interval should be narrower than that.  The covariance
    alone would be 0 if all pairs ended alike.
    """

    strengths: Floats
    draw: float
    covariance: Floats
    pair_shifts: Floats


def probabilities(difference: Floats, draw: float) -> tuple[Floats, Floats, Floats]:
    """Probabilities of (win, draw, loss) for a player stronger by ``difference`` nats.

    ``draw`` is the draw parameter nu.
    """
    size = np.abs(difference)  # all weights are divided by exp(size / 2), against overflow
    win, loss = np.exp((difference - size) / 2), np.exp((-difference - size) / 2)
    tie = draw * np.exp(-size / 2)
    total = win + tie + loss
    return win / total, tie / total, loss / total


def expected_score(difference: Floats, draw: float) -> Floats:
    """The expected score, 0 to 1, of a player stronger by ``difference`` nats."""
    win, tie, _ = probabilities(difference, draw)
    return win + tie / 2


def fit(pairings: Pairings, groups: npt.NDArray[np.int64]) -> Fit:
    """The most likely strengths and draw parameter, with their robust covariance.

    ``groups[i]`` is the number of player i's group.  Both players of a pairing must be in one
    group.  In each group, for any two players i and j, there must be a chain of players from i to
    j in which each has scored against the next (Ford, 1957).  Otherwise a difference would be
    infinite.
    """
    likelihood = _Likelihood(pairings, groups)
    parameters = likelihood.start()
    value = likelihood.value(parameters)
    for _ in range(_MAX_ITERATIONS):
        step = np.linalg.solve(
            likelihood.negative_hessian(parameters), likelihood.gradient(parameters)
        )
        step *= min(1.0, _MAX_STEP / max(np.abs(step).max(), _TOLERANCE))
        # Near the maximum rounding may hide progress, so the step is not halved without end.
        while (new_value := likelihood.value(parameters + step)) < value:
            if np.abs(step).max() <= _TOLERANCE:
                break
            step /= 2
        if np.abs(step).max() <= _TOLERANCE:
            break
        parameters, value = parameters + step, new_value
    strengths, draw = parameters[:-1], float(np.exp(parameters[-1]))
    return Fit(strengths, draw, *likelihood.uncertainty(parameters))


class _Likelihood:
    """The log-likelihood as a function of ``parameters``.

    These are (strengths, log draw), shape (players + 1,).  If no game was drawn, nu is 0: log draw
    is minus infinity and stays there.
    """

    def __init__(self, pairings: Pairings, groups: npt.NDArray[np.int64]) -> None:
        self.counts = pairings.pairs
        rows = np.arange(len(self.counts))
        # (pairings, players): the difference in strength of each pairing is ``design @ strengths``.
        self.design = np.zeros((len(rows), len(groups)))
        self.design[rows, pairings.first] = 1.0
        self.design[rows, pairings.second] = -1.0
        self.same_group = (groups[:, None] == groups[None, :]).astype(np.float64)
        self.free_strengths = len(groups) - len(np.unique(groups))  # each group's mean is fixed
        self.games = 2.0 * self.counts.sum(1)
        self.balance = self.counts @ _BALANCE
        self.draws = self.counts @ _DRAWS
        self.has_draws = bool(self.draws.any())
        # Without a finite maximum, add half a win and half a loss to every pairing, the old remedy
        # for empty cells (Haldane, 1956).
        if self.has_draws and _draws_outgrow(pairings, len(groups)):
            self.games += 1.0

    def start(self) -> Floats:
        """The parameters where the fit starts: equal players, with about the observed draw rate."""
        parameters = np.zeros(self.design.shape[1] + 1)
        draws = self.draws.sum()
        decisive = max(self.games.sum() - draws, 1.0)
        parameters[-1] = np.log(2.0 * draws / decisive) if self.has_draws else -np.inf
        return parameters

    def probabilities(self, parameters: Floats) -> tuple[Floats, Floats, Floats]:
        """Probabilities of (win, draw, loss) for every pairing, each of shape (pairings,)."""
        return probabilities(self.design @ parameters[:-1], float(np.exp(parameters[-1])))

    def value(self, parameters: Floats) -> float:
        """The log-likelihood."""
        difference = self.design @ parameters[:-1]
        size = np.abs(difference)
        # The weights exp(difference / 2), nu and exp(-difference / 2), over exp(size / 2).
        total = 1.0 + np.exp(-size) + np.exp(parameters[-1] - size / 2)
        exponents = self.balance * difference / 2
        if self.has_draws:
            exponents += self.draws * parameters[-1]
        return float((exponents - self.games * (size / 2 + np.log(total))).sum())

    def gradient(self, parameters: Floats) -> Floats:
        """The first derivatives, shape (players + 1,)."""
        win, tie, loss = self.probabilities(parameters)
        strengths = self.design.T @ (self.balance - self.games * (win - loss)) / 2
        return np.append(strengths, (self.draws - self.games * tie).sum())

    def negative_hessian(self, parameters: Floats) -> Floats:
        """Minus the second derivatives, shape (players + 1, players + 1); made invertible."""
        win, tie, loss = self.probabilities(parameters)
        matrix = _assemble(
            self.design,
            self.games * (win + loss - (win - loss) ** 2) / 4,
            self.games * tie * (loss - win) / 2,
            self.games * tie * (1.0 - tie),
        )
        # The likelihood does not change if a whole group shifts, so this fixes the group's mean.
        matrix[:-1, :-1] += self.same_group
        if not self.has_draws:
            matrix[-1, -1] = 1.0
        return matrix

    def uncertainty(self, parameters: Floats) -> tuple[Floats, Floats]:
        """``Fit.covariance`` and ``Fit.pair_shifts`` at the maximum.

        The games of a pair are not independent, so the covariance is the sandwich estimator (Huber,
        1967) over pairs.
        """
        win, tie, loss = self.probabilities(parameters)
        # What a pair of each kind adds to the derivative by the difference in strength and to that
        # by log draw, shape (pairings, 6).
        by_strength = (_BALANCE - 2.0 * (win - loss)[:, None]) / 2
        by_draw = _DRAWS - 2.0 * tie[:, None]
        meat = _assemble(
            self.design,
            (self.counts * by_strength**2).sum(1),
            (self.counts * by_strength * by_draw).sum(1),
            (self.counts * by_draw**2).sum(1),
        )
        # Fitted strengths follow the data, so residuals underestimate the variance.  This corrects
        # for the degrees of freedom.
        pairs = self.counts.sum()
        meat *= pairs / max(pairs - self.free_strengths, 1.0)
        bread = np.linalg.inv(self.negative_hessian(parameters))
        extreme_pairs = np.concatenate(
            [
                np.column_stack([self.design * by_strength[:, [kind]], by_draw[:, kind]])
                for kind in (0, 5)  # LL and WW
            ]
        )
        return bread @ meat @ bread, extreme_pairs @ bread


def _assemble(design: Floats, strength: Floats, mixed: Floats, draw: Floats) -> Floats:
    """A symmetric matrix over (strengths, log draw) from one 2 x 2 block for every pairing.

    The block is over (difference in strength, log draw): ``strength`` and ``draw`` are its
    diagonal and ``mixed`` is the rest, each of shape (pairings,).
    """
    players = design.shape[1]
    matrix = np.empty((players + 1, players + 1))
    matrix[:players, :players] = design.T @ (strength[:, None] * design)
    matrix[:players, players] = matrix[players, :players] = design.T @ mixed
    matrix[players, players] = draw.sum()
    return matrix


def _draws_outgrow(pairings: Pairings, players: int) -> bool:
    """Whether the likelihood has no maximum, because it never falls as nu grows.

    That is so if there are strengths with a gap of 1 or more for every win, and of 1 or less for
    every draw.  Then scaling up these strengths and log nu together does not lower the likelihood.
    Draws alone are an example, or five wins and three draws between two players.

    Such strengths exist unless some cycle of results has more wins than draws.  With an edge of
    length -1 from winner to loser, and edges of length 1 both ways for a draw, such a cycle is a
    path of negative length from a player to itself (Floyd, 1962).
    """
    drawn = pairings.pairs @ _DRAWS > 0
    won = pairings.pairs[:, 3:].any(axis=1)
    lost = pairings.pairs[:, [0, 1, 3]].any(axis=1)
    lengths = np.full((players, players), np.inf)
    for player, opponent, beaten in (
        (pairings.first, pairings.second, won),
        (pairings.second, pairings.first, lost),
    ):
        lengths[player[drawn], opponent[drawn]] = 1.0
        lengths[player[beaten], opponent[beaten]] = -1.0
    for middle in range(players):
        lengths = np.minimum(lengths, lengths[:, middle, None] + lengths[None, middle, :])
        lengths = np.maximum(lengths, -2.0 * players)  # negative cycles would fall without bound
    return not bool((np.diagonal(lengths) < 0).any())
