"""What runs, evaluations and commands ask of an algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy.typing as npt

if TYPE_CHECKING:
    from playproof.core.game import Game
    from playproof.learning.evaluation import Evaluation
    from playproof.learning.settings import RunSettings
    from playproof.nets.kinds import AnyArchitecture
    from playproof.nets.mlp import Vector


class Learner(Protocol):
    """A run in memory, whatever its algorithm."""

    iteration: int
    game: Game
    back: int  # iterations: the net of so long ago is the one to compare with
    growing: tuple[str, ...]  # arrays of the state whose shape may change
    evaluated: Evaluation | None  # of the latest iteration, if there was one

    @property
    def settings(self) -> RunSettings: ...
    @property
    def architecture(self) -> AnyArchitecture: ...
    @property
    def weights(self) -> Vector: ...
    def iterate(self) -> dict[str, float]: ...
    def state(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]: ...
    def restore(self, arrays: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> None: ...
