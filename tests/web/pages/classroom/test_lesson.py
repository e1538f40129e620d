"""The lesson on a position: formula, points, step, and what would happen."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings

import playproof
from playproof import State, UsageError
from playproof.games.quantum_go.state.quantum_state import quantum_of
from playproof.rules import quantum_go as law
from playproof.web.pages.classroom.lesson import lesson, split, step
from playproof.web.pages.classroom.preview import choices, preview, turn_is_over
from tests.support.web.classroom.positions import positions

MIDDLE = "D3 C2 C4 D5 D4 C3"  # Example 1, where Black is asked about the first pair


def small(moves: str, **options: object) -> State:
    return playproof.make("quantum-go", board="6x6", **options).start().play(moves)


# The formula


def test_figure_7_in_parts() -> None:
    board = playproof.make("quantum-go:board=3x3").position("3/x1O/1x1 b 0 - 0 0 B1+A2 -")
    ket = lesson(board)["ket"]
    assert ket["text"] == (
        "(|0⟩_{A1,A3,B2,B3,C1,C3})(|1⟩_{C2})_W(α₁|0⟩_{A2}|1⟩_{B1} − β₁|1⟩_{A2}|0⟩_{B1})_B"  # noqa: RUF001
    )
    empty, white, pair = ket["parts"]
    assert (empty["kind"], white["kind"], pair["kind"]) == ("empty", "single", "pair")
    assert (white["colour"], white["points"]) == ("w", ["C2"])
    assert (pair["colour"], pair["number"], pair["points"]) == ("b", 1, ["A2", "B1"])
    assert pair["text"] == "(α₁|0⟩_{A2}|1⟩_{B1} − β₁|1⟩_{A2}|0⟩_{B1})_B"  # noqa: RUF001
    assert "probability 0.5" in pair["says"]


@settings(deadline=None, max_examples=80)
@given(positions())
def test_the_parts_make_the_whole(state: State) -> None:
    quantum, ket = quantum_of(state), lesson(state)["ket"]
    assert "".join(part["text"] for part in ket["parts"]) == ket["text"] == quantum.ket()
    assert "".join(part["numbers"] for part in ket["parts"]) == quantum.ket(numbers=True)
    named = [point for part in ket["parts"] for point in part["points"]]
    assert sorted(named) == sorted(quantum.points.names)
    numbers = [part["number"] for part in ket["parts"] if "number" in part]
    assert numbers == list(range(1, len(quantum.groups) + 1))


def test_brackets_within_a_factor_do_not_part_it() -> None:
    assert split("(|0⟩_{A1})((|100⟩ + |010⟩)_{A1,B3}/√2)_B") == [
        "(|0⟩_{A1})",
        "((|100⟩ + |010⟩)_{A1,B3}/√2)_B",
    ]
    assert split("") == []


# The points


@settings(deadline=None, max_examples=80)
@given(positions())
def test_a_point_is_a_state(state: State) -> None:
    quantum = quantum_of(state)
    for name, point in lesson(state)["points"].items():
        rho = np.array(point["density"]) @ np.array([1, 1j])
        assert rho.shape == (2, 2)
        assert np.allclose(rho, rho.conj().T)
        assert rho.trace() == pytest.approx(1)
        eigenvalues = np.linalg.eigvalsh(rho)
        assert eigenvalues.min() > -1e-12
        assert rho[1, 1].real == pytest.approx(point["probability"])
        positive = eigenvalues[eigenvalues > 1e-12]
        entropy = float(-(positive * np.log2(positive)).sum())
        assert point["entropy"] == pytest.approx(entropy, abs=1e-9)
        group = quantum.group_at(name)
        assert (point["group"] is None) == (group is None)
        assert (point["owner"] is None) == (quantum.colour(name) is None)


def test_a_pair_of_unequal_amplitudes() -> None:
    state = small("B2 E5", collapse="born", alpha=0.8)
    later, earlier = lesson(state)["points"]["E5"], lesson(state)["points"]["B2"]
    assert later["probability"] == pytest.approx(0.64)
    assert earlier["probability"] == pytest.approx(0.36)
    assert later["entropy"] == pytest.approx(0.943, abs=5e-4)
    assert (later["partners"], later["colour"]) == (["B2"], "b")


def test_a_ghz_point_tells_both_entropies() -> None:
    state = small("B2 E5 B5", k=3)
    point = lesson(state)["points"]["B2"]
    assert point["entropy"] == pytest.approx(0.918, abs=5e-4)
    assert point["entropy_label"] == pytest.approx(1.585, abs=5e-4)


def test_a_stone_that_is_being_placed_is_no_part_of_the_state_yet() -> None:
    points = lesson(small("B2"))["points"]
    assert points["B2"]["placing"]
    assert points["B2"]["probability"] == 0


# The step


def test_the_three_steps_of_a_turn() -> None:
    asked = [step(small(MIDDLE + more)) for more in ("", " D3", " D3 C4", " D3 C4 D4")]
    assert [one["ranchin"] for one in asked] == [1, 2, 3, None]
    assert [one["who"] for one in asked] == ["Black", "White", "Black", "White"]
    assert [one["points"] for one in asked] == [["C2", "D3"], ["C4", "D5"], ["C3", "D4"], []]
    assert asked[0]["question"] == "Black keeps one of C2, D3: step 1"
    assert asked[3]["name"] == "Placing"


def test_a_forced_choice_is_explained() -> None:
    board = "4x1/x1OO2/2OXOO/1XOXX1/1XOX2/2X3 w 0 - 0 0 A5+E6 -"
    state = playproof.make("quantum-go:board=6x6").position(board)
    forced = step(state.play("E5 B4 E6"))
    assert forced["choices"] == ["E5"]
    assert "has to stay" in forced["why"]
    free = step(state.play("E5 B4 A5"))
    assert free["choices"] == ["B4", "E5"]
    assert "has to stay" not in free["why"]


def test_chance_is_named_where_it_decides() -> None:
    asked = step(small("B2 E5 E4 A1", collapse="born"))
    assert (asked["who"], asked["colour"]) == ("Chance", "")
    assert "Born" in asked["why"]


@settings(deadline=None, max_examples=60)
@given(positions())
def test_a_lesson_is_json_and_begins_a_game_like_this_one(state: State) -> None:
    told = lesson(state)
    json.dumps(told, allow_nan=False)
    again = playproof.make("quantum-go", **told["options"])
    assert again == state.game
    if not state.is_terminal:
        assert again.position(told["position"]) == state
    begun = again.position(told["turn_position"])
    assert turn_is_over(begun) or state.ply < 8


def test_another_game_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match="the classroom is for Quantum Go"):
        lesson(playproof.make("othello").start())


# What would happen


def stones(state: State) -> set[str]:
    names = state.game.points.names  # type: ignore[attr-defined]
    row, game = state.row, state.game
    boards = [*game.stones(row), *game.entangled(row), game.new_group(row)]  # type: ignore[attr-defined]
    return {names[p] for board in boards for p in board}


@settings(deadline=None, max_examples=120)
@given(positions())
def test_a_choice_does_what_its_preview_says(state: State) -> None:
    told = choices(state)
    game = state.game
    if not told:
        assert state.is_terminal or game.step(state.row) == law.PLACE  # type: ignore[attr-defined]
        return
    chances = dict(state.chance_outcomes())
    for choice in told:
        after = state.apply(choice["name"])
        assert choice["ends_turn"] == turn_is_over(after)
        before, now = stones(state), stones(after)
        if "goes" in choice:
            assert now == before - set(choice["goes"]) - set(choice["captured"])
            asked = set(lesson(state)["step"]["points"])
            assert set(choice["stays"]) | set(choice["goes"]) == asked
            assert choice["probability"] == chances.get(state.find(choice["name"]))
        else:
            assert choice["collapses"] == (game.step(after.row) != law.PLACE)  # type: ignore[attr-defined]
            assert now >= before - set(choice["captured"])
    if chances:
        assert sum(choice["probability"] for choice in told) == pytest.approx(1)


@settings(deadline=None, max_examples=60)
@given(positions())
def test_every_way_of_a_turn_can_be_played(state: State) -> None:
    told = preview(state)
    assert bool(told["ways"]) == (
        law.PLACE < state.game.step(state.row) < law.OVER  # type: ignore[attr-defined]
    )
    for way in told["ways"]:
        end = state.play([decision["name"] for decision in way["decisions"]])
        assert turn_is_over(end)
        gone = {point for decision in way["decisions"] for point in decision["goes"]}
        taken = {point for decision in way["decisions"] for point in decision["captured"]}
        assert stones(end) == stones(state) - gone - taken
    if not state.is_chance and len(told["ways"]) > 1:  # somebody chooses: no probabilities
        assert {way["probability"] for way in told["ways"]} == {None}
    if state.is_chance and told["whole"]:
        assert sum(way["probability"] for way in told["ways"]) == pytest.approx(1)


def test_a_second_stone_says_which_pairs_it_would_touch() -> None:
    state = small("D3 C2 C4 D5 D4")
    found = {choice["name"]: choice for choice in choices(state)}
    assert found["C3"]["touches"] == [1, 2]
    assert found["C3"]["collapses"]
    ways = preview(state, "C3")["ways"]
    kept = {tuple(d["name"] for d in way["decisions"]) for way in ways}
    assert ("D3", "C4", "D4") in kept
    assert ("C2", "D5", "C3") in kept
    # D4 alone touches both pairs as well: {D4, A1} is a collapse, too.
    assert found["A1"]["touches"] == [1, 2]


def test_the_first_stone_of_a_pair_does_nothing_yet() -> None:
    told = preview(small("D3 C2"))
    assert told["choices"] == []
    assert told["ways"] == []
    assert [outcome["stays"] for outcome in told["pairs"]] == [["C2"], ["D3"]]


def test_a_way_that_captures_says_so() -> None:
    board = "6/6/6/6/XX4/OO4 b 0 - 0 0 - -"
    state = playproof.make("quantum-go:board=6x6").position(board).play("C1")
    ways = preview(state, "F6")["ways"]
    taken = {way["decisions"][-1]["name"]: way["captured"] for way in ways}
    assert taken == {"C1": ["A1", "B1"], "F6": []}


def test_what_cannot_be_chosen_is_said() -> None:
    with pytest.raises(UsageError, match="C2 cannot be chosen now"):
        preview(small("D3 C2"), "C2")
