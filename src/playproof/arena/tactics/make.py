"""Makes a set of tactics from tables of solved positions.

Pieces are placed at random with both hands empty, and the tables give the value of every move.
Positions that fit a family of tactics (``families.py``) are kept.  Positions from play would give
too few of the rare families: a winning sacrifice occurs in one of several hundred positions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from playproof.arena.tactics.families import FAMILIES, family, moves_of
from playproof.arena.tactics.paper_positions import FIGURES, Exact, reconstruct
from playproof.arena.tactics.positions import LATEST, Tactics, standard
from playproof.arena.yardstick.critical import CriticalPosition, sign
from playproof.arena.yardstick.sample import canonical, stratified_sample
from playproof.core.batch import Batch
from playproof.core.bits import derive_seed
from playproof.core.errors import UsageError
from playproof.core.game import Game
from playproof.core.kernels import Words
from playproof.core.state import State
from playproof.rules.choko import PIECES
from playproof.tables.choko.probe import Probe
from playproof.tables.choko.store import DISTANCE, SliceStore
from playproof.tables.choko.value_codes import distance, outcome

PER_FAMILY = 300  # positions
# (the mover's pieces, the other side's); with a lead of more than 4 nearly all games are decided.
SHAPES = ((2, 2), (2, 4), (4, 2), (4, 4), (2, 6), (6, 2), (4, 6), (6, 4))
_PER_ROUND = 2000  # random positions of each shape in a round
_MAX_ROUNDS = 400


def make_tactics(
    store: SliceStore,
    *,
    per_family: int = PER_FAMILY,
    seed: int = 1,
    shapes: Sequence[tuple[int, int]] = SHAPES,
    figures: bool = True,
    provenance: dict[str, Any] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Tactics:
    """A set with ``per_family`` positions of each family.

    No two positions are images of each other, with or without exchanging the sides.  As far as
    possible there are as many won as drawn positions, and as many of each shape.  ``provenance`` is
    stored with the set.  ``on_progress(done, total)`` counts positions of all families together.
    """
    if per_family < 1:
        raise UsageError(f"{per_family} positions a family: want 1 or more")
    if store.kind != DISTANCE:
        raise UsageError("these tables have no distances: build them again with --distance")
    game, exact = standard(), functools.partial(exact_values, Probe(store))
    paper = tuple(reconstruct(game, figure, exact) for figure in FIGURES) if figures else ()
    pools: dict[str, list[tuple[CriticalPosition, tuple[int, int]]]] = {
        name: [] for name in FAMILIES
    }
    seen: set[tuple[int, ...]] = set()
    for number in range(_MAX_ROUNDS):
        rng = np.random.default_rng(derive_seed(seed, number))
        for shape in shapes:
            rows = _random_rows(game, shape, rng)
            keys = [tuple(key) for key in canonical(game, rows).tolist()]
            for row, name, position in _classify(game, rows, exact):
                if keys[row] not in seen:
                    seen.add(keys[row])
                    pools[name].append((position, shape))
        counts = [min(len(pool), per_family) for pool in pools.values()]
        if on_progress:
            on_progress(sum(counts), per_family * len(FAMILIES))
        if min(counts) == per_family:
            break
    else:
        short = min(pools, key=lambda name: len(pools[name]))
        raise UsageError(
            f"{_MAX_ROUNDS} rounds found {len(pools[short])} positions of {short}, not "
            f"{per_family}: ask for fewer"
        )
    rng = np.random.default_rng(derive_seed(seed, _MAX_ROUNDS))
    families = {
        name: tuple(
            position for position, _ in stratified_sample(pool, per_family, [_value, _shape], rng)
        )
        for name, pool in pools.items()
    }
    making: dict[str, Any] = {
        "seed": seed,
        "per_family": per_family,
        "drawn": (number + 1) * len(shapes) * _PER_ROUND,
        "found": {name: len(pool) for name, pool in pools.items()},
    }
    return Tactics(game, families, paper, making | (provenance or {}))


def exact_values(probe: Probe, rows: Words) -> list[dict[int, int]]:
    """For each row the value of every action, lowest action first, as in ``CriticalPosition``."""
    states = [State(probe.game, row, set_up=True) for row in rows]
    return [
        {action: outcome(code) * distance(code) for action, code in sorted(codes.items())}
        for codes in probe.codes_of(states)
    ]


def _value(item: tuple[CriticalPosition, tuple[int, int]]) -> int:
    return item[0].value


def _shape(item: tuple[CriticalPosition, tuple[int, int]]) -> tuple[int, int]:
    return item[1]


def _random_rows(game: Game, shape: tuple[int, int], rng: np.random.Generator) -> Words:
    """Random positions with empty hands, either side to move, and the game not over."""
    own, other = shape
    rows = []
    for _ in range(_PER_ROUND):
        bits = (1 << rng.permutation(25)[: own + other]).tolist()
        side = int(rng.integers(2))
        boards = (sum(bits[:own]), sum(bits[own:]))[:: 1 - 2 * side]
        # Placing all pieces takes 2 * PIECES actions, and Red moves after an odd number of them.
        row = game.row_of(*boards, side, 0, (0, 0), 2 * PIECES + side)  # type: ignore[attr-defined]
        rows.append(row)
    stacked = np.stack(rows)
    return stacked[~Batch(game, stacked).finished()]


def _classify(game: Game, rows: Words, exact: Exact) -> Iterator[tuple[int, str, CriticalPosition]]:
    """(row number, family, position with its values) for every row that tests a tactic."""
    values = [tuple(by_action.values()) for by_action in exact(rows)]
    critical = [
        number
        for number, of_row in enumerate(values)
        if min(map(sign, of_row)) < max(map(sign, of_row)) and max(map(abs, of_row)) <= LATEST
    ]
    if not critical:
        return
    chosen = rows[critical]
    sides = Batch(game, chosen).players().tolist()
    moves = moves_of(game, chosen, [values[number] for number in critical])
    for number, row, side, row_moves in zip(critical, chosen, sides, moves, strict=True):
        position = CriticalPosition(game.write_position(row), values[number])
        name = family(int(row[side]), int(row[1 - side]), row_moves, won=position.value > 0)
        if name is not None:
            yield number, name, position
