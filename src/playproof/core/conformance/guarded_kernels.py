"""Kernels called under guard: every array has margins of memory that must not be touched.

Compiled code checks no bounds.  Here each argument is a view of exactly the length that the kernel
may expect, with margins before and after it.  Each call is made twice, with different values in the
margins: a kernel that writes outside its arguments changes them, and one that reads outside its
arguments returns two different results.
"""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import one_line
from playproof.core.game import Game
from playproof.core.kernels import Words

MARGIN = 1024  # entries on either side, at least
MOST_MARGIN = 2**20
MOST_TABLE_WORDS = 2**22  # larger tables have no margins

_PATTERNS = (0x5A, 0xA5)


class SafetyViolation(Exception):
    """A game breaks a safety law; the message says how."""

    def __init__(self, law: str, what: str) -> None:
        super().__init__(what)
        self.law = law


class GuardedArray:
    """An array with margins."""

    def __init__(self, size: int, kind: type, pattern: int, margin: int = MARGIN) -> None:
        item = np.dtype(kind).itemsize
        self._bytes = np.full((size + 2 * margin) * item, pattern, np.uint8)
        self._pattern = pattern
        self._start, self._item = margin * item, item
        self._end = self._start + size * item

    def resize(self, size: int) -> None:
        """Change the length; the rest belongs to the margin."""
        self.fill()
        self._end = self._start + size * self._item

    def view(self, kind: type) -> npt.NDArray[Any]:
        return self._bytes[self._start : self._end].view(kind)

    def fill(self) -> None:
        """Fill the array itself with the pattern, too, before a kernel writes to it."""
        self._bytes[self._start : self._end] = self._pattern

    def changed_margin(self) -> int | None:
        """The index of an entry in a margin that was changed; None if none was."""
        for part, place in ((self._bytes[: self._start], 0), (self._bytes[self._end :], self._end)):
            if (part != self._pattern).any():
                byte = int((part != self._pattern).argmax()) + place
                return (byte - self._start) // self._item
        return None


class GuardedArguments:
    """All arguments of a game's kernels, with the same pattern in all margins."""

    def __init__(self, game: Game, pattern: int, longest: int) -> None:
        action_margin = min(max(MARGIN, game.num_actions), MOST_MARGIN)

        def array(size: int, kind: type, margin: int = MARGIN) -> GuardedArray:
            return GuardedArray(size, kind, pattern, margin)

        self.options = array(len(game.option_words), np.uint64)
        self.options.view(np.uint64)[:] = game.option_words
        # Large tables are not copied: that would take too much memory.
        large = len(game.tables) > MOST_TABLE_WORDS
        self.tables = array(0 if large else len(game.tables), np.uint64)
        if not large:
            self.tables.view(np.uint64)[:] = game.tables
        self.tables_view = game.tables if large else self.tables.view(np.uint64)
        self.state = array(game.words, np.uint64)
        self.image = array(game.words, np.uint64)
        self.history = array(longest, np.uint64)
        self.actions = array(game.max_actions, np.int32, action_margin)
        self.odds = array(game.max_actions, np.float64, action_margin)
        self.planes = [
            array(size, np.float32, max(MARGIN, size))
            for size in (math.prod(shape) for shape in game.observations.values())
        ]


