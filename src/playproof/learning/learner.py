"""What runs and commands ask of an algorithm at work, and what it may offer beside."""

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

Stopped = Callable[[], bool]  # whether a run is to stop, asked now and then
Arrays = dict[str, npt.NDArray[Any]]  # of a state, by name


def never() -> bool:
    return False


class Learner(Protocol):
    """A run in memory, whatever its algorithm (see ``Algorithm``)."""

    @property
    def settings(self) -> RunSettings: ...
    @property
    def game(self) -> Game: ...
    @property
    def architecture(self) -> AnyArchitecture: ...
    @property
    def weights(self) -> Vector:
        """Those of the network to keep, (architecture.parameters,) float32."""

    @property
    def iteration(self) -> int:
        """Iterations that are done."""

    @property
    def evaluated(self) -> Evaluation | None:
        """The games of the latest iteration's evaluation, if there was one."""

    @property
    def growing(self) -> tuple[str, ...]:
        """Arrays of the state whose shape may change."""

    def iterate(self, stopped: Stopped = never) -> dict[str, float] | None:
        """One iteration; its metrics by column, ``iteration`` among them.

        None if it was stopped on its way: the state is then that of an iteration half done, and
        the next call goes on with it."""

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """(arrays, facts) from which ``restore`` goes on to the same weights; facts are what
        JSON can hold, ``iteration`` among them."""

    def restore(self, arrays: Arrays, facts: dict[str, Any]) -> None:
        """Take over a state; arrays that stay behind when a run travels may be missing."""


class Meter(Protocol):
    """How fast a run goes, measured while it runs."""

    def __str__(self) -> str:
        """For the line of progress."""

    def summary(self) -> list[str]:
        """Lines for the end of a run."""


class DataSpeed(Protocol):
    """How fast a network learns from a folder of positions, in positions a second."""

    @property
    def fed(self) -> float:
        """From the folder: read, made ready, learned."""

    @property
    def bare(self) -> float:
        """The same network on numbers that lie in memory."""

    @property
    def data(self) -> float:
        """The folder made ready, and nothing learned."""

    @property
    def share(self) -> float:
        """``fed`` of ``bare``."""
