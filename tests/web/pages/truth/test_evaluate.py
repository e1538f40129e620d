"""What the page Truth knows: tables where there are some, what is shipped elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from playproof import PlayproofError, make
from playproof.core.state import State
from playproof.papers.choko_solved import truth as choko_truth
from playproof.papers.choko_solved import values as choko_values
from playproof.tables.choko.probe import Probe
from playproof.web.pages.truth import parse_text as truth_text
from playproof.web.pages.truth.evaluate import SHIPPED, TABLES, ChokoValue, Oracle, pieces_in_play
from playproof.web.pages.truth.games import review_game, summary
from tests.support.tables import small_tables

LOST = "1brb1/1brb1/5/5/5 b 0 0 - 24"  # docs/tables.md: lost in 4
EVEN = "4r/5/5/1b3/1br2 b 0 0 - 24"


def position(text: str) -> State:
    return make("choko").position(text)


@pytest.mark.slow
def test_tables_are_asked_for_every_position_they_hold(oracle: Oracle) -> None:
    probe = Probe(small_tables.files())
    for state in small_tables.positions(make("choko"), 60, seed=1):
        answer = oracle.look_up(state)
        assert answer is not None
        assert answer.source == TABLES
        sign = 1 if state.current_player == 0 else -1
        assert [(a, v.who * sign, v.actions) for a, v in answer.moves] == [
            (a, v.outcome, v.distance) for a, v in probe.moves(state)
        ]
        assert answer.value == answer.moves[0][1]
        assert pieces_in_play(state) <= small_tables.PIECES


@pytest.mark.slow
def test_best_play_leads_to_the_end_that_was_told(oracle: Oracle) -> None:
    for state in small_tables.positions(make("choko"), 20, seed=2, ply=24):
        answer = oracle.look_up(state, line=True)
        assert answer is not None
        if answer.value.who == 0:
            assert answer.line == ()
            continue
        end = State(make("choko", cap=0), state.row, set_up=True)
        for action in answer.line:
            end = end.apply(action)
        assert len(answer.line) == answer.value.actions
        assert end.outcome == answer.value.who


def test_beyond_the_tables_nothing_is_claimed(oracle: Oracle) -> None:
    assert oracle.look_up(position("2brr/bbrb1/r1bb1/b3r/1b2r b 0 0 - 24")) is None
    assert Oracle(lambda lone_jump: []).look_up(position(EVEN)) is None


def test_tables_that_only_say_who_wins(tmp_path: Path) -> None:
    small_tables.copied(tmp_path, "*.outcome")
    oracle = Oracle(lambda lone_jump: [tmp_path])
    answer = oracle.look_up(position(LOST), line=True)
    assert answer is not None
    assert answer.value == ChokoValue(-1, None)
    assert answer.value.words == "Red wins"
    assert answer.line == ()
    assert oracle.largest() == 0  # distances are what it counts


def test_tables_are_found_while_they_are_built(tmp_path: Path) -> None:
    oracle = Oracle(lambda lone_jump: [tmp_path / "none", tmp_path])
    state = position(EVEN)
    assert (oracle.look_up(state), oracle.largest()) == (None, 0)
    small_tables.copied(tmp_path, "*.distance")
    assert oracle.look_up(state) is not None
    assert oracle.largest() == 6


# What is shipped


def test_first_placements_and_replies_agree_with_each_other() -> None:
    truth = choko_truth.shipped()
    start = make("choko").start()
    known = choko_values.find(start)
    assert known is not None
    assert {start.name(a): v for a, v in known.moves.items()} == truth.off.first
    for name, value in truth.off.first.items():
        after = choko_values.find(start.play(name))
        assert after is not None
        assert after.value == 1 - value  # Red is lost one action sooner
        assert len(after.moves) == 24
        for action, reply in after.moves.items():
            then = choko_values.find(start.play(name).apply(action))
            assert then is not None
            assert then.value == -reply - 1


def test_the_best_line_counts_down_to_the_end() -> None:
    state = make("choko").start()
    for left, name in zip(range(59, 0, -1), choko_truth.shipped().line, strict=True):
        known = choko_values.find(state)
        assert known is not None
        assert abs(known.value) == left
        assert (known.value > 0) == (state.current_player == 0)
        state = state.play(name)
    assert state.outcome == 1


def test_images_are_known_with_their_moves_turned() -> None:
    text, moves = choko_truth.shipped().early_capture
    for symmetry in range(8):
        image = position(text).transformed(symmetry)
        known = choko_values.find(image)
        assert known is not None
        assert sorted(known.moves) == image.legal_actions()
        assert sorted(known.moves.values()) == sorted(moves.values())
        jump = next(a for a in known.moves if "x" in image.name(a))
        assert known.moves[jump] == 0


def test_shipped_and_tables_say_the_same(oracle: Oracle) -> None:
    known = choko_values.find(position(LOST))  # one of the endings against the odds
    answer = oracle.look_up(position(LOST))
    assert known is not None
    assert answer is not None
    assert known.value == -4
    assert answer.value == ChokoValue(-1, 4)


def test_shipped_values_are_from_blues_side() -> None:
    answer = Oracle(lambda lone_jump: []).look_up(make("choko").start().play("E5"))
    assert answer is not None
    assert answer.source == SHIPPED
    assert answer.value.words == "Blue wins in 58"
    assert answer.moves[0][1].actions == 58  # Red holds out as long as can be
    assert answer.moves[-1][1].actions == 48


def test_nothing_shipped_is_true_with_lone_jumps() -> None:
    assert choko_values.find(make("choko", lone_jump=True).start()) is None


# Games


def test_where_a_win_was_lost(oracle: Oracle) -> None:
    course = truth_text.read(f"{LOST}; B4-B3 C4-C3 B3-A3")
    judged = review_game(oracle, course)
    assert [one.threw for one in judged] == [False, True, True]
    assert judged[1].better == ("C4xE4,B3",)
    assert summary(course, judged).startswith(
        "Red gave the win away with move 2, C4-C3: Red wins in 3 before it, Blue wins in 2 after"
    )
    assert "Mistakes in all: Blue 1, Red 1." in summary(course, judged)


def test_a_game_without_a_mistake(oracle: Oracle) -> None:
    course = truth_text.read(" ".join(choko_truth.shipped().line))
    judged = review_game(oracle, course)
    assert not any(one.threw for one in judged)
    assert [one.after and one.after.actions for one in judged] == list(range(59, 0, -1))
    assert summary(course, judged) == "Nobody gave anything away."


def test_a_game_that_is_not_known_says_so(oracle: Oracle) -> None:
    course = truth_text.read("A1 C3 A1-A2 E1")
    assert summary(course, review_game(oracle, course)) == (
        "2 of 4 moves could be judged here; none of these gave anything away."
    )
    course = truth_text.read("2brr/bbrb1/r1bb1/b3r/1b2r b 0 0 - 24; A4-A5")
    assert summary(course, review_game(Oracle(lambda _: []), course)) == (
        "None of these positions is in the tables that were built here: no move could be judged."
    )


def test_nothing_is_claimed_of_moves_that_could_not_be_judged() -> None:
    """A long game with nothing but what is shipped: its first moves are known, no others."""
    names = ["A1", "E5", "A5", "E1", "A3", "C1", "C5", "E3", "A2", "B1", "D5", "E2"]
    course = truth_text.read(" ".join(names))
    judged = review_game(Oracle(lambda _: []), course)
    known = sum(one.before is not None and one.after is not None for one in judged)
    told = summary(course, judged)
    assert 0 < known < len(judged)
    assert told.startswith(f"{known} of {len(judged)} moves could be judged")
    assert "obody" not in told


def test_mistakes_are_counted_among_the_moves_that_were_judged(oracle: Oracle) -> None:
    course = truth_text.read(f"{LOST}; B4-B3 C4-C3 B3-A3")
    judged = review_game(oracle, course)
    cut = [*judged[:2], replace(judged[2], before=None, after=None)]
    assert summary(course, cut).endswith(
        "2 of 3 moves could be judged here; mistakes among these: Blue 0, Red 1."
    )


# Texts


@pytest.mark.parametrize(
    ("text", "moves", "again"),
    [
        ("", 0, ""),
        (" 1. a1 e1 2. E3", 3, "A1 E1 E3"),
        (f"{LOST} ;  B4-B3", 1, f"{LOST}; B4-B3"),
        (LOST, 0, LOST),
        ('{"game": "choko", "options": {}, "moves": ["A1"]}', 1, "A1"),
    ],
)
def test_texts(text: str, moves: int, again: str) -> None:
    course = truth_text.read(text)
    assert len(course.names) == moves
    assert course.text == again
    assert truth_text.read(course.text) == course


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("A1 A1", "A1"),
        ("hello", "hello"),
        (f"{LOST}; Z9", "Z9"),
        ("5/5/5/5 b 12 12 - 0", "rows"),
        ("x" * 20_000, "characters"),
        ('{"game": "othello", "options": {}, "moves": []}', "othello"),
        ('{"game": "choko", "options": {"lone_jump": true}, "moves": ["A1"]}', "lone jumps"),
    ],
)
def test_texts_that_cannot_be_read(text: str, line: str) -> None:
    with pytest.raises(PlayproofError, match=line):
        truth_text.read(text)


def test_no_file_is_opened(tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_text("A1 E1")
    with pytest.raises(PlayproofError):
        truth_text.read(str(tmp_path / "game.txt"))
