"""The quantum state: the specification's figures, and a brute-force vector beside it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from playproof.core.errors import UsageError
from playproof.games.quantum_go.state.quantum_state import MAX_DENSITY_ROWS, Group, QuantumState
from tests.support.games.brute_force import Vector, entropy
from tests.support.games.random_boards import RandomBoard, boards

EQUAL = math.sqrt(0.5)
FIGURE_7 = QuantumState(3, 3, {"C2": "W"}, [("B", "A2 B1")])
UNEQUAL = QuantumState(3, 3, {}, [("B", "A2 B1", "pair", (0.8, 0.6))])
TRIPLET_W = QuantumState(3, 3, {}, [("W", "A1 B3 C2", "w")])
TRIPLET_GHZ = QuantumState(3, 3, {}, [("W", "A1 B3 C2", "ghz")])


# The formula


def test_figure_7() -> None:
    assert FIGURE_7.ket() == (
        "(|0⟩_{A1,A3,B2,B3,C1,C3})(|1⟩_{C2})_W"
        "(\N{GREEK SMALL LETTER ALPHA}₁|0⟩_{A2}|1⟩_{B1} \N{MINUS SIGN} β₁|1⟩_{A2}|0⟩_{B1})_B"
    )
    # To the letter as in the text of the paper.
    assert FIGURE_7.latex() == (
        r"(|0\rangle_{A1,A3,B2,B3,C1,C3})(|1\rangle_{C2})_{W}"
        r"(\alpha_{1}|0\rangle_{A2}|1\rangle_{B1} - \beta_{1}|1\rangle_{A2}|0\rangle_{B1})_{B}"
    )
    assert FIGURE_7.plain() == (
        "(|0>_{A1,A3,B2,B3,C1,C3})(|1>_{C2})_W(a1|0>_{A2}|1>_{B1} - b1|1>_{A2}|0>_{B1})_B"
    )
    assert str(FIGURE_7) == FIGURE_7.ket()
    assert FIGURE_7.plain().isascii()
    assert FIGURE_7.latex().isascii()


def test_a_formula_with_everything() -> None:
    state = QuantumState(
        3, 3, {"A1": "B", "C3": "B"}, [("W", "A2 B1"), ("B", "B3 C2", "pair", (0.8, 0.6j))]
    )
    assert state.plain() == (
        "(|0>_{A3,B2,C1})(|1>_{A1,C3})_B(a1|0>_{A2}|1>_{B1} - b1|1>_{A2}|0>_{B1})_W"
        "(a2|0>_{B3}|1>_{C2} - b2|1>_{B3}|0>_{C2})_B"
    )
    assert state.plain(numbers=True).endswith(
        "(0.707|0>_{A2}|1>_{B1} - 0.707|1>_{A2}|0>_{B1})_W"
        "(0.8|0>_{B3}|1>_{C2} - 0.6i|1>_{B3}|0>_{C2})_B"
    )
    assert TRIPLET_W.plain().endswith("((|100> + |010> + |001>)_{A1,B3,C2}/sqrt(3))_W")
    assert TRIPLET_GHZ.latex().endswith(
        r"((|111\rangle + |222\rangle + |333\rangle)_{A1,B3,C2}/\sqrt{3})_{W}"
    )
    assert "/√3)" in TRIPLET_W.ket()


@pytest.mark.parametrize(
    ("amplitudes", "written"),
    [
        ((0.6, 0.8), "0.6|10> + 0.8|01>"),
        ((-0.6, -0.8), "-0.6|10> - 0.8|01>"),
        ((0.6j, -0.8j), "0.6i|10> - 0.8i|01>"),
        ((0.36 + 0.48j, 0.8), "(0.36+0.48i)|10> + 0.8|01>"),
        ((-0.36 + 0.48j, 0.8), "-(0.36-0.48i)|10> + 0.8|01>"),
        ((1, 0), "1|10>"),
    ],
)
def test_numbers_in_a_formula(amplitudes: tuple[complex, complex], written: str) -> None:
    state = QuantumState(2, 2, {}, [("B", "A1 B2", "w", amplitudes)])
    assert state.plain(numbers=True) == f"(|0>_{{A2,B1}})(({written})_{{A1,B2}})_B"


# The specification's numbers


def test_an_equal_pair_is_one_ebit() -> None:
    assert FIGURE_7.entropy("A2") == FIGURE_7.entropy("B1") == 1
    assert FIGURE_7.entropy("A2 B1") == 0
    assert FIGURE_7.entropy("C2") == FIGURE_7.entropy("A1") == 0
    np.testing.assert_allclose(FIGURE_7.density("A2"), np.diag([0.5, 0.5]), atol=1e-15)
    assert FIGURE_7.probabilities() == {
        "A1": 0, "A2": 0.5, "A3": 0, "B1": 0.5, "B2": 0, "B3": 0, "C1": 0, "C2": 1, "C3": 0
    }  # fmt: skip


def test_an_unequal_pair() -> None:
    np.testing.assert_allclose(UNEQUAL.density("A2"), np.diag([0.64, 0.36]), atol=1e-15)
    np.testing.assert_allclose(UNEQUAL.density("B1"), np.diag([0.36, 0.64]), atol=1e-15)
    assert UNEQUAL.entropy("A2") == pytest.approx(0.943, abs=5e-4)
    assert UNEQUAL.entropy(["B1", "A2"]) == 0
    # The minus of the definition: between "at B1" (|01>) and "at A2" (|10>).
    assert UNEQUAL.density("A2 B1")[1, 2] == pytest.approx(-0.48)


def test_a_w_triplet() -> None:
    assert TRIPLET_W.probability("A1") == pytest.approx(1 / 3)
    assert TRIPLET_W.entropy("A1") == pytest.approx(0.918, abs=5e-4)
    present, absent = TRIPLET_W.measure("A1")
    assert (present.result, absent.result) == ("present", "absent")
    assert absent.probability == pytest.approx(2 / 3)
    assert absent.state.entropy("B3") == pytest.approx(1)
    assert absent.state.entropy("B3 C2") == 0
    assert absent.state.groups[0].points == ("B3", "C2")
    assert present.state.singles == {"A1": 1}
    assert present.state.groups == ()


def test_a_ghz_triplet_in_both_bases() -> None:
    assert TRIPLET_GHZ.entropy("A1", "label") == pytest.approx(math.log2(3))
    assert TRIPLET_GHZ.entropy("A1 B3", "label") == pytest.approx(math.log2(3))
    assert TRIPLET_GHZ.entropy("A1 B3 C2", "label") == 0
    assert TRIPLET_GHZ.entropy("A1") == pytest.approx(0.918, abs=5e-4)
    stays = TRIPLET_GHZ.measure("A1", "label")
    assert [outcome.result for outcome in stays] == ["A1", "B3", "C2"]
    for outcome in stays:
        assert outcome.probability == pytest.approx(1 / 3)
        assert outcome.state.singles == {outcome.result: 1}
    absent = TRIPLET_GHZ.measure("A1")[1]
    assert absent.probability == pytest.approx(2 / 3)
    # The labels 2 and 3 are left, and every point still knows which.
    assert absent.state.plain().endswith("((|222> + |333>)_{A1,B3,C2}/sqrt(2))_W")
    assert absent.state.probability("A1") == 0
    assert absent.state.entropy("A1", "label") == pytest.approx(1)


def test_measuring_a_pair_settles_both_of_its_points() -> None:
    present, absent = UNEQUAL.measure("A2")
    assert present.probability == pytest.approx(0.36)
    assert present.state.singles == {"A2": 0}
    assert absent.state.singles == {"B1": 0}
    assert [o.result for o in FIGURE_7.measure("C2")] == ["present"]
    assert [o.result for o in FIGURE_7.measure("A1")] == ["absent"]
    certain = QuantumState(2, 2, {}, [("B", "A1 B2", "pair", (1, 0))])
    assert [o.result for o in certain.measure("B2")] == ["present"]


# Beside a vector over all points


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(boards(), st.booleans(), st.integers(0, 2**32 - 1))
def test_density_and_entropy_are_those_of_the_vector(
    board: RandomBoard, labels: bool, seed: int
) -> None:
    state, vector = board.state(), board.vector(labels)
    rng = np.random.default_rng(seed)
    some = [str(p) for p in rng.permutation(board.names)[: rng.integers(1, 6)]]
    basis = "label" if labels else "occupancy"
    expected = vector.density(some)
    np.testing.assert_allclose(state.density(some, basis), expected, atol=1e-12)
    assert state.entropy(some, basis) == pytest.approx(entropy(expected), abs=1e-9)
    for point in board.names:
        alone = vector.density([point])
        if not labels:
            assert state.probability(point) == pytest.approx(alone[1, 1].real, abs=1e-12)
            assert 0 <= state.entropy(point) <= 1 + 1e-12


@settings(max_examples=60, deadline=None)
@given(boards(), st.integers(0, 2**32 - 1))
def test_measurement_is_projective(board: RandomBoard, seed: int) -> None:
    state, vector = board.state(), board.vector()
    point = str(np.random.default_rng(seed).choice(board.names))
    outcomes = state.measure(point)
    assert sum(outcome.probability for outcome in outcomes) == pytest.approx(1)
    for level, result in enumerate(("absent", "present")):
        probability, projected = vector.project(point, level)
        matching = [outcome for outcome in outcomes if outcome.result == result]
        assert len(matching) == (probability > 1e-12)
        for outcome in matching:
            assert outcome.probability == pytest.approx(probability)
            # The whole board, so for pairs and W-groups the state itself up to a phase.
            np.testing.assert_allclose(
                outcome.state.density(board.names),
                vector.density(board.names, projected),
                atol=1e-9,
            )
            again = outcome.state.measure(point)
            assert [(o.result, o.probability) for o in again] == [(result, pytest.approx(1))]
            assert again[0].state.probabilities() == pytest.approx(outcome.state.probabilities())


@settings(max_examples=40, deadline=None)
@given(boards(), st.data())
def test_measurement_keeps_the_labels_together(board: RandomBoard, data: st.DataObject) -> None:
    labelled = [group for group in board.groups if group[2] == "ghz"]
    assume(labelled)
    owner, points, _, _ = data.draw(st.sampled_from(labelled))
    which = data.draw(st.integers(0, len(points) - 1))
    state, vector = board.state(), board.vector(labels=True)
    stays = {o.result: o for o in state.measure(points[which], "label")}
    assert sum(o.probability for o in stays.values()) == pytest.approx(1)
    for level, name in enumerate(points):
        probability, _ = vector.project(points[which], level)
        assert (name in stays) == (probability > 1e-12)
        if name in stays:
            assert stays[name].probability == pytest.approx(probability)
            assert stays[name].state.singles == board.singles | {name: owner}
    # "Absent" projects on all other labels; as long as two are left, the points stay entangled.
    present, projected = vector.project(points[which], which)
    rest = vector.psi - projected * math.sqrt(present)
    norm = np.linalg.norm(rest)
    absent = [o for o in state.measure(points[which]) if o.result == "absent"]
    if absent and any(group.points == points for group in absent[0].state.groups):
        np.testing.assert_allclose(
            absent[0].state.density(points, "label"), vector.density(points, rest / norm), atol=1e-9
        )


@settings(max_examples=30, deadline=None)
@given(boards())
def test_two_points_together(board: RandomBoard) -> None:
    state, vector = board.state(), board.vector()
    for one, other in zip(board.names, board.names[1:], strict=False):
        both = vector.density([one, other])[3, 3].real
        assert state.both_present(one, other) == pytest.approx(both, abs=1e-12)


def test_the_vector_is_what_it_is_meant_to_be() -> None:
    vector = Vector(2, 2, {"B1": 1}, [(0, ("A1", "A2"), "pair", (0.8, 0.6))])
    # Axes A1, B1, A2, B2.
    assert vector.psi[0, 1, 1, 0] == 0.8
    assert vector.psi[1, 1, 0, 0] == -0.6
    assert np.count_nonzero(vector.psi) == 2


# Plain data


def test_points_by_number_and_by_name() -> None:
    same = QuantumState(3, 3, {5: 1}, [Group(0, ("A2", "B1"), "pair", (EQUAL, EQUAL))])
    assert same == QuantumState(3, 3, {"c2": "w"}, [(0, [3, 1], "pair", (EQUAL, EQUAL))])
    assert hash(same) == hash(QuantumState(3, 3, {"C2": "W"}, [("B", "A2,B1")]))
    assert same != UNEQUAL
    assert same.group_at(3).points == ("A2", "B1")
    assert same.group_at("C2") is None
    assert [same.colour(p) for p in ("A2", "C2", "A1")] == [0, 1, None]
    assert repr(UNEQUAL).startswith("QuantumState(3x3, (|0>_{A1,A3,B2,")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: QuantumState(3, 3, {"D1": 0}), "no point 'D1': want A1 to C3"),
        (lambda: QuantumState(3, 3, {9: 0}), "no point 9"),
        (lambda: QuantumState(3, 3, {"A1": 2}), "no colour 2"),
        (lambda: QuantumState(3, 3, {"A1": 0}, [(0, "A1 B2")]), "two stones on A1"),
        (lambda: QuantumState(3, 3, {"A1": 0, 0: 1}), "two stones on one point"),
        (lambda: QuantumState(3, 3, {}, [(0, "A1 A1")]), "the same point twice"),
        (lambda: QuantumState(3, 3, {}, [(0, "A1 B2 C3")]), "want 2 different points for a pair"),
        (lambda: QuantumState(3, 3, {}, [(0, "A1 B2", "bell")]), "want pair, ghz or w"),
        (lambda: QuantumState(3, 3, {}, [(0,)]), "a group is (owner, points)"),
        (
            lambda: QuantumState(3, 3, {}, [(0, "A1 B2", "pair", (1, 0.5))]),
            "add up to 1.25",
        ),
        (lambda: QuantumState(3, 3, {}, [(0, "A1 B2", "pair", (1,))]), "1 amplitudes for A1, B2"),
        (lambda: FIGURE_7.entropy("A1", "spin"), "want occupancy or label"),
        (lambda: FIGURE_7.measure("A1", "spin"), "want occupancy or label"),
        (lambda: QuantumState(4, 4).density(range(11)), f"want {MAX_DENSITY_ROWS} at most"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(make, message: str) -> None:
    with pytest.raises(UsageError) as error:
        make()
    assert message in str(error.value)
    assert "\n" not in str(error.value)
