"""Random boards of singles and groups, for property tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from playproof.games.quantum_go.state.quantum_state import QuantumState
from tests.support.games.brute_force import Vector, names


@dataclass
class RandomBoard:
    """One description, from which both sides build what they compare."""

    width: int
    height: int
    singles: dict[str, int]
    groups: list[tuple[int, tuple[str, ...], str, tuple[complex, ...]]]

    @property
    def names(self) -> list[str]:
        return names(self.width, self.height)

    def state(self) -> QuantumState:
        return QuantumState(self.width, self.height, self.singles, self.groups)

    def vector(self, labels: bool = False) -> Vector:
        return Vector(self.width, self.height, self.singles, self.groups, labels)


@st.composite
def boards(draw: st.DrawFn) -> RandomBoard:
    width, height = draw(st.sampled_from([(2, 2), (3, 2), (2, 3), (3, 3)]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    free = [str(name) for name in rng.permutation(names(width, height))]
    groups = []
    for kind in draw(st.lists(st.sampled_from(["pair", "ghz", "w"]), max_size=3)):
        size = 2 if kind == "pair" else draw(st.integers(2, 4))
        if size > len(free):
            break
        c = rng.normal(size=size) + 1j * rng.normal(size=size)
        if draw(st.booleans()):
            c = np.ones(size)
        elif kind != "pair" and size > 2 and draw(st.booleans()):
            c[rng.integers(size)] = 0  # a point without a chance is allowed
        c = c / np.linalg.norm(c)
        points = tuple(free[:size])
        groups.append((int(rng.integers(2)), points, kind, tuple(complex(x) for x in c)))
        free = free[size:]
    singles = {name: int(rng.integers(2)) for name in free if rng.random() < 0.4}
    return RandomBoard(width, height, singles, groups)
