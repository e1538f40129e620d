"""Rewards: what players receive during a game and at its end.

During a game the reward is the points gained, or what a custom function says, which
:func:`register_reward` registers by name.
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
# (before, after, movers) -> (n,): what the mover of each row gained by its action.
RewardFunction = Callable[[Batch, Batch, npt.NDArray[np.int64]], npt.ArrayLike]
G = TypeVar("G", bound=RewardFunction)

POINTS = "points"
_registered: dict[str, RewardFunction] = {}


def register_reward(name: str) -> Callable[[G], G]:
    """Register a reward function by name, for the setting ``reward``; a decorator.

    The function gets the batch before and after an action in every row, and the players
    (0 or 1) who took it; it returns what they gained by it, (n,) finite numbers.  A run pays
    that times ``point_reward``, in addition to the rewards for wins, draws and losses.

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


def registered() -> list[RewardFunction]:
    """The reward functions registered in this process."""
    return list(_registered.values())


def find_reward(name: str) -> RewardFunction | None:
    """Find a reward function by name; None for the game's points, which are counted faster."""
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
    """The rewards of a run: for each point gained, and for winning, drawing or losing a game.

    The reward for a loss replaces what the loser's last action gained."""

    point: float = 0.1
    win: float = 2.0
    loss: float = -2.0
    draw: float = 0.0
    function: RewardFunction | None = None  # counts points in place of the game's score

    def of_points(self, before: Scores, after: Scores, movers: npt.NDArray[np.int64]) -> Scores:
        """The movers' rewards for points gained; the scores are the first player's leads."""
        gained: Scores = (after - before) * np.where(movers == 0, 1.0, -1.0)
        return self.point * np.maximum(gained, 0.0)

    def play(
        self, batch: Batch, actions: npt.NDArray[np.int64], movers: npt.NDArray[np.int64]
    ) -> Scores:
        """Play an action in every row of ``batch``; returns the movers' rewards, (n,)."""
        if self.function is None:
            before = batch.score()
            batch.apply(actions, check=False)
            return self.of_points(before, batch.score(), movers)
        earlier = batch.copy()
        batch.apply(actions, check=False)
        # The function gets copies: it may change them without changing the games.
        try:
            gained = np.asarray(self.function(earlier, batch.copy(), movers.copy()))
        except Exception as error:
            name = getattr(self.function, "__name__", "of one's own")
            raise UsageError(
                f"the reward {name} raised {type(error).__name__}: {one_line(error)}{_place(error)}"
            ) from error
        return self.point * _checked(gained, len(batch))


def _takes_three(function: Callable[..., object]) -> bool:
    try:
        inspect.signature(function).bind(None, None, None)
    except TypeError:
        return False
    except ValueError:  # compiled functions may have no signature
        return True
    return True


def _place(error: Exception) -> str:
    """Where in the reward's file the error was raised; "" if the call itself failed."""
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
