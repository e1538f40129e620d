"""The CHSH inequality: never violated on the board, violated by real qubits."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playproof.core.errors import UsageError
from playproof.games.quantum_go.state.bell import (
    BEST_ANGLES,
    TSIRELSON_BOUND,
    chsh,
    chsh_of_real_qubits,
    correlation,
    correlations,
    largest_chsh,
)
from playproof.games.quantum_go.state.quantum_state import QuantumState
from tests.support.games.random_boards import RandomBoard, boards

PAIR = QuantumState(3, 3, {"C2": "W"}, [("B", "A2 B1")])
angles = st.floats(-math.pi, math.pi)


def test_a_pair_reaches_the_classical_bound_and_no_more() -> None:
    assert correlation(PAIR, "A2", "B1") == -1
    assert chsh(PAIR, "A2", "A2", "B1", "B1").value == -2
    assert largest_chsh(PAIR, "A2", "B1").value == 2
    assert largest_chsh(PAIR, "A1 A2 A3 B2", "B1 B3 C1 C2 C3").value == 2
    # Presence at A2 against presence at an empty point shows nothing.
    assert chsh(PAIR, "A2", "A2", "A1", "A1").value == 0


@settings(max_examples=50, deadline=None)
@given(boards(), st.integers(0, 2**32 - 1))
def test_no_settings_on_a_board_show_more_than_2(board: RandomBoard, seed: int) -> None:
    state, vector = board.state(), board.vector()
    points = [str(p) for p in np.random.default_rng(seed).permutation(board.names)]
    alice, bob = points[: len(points) // 2], points[len(points) // 2 :]
    E = correlations(state, alice, bob)
    signs = np.array([1.0, -1.0])  # of 0 and 1: which is which does not matter in a product
    for i, a in enumerate(alice):
        for j, b in enumerate(bob):
            joint = np.diag(vector.density([a, b])).real.reshape(2, 2)
            assert E[i, j] == pytest.approx(float(signs @ joint @ signs), abs=1e-12)
    largest = largest_chsh(state, alice, bob)
    values = []
    for (i, a), (i2, a2) in product(enumerate(alice), repeat=2):
        for (j, b), (j2, b2) in product(enumerate(bob), repeat=2):
            four = np.array([E[i, j], E[i, j2], E[i2, j], E[i2, j2]])
            # A minus at any one of the four places, and any names of the outcomes.
            values += [abs(four.sum() - 2 * x) for x in four]
            assert chsh(state, a, a2, b, b2).value == pytest.approx(four.sum() - 2 * four[3])
    assert largest.value == pytest.approx(max(values))
    assert largest.value <= 2 + 1e-12


@settings(max_examples=30, deadline=None)
@given(boards())
def test_the_largest_value_is_reached_as_said(board: RandomBoard) -> None:
    state, points = board.state(), board.names
    largest = largest_chsh(state, points[::2], points[1::2])
    (a, a2, b, b2), (s, s2, t, t2) = largest.settings, largest.signs
    value = (
        s * t * correlation(state, a, b)
        + s * t2 * correlation(state, a, b2)
        + s2 * t * correlation(state, a2, b)
        - s2 * t2 * correlation(state, a2, b2)
    )
    assert value == pytest.approx(largest.value)


def test_a_real_singlet_shows_more() -> None:
    assert abs(chsh_of_real_qubits()) == pytest.approx(2 * math.sqrt(2))
    assert pytest.approx(2 * math.sqrt(2)) == TSIRELSON_BOUND
    # All four asking about presence, as the game does: -2 and no more.
    assert chsh_of_real_qubits((0, 0, 0, 0)) == pytest.approx(-2)
    assert abs(chsh_of_real_qubits(BEST_ANGLES, 1, 0)) <= 2


@given(st.tuples(angles, angles, angles, angles), angles)
def test_real_qubits_stay_below_the_bound_of_tsirelson(four, mixing: float) -> None:
    value = chsh_of_real_qubits(four, math.cos(mixing), math.sin(mixing))
    assert abs(value) <= TSIRELSON_BOUND + 1e-9
    a, a2, b, b2 = four
    E = [-math.cos(x - y) for x, y in ((a, b), (a, b2), (a2, b), (a2, b2))]
    assert chsh_of_real_qubits(four) == pytest.approx(E[0] + E[1] + E[2] - E[3], abs=1e-9)


@pytest.mark.parametrize(
    "make",
    [
        lambda: largest_chsh(PAIR, "A1 A2", "A2 B1"),
        lambda: largest_chsh(PAIR, "", "A2 B1"),
        lambda: chsh(PAIR, "A1", "A2", "A1", "B1"),
        lambda: chsh_of_real_qubits(alpha=1, beta=1),
    ],
)
def test_what_is_wrong_is_said_in_a_line(make) -> None:
    with pytest.raises(UsageError) as error:
        make()
    assert "want" in str(error.value)
    assert "\n" not in str(error.value)
