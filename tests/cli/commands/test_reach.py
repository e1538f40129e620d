"""What play can reach, as people ask for it: prove othello-reachable, reach, census, paper."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from playproof import make
from tests.support.cli.proving import (
    CENSUS,
    DATA,
    FOUR,
    MOST_REACHABLE_4X4,
    USAGE,
    failed,
    finite,
)
from tests.support.cli.running import Answer

Playproof = Callable[..., Answer]

pytestmark = pytest.mark.usefixtures("proof_files")


# othello-reachable


@pytest.mark.slow
def test_a_reachable_bound_has_records(playproof: Playproof) -> None:
    words = ["prove", "othello-reachable", "--size", "4", "--at-least", str(MOST_REACHABLE_4X4)]
    answer = playproof(*words)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0].startswith("constructible sets: 265 up to symmetry (6 with 6, 23 with 7, ")
    assert lines[-1].startswith("a position with at least 6 legal moves is reachable (")
    records = [line.removeprefix("record   ") for line in lines if line.startswith("record")]
    assert records
    for record in records:
        assert len(FOUR.start().play(record).legal_actions()) >= MOST_REACHABLE_4X4


def test_a_bound_refuted_below_some_stones_says_so(playproof: Playproof) -> None:
    words = ["prove", "othello-reachable", "--size", "4", "--at-least", "6", "--max-stones", "7"]
    answer = playproof(*words)
    assert "at least 6 legal moves and at most 7 stones is not reachable" in answer.out
    told = finite(playproof(*words, "--json"))
    assert (told["reachable"], told["max_stones"], told["records"]) == (False, 7, [])


def test_an_unreachable_bound_is_certified(playproof: Playproof, tmp_path: Path) -> None:
    folder = tmp_path / "chain"
    words = ["prove", "othello-reachable", "--size", "4", "--at-least", "8"]
    answer = playproof(*words, "--certificate", str(folder), "--workers", "1")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[:3] == [
        "constructible sets: 2 up to symmetry (1 with 7, 1 with 8 stones)",
        "colourings: 3 (3 up to symmetry)",
        "retrograde levels: 0",
    ]
    assert lines[3].startswith("a position with at least 8 legal moves is not reachable (")
    assert "3 of 3 parts verified" in lines[4]
    assert lines[-1] == "verified"
    told = finite(playproof("check", str(folder), "--json"))
    assert (told["verified"], told["whole"]["passed"]) == (True, True)

    # A theorem about another bound has other parts; one part less is another folder.
    index = json.loads((folder / "index.json").read_text())
    index["theorem"]["at_least"] = 7
    (folder / "index.json").write_text(json.dumps(index))
    failed(playproof("check", str(folder)), DATA, "theorem: part 001 is not the statement")
    shutil.rmtree(folder / "002")
    failed(playproof("check", str(folder)), DATA, "exactly the parts that its index lists")


def test_the_refutation_as_json(playproof: Playproof) -> None:
    words = ["prove", "othello-reachable", "--size", "4", "--at-least", "7"]
    answer = playproof(*words, "--json")
    told = finite(answer)
    assert told["reachable"] is False
    assert told["sets"] == {"6": 1, "7": 6, "8": 22, "9": 31}
    assert (told["colourings"], told["retrograde"]) == (171, [89, 38, 9, 2, 0])
    assert told["verified"] is None
    assert "retrograde levels: 89, 38, 9, 2, 0" in answer.err


def test_the_unrolled_game_agrees(playproof: Playproof, tmp_path: Path) -> None:
    words = ["prove", "othello-reachable", "--size", "4", "--method", "unroll"]
    answer = playproof(*words, "--at-least", "6", "--mover", "black")
    assert answer.out.startswith("SAT  there is an Othello game on 4x4 that reaches at least 6")
    state = FOUR.start().play(answer.out.splitlines()[-1].removeprefix("record   "))
    assert len(state.legal_actions()) >= MOST_REACHABLE_4X4
    assert state.current_player == 0
    told = finite(playproof(*words, "--at-least", "7", "--json"))
    assert (told["status"], told["record"]) == ("unsat", None)
    file = tmp_path / "unrolled.cnf"
    assert playproof(*words, "--at-least", "7", "--plies", "3", "--dimacs", str(file)).code == 0
    assert "within 3 plies" in file.read_text().splitlines()[0]


# reach


def test_a_position_that_play_reaches_has_a_record(playproof: Playproof) -> None:
    wanted = FOUR.start().play("b1a3d4c1a4d3")
    told = finite(playproof("reach", "othello:size=4", wanted.position, "--json"))
    assert told["reachable"] is True
    assert FOUR.start().play(told["record"]) == wanted
    text = playproof("reach", "othello:size=4", wanted.position)
    assert text.out == f"reachable   {told['record']}\n"
    assert "1 position taken back" in text.err


@pytest.mark.parametrize(
    ("board", "says"),
    [
        ("-OX-XXXO-OXX---- O", "\ntaken back    9 stones: 1\n"),
        ("-----OX--XO----- O", "\n"),  # the start, but the other side to move
    ],
)
def test_a_position_that_no_game_reaches(board: str, says: str, playproof: Playproof) -> None:
    answer = playproof("reach", "othello:size=4", board)
    assert answer.code == 0
    every = "unreachable   every way back was tried, none leads to the start"
    assert answer.out == every + says
    told = finite(playproof("reach", "othello:size=4", board, "--json"))
    assert (told["reachable"], told["record"]) == (False, None)


def test_a_lone_corner_cannot_be_filled(playproof: Playproof) -> None:
    start = make("othello").start().position
    answer = playproof("reach", "othello", "X" + start[1:], "--stones", "5")
    assert answer.out == "unreachable   its squares cannot be filled from the centre\n"


def test_an_image_is_as_good_if_symmetry_is_allowed(playproof: Playproof) -> None:
    turned = "-----XO--OX----- X"  # the start, a quarter turn on
    told = finite(playproof("reach", "othello:size=4", turned, "--json"))
    assert told["reachable"] is False
    told = finite(playproof("reach", "othello:size=4", turned, "--symmetric", "--json"))
    assert told["reachable"] is True


# census


@pytest.mark.slow
def test_a_census_goes_on_where_it_was_stopped(playproof: Playproof, tmp_path: Path) -> None:
    file = tmp_path / "census.jsonl"
    words = [*CENSUS, "--stones", "10", "--file", str(file)]
    stopped = playproof(*words, "--seconds", "0")
    assert stopped.code == 0
    assert "(0 of 1,328 done)" in stopped.out
    assert "goes on from there" in stopped.err
    told = finite(playproof(*words, "--json"))
    assert (told["candidates"], told["done"], told["reachable"]) == (1328, 1328, 3)
    for record in told["records"]:
        state = FOUR.start().play(record)
        assert len(state.legal_actions()) >= 6
        assert 16 - state.position.count("-") == 10

    whole = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(whole[:5]) + whole[5][:9])  # killed in the middle of a line
    answer = playproof(*words)
    assert answer.out.splitlines() == [
        *told["records"],
        "3 reachable positions with 10 stones and at least 6 moves, up to symmetry (finished)",
    ]
    again = file.read_bytes().splitlines(keepends=True)
    assert again[:5] == whole[:5]
    assert len(again) == len(whole)


def test_the_earliest_game_and_its_proof(playproof: Playproof) -> None:
    answer = playproof("census", "othello", "--moves", "9", "--earliest")
    assert answer.code == 0, answer.err
    record, *lines = answer.out.splitlines()
    assert len(make("othello").start().play(record).legal_actions()) == 9
    assert lines[0] == "9 moves first at ply 4: 8 stones, Black to move"
    assert lines[1].startswith("no reachable position with fewer stones has 9 moves")
    assert "7 stones: 6 moves at most" in answer.err
    payload = finite(playproof("census", "othello", "--moves", "7", "--earliest", "--json"))
    assert (payload["moves"], payload["ply"], payload["record"]) == (7, 4, record)
    assert payload["findings"][-1] == "7 stones: 6 moves at most"


def test_the_earliest_games_are_replayed(playproof: Playproof) -> None:
    answer = playproof("census", "othello", "--earliest", "--records")
    assert "7 to 9 " in answer.out
    games = finite(playproof("census", "othello", "--earliest", "--records", "--json"))
    assert f"{len(games)} games replayed" in answer.err
    assert [(one["least"], one["moves"], one["ply"]) for one in games][-1] == (33, 33, 25)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("othello:size=6", "--earliest"), "--earliest is for 8x8"),
        (("othello", "--earliest", "--stones", "29"), "want no --stones"),
        (("othello", "--earliest", "--moves", "25"), "the earliest ply with 25 legal moves is not"),
        (("othello", "--earliest", "--moves", "34"), "no game has 34 legal moves"),
    ],
)
def test_what_is_not_known_of_the_earliest_games_is_one_line(
    playproof: Playproof, words: tuple[str, ...], part: str
) -> None:
    failed(playproof("census", *words), USAGE, part)


# paper


def test_claims_of_the_paper_stand_beside_its_figures(playproof: Playproof) -> None:
    words = ["paper", "othello33", "--only", "black", "--only", "figure-2"]
    told = finite(playproof(*words, "--json"))
    assert [one["claim"] for one in told] == ["black", "figure-2"]
    assert told[0]["found"] == "33 moves for Black after 26 plies"
    assert told[0]["paper_seconds"] == 55409
    assert all(one["holds"] is True for one in told)
    answer = playproof("paper", "othello33", "--only", "white")
    assert "The maximum number of legal moves of Othello in reachable positions is 33" in answer.out
    assert "33 (a record)" in answer.out
    assert " holds " in answer.out


def test_the_paper_says_what_needs_long_and_how_long_it_takes(
    playproof: Playproof, monkeypatch: pytest.MonkeyPatch
) -> None:
    from playproof.papers import othello33

    some = [one for one in othello33.CLAIMS if one.name == "black" or one.long]
    assert len(some) > 1
    assert all(one.our_seconds for one in some if one.long)
    monkeypatch.setattr(othello33, "CLAIMS", tuple(some))
    answer = playproof("paper", "othello33")
    assert answer.code == 0, answer.err
    assert "33-39 needs --long or --only 33-39: about 17 min of one core" in answer.err
    assert answer.out.count("needs --long") == len(some) - 1
    told = finite(playproof("paper", "othello33", "--json"))
    assert {one["claim"] for one in told if one["long"]} == {one.name for one in some if one.long}
    assert all(one["holds"] is None for one in told if one["long"])


@pytest.mark.parametrize(("cores", "way"), [(2, "as one formula"), (16, "in 231 parts")])
def test_34_38_takes_the_way_that_is_faster_here(
    cores: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from playproof.core.parallel import executor as jobs
    from playproof.papers import othello33

    monkeypatch.setattr(jobs, "cores", lambda: cores)
    monkeypatch.setattr(othello33, "_impossible", lambda *_: ("UNSAT", True))
    monkeypatch.setattr(othello33, "_impossible_by_cubes", lambda *_: ("UNSAT in 231 parts", True))
    (claim,) = [one for one in othello33.CLAIMS if one.name == "34-38"]
    assert claim.run() == (f"UNSAT {way}", True)
