"""Making a set of tactics from tables of solved positions.

Pieces are put down at random, hands empty, and the tables say what every move
is worth; positions that fit a family are kept.  Play would give few of the rare
ones: a sacrifice that wins is one position in some hundreds.
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
# The mover's pieces and the other's; beyond a lead of 4 nearly everything is decided.
SHAPES = ((2, 2), (2, 4), (4, 2), (4, 4), (2, 6), (6, 2), (4, 6), (6, 4))
_DRAWN = 2000  # positions of a shape in a round
_MOST_ROUNDS = 400


def make_tactics(
    store: SliceStore,
    *,
    per_family: int = PER_FAMILY,
    seed: int = 1,
    shapes: Sequence[tuple[int, int]] = SHAPES,
    figures: bool = True,
    made: dict[str, Any] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Tactics:
    """As many positions of each family; no two are images of each other, sides exchanged or not.
    Won and drawn ones are equally many, and so are those of each shape, as far as there are any.

    ``progress(found, wanted)`` counts positions of all families together."""
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
    for number in range(_MOST_ROUNDS):
        chance = np.random.default_rng(derive_seed(seed, number))
        for shape in shapes:
            rows = _draw(game, shape, chance)
            keys = [tuple(key) for key in canonical(game, rows).tolist()]
            for row, name, one in _classed(game, rows, exact):
                if keys[row] not in seen:
                    seen.add(keys[row])
                    pools[name].append((one, shape))
        enough = [min(len(pool), per_family) for pool in pools.values()]
        if progress:
            progress(sum(enough), per_family * len(FAMILIES))
        if min(enough) == per_family:
            break
    else:
        short = min(pools, key=lambda name: len(pools[name]))
        raise UsageError(
            f"{_MOST_ROUNDS} rounds found {len(pools[short])} positions of {short}, not "
            f"{per_family}: ask for fewer"
        )
    chance = np.random.default_rng(derive_seed(seed, _MOST_ROUNDS))
    chosen = {
        name: tuple(
            one
            for one, _ in stratified_sample(
                pool, per_family, [lambda it: it[0].value, _shape], chance
            )
        )
        for name, pool in pools.items()
    }
    drawn = (number + 1) * len(shapes) * _DRAWN
    facts: dict[str, Any] = {
        "seed": seed,
        "per_family": per_family,
        "drawn": drawn,
        "found": {name: len(pool) for name, pool in pools.items()},
    }
    return Tactics(game, chosen, paper, facts | (made or {}))


def exact_values(probe: Probe, rows: Words) -> list[dict[int, int]]:
    """What the tables say of every action, in rising order, as ``Critical`` has it."""
    states = [State(probe.game, row, set_up=True) for row in rows]
    return [
        {action: outcome(code) * distance(code) for action, code in sorted(codes.items())}
        for codes in probe.codes_of(states)
    ]


def _shape(item: tuple[CriticalPosition, tuple[int, int]]) -> tuple[int, int]:
    return item[1]


def _draw(game: Game, shape: tuple[int, int], chance: np.random.Generator) -> Words:
    """Random positions with empty hands, either side to move, none of them over."""
    own, other = shape
    rows = []
    for _ in range(_DRAWN):
        bits = (1 << chance.permutation(25)[: own + other]).tolist()
        side = int(chance.integers(2))
        boards = (sum(bits[:own]), sum(bits[own:]))[:: 1 - 2 * side]
        row = game.row_of(*boards, side, 0, (0, 0), 2 * PIECES + side)  # type: ignore[attr-defined]
        rows.append(row)
    drawn = np.stack(rows)
    return drawn[~Batch(game, drawn).finished()]


def _classed(game: Game, rows: Words, exact: Exact) -> Iterator[tuple[int, str, CriticalPosition]]:
    """The rows that test a tactic, by number, with the family and the values."""
    values = [tuple(found.values()) for found in exact(rows)]
    wanted = [
        number
        for number, mine in enumerate(values)
        if min(map(sign, mine)) < max(map(sign, mine)) and max(map(abs, mine)) <= LATEST
    ]
    if not wanted:
        return
    chosen = rows[wanted]
    sides = Batch(game, chosen).players().tolist()
    moves = moves_of(game, chosen, [values[number] for number in wanted])
    for number, row, side, mine in zip(wanted, chosen, sides, moves, strict=True):
        one = CriticalPosition(game.write_position(row), values[number])
        name = family(int(row[side]), int(row[1 - side]), mine, won=one.value > 0)
        if name is not None:
            yield number, name, one
