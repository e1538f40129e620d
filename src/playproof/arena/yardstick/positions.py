"""A set of critical positions: some moves keep what the position is worth, others throw it away.

It holds the exact value of every legal move, from a full solve, so whoever
measures a player with it needs no tables.  Lost positions are never critical:
there is nothing left to throw away.
"""

from __future__ import annotations

import functools
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from playproof.arena.yardstick.critical import (
    CriticalPosition,
    check_values,
    pairs_of,
    read_pairs,
    read_set,
    rows_of,
    sign,
    whole,
    write_set,
)
from playproof.arena.yardstick.sample import PHASES, canonical, stratified_sample, uncapped
from playproof.core.errors import DataError, PlayproofError, UsageError, one_line
from playproof.core.game import Game
from playproof.core.kernels import Words
from playproof.core.registry import make
from playproof.core.state import State
from playproof.formats.record import read_bytes

PER_PHASE = 1400  # positions
_FORMAT = "playproof yardstick 1"
_RIGHT_LINE = 'want {"position": "...", "value": 5, "moves": {"C3": 5, ...}}'


@dataclass(frozen=True)
class Yardstick:
    """The set, by phase."""

    game: Game
    positions: tuple[CriticalPosition, ...]
    made: dict[str, Any] = field(default_factory=dict)  # how it was made

    @functools.cached_property
    def rows(self) -> Words:
        """(n, words) the positions as the kernels hold them."""
        return rows_of(self.game, self.positions)

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """Won and drawn positions of each phase."""
        found = Counter((one.phase, one.value) for one in self.positions)
        return {phase: {"won": found[phase, 1], "drawn": found[phase, 0]} for phase in PHASES}

    def write(self, path: Path) -> None:
        data = {
            "format": _FORMAT,
            "game": self.game.spec,
            "made": self.made,
            "counts": self.counts,
            "positions": pairs_of(self.positions),
        }
        write_set(path, data)


# Reading


def shipped(game: Game) -> Yardstick:
    """The set that comes with the package."""
    wanted = uncapped(game)
    file = resources.files("playproof.arena").joinpath("data", "choko_yardstick.json.gz")
    if wanted.options["lone_jump"] or not file.is_file():
        raise UsageError(
            f"no set of {wanted.spec} is shipped: make one with --make ANSWERS --out FILE, "
            "and name it with --set FILE"
        )
    return parse(file.read_bytes(), "the shipped set")


def read(path: Path) -> Yardstick:
    return parse(read_bytes(path), str(path))


def parse(content: bytes, source: str) -> Yardstick:
    """The set that ``write`` wrote; errors call it ``source``."""
    data = read_set(content, _FORMAT)
    if data is None:
        raise DataError(
            f"{source} is no set of positions: want one written by 'playproof yardstick choko "
            "--make ANSWERS --out FILE'"
        )
    try:
        game = make(str(data["game"]))
        found = Yardstick(game, read_pairs(data["positions"]), dict(data["made"]))
        if found.positions:
            _check(found)
    except (KeyError, TypeError, ValueError, PlayproofError) as error:
        raise DataError(f"{source} is broken ({one_line(error)}): make it anew") from None
    return found


def _check(found: Yardstick) -> None:
    if found.game != uncapped(found.game):
        raise DataError(f"{found.game.spec} has a cap on actions")
    check_values(found.game, found.positions)


# Making


def make_set(
    answers: Iterable[str],
    game: Game,
    *,
    per_phase: int = PER_PHASE,
    seed: int = 7,
    made: dict[str, Any] | None = None,
    source: str = "the answers",
    progress: Callable[[int], None] | None = None,
) -> Yardstick:
    """The set from lines of ``playproof table query``: their critical positions, as many won as
    drawn ones in each phase, and hard and easy ones in equal parts, as far as there are any.

    ``progress(lines)`` hears how many lines have been read.
    """
    if per_phase < 1:
        raise UsageError(f"{per_phase} positions a phase: want 1 or more")
    game = uncapped(game)
    found, rows, lines = [], [], 0
    for number, line in enumerate(answers, 1):
        if line.strip():
            try:
                state, one = _read_answer(game, line)
            except PlayproofError as error:
                raise DataError(f"{source}, line {number}: {error}") from None
            if one.share < 1.0:
                found.append(one)
                rows.append(state.row)
            lines += 1
        if progress:
            progress(number)
    if not found:
        raise DataError(f"{source} hold no critical position: ask the tables about more")
    first = np.unique(canonical(game, np.stack(rows)), axis=0, return_index=True)[1]
    fresh = [found[i] for i in np.sort(first)]
    chance = np.random.default_rng(seed)
    chosen = [
        one
        for phase in PHASES
        for one in stratified_sample(
            [one for one in fresh if one.phase == phase], per_phase, [_value, _quarter], chance
        )
    ]
    facts = {"answers": lines, "critical": len(fresh), "per_phase": per_phase, "seed": seed}
    return Yardstick(game, tuple(chosen), facts | (made or {}))


def _value(one: CriticalPosition) -> int:
    return one.value


def _quarter(one: CriticalPosition) -> int:
    """How hard it is to keep the value: at most a quarter of the moves does, a half, ..."""
    return math.ceil(4 * one.share)


def _read_answer(game: Game, line: str) -> tuple[State, CriticalPosition]:
    """One line of ``playproof table query``, checked against the rules."""
    try:
        data = json.loads(line)
        text, value, moves = data["position"], whole(data["value"]), data["moves"]
        named = {str(name): whole(number) for name, number in moves.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise DataError(f"no answer of 'playproof table query': {_RIGHT_LINE}") from None
    state = game.position(str(text))
    legal = state.legal_names()
    if set(named) != set(legal) or not legal:
        wrong = sorted(set(named) ^ set(legal))
        raise DataError(f"the moves of {text} are not its legal ones ({', '.join(wrong[:3])})")
    one = CriticalPosition(state.position, tuple(named[name] for name in legal))
    if max(one.values, key=_order) != value:
        raise DataError(f"the value {value} of {text} is not that of its best move")
    return state, one


def _order(value: int) -> tuple[int, int]:
    """Better values are larger: quick wins, slow ones, draws, slow losses, quick ones."""
    return sign(value), -value
