"""``playproof show``: a position however it is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from playproof import make
from tests.support.cli.running import Answer

Playproof = Callable[..., Answer]

START = "---------------------------OX------XO--------------------------- X"
# The two games of the Othello paper that lead to 33 legal moves, and who has them.
PAPER = {
    "F5D6C4F3C5B4B3E6C6G5F6C7C3D2C2B2F4G4G3G7G6E7D3G2H3B6": "Black",
    "F5F6E6F4G7C6G3E7D6F3E3D3B7D7C2G2G1C3B2B3B4F7G5C4C7C8E2": "White",
}
PASSING = "c4c3f5b4a4a5c2a3"  # now Black has no square to play
RECORDS = (
    '{"game": "othello", "moves": ["f5", "d6"]}\n'
    '{"game": "othello", "options": {"size": 4}, "moves": ["c4"]}\n'
    '{"game": "othello", "moves": ["c4"], "result": "0-1", "reason": "Black resigned"}\n'
)


def test_show_the_start(playproof: Playproof) -> None:
    answer = playproof("show", "othello")
    assert answer.code == 0
    assert answer.err == ""
    assert " 4  ·  ·  2  ○  ●  ·  ·  ·\n" in answer.out
    assert "Black to move. 4 legal moves." in answer.out
    assert "Legal: d3 c4 f5 e6\n" in answer.out
    assert answer.out.endswith(f"Position: {START}\n")


@pytest.mark.parametrize(
    "moves",
    ["f5d6c4", "F5D6C4", "f5 d6 c4", "f5D6 C4", " f5\nd6\tc4 "],
)
def test_show_a_transcript_however_it_is_written(moves: str, playproof: Playproof) -> None:
    told = playproof("show", "othello", moves, "--json").json()
    assert told["moves"] == ["f5", "d6", "c4"]


@pytest.mark.parametrize("written", ["--", "pa", "PA", "pass", " pass ", "ps"])
def test_show_a_transcript_with_a_pass(written: str, playproof: Playproof) -> None:
    told = playproof("show", "othello", PASSING, "--json").json()
    assert told["legal"] == ["pass"]
    assert told["view"]["actions"] == [{"id": "pass", "label": "Pass"}]
    after = playproof("show", "othello", f"{PASSING}{written}d2", "--json").json()
    assert after["moves"][-2:] == ["pass", "d2"]
    assert after["ply"] == 10


@pytest.mark.parametrize(("moves", "mover"), PAPER.items())
def test_show_names_the_33_moves_of_the_paper(moves: str, mover: str, playproof: Playproof) -> None:
    assert f"{mover} to move. 33 legal moves." in playproof("show", "othello", moves).out
    told = playproof("show", "othello", moves, "--json").json()
    assert told["legal_moves"] == 33
    assert len(set(told["legal"])) == 33
    assert len(told["view"]["legal"]) == 33
    assert told["ply"] == len(moves) // 2


def test_show_a_board_of_64_characters(playproof: Playproof) -> None:
    answer = playproof("show", "othello", "--", START.replace(" ", ""))
    assert answer == playproof("show", "othello")
    for other in (START.lower(), START.replace("X", "*"), START.replace("-", ".")):
        assert playproof("show", "othello", "-", stdin=other) == answer
    assert playproof("show", "othello", "-", stdin=START[:-1] + "O").out.startswith(
        "Othello   ○ White to move"
    )


@pytest.mark.parametrize("corner", ["-", "-X", "-O", "--X", "X-"])
def test_show_a_board_that_begins_with_a_dash(corner: str, playproof: Playproof) -> None:
    board = corner + START[len(corner) :]
    for words in (["othello", board], ["othello", "--", board]):
        assert playproof("show", "--json", *words).json()["position"] == board


def test_show_a_position_of_choko(playproof: Playproof) -> None:
    answer = playproof("show", "choko", "5/5/2b2/5/5 r 11 12 b 1")
    assert "Red to move and must place. 24 legal moves." in answer.out
    assert answer.out.endswith("Position: 5/5/2b2/5/5 r 11 12 b 1\n")
    moved = playproof("show", "choko", "1. C3", "--json").json()
    assert moved["position"] == "5/5/2b2/5/5 r 11 12 b 1"
    assert playproof("show", "choko", "c3 a1 c3-C4").code == 0


def test_show_reads_what_show_wrote(playproof: Playproof) -> None:
    for game, moves in (("othello", "f5d6c4"), ("choko", "A1 B1 C3 D4 A1-A2")):
        shown = playproof("show", game, moves).out
        position = shown.splitlines()[-1].removeprefix("Position: ")
        again = playproof("show", game, "-", stdin=position).out
        assert again.splitlines()[-2:] == shown.splitlines()[-2:]


def test_show_a_record_of_a_file(playproof: Playproof, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(RECORDS)
    assert playproof("show", "othello", str(file), "--json").json()["moves"] == ["f5", "d6"]
    third = playproof("show", "othello", str(file), "--number", "3", "--json").json()
    assert third["moves"] == ["c4"]
    plain = tmp_path / "no-suffix"
    plain.write_text("f5\nd6\n")
    assert playproof("show", "othello", str(plain), "--json").json()["moves"] == ["f5", "d6"]


def test_show_a_record_with_other_options_than_named(playproof: Playproof, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(RECORDS)
    told = playproof("show", "othello", str(file), "--number", "2", "--json").json()
    assert len(told["position"]) == 16 + 2
    assert told["options"]["size"] == 4


def test_show_stdin(playproof: Playproof) -> None:
    for text in (
        "f5d6\n",
        RECORDS.splitlines()[0],
        make("othello").start().play("f5d6").serialize(),
    ):
        told = playproof("show", "othello", "-", "--json", stdin=text).json()
        assert told["moves"] == ["f5", "d6"]


def test_show_a_file_of_records_on_stdin(playproof: Playproof) -> None:
    told = playproof("show", "othello", "-", "--number", "3", "--json", stdin=RECORDS).json()
    assert told["moves"] == ["c4"]


def test_show_an_earlier_ply(playproof: Playproof) -> None:
    for ply in range(4):
        told = playproof("show", "othello", "f5d6c4", "--ply", str(ply), "--json").json()
        assert told["ply"] == ply
        assert told["moves"] == ["f5", "d6", "c4"][:ply]
    start = playproof("show", "othello", "f5d6c4", "--ply", "0")
    assert start == playproof("show", "othello")


def test_show_a_finished_game(playproof: Playproof) -> None:
    answer = playproof("show", "othello", "e6f4e3f6g5d6e7f5c5")
    assert "Game over" in answer.out
    assert answer.out.count("Black wins 13 to 0.") == 1
    assert "Legal:" not in answer.out
    told = playproof("show", "othello", "e6f4e3f6g5d6e7f5c5", "--json").json()
    assert (told["outcome"], told["score"], told["player"]) == (1, 13.0, None)
    assert told["legal"] == []
    assert told["legal_moves"] == 0


def test_show_as_json_carries_the_view(playproof: Playproof) -> None:
    told = playproof("show", "othello:size=6", "e4", "--json").json()
    assert told["game"] == "othello"
    assert told["options"] == {"size": 6, "empties_to_winner": False}
    assert told["player"] == 1
    assert told["outcome"] is None
    assert told["score"] == 3.0
    view = told["view"]
    assert view == make("othello:size=6").start().play("e4").view().to_json()
    assert view["turn"]["name"] == "White"
    assert len(view["legal"]) == told["legal_moves"] == len(told["legal"]) == 3


@pytest.mark.parametrize("game", ["othello", "choko"])
def test_show_draws_a_picture_in_either_theme(
    game: str, playproof: Playproof, tmp_path: Path
) -> None:
    pictures = []
    for theme in ("light", "dark"):
        file = tmp_path / f"{theme}.svg"
        answer = playproof("show", game, "--svg", str(file), "--theme", theme)
        assert answer.code == 0
        assert answer.err == f"drew {file}\n"
        assert answer.out == playproof("show", game).out
        root = ElementTree.fromstring(file.read_text(encoding="utf-8"))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        pictures.append(file.read_text(encoding="utf-8"))
    assert pictures[0] != pictures[1]
