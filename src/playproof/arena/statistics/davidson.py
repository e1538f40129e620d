"""The Bradley-Terry model with draws (Davidson, 1970), fitted to pairs of games.

With strengths ``theta`` and draw parameter ``nu``, a game between i and j is won, drawn or lost by
i in the proportion

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
_DRAWN: Floats = np.array([0.0, 1.0, 2.0, 0.0, 1.0, 0.0])
_MAX_STEPS = 200
_MAX_STEP = 2.0  # nats: far from the maximum the quadratic model is not reliable
_CLOSE = 1e-11


@dataclass(frozen=True)
class Pairings:
    """The pairings and their results.

    ``first`` and ``second`` are player numbers, shape (pairings,).  ``pairs`` counts the pairs of
    games of each kind, shape (pairings, 6).
    """

    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    pairs: Floats

    def only(self, chosen: npt.NDArray[np.bool_]) -> Pairings:
        return Pairings(self.first[chosen], self.second[chosen], self.pairs[chosen])


@dataclass(frozen=True)
class Fit:
    """Fitted strengths in nats, with mean 0 in every group, and the draw parameter.

    ``covariance`` is that of (strengths, log draw).  ``unseen``, shape (2 * pairings, players + 1),
    is how far one more pair, lost twice or won twice, would move (strengths, log draw).  No
    interval should be narrower than that, even if all pairs ended alike and nothing varies.
    """

    strengths: Floats
    draw: float
    covariance: Floats
    unseen: Floats


def probabilities(difference: Floats, draw: float) -> tuple[Floats, Floats, Floats]:
    """Probabilities of (win, draw, loss) for a player stronger by ``difference`` nats."""
    size = np.abs(difference)
    win, loss = np.exp((difference - size) / 2), np.exp((-difference - size) / 2)
    drawn = draw * np.exp(-size / 2)
    total = win + drawn + loss
    return win / total, drawn / total, loss / total


def expected_score(difference: Floats, draw: float) -> Floats:
    win, drawn, _ = probabilities(difference, draw)
    return win + drawn / 2


def fit(pairings: Pairings, groups: npt.NDArray[np.int64]) -> Fit:
    """The most likely strengths and draw parameter, with their robust covariance.

    ``groups[i]`` is the number of player i's group.  Pairings must lie inside groups, and inside
    each group a chain of points must lead from every player to every other (Ford, 1957), so that
    all differences are finite.
    """
    likelihood = _Likelihood(pairings, groups)
    at = likelihood.start()
    here = likelihood.value(at)
    for _ in range(_MAX_STEPS):
        step = np.linalg.solve(likelihood.curvature(at), likelihood.slope(at))
        step *= min(1.0, _MAX_STEP / max(np.abs(step).max(), _CLOSE))
        # Rounding may hide the last bit of progress, so a step that becomes tiny ends the fit.
        while (there := likelihood.value(at + step)) < here and np.abs(step).max() > _CLOSE:
            step /= 2
        if np.abs(step).max() <= _CLOSE:
            break
        at, here = at + step, there
    return Fit(at[:-1], float(np.exp(at[-1])), *likelihood.uncertainty(at))


class _Likelihood:
    """The log-likelihood as a function of ``at``: (strengths, log draw), shape (players + 1,).

    Without draws nu is 0: log draw is minus infinity and stays there.
    """

    def __init__(self, pairings: Pairings, groups: npt.NDArray[np.int64]) -> None:
        self.counts = pairings.pairs
        rows = np.arange(len(self.counts))
        self.design = np.zeros((len(rows), len(groups)))
        self.design[rows, pairings.first] = 1.0
        self.design[rows, pairings.second] = -1.0
        self.together = (groups[:, None] == groups[None, :]).astype(np.float64)
        self.free = len(groups) - len(np.unique(groups))  # strengths that are free to move
        self.games = 2.0 * self.counts.sum(1)
        self.balance = self.counts @ _BALANCE
        self.drawn = self.counts @ _DRAWN
        self.with_draws = bool(self.drawn.any())
        # Draws can outgrow the model: where no ring of results has more wins than draws (five
        # wins and three draws, or draws alone), the likelihood rises without end as nu grows.
        # Half a win and half a loss for every pairing, the old remedy for empty cells (Haldane,
        # 1956), prevents that.
        if self.with_draws and _draws_outgrow(pairings, len(groups)):
            self.games += 1.0

    def start(self) -> Floats:
        """The starting point: equal players, with about the observed rate of draws."""
        at = np.zeros(self.design.shape[1] + 1)
        draws = self.drawn.sum()
        decisive = max(self.games.sum() - draws, 1.0)
        at[-1] = np.log(2.0 * draws / decisive) if self.with_draws else -np.inf
        return at

    def chances(self, at: Floats) -> tuple[Floats, Floats, Floats]:
        """Probabilities of (win, draw, loss) for every pairing."""
        return probabilities(self.design @ at[:-1], float(np.exp(at[-1])))

    def value(self, at: Floats) -> float:
        difference = self.design @ at[:-1]
        size = np.abs(difference)
        mass = 1.0 + np.exp(-size) + np.exp(at[-1] - size / 2)
        exponents = self.balance * difference / 2
        if self.with_draws:
            exponents += self.drawn * at[-1]
        return float((exponents - self.games * (size / 2 + np.log(mass))).sum())

    def slope(self, at: Floats) -> Floats:
        win, tie, loss = self.chances(at)
        strengths = self.design.T @ (self.balance - self.games * (win - loss)) / 2
        return np.append(strengths, (self.drawn - self.games * tie).sum())

    def curvature(self, at: Floats) -> Floats:
        """Minus the second derivatives."""
        win, tie, loss = self.chances(at)
        matrix = _assemble(
            self.design,
            self.games * (win + loss - (win - loss) ** 2) / 4,
            self.games * tie * (loss - win) / 2,
            self.games * tie * (1.0 - tie),
        )
        # A common shift of a group changes nothing, so this fixes the group's mean.
        matrix[:-1, :-1] += self.together
        if not self.with_draws:
            matrix[-1, -1] = 1.0
        return matrix

    def uncertainty(self, at: Floats) -> tuple[Floats, Floats]:
        """``Fit.covariance`` and ``Fit.unseen`` at the maximum.

        The games of a pair are not independent, so the covariance is the sandwich estimator (Huber,
        1967) over pairs.
        """
        win, tie, loss = self.chances(at)
        # What a pair of each kind adds to the slope, shape (pairings, 6).
        push = (_BALANCE - 2.0 * (win - loss)[:, None]) / 2
        pull = _DRAWN - 2.0 * tie[:, None]
        spread = _assemble(
            self.design,
            (self.counts * push**2).sum(1),
            (self.counts * push * pull).sum(1),
            (self.counts * pull**2).sum(1),
        )
        # Fitted strengths follow the data, so the residuals vary too little.
        pairs = self.counts.sum()
        spread *= pairs / max(pairs - self.free, 1.0)
        bread = np.linalg.inv(self.curvature(at))
        extremes = np.concatenate(
            [np.column_stack([self.design * push[:, [kind]], pull[:, kind]]) for kind in (0, 5)]
        )
        return bread @ spread @ bread, extremes @ bread


def _assemble(design: Floats, strength: Floats, mixed: Floats, draw: Floats) -> Floats:
    """A symmetric matrix over (strengths, log draw) from one 2 x 2 block for every pairing."""
    players = design.shape[1]
    matrix = np.empty((players + 1, players + 1))
    matrix[:players, :players] = design.T @ (strength[:, None] * design)
    matrix[:players, players] = matrix[players, :players] = design.T @ mixed
    matrix[players, players] = draw.sum()
    return matrix


def _draws_outgrow(pairings: Pairings, players: int) -> bool:
    """Whether no finite nu is the most likely one.

    Then there are strengths with a gap of 1 or more for every win, and of 1 or less for every draw;
    scaling all of them up, and log nu with them, loses nothing.  Such strengths exist unless some
    ring of results has more wins than draws, which shows as a negative path from a player to
    itself.
    """
    drawn = pairings.pairs @ _DRAWN > 0
    won = pairings.pairs[:, 3:].any(axis=1)
    lost = pairings.pairs[:, [0, 1, 3]].any(axis=1)
    paths = np.full((players, players), np.inf)
    for one, other, beaten in (
        (pairings.first, pairings.second, won),
        (pairings.second, pairings.first, lost),
    ):
        paths[one[drawn], other[drawn]] = 1.0
        paths[one[beaten], other[beaten]] = -1.0
    for middle in range(players):
        paths = np.minimum(paths, paths[:, middle, None] + paths[None, middle, :])
        paths = np.maximum(paths, -2.0 * players)  # else negative rings would grow without bound
    return not bool((np.diagonal(paths) < 0).any())