class GuardedKernels:
    """A game's kernels, called under guard: a SafetyViolation if one leaves its arguments."""

    def __init__(self, game: Game, longest: int) -> None:
        self.game = game
        self._arguments = [GuardedArguments(game, pattern, longest) for pattern in _PATTERNS]

    def actions(self, row: Words, history: Words) -> list[int]:
        return self._list("actions", row, history)

    def noisy(self, row: Words, history: Words) -> list[int]:
        return self._list("noisy", row, history)

    def _list(self, name: str, row: Words, history: Words) -> list[int]:
        kernel, most = getattr(self.game.kernels, name), self.game.max_actions

        def call(guarded: GuardedArguments, arguments: list[Any]) -> list[int]:
            guarded.actions.fill()
            out = guarded.actions.view(np.int32)
            n = int(kernel(*arguments, out))
            if not 0 <= n <= most:
                what = f"{name} returns {n}: want 0 to {most}, which is max_actions"
                raise SafetyViolation("max-actions", what)
            why = f"max_actions is {most}"
            self._check_margins("max-actions", name, guarded.actions, "out", why)
            return [int(action) for action in out[:n]]

        return self._call_twice(name, call, row, history)  # type: ignore[no-any-return]

    def chance(self, row: Words, history: Words) -> list[tuple[int, float]]:
        most = self.game.max_actions

        def call(guarded: GuardedArguments, arguments: list[Any]) -> list[tuple[int, float]]:
            guarded.actions.fill()
            guarded.odds.fill()
            out, odds = guarded.actions.view(np.int32), guarded.odds.view(np.float64)
            n = int(self.game.kernels.chance(*arguments, out, odds))
            if not 1 <= n <= most:
                what = f"chance returns {n}: want 1 to {most}, which is max_actions"
                raise SafetyViolation("max-actions", what)
            for array in (guarded.actions, guarded.odds):
                self._check_margins("max-actions", "chance", array, "out", f"max_actions is {most}")
            return [(int(a), float(p)) for a, p in zip(out[:n], odds[:n], strict=True)]

        return self._call_twice("chance", call, row, history)  # type: ignore[no-any-return]

    def observe(self, kind: int, row: Words, history: Words) -> npt.NDArray[np.float32]:
        name, shape = list(self.game.observations.items())[kind]

        def call(guarded: GuardedArguments, arguments: list[Any]) -> npt.NDArray[np.float32]:
            plane = guarded.planes[kind]
            plane.fill()
            self.game.kernels.observe(*arguments, kind, plane.view(np.float32))
            why = f"the shape of {name!r} is {shape}"
            self._check_margins("observation-shape", "observe", plane, "out", why)
            return plane.view(np.float32).copy()

        return self._call_twice("observe", call, row, history)  # type: ignore[no-any-return]

    def apply(self, row: Words, history: Words, action: int) -> Words:
        def call(guarded: GuardedArguments, arguments: list[Any]) -> Words:
            self.game.kernels.apply(*arguments, action)
            return guarded.state.view(np.uint64).copy()

        return self._call_twice("apply", call, row, history, writes=True)  # type: ignore[no-any-return]

    def transform(self, row: Words, symmetry: int) -> Words:
        def call(guarded: GuardedArguments, arguments: list[Any]) -> Words:
            guarded.image.fill()
            options, _, state, _ = arguments
            self.game.kernels.transform(options, state, symmetry, guarded.image.view(np.uint64))
            why = f"a row has {self.game.words} words"
            self._check_margins("words", "transform", guarded.image, "out", why)
            return guarded.image.view(np.uint64).copy()

        return self._call_twice("transform", call, row, np.zeros(0, np.uint64))  # type: ignore[no-any-return]

    def number(self, name: str, row: Words, history: Words) -> float:
        """The result of a kernel that returns a number, such as ``player`` or ``hash``."""
        kernel = getattr(self.game.kernels, name)
        takes_state_only = name in ("player", "hash")

        def call(guarded: GuardedArguments, arguments: list[Any]) -> float:
            options, _, state, _ = arguments
            return kernel(options, state) if takes_state_only else kernel(*arguments)  # type: ignore[no-any-return]

        return self._call_twice(name, call, row, history)  # type: ignore[no-any-return]

    def _call_twice(
        self,
        name: str,
        call: Callable[[GuardedArguments, list[Any]], Any],
        row: Words,
        history: Words,
        *,
        writes: bool = False,
    ) -> Any:
        """The result of ``call``, which must be the same with either pattern in the margins."""
        game, results = self.game, []
        for guarded in self._arguments:
            guarded.history.resize(len(history))
            inputs = {
                "options": (guarded.options, game.option_words),
                "state": (guarded.state, row),
                "history": (guarded.history, history),
            }
            views = {}
            for part, (array, values) in inputs.items():
                views[part] = array.view(np.uint64)
                views[part][:] = values
            arguments = [views["options"], guarded.tables_view]
            try:
                results.append(call(guarded, [*arguments, views["state"], views["history"]]))
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                where = _source_line(error)
                what = f"{name} raises {type(error).__name__}{where}: {one_line(error)}"
                raise SafetyViolation(_LAW_OF_KERNEL.get(name, "arguments"), what) from error
            for part, (array, values) in inputs.items():
                law = "words" if part == "state" else "arguments"
                self._check_margins(law, name, array, part, f"it has {len(values)} words")
                if not (writes and part == "state") and (views[part] != values).any():
                    what = f"{name} changes {part}, which it must not"
                    raise SafetyViolation("arguments", what)
        one, other = (np.asarray(result) for result in results)
        if one.shape != other.shape or not np.array_equal(
            one, other, equal_nan=one.dtype != object
        ):
            # The arguments were the same; only the margins differed.
            law = _LAW_OF_KERNEL.get(name, "arguments")
            law = "arguments" if law == "max-actions" else law
            what = "reads outside its arguments, or leaves a part of out unwritten"
            raise SafetyViolation(
                law, f"{name} returns two results for the same arguments: it {what}"
            )
        return results[0]

    def check_tables(self) -> None:
        """Check the tables, which may be large and so are not checked at every call."""
        for guarded in self._arguments:
            tables = self.game.tables
            why = f"they have {len(tables)} words"
            self._check_margins("arguments", "a kernel", guarded.tables, "tables", why)
            if guarded.tables_view is not tables and (guarded.tables_view != tables).any():
                what = "a kernel changes tables, which it must not"
                raise SafetyViolation("arguments", what)

    def _check_margins(self, law: str, name: str, array: GuardedArray, part: str, why: str) -> None:
        place = array.changed_margin()
        if place is not None:
            raise SafetyViolation(law, f"{name} writes to {part}[{place}], but {why}")


# The law that a kernel breaks if it fails within its arguments.
_LAW_OF_KERNEL = {
    "actions": "max-actions",
    "noisy": "max-actions",
    "chance": "max-actions",
    "observe": "observation-shape",
    "apply": "words",
    "transform": "words",
}


def _source_line(error: BaseException) -> str:
    """Where an uncompiled kernel failed, such as `` (nim.py, line 57)``."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if frame.f_code.co_filename != __file__ and Path(frame.f_code.co_filename).is_file():
            return f" ({Path(frame.f_code.co_filename).name}, line {line})"
    return ""
