"""Generalised advantage estimation (Schulman et al., 2016) on each player's own timeline.

A player's next state is the one in which it decides again, not the opponent's state in between.
So each player of each game has its own timeline.  The decisions of many timelines may be mixed in
one buffer, in the order in which they were made.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import boolean, float32, float64, types, void

from playproof.core.compiling import kernel
from playproof.core.errors import UsageError
from playproof.core.kernels import COUNTS

GAMMA, LAMBDA = 0.99, 0.95


def _signature(kind):
    vector = types.Array(kind, 1, "C")
    flags = types.Array(boolean, 1, "C")
    return void(COUNTS, vector, vector, flags, vector, vector, float64, float64, vector, vector)


@kernel([_signature(float32), _signature(float64)])
def _backwards(
    timelines, rewards, values, ended, following, running, gamma, decay, advantages, returns
):
    """``following`` and ``running`` hold each timeline's next value and advantage; overwritten."""
    for i in range(len(timelines) - 1, -1, -1):
        line = timelines[i]
        if ended[i]:
            following[line] = running[line] = 0.0
        step = rewards[i] + gamma * following[line] - values[i]
        advantage = step + gamma * decay * running[line]
        advantages[i] = advantage
        returns[i] = advantage + values[i]
        following[line] = values[i]
        running[line] = advantage


def advantages(
    timelines: npt.NDArray[np.int64],
    rewards: npt.NDArray[np.floating],
    values: npt.NDArray[np.floating],
    ended: npt.NDArray[np.bool_],
    next_values: npt.NDArray[np.floating],
    *,
    gamma: float = GAMMA,
    decay: float = LAMBDA,
) -> tuple[npt.NDArray[np.floating], npt.NDArray[np.floating]]:
    """The advantage and the return (advantage + value) of every recorded decision.

    timelines    (n,) the timeline of the decision, 0 … lines - 1; each is in order of time
    rewards      (n,) the player's rewards from this decision up to its next one
    values       (n,) the player's own estimate before the decision
    ended        (n,) whether the episode was over before the player's next decision;
                 another episode may follow on the same timeline
    next_values  (lines,) the value of the next state of each timeline whose last episode is
                 unfinished; ignored for the others
    """
    n, lines = len(timelines), len(next_values)
    if not (len(rewards) == len(values) == len(ended) == n):
        raise UsageError(f"rewards, values and ends must be {n}, one for each decision")
    if n and not 0 <= timelines.min() <= timelines.max() < lines:
        raise UsageError(f"timelines are numbers below {lines}, that of next values")
    kind: type[np.floating] = np.float64 if values.dtype == np.float64 else np.float32
    gains, returns = np.empty(n, kind), np.empty(n, kind)
    _backwards(
        np.ascontiguousarray(timelines, np.int64), np.ascontiguousarray(rewards, kind),
        np.ascontiguousarray(values, kind), np.ascontiguousarray(ended, np.bool_),
        next_values.astype(kind), np.zeros(lines, kind), gamma, decay, gains, returns,
    )  # fmt: skip
    return gains, returns


def normalised(gains: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Advantages scaled to mean 0 and deviation 1, of the same type."""
    wide = gains.astype(np.float64)
    normal: npt.NDArray[np.floating] = (wide - wide.mean()) / (wide.std() + 1e-8)
    return normal.astype(gains.dtype)
