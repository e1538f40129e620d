"""The guided tour is the paper's Example 1, decision by decision."""

from __future__ import annotations

import pytest

from playproof import UsageError
from playproof.papers.quantum_go.example1 import TURNS, replay
from playproof.web.pages.classroom import tour


def test_the_tour_has_every_decision_of_the_papers_record() -> None:
    told = [move for step in tour.tour()["steps"] for move in step["moves"]]
    record = []
    for turn in TURNS:
        record += [*turn.placed, *turn.older, *([turn.kept] if turn.kept else [])]
    assert told == record


def test_every_step_belongs_to_the_turn_it_names() -> None:
    by_turn: dict[int, list[str]] = {}
    for step in tour.STEPS:
        by_turn.setdefault(step.turn, []).extend(step.moves.split())
    for turn in TURNS:
        kept = [turn.kept] if turn.kept else []
        assert by_turn[turn.number] == [*turn.placed, *turn.older, *kept]


def test_every_board_is_one_that_the_record_passes() -> None:
    seen = {}
    end = replay(on_position=lambda caption, state: seen.setdefault(state.position, caption))
    last: dict[int, str] = {}
    for step, state in zip(tour.STEPS, tour.states(), strict=True):
        last[step.turn] = state.position
    assert all(last[turn.number] in seen for turn in TURNS)
    assert tour.states()[-1] == end
    assert end.score == 4


def test_the_words_name_points_of_the_step() -> None:
    for step, state in zip(tour.STEPS, tour.states(), strict=True):
        names = set(state.game.points.names)  # type: ignore[attr-defined]
        assert set(step.look) <= names, step.heading
        placed = step.moves.split()
        if step.look and placed:
            assert set(step.look) & set(placed) or step.look == ("A5", "E6"), step.heading


def test_the_tour_opens_in_the_middle_where_a_choice_is_asked_for() -> None:
    whole = tour.tour()
    middle = whole["steps"][whole["middle"]]
    told = tour.step_lesson(whole["middle"])
    assert middle["turn"] == 16
    assert told["step"]["ranchin"] == 2
    assert told["step"]["choices"] == ["A5", "E6"]
    assert len(told["preview"]["ways"]) == 3  # E6 forces E5; A5 leaves White free


@pytest.mark.parametrize(
    ("move", "choice"), [(3, ["C3", "D4"]), (8, ["A3", "D5"]), (16, ["E5"]), (24, ["C6"])]
)
def test_the_last_choice_is_as_free_as_the_paper_says(move: int, choice: list[str]) -> None:
    end = next(i for i in reversed(range(len(tour.STEPS))) if tour.STEPS[i].turn == move)
    assert tour.states()[end].before().legal_names() == choice


def test_no_picture_of_the_tour_can_be_played_on() -> None:
    for step in tour.tour()["steps"]:
        assert step["view"]["legal"] == step["view"]["actions"] == []


def test_a_step_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="no step 38: want 0 to 37"):
        tour.step_lesson(38)
