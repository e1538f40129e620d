"""Kernels called under guard: every array lies in the middle of memory that is watched.

Compiled code does not look where it writes.  Here each argument is a view of exactly the length
that the kernel is promised, with words before and behind it that nobody may touch.  Each call is
made twice, with other values there: a kernel that writes beside its arguments changes them, and one
that reads beside them gives two answers.
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

AROUND = 1024  # entries that are watched on either side, at least
MOST_AROUND = 2**20
MOST_TABLES = 2**22  # words of tables that are guarded

_PATTERNS = (0x5A, 0xA5)


class Trespass(Exception):
    """A kernel did what it may not; the message says which one, and what."""

    def __init__(self, law: str, what: str) -> None:
        super().__init__(what)
        self.law = law


class Arena:
    """An array in the middle of watched memory."""

    def __init__(self, size: int, kind: type, pattern: int, around: int = AROUND) -> None:
        item = np.dtype(kind).itemsize
        self._bytes = np.full((size + 2 * around) * item, pattern, np.uint8)
        self._pattern = pattern
        self._begin, self._item = around * item, item
        self._end = self._begin + size * item

    def resize(self, size: int) -> None:
        """Another length: what is behind it is watched."""
        self.fill()
        self._end = self._begin + size * self._item

    def view(self, kind: type) -> npt.NDArray[Any]:
        return self._bytes[self._begin : self._end].view(kind)

    def fill(self) -> None:
        """The pattern inside as well, where the kernel is to write."""
        self._bytes[self._begin : self._end] = self._pattern

    def trespassed(self) -> int | None:
        """The first entry beside the array that was written, counted from its first."""
        for part, place in ((self._bytes[: self._begin], 0), (self._bytes[self._end :], self._end)):
            if (part != self._pattern).any():
                byte = int((part != self._pattern).argmax()) + place
                return (byte - self._begin) // self._item
        return None


class World:
    """All arguments of a game's kernels, with one pattern around them."""

    def __init__(self, game: Game, pattern: int, longest: int) -> None:
        beside = min(max(AROUND, game.num_actions), MOST_AROUND)

        def arena(size: int, kind: type, around: int = AROUND) -> Arena:
            return Arena(size, kind, pattern, around)

        self.options = arena(len(game.option_words), np.uint64)
        self.options.view(np.uint64)[:] = game.option_words
        # Tables as large as these are not copied twice: nobody writes to them.
        large = len(game.tables) > MOST_TABLES
        self.tables = arena(0 if large else len(game.tables), np.uint64)
        if not large:
            self.tables.view(np.uint64)[:] = game.tables
        self.given_tables = game.tables if large else self.tables.view(np.uint64)
        self.state = arena(game.words, np.uint64)
        self.image = arena(game.words, np.uint64)
        self.history = arena(longest, np.uint64)
        self.actions = arena(game.max_actions, np.int32, beside)
        self.odds = arena(game.max_actions, np.float64, beside)
        self.planes = [
            arena(size, np.float32, max(AROUND, size))
            for size in (math.prod(shape) for shape in game.observations.values())
        ]


