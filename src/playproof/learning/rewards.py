"""What a player gets for what it does and for how a game ends.

What is paid on the way is the game's points, or what a function of one's own says, which
:func:`register_reward` gives a name.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from playproof.core import spec
from playproof.core.batch import Batch
from playproof.core.errors import UsageError, one_line
from playproof.core.plugins import load_files

Scores = npt.NDArray[np.float64]
# (before, after, movers) -> (n,): what each row's mover gained by its action.
Gains = Callable[[Batch, Batch, npt.NDArray[np.int64]], npt.ArrayLike]
G = TypeVar("G", bound=Gains)

POINTS = "points"
_registered: dict[str, Gains] = {}


def register_reward(name: str) -> Callable[[G], G]:
    """Give a reward of one's own a name, for the setting ``reward``; a decorator.

    The function gets the batch before and after an action in every row, and the players
    (0 or 1) who took it; it gives what they gained by it, (n,) finite numbers.  What a
    run pays is that times ``point_reward``; wins, draws and losses are paid beside it.

    >>> import playproof
    >>> @playproof.register_reward("any-move")
    ... def any_move(before, after, players):
    ...     return [1.0] * len(before)
    """
    if not isinstance(name, str):
        raise UsageError('a reward has a name: want @register_reward("NAME") above the function')
    if not name or name == POINTS:
        raise UsageError(f"a reward cannot be called '{name}': choose another name")

    def register(function: G) -> G:
        if not _takes_three(function):
            raise UsageError(f"reward '{name}': want a function of (before, after, movers)")
        _registered[name] = function
        return function

    return register


def registered() -> list[Gains]:
    """The rewards that this process has registered itself."""
    return list(_registered.values())


def find_reward(name: str) -> Gains | None:
    """The function of a reward; None for the game's points, which are counted faster."""
    if name == POINTS:
        return None
    if name not in _registered:
        load_files()
    if name not in _registered:
        error = spec.unknown_name("reward", name, [POINTS, *_registered])
        raise UsageError(f"{error}; 'playproof --load FILE.py train' brings those of a file")
    return _registered[name]


@dataclass(frozen=True)
class Rewards:
    """Points are the game's own, gained by the player's action; a loss takes the place of
    what the last action gained."""

    point: float = 0.1
    win: float = 2.0
    loss: float = -2.0
    draw: float = 0.0
    gains: Gains | None = None  # in place of the points

    def of_points(self, before: Scores, after: Scores, movers: npt.NDArray[np.int64]) -> Scores:
        """For the points that the movers gained; the scores are the first player's lead."""
        gained: Scores = (after - before) * np.where(movers == 0, 1.0, -1.0)
        return self.point * np.maximum(gained, 0.0)

    def play(
        self, batch: Batch, actions: npt.NDArray[np.int64], movers: npt.NDArray[np.int64]
    ) -> Scores:
        """Play an action in every row; what the movers get for it."""
        if self.gains is None:
            before = batch.score()
            batch.apply(actions, check=False)
            return self.of_points(before, batch.score(), movers)
        earlier = batch.copy()
        batch.apply(actions, check=False)
        # What it is shown is a copy: the games go on as they are, whatever it does with them.
        try:
            gained = np.asarray(self.gains(earlier, batch.copy(), movers.copy()))
        except Exception as error:
            name = getattr(self.gains, "__name__", "of one's own")
            raise UsageError(
                f"the reward {name} raised {type(error).__name__}: {one_line(error)}{_place(error)}"
            ) from error
        return self.point * _checked(gained, len(batch))


def _takes_three(function: Callable[..., object]) -> bool:
    try:
        inspect.signature(function).bind(None, None, None)
    except TypeError:
        return False
    except ValueError:  # compiled code may not say
        return True
    return True


def _place(error: Exception) -> str:
    """Where in the file of the reward it was raised; nothing if Python itself could not call it."""
    frames = traceback.extract_tb(error.__traceback__)[1:]
    return f" ({Path(frames[0].filename).name}, line {frames[0].lineno})" if frames else ""


def _checked(gained: npt.NDArray[Any], rows: int) -> Scores:
    if gained.shape != (rows,) or gained.dtype.kind not in "fiub":
        raise UsageError(
            f"the reward gave an array of {gained.dtype} and shape {gained.shape}: want numbers, "
            f"({rows},), one for each game"
        )
    gained = gained.astype(np.float64)
    if not np.isfinite(gained).all():
        row = int(np.argmin(np.isfinite(gained)))
        raise UsageError(f"the reward gave {gained[row]} in row {row}: want finite numbers")
    return gained
