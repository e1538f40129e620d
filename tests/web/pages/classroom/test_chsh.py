"""The CHSH demonstration stays within 2, and real qubits do not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import playproof
from playproof import State, UsageError
from playproof.games.quantum_go.state.quantum_state import quantum_of
from playproof.web.pages.classroom import tour
from playproof.web.pages.classroom.chsh import best, demonstration, sample, wilson
from tests.support.web.classroom.positions import positions

ROUNDING = 1e-9


@pytest.mark.slow
@settings(deadline=None, max_examples=80)
@given(positions(), st.integers(0, 2**32 - 1))
def test_no_position_shows_more_than_two(state: State, seed: int) -> None:
    told = demonstration(state, {"n": "40", "seed": str(seed)})
    E = np.array(told["correlations"])
    assert np.abs(E).max() <= 1 + ROUNDING
    assert told["S"] == pytest.approx(E[0, 0] + E[0, 1] + E[1, 0] - E[1, 1])
    assert abs(told["S"]) <= 2 + ROUNDING
    sampled = told["experiment"]
    assert abs(sampled["S"]) <= 2
    assert -2 - ROUNDING <= sampled["low"] <= sampled["S"] <= sampled["high"] + ROUNDING
    assert sampled["high"] <= 2 + ROUNDING
    assert sampled["plus"] + sampled["minus"] == 40
    assert 2 < told["real"]["S"] <= 2 * math.sqrt(2) + ROUNDING


@settings(deadline=None, max_examples=80)
@given(positions(), st.data())
def test_no_choice_of_points_shows_more_than_two(state: State, data: st.DataObject) -> None:
    names = quantum_of(state).points.names
    a, a2 = data.draw(st.tuples(st.sampled_from(names), st.sampled_from(names)))
    others = [name for name in names if name not in (a, a2)]
    b, b2 = data.draw(st.tuples(st.sampled_from(others), st.sampled_from(others)))
    told = demonstration(state, {"a": a, "a2": a2, "b": b, "b2": b2, "n": "25"})
    assert 0 <= told["S"] <= 2 + ROUNDING  # outcomes are named so that it is not negative
    assert told["settings"] == {"a": a, "a2": a2, "b": b, "b2": b2}


def test_every_single_collapse_gives_two_or_minus_two() -> None:
    told = demonstration(tour.states()[tour.MIDDLE], {"a": "A5", "a2": "E6", "b": "B4", "b2": "C6"})
    assert {one["value"] for one in told["experiment"]["first"]} <= {2, -2}
    for one in told["experiment"]["first"]:
        a, a2, b, b2 = one["answers"]
        assert one["value"] == a * b + a * b2 + a2 * b - a2 * b2


def test_the_interval_holds_the_exact_value_about_as_often_as_it_says() -> None:
    state = tour.states()[tour.MIDDLE]
    asked = {"a": "A5", "a2": "C1", "b": "B4", "b2": "E5", "n": "200"}
    hits = 0
    for seed in range(100):
        told = demonstration(state, asked | {"seed": str(seed)})
        hits += told["experiment"]["low"] - ROUNDING <= told["S"] <= told["experiment"]["high"]
    assert 88 <= hits <= 100


def test_a_sample_keeps_one_stone_of_each_pair_as_often_as_the_formula_says() -> None:
    game = playproof.make("quantum-go", board="6x6", collapse="born", alpha=0.8)
    quantum = quantum_of(game.start().play("B2 E5"))
    found = sample(quantum, ("B2", "E5", "C3"), 20_000, seed=3)
    assert (found[:, 0] == -found[:, 1]).all()
    assert (found[:, 2] == -1).all()
    assert (found[:, 1] == 1).mean() == pytest.approx(0.64, abs=0.02)


def test_a_seed_is_an_experiment() -> None:
    state = tour.states()[tour.MIDDLE]
    asked = {"a": "A5", "a2": "A5", "b": "B4", "b2": "E5"}
    first = demonstration(state, asked | {"seed": "1"})
    assert first == demonstration(state, asked | {"seed": "1"})
    assert first["experiment"] != demonstration(state, asked | {"seed": "2"})["experiment"]


def test_the_best_settings_ask_four_different_questions_where_they_can() -> None:
    found = best(quantum_of(tour.states()[tour.MIDDLE]))
    assert found.value == pytest.approx(2)
    assert set(found.settings) == {"A5", "E6", "B4", "E5"}


@pytest.mark.parametrize("alpha", [0.3, math.sqrt(0.5), 0.8])
def test_real_qubits_show_what_quantum_theory_says(alpha: float) -> None:
    game = playproof.make("quantum-go", board="6x6", alpha=alpha)
    real = demonstration(game.start(), {})["real"]
    beta = math.sqrt(1 - alpha**2)
    assert real["S"] == pytest.approx(2 * math.sqrt(1 + (2 * alpha * beta) ** 2))
    assert max(s for _, s in real["turned"]) <= real["S"] + ROUNDING
    assert real["turned"][0] == [0, pytest.approx(2)]
    (ab, ab2), (a2b, a2b2) = real["correlations"]
    assert abs(ab + ab2 + a2b - a2b2) == pytest.approx(real["S"])


def test_wilson_by_its_definition() -> None:
    """The ends are where the observed share is 1.96 deviations away (Wilson, 1927)."""
    low, high = wilson(30, 100)
    for p in (low, high):
        assert abs(0.3 - p) / math.sqrt(p * (1 - p) / 100) == pytest.approx(1.96, abs=1e-4)
    assert wilson(0, 10)[0] == pytest.approx(0)
    assert wilson(10, 10)[1] == pytest.approx(1)


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ({"n": "0"}, "n=0: want a whole number from 1 to 100000"),
        ({"n": "1e3"}, "n=1e3: want a whole number"),
        ({"seed": "-1"}, "seed=-1: want a whole number from 0"),
        ({"a": "A1"}, "a given alone: want all of a, a2, b, b2"),
        ({"a": "Z9", "a2": "A1", "b": "B1", "b2": "B2"}, "no point 'Z9'"),
        ({"a": "A1", "a2": "A2", "b": "A1", "b2": "B2"}, "A1 for both parties"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(query: dict[str, str], line: str) -> None:
    with pytest.raises(UsageError, match=line) as caught:
        demonstration(tour.states()[0], query)
    assert "\n" not in str(caught.value)