class Guarded:
    """A game's kernels, each call under guard; a Trespass where one leaves its arguments."""

    def __init__(self, game: Game, longest: int) -> None:
        self.game = game
        self._worlds = [World(game, pattern, longest) for pattern in _PATTERNS]

    def actions(self, row: Words, history: Words) -> list[int]:
        return self._listing("actions", row, history)

    def noisy(self, row: Words, history: Words) -> list[int]:
        return self._listing("noisy", row, history)

    def _listing(self, name: str, row: Words, history: Words) -> list[int]:
        kernel, most = getattr(self.game.kernels, name), self.game.max_actions

        def call(world: World, arguments: list[Any]) -> list[int]:
            world.actions.fill()
            out = world.actions.view(np.int32)
            n = int(kernel(*arguments, out))
            if not 0 <= n <= most:
                what = f"{name} answers {n}: want 0 to {most}, which is max_actions"
                raise Trespass("max-actions", what)
            why = f"max_actions is {most}"
            self._within("max-actions", name, world.actions, "out", why)
            return [int(action) for action in out[:n]]

        return self._twice(name, call, row, history)  # type: ignore[no-any-return]

    def chance(self, row: Words, history: Words) -> list[tuple[int, float]]:
        most = self.game.max_actions

        def call(world: World, arguments: list[Any]) -> list[tuple[int, float]]:
            world.actions.fill()
            world.odds.fill()
            out, odds = world.actions.view(np.int32), world.odds.view(np.float64)
            n = int(self.game.kernels.chance(*arguments, out, odds))
            if not 1 <= n <= most:
                what = f"chance answers {n}: want 1 to {most}, which is max_actions"
                raise Trespass("max-actions", what)
            for arena in (world.actions, world.odds):
                self._within("max-actions", "chance", arena, "out", f"max_actions is {most}")
            return [(int(a), float(p)) for a, p in zip(out[:n], odds[:n], strict=True)]

        return self._twice("chance", call, row, history)  # type: ignore[no-any-return]

    def observe(self, kind: int, row: Words, history: Words) -> npt.NDArray[np.float32]:
        name, shape = list(self.game.observations.items())[kind]

        def call(world: World, arguments: list[Any]) -> npt.NDArray[np.float32]:
            arena = world.planes[kind]
            arena.fill()
            self.game.kernels.observe(*arguments, kind, arena.view(np.float32))
            why = f"the shape of {name!r} is {shape}"
            self._within("observation-shape", "observe", arena, "out", why)
            return arena.view(np.float32).copy()

        return self._twice("observe", call, row, history)  # type: ignore[no-any-return]

    def apply(self, row: Words, history: Words, action: int) -> Words:
        def call(world: World, arguments: list[Any]) -> Words:
            self.game.kernels.apply(*arguments, action)
            return world.state.view(np.uint64).copy()

        return self._twice("apply", call, row, history, writes=True)  # type: ignore[no-any-return]

    def transform(self, row: Words, symmetry: int) -> Words:
        def call(world: World, arguments: list[Any]) -> Words:
            world.image.fill()
            options, _, state, _ = arguments
            self.game.kernels.transform(options, state, symmetry, world.image.view(np.uint64))
            why = f"a row has {self.game.words} words"
            self._within("words", "transform", world.image, "out", why)
            return world.image.view(np.uint64).copy()

        return self._twice("transform", call, row, np.zeros(0, np.uint64))  # type: ignore[no-any-return]

    def number(self, name: str, row: Words, history: Words) -> float:
        """What ``player``, ``hash``, ``outcome``, ``count``, ``probe`` or ``score`` answers."""
        kernel = getattr(self.game.kernels, name)
        few = name in ("player", "hash")

        def call(world: World, arguments: list[Any]) -> float:
            options, _, state, _ = arguments
            return kernel(options, state) if few else kernel(*arguments)  # type: ignore[no-any-return]

        return self._twice(name, call, row, history)  # type: ignore[no-any-return]

    def _twice(
        self,
        name: str,
        call: Callable[[World, list[Any]], Any],
        row: Words,
        history: Words,
        *,
        writes: bool = False,
    ) -> Any:
        """The kernel's answer, which must be the same in both worlds."""
        game, answers = self.game, []
        for world in self._worlds:
            world.history.resize(len(history))
            inputs = {
                "options": (world.options, game.option_words),
                "state": (world.state, row),
                "history": (world.history, history),
            }
            views = {}
            for part, (arena, values) in inputs.items():
                views[part] = arena.view(np.uint64)
                views[part][:] = values
            arguments = [views["options"], world.given_tables]
            try:
                answers.append(call(world, [*arguments, views["state"], views["history"]]))
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                what = f"{name} raises {type(error).__name__}{_line(error)}: {one_line(error)}"
                raise Trespass(_ABOUT.get(name, "arguments"), what) from error
            for part, (arena, values) in inputs.items():
                law = "words" if part == "state" else "arguments"
                self._within(law, name, arena, part, f"it has {len(values)} words")
                if not (writes and part == "state") and (views[part] != values).any():
                    what = f"{name} changes {part}, which is not its to change"
                    raise Trespass("arguments", what)
        one, other = (np.asarray(answer) for answer in answers)
        if one.shape != other.shape or not np.array_equal(
            one, other, equal_nan=one.dtype != object
        ):
            # All that it was given was the same, inside; only what lies beside was not.
            law = _ABOUT.get(name, "arguments")
            law = "arguments" if law == "max-actions" else law
            what = "reads what lies beside its arguments, or leaves a part of out unwritten"
            raise Trespass(law, f"{name} gives two answers to one question: it {what}")
        return answers[0]

    def check_tables(self) -> None:
        """Tables may be large: they are looked at once in a while."""
        for world in self._worlds:
            tables = self.game.tables
            why = f"they have {len(tables)} words"
            self._within("arguments", "a kernel", world.tables, "tables", why)
            if world.given_tables is not tables and (world.given_tables != tables).any():
                what = "a kernel changes tables, which are not its to change"
                raise Trespass("arguments", what)

    def _within(self, law: str, name: str, arena: Arena, part: str, why: str) -> None:
        place = arena.trespassed()
        if place is not None:
            raise Trespass(law, f"{name} writes to {part}[{place}], but {why}")


# The law that is broken where a kernel fails within its arguments.
_ABOUT = {
    "actions": "max-actions",
    "noisy": "max-actions",
    "chance": "max-actions",
    "observe": "observation-shape",
    "apply": "words",
    "transform": "words",
}


def _line(error: BaseException) -> str:
    """Where an uncompiled kernel failed: `` (nim.py, line 57)``."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if frame.f_code.co_filename != __file__ and Path(frame.f_code.co_filename).is_file():
            return f" ({Path(frame.f_code.co_filename).name}, line {line})"
    return ""
