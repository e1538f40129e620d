"""What runs, evaluations and commands ask of an algorithm."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy.typing as npt

if TYPE_CHECKING:
    from playproof.core.game import Game
    from playproof.learning.evaluation import Evaluation
    from playproof.learning.settings import RunSettings
    from playproof.nets.kinds import AnyArchitecture
    from playproof.nets.mlp import Vector

Stopped = Callable[[], bool]  # whether a run is to stop, asked now and then


def never() -> bool:
    return False


class Learner(Protocol):
    """A run in memory, whatever its algorithm.

    ``iterate`` gives None if it was stopped on its way: the state is then that of an iteration
    half done, and the next call goes on with it."""

    iteration: int
    game: Game
    back: int  # iterations: the net of so long ago is the one to compare with
    growing: tuple[str, ...]  # arrays of the state whose shape may change
    # Arrays, by how their names begin, that are too large to travel to another machine: a
    # state without them is restored, and they are made anew there by playing.
    stays_behind: tuple[str, ...]
    evaluated: Evaluation | None  # of the latest iteration, if there was one

    @property
    def settings(self) -> RunSettings: ...
    @property
    def architecture(self) -> AnyArchitecture: ...
    @property
    def weights(self) -> Vector: ...
    def iterate(self, stopped: Stopped = never) -> dict[str, float] | None: ...
    def state(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]: ...
    def restore(self, arrays: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> None: ...
