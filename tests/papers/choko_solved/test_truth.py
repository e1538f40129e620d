"""What is shipped of Choko's full solve: sound in itself and by the rules."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path

import pytest

from playproof.core.registry import make
from playproof.core.state import State
from playproof.papers.choko_solved import sample_games as choko_games
from playproof.papers.choko_solved import truth as truth_of
from playproof.papers.choko_solved.make import as_text
from playproof.papers.choko_solved.report import (
    ENDINGS,
    LINE_CAPTIONS,
    best_replies,
    drawn_starts,
    quickest,
)
from playproof.papers.choko_solved.truth import (
    CLASSES,
    EARLIER,
    EARLIER_ENDINGS,
    EVEN,
    KINDS,
    Counts,
    SolvedReading,
    kind_of_move,
    shipped,
)
from playproof.tables.choko.slices import pairs, parse

TRUTH = shipped()
CHOKO = make("choko")
UNCAPPED = make("choko", cap=0)
FILE = Path(truth_of.__file__).parents[1] / "data" / "choko_truth.json"


def reading(lone_jump: bool) -> SolvedReading:
    return TRUTH.on if lone_jump else TRUTH.off


# The slices


def test_the_file_is_small_and_whole() -> None:
    assert FILE.stat().st_size < 300_000
    assert as_text(json.loads(FILE.read_text())) == FILE.read_text()


@pytest.mark.parametrize("lone_jump", [False, True])
def test_every_slice_is_there_and_adds_up(lone_jump: bool) -> None:
    everything = [one for pair in pairs(lone_jump) for one in pair]
    slices = reading(lone_jump).slices
    assert set(slices) == {one.name for one in everything}
    for one in everything:
        counts = slices[one.name]
        assert counts.positions == one.raw, one.name
        assert min(counts) >= 0
        # Wins take an odd number of actions and losses an even one, 0 where there is none.
        assert (counts.longest_win % 2, counts.longest_loss % 2) == (int(counts.wins > 0), 0)
        assert (counts.longest_loss > 0) == (counts.losses > 0)
    assert reading(lone_jump).stored == sum(one.cells for one in everything)


@pytest.mark.parametrize(
    ("lone_jump", "positions", "percent", "longest"),
    [
        (False, 760_576_880_166, "59.00/23.87/17.13", "205/204"),
        (True, 2_536_222_207_291, "56.12/27.68/16.21", "245/242"),
    ],
)
def test_the_whole_game(lone_jump: bool, positions: int, percent: str, longest: str) -> None:
    whole = reading(lone_jump).all
    assert (whole.positions, whole.percent(), whole.longest) == (positions, percent, longest)
    assert reading(lone_jump).value == 59
    assert reading(lone_jump).slices["h12-0v0"] == Counts(1, 0, 0, 59, 0)
    assert sum(part.positions for part in reading(lone_jump).hands.values()) == positions
    assert sum(part.positions for part in reading(lone_jump).lead.values()) == positions


@pytest.mark.parametrize("name", ["off", "on"])
def test_hands_equal_the_earlier_figures_to_their_digits(name: str) -> None:
    solved = reading(name == "on")
    for hands, (percent, longest) in EARLIER[name].items():
        counts = solved.all if hands == "all" else solved.hands[int(hands)]
        digits = len(percent.split("/")[0].split(".")[1])
        assert counts.percent(digits) == percent
        assert longest in ("", counts.longest)


@pytest.mark.parametrize("name", list(EARLIER_ENDINGS))
def test_endings_equal_the_earlier_figures_to_their_digits(name: str) -> None:
    counts = TRUTH.off.slices[f"h0-{name}"]
    assert (counts.percent(1), counts.longest) == EARLIER_ENDINGS[name]


def test_with_empty_hands_and_even_pieces_both_readings_are_one_game() -> None:
    for own, other in itertools.product(EVEN, EVEN):
        assert TRUTH.off.ending(own, other) == TRUTH.on.ending(own, other)


def test_nothing_was_wrong_where_it_was_checked() -> None:
    assert (TRUTH.off.wrong, TRUTH.on.wrong) == (0, None)


def test_only_the_smaller_games_are_drawn() -> None:
    assert drawn_starts(TRUTH) == [2, 4, 6, 8, 10]


# Openings


def test_first_placements_come_in_six_classes() -> None:
    assert TRUTH.off.first == TRUTH.on.first
    assert set(TRUTH.off.first) == set(CHOKO.start().legal_names())
    transform = CHOKO.kernels.transform_action
    for square in CLASSES:
        action = CHOKO.parse_action(square)
        images = {
            CHOKO.action_name(int(transform(CHOKO.option_words, action, symmetry)))
            for symmetry in range(8)
        }
        assert {TRUTH.off.first[image] for image in images} == {TRUTH.off.first[square]}
    assert [TRUTH.off.first[square] for square in CLASSES] == [59, 61, 61, 69, 67, 67]


@pytest.mark.parametrize("square", CLASSES)
def test_the_best_reply_is_a_corner(square: str) -> None:
    placed = CHOKO.start().apply(square)
    assert set(TRUTH.replies[square]) == set(placed.legal_names())
    longest, replies = best_replies(TRUTH, square)
    assert longest == TRUTH.off.first[square] - 1
    assert {kind_of_move(reply) for reply in replies} == {"corner"}
    assert all(value < 0 and value % 2 == 0 for value in TRUTH.replies[square].values())


def test_moves_after_two_placements_are_those_of_the_rules() -> None:
    counted: Counter[str] = Counter()
    for position in choko_games.openings():
        if position.endswith(" 2"):
            counted.update(kind_of_move(name) for name in CHOKO.position(position).legal_names())
    assert {kind: sum(TRUTH.third[kind]) for kind in KINDS} == {k: counted[k] for k in KINDS}
    assert sum(TRUTH.third_best.values()) == 600
    assert all("corner" in kinds for kinds in TRUTH.third_best)
    assert TRUTH.third["step"] == (0, 0, 1840)  # a step gives the initiative away, and loses
    assert TRUTH.third["corner"][1:] == (0, 0)


@pytest.mark.parametrize(
    ("move", "kind"),
    [("A1", "corner"), ("E3", "edge"), ("B5", "edge"), ("B2", "inner"), ("B3-B4", "step"),
     ("A1xC1,E5", "jump")],
)  # fmt: skip
def test_kinds_of_moves(move: str, kind: str) -> None:
    assert kind_of_move(move) == kind


def test_two_pieces_are_not_worth_the_initiative() -> None:
    position, moves = TRUTH.early_capture
    state = CHOKO.position(position)
    assert state == CHOKO.start().play("C3 D3 C1 A1")
    assert set(moves) == set(state.legal_names())
    (jump,) = (move for move in moves if kind_of_move(move) == "jump")
    assert moves[jump] == 0
    assert state.apply(jump).position.startswith("5/5/4b/5/2b2 r ")  # both are gone
    assert quickest(moves) == (["A5"], 57)


# The line, the longest wins, the exceptions


def after(number: int) -> State:
    return CHOKO.start().play(" ".join(TRUTH.line[:number]))


def pieces(state: State) -> tuple[int, int]:
    board = state.position.split()[0]
    return board.count("b"), board.count("r")


def test_the_line_is_a_win_of_blue_in_59() -> None:
    state = CHOKO.start()
    for move in TRUTH.line:
        assert move in state.legal_names()
        state = state.apply(move)
    assert (len(TRUTH.line), state.is_terminal, state.outcome) == (59, True, 1)


def test_captions_along_the_line_are_true() -> None:
    rim = after(16).position.split()[0]
    assert sorted(LINE_CAPTIONS) == [16, 24, 31, 58]
    assert {kind_of_move(move) for move in TRUTH.line[:16]} == {"corner", "edge"}
    assert sum(pieces(after(16))) == 16, rim
    assert pieces(after(24)) == (12, 12)
    assert all(len(move) == 2 for move in TRUTH.line[:24])
    assert sum("x" in move for move in TRUTH.line[24:31]) == 6
    assert pieces(after(31)) == (8, 4)
    assert pieces(after(39)) == (6, 2)
    assert TRUTH.line[58] == "E4xE2,D4"
    assert pieces(after(58))[1] == 2


def test_the_longest_wins_are_positions_of_their_hands() -> None:
    assert set(TRUTH.longest) == set(range(13))
    for hands, (actions, position) in TRUTH.longest.items():
        state = CHOKO.position(position)
        assert position.split()[1:4] == ["b", str(hands), str(hands)]
        assert not state.is_terminal
        assert actions == TRUTH.off.hands[hands].longest_win
        name = "h{}-{}v{}".format(hands, *pieces(state))
        assert TRUTH.off.slices[name].longest_win == actions


def test_exceptions_have_the_named_material() -> None:
    assert len({upset.slice for upset in TRUTH.upsets}) == len(TRUTH.upsets) == 38
    for upset in TRUTH.upsets:
        one, counts = parse(upset.slice), TRUTH.off.slices[upset.slice]
        assert one is not None
        assert upset.positions == (counts.wins if one.own < one.other else counts.losses)
        assert 0 < upset.positions < counts.positions / 1000
        assert pieces(CHOKO.position(upset.example)) == (one.own, one.other)
        assert upset.example.split()[1:4] == ["b", str(one.hands), str(one.hands)]


def jumps(state: State) -> list[str]:
    return [name for name in state.legal_names() if "x" in name]


def other_side(state: State) -> State:
    """The same board, the other side to move, nobody with the initiative."""
    board, side, *rest, ply = state.position.split()
    other = "r" if side == "b" else "b"
    return UNCAPPED.position(" ".join([board, other, *rest[:2], "-", str(int(ply) + 1)]))


def test_texts_about_the_endings_are_true() -> None:
    four, ten, two = (UNCAPPED.position(TRUTH.upset(e.slice).example) for e in ENDINGS)
    assert [pieces(state) for state in (four, ten, two)] == [(4, 12), (10, 4), (2, 6)]
    assert jumps(other_side(four)) == []
    assert jumps(ten) == []
    reached = {tuple(name.split(",")[0].split("x")) for name in jumps(other_side(ten))}
    assert reached == {(f"C{row}", f"{side}{row}") for row in "1245" for side in "AE"}
    after_jump = two.apply("C3xE3,B4")
    assert jumps(after_jump) == []
    threats = {name.split(",")[0] for name in jumps(other_side(after_jump))}
    assert threats == {"E3xE5", "E3xE1", "A5xC5", "A5xA3"}


def wins(state: State, actions: int) -> bool:
    """Whether who moves can force a win within so many actions, by trying everything."""
    for action in state.legal_actions():
        child = state.apply(action)
        if child.is_terminal:
            if child.outcome:
                return True
        elif actions > 2 and all(
            not (reply := child.apply(answer)).is_terminal and wins(reply, actions - 2)
            for answer in child.legal_actions()
        ):
            return True
    return False


def test_two_beat_six_by_one_move_alone() -> None:
    state = UNCAPPED.position(TRUTH.upset("h0-2v6").example)
    winning = []
    for name in jumps(state):
        child = state.apply(name)
        replies = [child.apply(answer) for answer in child.legal_actions()]
        if all(not reply.is_terminal and wins(reply, 3) for reply in replies):
            winning.append(name)
    assert winning == ["C3xE3,B4"]
