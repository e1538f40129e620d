"""The yardstick's set of critical positions: the shipped one, files, and making a new one."""

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
_SHIPPED = {"choko": "choko_yardstick.json.gz"}  # files by the names of their games
_RIGHT_LINE = 'want {"position": "...", "value": 5, "moves": {"C3": 5, ...}}'


@dataclass(frozen=True)
class Yardstick:
    """A set of critical positions.  ``provenance`` says how it was made."""

    game: Game
    positions: tuple[CriticalPosition, ...]
    provenance: dict[str, Any] = field(default_factory=dict)

    @functools.cached_property
    def rows(self) -> Words:
        """The positions as rows for kernels, shape (n, words)."""
        return rows_of(self.game, self.positions)

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """The number of won and of drawn positions in each phase."""
        counts = Counter((one.phase, one.value) for one in self.positions)
        return {phase: {"won": counts[phase, 1], "drawn": counts[phase, 0]} for phase in PHASES}

    def write(self, path: Path) -> None:
        data = {
            "format": _FORMAT,
            "game": self.game.spec,
            "made": self.provenance,
            "counts": self.counts,
            "positions": pairs_of(self.positions),
        }
        write_set(path, data)


# Reading


def shipped(game: Game) -> Yardstick:
    """The set that comes with the package; a UsageError if there is none."""
    game = uncapped(game)
    yardstick = find_shipped(game)
    if yardstick is None:
        raise UsageError(
            f"no set of {game.spec} is shipped: make one with --make ANSWERS --out FILE, "
            "and name it with --set FILE"
        )
    return yardstick


def find_shipped(game: Game) -> Yardstick | None:
    """The set that comes with the package; None if there is none for the game and its options."""
    if game.name not in _SHIPPED:
        return None
    yardstick = _read_shipped(_SHIPPED[game.name])
    return yardstick if yardstick is not None and yardstick.game == uncapped(game) else None


@functools.lru_cache
def _read_shipped(name: str) -> Yardstick | None:
    file = resources.files("playproof.arena").joinpath("data", name)
    return parse(file.read_bytes(), "the shipped set") if file.is_file() else None


def read(path: Path) -> Yardstick:
    """The set in a file that ``Yardstick.write`` wrote."""
    return parse(read_bytes(path), str(path))


def parse(content: bytes, source: str) -> Yardstick:
    """The set that ``Yardstick.write`` wrote; error messages name ``source``."""
    data = read_set(content, _FORMAT)
    if data is None:
        raise DataError(
            f"{source} is no set of positions: want one written by 'playproof yardstick choko "
            "--make ANSWERS --out FILE'"
        )
    try:
        game = make(str(data["game"]))
        yardstick = Yardstick(game, read_pairs(data["positions"]), dict(data["made"]))
        if yardstick.positions:
            _check(yardstick)
    except (KeyError, TypeError, ValueError, PlayproofError) as error:
        raise DataError(f"{source} is broken ({one_line(error)}): make it again") from None
    return yardstick


def _check(yardstick: Yardstick) -> None:
    if yardstick.game != uncapped(yardstick.game):
        raise DataError(f"{yardstick.game.spec} has a cap on actions")
    check_values(yardstick.game, yardstick.positions)


# Making


def make_set(
    answers: Iterable[str],
    game: Game,
    *,
    per_phase: int = PER_PHASE,
    seed: int = 7,
    provenance: dict[str, Any] | None = None,
    source: str = "the answers",
    on_progress: Callable[[int], None] | None = None,
) -> Yardstick:
    """A set of the critical positions among lines of ``playproof table query``.

    Each phase has up to ``per_phase`` positions, as far as possible as many won as drawn ones, and
    hard and easy ones in equal parts.  ``on_progress(lines)`` gets the number of lines read.
    """
    if per_phase < 1:
        raise UsageError(f"{per_phase} positions a phase: want 1 or more")
    game = uncapped(game)
    critical, rows, lines = [], [], 0
    for number, line in enumerate(answers, 1):
        if line.strip():
            try:
                state, position = _read_answer(game, line)
            except PlayproofError as error:
                raise DataError(f"{source}, line {number}: {error}") from None
            if position.share < 1.0:
                critical.append(position)
                rows.append(state.row)
            lines += 1
        if on_progress:
            on_progress(number)
    if not critical:
        raise DataError(f"{source} hold no critical position: ask the tables about more")
    first = np.unique(canonical(game, np.stack(rows)), axis=0, return_index=True)[1]
    distinct = [critical[i] for i in np.sort(first)]
    rng = np.random.default_rng(seed)
    chosen = [
        position
        for phase in PHASES
        for position in stratified_sample(
            [one for one in distinct if one.phase == phase], per_phase, [_value, _quarter], rng
        )
    ]
    making = {"answers": lines, "critical": len(distinct), "per_phase": per_phase, "seed": seed}
    return Yardstick(game, tuple(chosen), making | (provenance or {}))


def _value(one: CriticalPosition) -> int:
    return one.value


def _quarter(one: CriticalPosition) -> int:
    """How hard it is to keep the value: 1 if at most a quarter of the moves do, 2 a half, ..."""
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
    """A key that orders values from bad to good: quick losses, slow ones, draws, slow wins, quick
    ones."""
    return sign(value), -value
