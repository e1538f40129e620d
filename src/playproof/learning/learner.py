"""The protocols of a running algorithm: the learner itself, and its optional speed meters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy.typing as npt

if TYPE_CHECKING:
    from playproof.core.game import Game
    from playproof.learning.evaluation import Evaluation
    from playproof.learning.settings import RunSettings
    from playproof.nets.architectures import AnyArchitecture
    from playproof.nets.mlp import Vector

Stopped = Callable[[], bool]  # polled during an iteration: whether the run should stop
Arrays = dict[str, npt.NDArray[Any]]  # the arrays of a state, by name

# The arrays of a Batch in a checkpoint, by their names there.
BATCH_ARRAYS = {
    "rows": "rows",
    "plies": "plies",
    "seeds": "seeds",
    "known": "history_lengths",
    "pasts": "histories",
}


def never() -> bool:
    return False


class Learner(Protocol):
    """A training run in memory, of any algorithm (see ``Algorithm``)."""

    @property
    def settings(self) -> RunSettings: ...
    @property
    def game(self) -> Game: ...
    @property
    def architecture(self) -> AnyArchitecture: ...
    @property
    def weights(self) -> Vector:
        """Weights of the network to save, (architecture.parameters,) float32."""

    @property
    def iteration(self) -> int:
        """The number of finished iterations."""

    @property
    def evaluated(self) -> Evaluation | None:
        """The evaluation of the latest iteration, None if it had none."""

    @property
    def growing(self) -> tuple[str, ...]:
        """Names of the state's arrays whose shapes may change during a run."""

    def iterate(self, stopped: Stopped = never) -> dict[str, float] | None:
        """Do one iteration; its metrics by column, ``iteration`` among them.

        None if it was stopped halfway: the state then holds an unfinished iteration, which the
        next call finishes."""

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """(arrays, metadata) from which ``restore`` continues to the same weights.

        The metadata must be JSON and contain ``iteration``."""

    def restore(self, arrays: Arrays, metadata: dict[str, Any], /) -> None:
        """Continue from a state.  Arrays named by ``Algorithm.stays_behind`` may be missing."""


class Meter(Protocol):
    """Measures how fast a run is while it runs."""

    def __str__(self) -> str:
        """The speed so far, for the progress line."""

    def summary(self) -> list[str]:
        """The lines printed at the end of a run."""


class DataSpeed(Protocol):
    """How fast a network learns from a folder of positions, in positions per second."""

    @property
    def fed(self) -> float:
        """Positions read from the folder, prepared and learned."""

    @property
    def bare(self) -> float:
        """The same network on random numbers already in memory."""

    @property
    def data(self) -> float:
        """Positions read from the folder and prepared, without learning."""

    @property
    def share(self) -> float:
        """``fed`` as a share of ``bare``."""
