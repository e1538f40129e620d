"""What is shipped of Choko's full solve: sound in itself, by the rules, and as the page has it."""

from __future__ import annotations

import gzip
import itertools
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from playproof.core.errors import DataError
from playproof.core.registry import make
from playproof.core.state import State
from playproof.papers import choko_games
from playproof.papers import choko_truth as truth_of
from playproof.papers.choko_games import PLAYERS, Played, Player, play
from playproof.papers.choko_truth import (
    CLASSES,
    EARLIER,
    EARLIER_ENDINGS,
    EVEN,
    KINDS,
    Counts,
    Solved,
    kind_of_move,
    shipped,
)
from playproof.papers.choko_truth_make import Exact, as_text, judged, make_truth
from playproof.papers.choko_truth_told import (
    ENDINGS,
    LINE_STOPS,
    best_replies,
    drawn_starts,
    first_placements,
    play_of,
    quickest,
)
from playproof.tables.choko_slices import pairs, parse

TRUTH = shipped()
CHOKO = make("choko")
UNCAPPED = make("choko", cap=0)
PAGE = Path(__file__).resolve().parents[2] / "docs" / "games" / "choko-solved.md"
FILE = Path(truth_of.__file__).parent / "data" / "choko_truth.json"


def reading(lone_jump: bool) -> Solved:
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


def test_what_is_told_along_the_line_is_so() -> None:
    rim = after(16).position.split()[0]
    assert sorted(LINE_STOPS) == [16, 24, 31, 58]
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


def test_exceptions_have_the_material_they_are_said_to_have() -> None:
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


def test_what_is_said_of_the_endings_is_so() -> None:
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


# Play


@pytest.mark.parametrize("player", PLAYERS, ids=lambda player: player.spec)
def test_games_in_numbers_hold_together(player: Player) -> None:
    games = TRUTH.games[player.spec]
    assert len(games) == player.games
    for game in games:
        assert game.actions <= 100
        assert 0 <= game.first <= game.actions
        assert (game.first > 0) == (game.blue_threw > 0) == (game.how in KINDS)
        assert game.blue_threw <= game.blue_could
        assert game.red_threw <= game.red_could
        assert game.blue_could + game.red_could <= game.actions
        if not game.first:  # Red was lost all the time, and had nothing to lose
            assert (game.red_threw, game.red_could) == (0, 0)
            assert game.outcome >= 0
        # The start is Blue's, so the first who can throw anything away is Blue.
        assert game.first % 2 == (1 if game.first else 0)


@pytest.mark.parametrize("number", [0, 1])
def test_the_games_can_be_played_again(number: int) -> None:
    player = PLAYERS[number]
    for game, kept in zip(
        itertools.islice(play(player), 6), TRUTH.games[player.spec], strict=False
    ):
        assert (game.outcome, len(game.moves)) == (kept.outcome, kept.actions)


def test_a_search_opens_at_random_and_goes_on_by_itself() -> None:
    game = next(play(Player("alphabeta:depth=1", 1, 3)))
    again = next(play(Player("alphabeta:depth=1", 1, 3)))
    other = next(play(Player("alphabeta:depth=1", 1, 4)))
    assert game == again
    assert game.moves[:3] != other.moves[:3]
    assert game.moves[0][0] == CHOKO.start().position


def test_a_summary_of_games() -> None:
    found = play_of(TRUTH.games["alphabeta:depth=6"])
    assert (found.games, found.blue_won, found.drawn, found.red_won) == (60, 6, 53, 1)
    assert found.threw == 55
    assert sum(found.first_kinds.values()) == 55
    assert round(found.first, 1) == 12.4
    assert found.blue_rate < found.red_rate < 0.2
    assert play_of(TRUTH.games["random"]).errors > 3 * found.errors


def test_the_sample_holds_together() -> None:
    for phase, facts in TRUTH.sample.items():
        assert facts["positions"] == 20_000
        assert facts["critical"] + facts["lost"] <= facts["positions"]
        assert facts["jumps_fail"] <= facts["jumps"]
        assert facts["corners_best"] <= facts["corners"]
        assert 0.3 < facts["random_throws"] < 0.5
        for won, free in itertools.product((True, False), (True, False)):
            for kind, (count, bad) in TRUTH.thrown(phase, won=won, free=free).items():
                assert 0 <= bad <= count
                assert free or kind in ("corner", "edge", "inner")  # who is forced must place
    assert sum(facts["positions"] for facts in TRUTH.sample.values()) == choko_games.SAMPLE


# Making


def exact(**moves: int) -> Exact:
    named = {name.replace("_", "-"): value for name, value in moves.items()}
    return Exact(max(named.values()), named)


