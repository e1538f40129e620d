"""The sequential probability ratio test (SPRT): stops a match as soon as the result is clear.

The test of Wald (1945) stops when the likelihood ratio of two hypotheses leaves a band, which keeps
both kinds of error below their limits.  The draw rate and the dependence between the two games of a
pair are unknown.  So each hypothesis gets the most likely distribution of pair scores that has its
mean: the generalised test (Van den Bergh, 2018), on pairs rather than games.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from playproof.arena.statistics.pentanomial import Floats, likelihood_lost
from playproof.arena.statistics.score import Score, score_of_elo
from playproof.core.errors import UsageError

Decision = Literal["accept H1", "accept H0"]
_MAX_ELO = 2000.0  # an expected score of 0.99999; beyond it there is nothing left to test


@dataclass(frozen=True)
class Sprt:
    """A test of H1, that a player is stronger by ``elo1``, against H0, that it is by ``elo0``.

    Elo is logistic, as everywhere in the arena.  ``alpha`` is the largest probability of accepting
    H1 if H0 holds, ``beta`` that of accepting H0 if H1 holds.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -_MAX_ELO <= self.elo0 < self.elo1 <= _MAX_ELO:
            raise UsageError(
                f"an SPRT from {self.elo0:g} to {self.elo1:g} Elo tests nothing: "
                f"want elo0 < elo1, within {_MAX_ELO:g} of 0"
            )
        if not (0.0 < self.alpha < 0.5 and 0.0 < self.beta < 0.5):
            raise UsageError(
                f"errors of {self.alpha:g} and {self.beta:g} cannot be kept: want 0 < error < 0.5"
            )

    @classmethod
    def parse(cls, text: str) -> Sprt:
        """From ``ELO0,ELO1`` or ``ELO0,ELO1,ALPHA,BETA``."""
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) not in (2, 4):
            raise UsageError(
                f"'{text}' is not an SPRT: want ELO0,ELO1 such as 0,5, or with errors 0,5,0.05,0.05"
            )
        return cls(*numbers)

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios, in nats, at which H0 and H1 are accepted (Wald, 1945)."""
        return (
            math.log(self.beta / (1.0 - self.alpha)),
            math.log((1.0 - self.beta) / self.alpha),
        )

    def llr(self, score: Score) -> float:
        """The log-likelihood ratio of H1 to H0, in nats.

        A better result of a pair always raises it.  With expected scores s0 and s1, one pair raises
        it by at most ``log(s1 / s0)`` and lowers it by at most ``log((1 - s0) / (1 - s1))``.  So
        the first pair cannot decide between hypotheses that lie close together.
        """
        return float(self.llrs(np.array(score.pentanomial))) if score.games else 0.0

    def llrs(self, counts: npt.ArrayLike) -> Floats:
        """``llr`` for many matches: ``counts`` of pair scores, shape (..., 5), none empty."""
        lost = (likelihood_lost(counts, score_of_elo(elo)) for elo in (self.elo0, self.elo1))
        return np.subtract(*lost)

    def decision(self, score: Score) -> Decision | None:
        """The decision after the results so far; None if the match must go on."""
        llr = self.llr(score)
        lower, upper = self.bounds
        if llr >= upper:
            return "accept H1"
        return "accept H0" if llr <= lower else None

    def decided_after(self, results: Sequence[tuple[float, float]]) -> int | None:
        """The number of pairs, in their order, after which the test decides; None if it does not.

        ``results`` are as in ``Score.from_results``.
        """
        if not results:
            return None
        points = (2.0 * np.sum(results, axis=1)).astype(np.int64)  # of a pair, in halves
        counts = np.cumsum(points[:, None] == np.arange(5), axis=0)
        llrs = self.llrs(counts)
        lower, upper = self.bounds
        outside = np.flatnonzero((llrs >= upper) | (llrs <= lower))
        return int(outside[0]) + 1 if len(outside) else None

    def to_json(self) -> dict[str, Any]:
        lower, upper = self.bounds
        return {
            "elo0": self.elo0,
            "elo1": self.elo1,
            "alpha": self.alpha,
            "beta": self.beta,
            "lower": lower,
            "upper": upper,
        }
