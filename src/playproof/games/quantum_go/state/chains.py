"""Chains and liberties on the board of a quantum state.

Entangled stones occupy their points and count as stones of their colour.
"""

from __future__ import annotations

from playproof.core.errors import UsageError
from playproof.games.quantum_go.state.quantum_state import PointLike, QuantumState

_STRAIGHT = ((1, 0), (0, 1), (-1, 0), (0, -1))
_DIAGONAL = ((1, 1), (-1, 1), (-1, -1), (1, -1))


def chain_of(state: QuantumState, point: PointLike) -> list[str]:
    """The chain of a single stone, by column, then row."""
    name = single_stone(state, point)
    return state.in_order(flood(state, stones_of(state), name))


def liberties_of(state: QuantumState, point: PointLike) -> list[str]:
    """The empty points next to a single stone's chain, by column, then row."""
    stones = stones_of(state)
    chain = flood(state, stones, single_stone(state, point))
    return state.in_order({q for p in chain for q in neighbours(state, p)} - set(stones))


def single_stone(state: QuantumState, point: PointLike) -> str:
    """The name of a point with a single stone; UsageError for any other point."""
    name = state.name(point)
    if name not in state.singles:
        raise UsageError(f"no chain at {name}: want the point of a single stone")
    return name


def stones_of(state: QuantumState) -> dict[str, int]:
    """The colours of all stones by point, entangled stones included."""
    return state.singles | {p: group.owner for group in state.groups for p in group.points}


def neighbours(state: QuantumState, name: str, diagonal: bool = False) -> list[str]:
    """The neighbours of a point; with ``diagonal`` those across a corner too."""
    row, column = divmod(state.points.numbers[name], state.width)
    steps = _STRAIGHT + _DIAGONAL if diagonal else _STRAIGHT
    return [
        state.points.names[state.width * (row + dy) + column + dx]
        for dx, dy in steps
        if 0 <= column + dx < state.width and 0 <= row + dy < state.height
    ]


def flood(state: QuantumState, stones: dict[str, int], start: str) -> set[str]:
    """The chain of the stone on ``start``."""
    chain, edge = {start}, [start]
    while edge:
        for name in neighbours(state, edge.pop()):
            if name not in chain and stones.get(name) == stones[start]:
                chain.add(name)
                edge.append(name)
    return chain


def without_liberties(state: QuantumState, stones: dict[str, int], colour: int) -> set[str]:
    """The stones of a colour whose chains have no liberty."""
    dead: set[str] = set()
    seen: set[str] = set()
    for start in (name for name, owner in stones.items() if owner == colour):
        if start not in seen:
            chain = flood(state, stones, start)
            seen |= chain
            if all(q in stones for p in chain for q in neighbours(state, p)):
                dead |= chain
    return dead