def test_a_game_is_judged_move_by_move() -> None:
    game = Played(
        0, (("x b 1", "A1"), ("y r 2", "B2"), ("z b 3", "A1-A2"), ("w r 4", "C3"), ("v b 5", "C4"))
    )
    known = {
        "x b 1": exact(A1=3, B1=0),  # keeps the win
        "y r 2": exact(B2=-2, A3=-4),  # lost: nothing to throw away
        "z b 3": exact(A1_A2=0, C3=5),  # throws the win away
        "w r 4": exact(C3=0, A3=-4),  # keeps the draw
        "v b 5": exact(C4=-6, C5=0),  # throws the draw away
    }
    assert judged(game, known) == [0, 5, 3, "step", 2, 0, 3, 1]
    with pytest.raises(DataError, match="the answers lack 'v b 5'"):
        judged(game, {key: known[key] for key in list(known)[:4]})


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A solve as it was printed, and made-up answers about few positions."""
    data = json.loads(FILE.read_text())
    files = {}
    for name in ("off", "on"):
        kept = data[name]
        keys = ("wins", "draws", "losses", "longest_win", "longest_loss")
        report: dict[str, Any] = {
            "game": f"choko:lone_jump={name}", "kind": "distance", "solved_cells": kept["stored"],
            "solving_seconds": kept["solving_seconds"], "checking_seconds": 0.0,
            "slices": {s: dict(zip(keys, c, strict=True)) for s, c in kept["slices"].items()},
            "all": {"wrong": 0}, "start": {"value": 59, "moves": kept["first"]},
        }  # fmt: skip
        if name == "off":
            report["start"]["line"] = data["line"]
            upsets = [dict(zip(("slice", "positions", "example"), u, strict=True))
                      for u in data["upsets"]]  # fmt: skip
            report["examples"] = {"longest": data["longest"], "upsets": upsets}
        files[name] = tmp_path / f"{name}.json"
        files[name].write_text(json.dumps(report))
    ends = ["1brb1/1brb1/5/5/5 b 0 0 - 24", "br3/rr2r/2br1/4r/5 b 0 0 - 24"]
    monkeypatch.setattr(choko_games, "sampled", lambda: ends)
    monkeypatch.setattr(choko_games, "PLAYERS", (Player("random", 2, 1),))
    lines = []
    for position in choko_games.to_ask():
        names = CHOKO.position(position).legal_names()
        lines.append({"position": position, "value": 1, "moves": dict.fromkeys(names, 1)})
        lines[-1]["moves"][names[0]] = 0
    files["answers"] = tmp_path / "answers.jsonl.gz"
    text = "".join(json.dumps(line) + "\n" for line in lines)
    files["answers"].write_bytes(gzip.compress(text.encode()))
    return files


def test_what_is_made_can_be_read(sources: dict[str, Path]) -> None:
    told: list[str] = []
    data = make_truth(sources["off"], sources["on"], sources["answers"], told.append)
    found = truth_of.read(json.loads(as_text(data)))
    assert found.off.slices == TRUTH.off.slices
    assert found.on.first == TRUTH.on.first
    assert (found.line, found.longest, found.upsets) == (TRUTH.line, TRUTH.longest, TRUTH.upsets)
    # One of 6 moves and one of 18 is bad, both positions are won.
    assert found.sample["end"]["random_throws"] == pytest.approx((1 / 6 + 1 / 18) / 2, abs=1e-6)
    assert found.sample["end"]["positions"] == 2
    assert found.sample["opening"]["positions"] == 0
    assert found.thrown("end", won=True, free=True) == {"step": (9, 2), "jump": (15, 0)}
    assert [game.actions for game in found.games["random"]] == [
        game.actions for game in TRUTH.games["random"][:2]
    ]
    assert told == ["reading answers", "playing random", "sampling positions"]


def test_positions_to_ask_are_all_there_and_none_twice(sources: dict[str, Path]) -> None:
    asked = choko_games.to_ask()
    assert len(set(asked)) == len(asked)
    assert {choko_games.EARLY_CAPTURE, *choko_games.openings()} <= set(asked)
    assert len(list(choko_games.openings())) == 1 + 25 + 25 * 24


def test_other_reports_are_refused(sources: dict[str, Path], tmp_path: Path) -> None:
    off, on, answers = sources["off"], sources["on"], sources["answers"]
    with pytest.raises(DataError, match=r"is of choko:lone_jump=on, distance: want .*=off"):
        make_truth(on, on, answers)
    broken = tmp_path / "broken.json"
    report = json.loads(off.read_text())
    report["slices"]["h0-2v2"]["wins"] += 1
    broken.write_text(json.dumps(report))
    with pytest.raises(DataError, match="the slice h0-2v2 is missing or not whole"):
        make_truth(broken, on, answers)
    report["slices"]["h0-2v2"]["wins"] -= 1
    report["slices"]["h0-1v2"] = report["slices"]["h0-2v2"]
    broken.write_text(json.dumps(report))
    with pytest.raises(DataError, match="slices that no game comes to"):
        make_truth(broken, on, answers)
    del report["slices"]["h0-1v2"], report["examples"]
    broken.write_text(json.dumps(report))
    with pytest.raises(DataError, match="no line and no examples"):
        make_truth(broken, on, answers)
    broken.write_text("[1, 2]")
    with pytest.raises(DataError, match="no report of a full solve"):
        make_truth(broken, on, answers)
    with pytest.raises(DataError, match=r"holds no answers .* --positions"):
        make_truth(off, on, broken)
    few = tmp_path / "few.jsonl"
    few.write_text(json.dumps({"position": "5", "value": 1, "moves": {}}) + "\n")
    with pytest.raises(DataError, match=r"the answers lack .* --positions"):
        make_truth(off, on, few)


def test_other_data_is_refused() -> None:
    with pytest.raises(DataError, match="no truth of Choko"):
        truth_of.read({"format": "something else"})


# The page for players


def table(heading: str) -> list[list[str]]:
    """The first table of the page below a heading, without its head."""
    text = PAGE.read_text(encoding="utf-8").split(f"## {heading}\n")[1]
    found = re.search(r"^\|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert found is not None
    return [
        [cell.strip(" *`") for cell in line.strip("|").split("|")] for line in found[1].splitlines()
    ]


def test_the_page_has_the_line() -> None:
    quoted = re.findall(r"^> (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    moves = CHOKO.split_moves(" ".join(quoted).replace("\\", ""))
    assert tuple(moves) == TRUTH.line


def test_the_page_has_the_first_placements() -> None:
    shown = {row[0]: row[1:] for row in table("Are corners really best?")}
    assert shown == {
        square: [str(TRUTH.off.first[square]), " ".join(best_replies(TRUTH, square)[1])]
        for square in CLASSES
    }


def test_the_page_has_the_moves_that_throw_away() -> None:
    shown = {row[0]: row[1:] for row in table("The initiative is worth more than two pieces")}
    for phase in TRUTH.sample:
        kinds = TRUTH.thrown(phase, won=True, free=True)
        found = [f"{kinds[k][1] / kinds[k][0]:.1%}" if k in kinds else "-" for k in KINDS]
        assert shown[phase] == found


def test_the_page_has_the_players() -> None:
    shown = {row[0]: row[1:] for row in table("What players throw away")}
    for player, games in TRUTH.games.items():
        p = play_of(games)
        counts = [p.games, p.blue_won, p.drawn, p.red_won, p.threw]
        assert shown[player] == [*map(str, counts), f"{p.first:.1f}", f"{p.errors:.1f}"]


def test_the_page_has_the_draws() -> None:
    shown = {int(row[0]): row[1:] for row in table("How often is it drawn?")}
    assert shown == {
        own: [f"{TRUTH.off.ending(own, other).drawn:.1%}" for other in EVEN] for own in EVEN
    }


def test_the_page_has_both_readings() -> None:
    rows = table("Both readings of the rules")
    both = (TRUTH.off, TRUTH.on)
    assert rows == [
        ["positions", *(f"{solved.all.positions:,}" for solved in both)],
        ["won/drawn/lost, %", *(solved.all.percent() for solved in both)],
        ["longest win/loss", *(solved.all.longest for solved in both)],
        ["the start", *(f"Blue in {solved.value}" for solved in both)],
    ]


def test_the_page_has_the_counts_it_tells_in_words() -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    opening, middle, end = (TRUTH.sample[phase] for phase in ("opening", "middle", "end"))
    lead = TRUTH.off.lead
    told = [
        f"{opening['corners_best']:,} of {opening['corners']:,} positions",
        f"{opening['jumps_fail']:,} of {opening['jumps']:,} won positions",
        f"{middle['jumps_fail']:,} of {middle['jumps']:,}, in the end",
        f"{end['jumps_fail']:,} of {end['jumps']:,}.",
        f"step in {sum(TRUTH.third['step']):,} ways",
        f"in {quickest(TRUTH.early_capture[1])[1]} actions",
        f"takes {TRUTH.off.all.longest_win} actions",
        f"{100 * opening['random_throws']:.1f} % of the positions of the opening",
        f"{100 * middle['random_throws']:.1f} % in the middle",
        f"{100 * end['random_throws']:.1f} % in the end",
        f"wins {lead[0].percent().split('/')[0]} % of the positions with equal pieces",
        f"{lead[2].percent().split('/')[0]} % when it is two ahead",
        f"{lead[-2].percent().split('/')[0]} % when it is two behind",
        f"lasts {TRUTH.off.slices['h0-10v4'].longest_loss} actions",
    ]
    for ending in ENDINGS:
        of = TRUTH.off.slices[ending.slice].positions
        told.append(f"({TRUTH.upset(ending.slice).positions:,}")
        told.append(f"{of:,})")
    assert [words for words in told if words not in text] == []


def test_the_board_of_first_placements_has_a_number_in_every_pit() -> None:
    view = first_placements(TRUTH)
    assert {mark.at: mark.text for mark in view.marks} == TRUTH.off.first
    assert {mark.kind for mark in view.marks} == {"num"}


def test_the_data_is_of_the_players_that_are_named() -> None:
    assert [player.spec for player in PLAYERS] == list(TRUTH.games)
