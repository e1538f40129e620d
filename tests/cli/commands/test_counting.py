"""``playproof perft``, ``playouts``, ``analyse`` and ``enumerate``."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from playproof import make
from tests.support.cli.running import Answer

Playproof = Callable[..., Answer]

START = "---------------------------OX------XO--------------------------- X"


# perft


def test_perft(playproof: Playproof) -> None:
    for depth, leaves in enumerate(["1", "4", "12", "56", "244", "1,396", "8,200"]):
        answer = playproof("perft", "othello", str(depth))
        assert answer.code == 0
        assert answer.out.startswith(f"perft({depth}) = {leaves} ")
        assert answer.out.count("\n") == 1
        assert answer.err == ""


@pytest.mark.parametrize(
    ("game", "depth", "leaves"),
    [
        ("othello", 7, 55_092),
        ("othello:size=6", 3, 56),
        ("choko", 4, 351_596),
        ("choko:lone_jump", 4, 353_192),
    ],
)
def test_perft_as_json(game: str, depth: int, leaves: int, playproof: Playproof) -> None:
    told = playproof("perft", game, str(depth), "--json").json()
    assert told.pop("seconds") >= 0
    assert told == {"game": make(game).spec, "depth": depth, "leaves": leaves}


@pytest.mark.parametrize("game", ["othello", "choko"])
def test_perft_divided_adds_up(game: str, playproof: Playproof) -> None:
    told = playproof("perft", game, "3", "--divide", "--json").json()
    assert list(told["divide"]) == make(game).start().legal_names()
    assert sum(told["divide"].values()) == told["leaves"]
    assert told["leaves"] == playproof("perft", game, "3", "--json").json()["leaves"]
    text = playproof("perft", game, "3", "--divide").out
    for move, leaves in told["divide"].items():
        assert any(line.split() == [move, f"{leaves:,}"] for line in text.splitlines())
    assert f"perft(3) = {told['leaves']:,} " in text


def test_perft_from_a_position(playproof: Playproof) -> None:
    below = playproof("perft", "othello", "4", "--divide", "--json").json()["divide"]
    for move, leaves in below.items():
        told = playproof("perft", "othello", "3", "--from", move, "--json").json()
        assert told["leaves"] == leaves
    board = playproof("perft", "othello", "4", "--from", START, "--json").json()
    assert board["leaves"] == 244
    over = playproof("perft", "othello", "3", "--from", "e6f4e3f6g5d6e7f5c5", "--json").json()
    assert over["leaves"] == 1  # a finished game is one leaf in Othello


def test_perft_says_what_it_counted(playproof: Playproof) -> None:
    record = '{"game": "othello", "options": {"size": 4}, "moves": []}'
    told = playproof("perft", "othello", "2", "--from", record, "--json").json()
    assert told["leaves"] == 12
    assert told["game"] == "othello:size=4"


# playouts, analyse


def test_playouts(playproof: Playproof) -> None:
    words = ["playouts", "choko", "--games", "500", "--seed"]
    told = playproof(*words, "3", "--json").json()
    assert told.pop("seconds") >= 0
    assert (told["game"], told["games"], told["seed"]) == ("choko", 500, 3)
    assert told["first_wins"] + told["draws"] + told["second_wins"] == pytest.approx(1)
    assert 60 < told["mean_length"] < 85  # 72.2 in the long run
    assert told["longest"] <= 100
    again = playproof(*words, "3", "--json").json()
    assert {**again, "seconds": None} == {**told, "seconds": None}
    assert playproof(*words, "4", "--json").json()["mean_length"] != told["mean_length"]
    answer = playproof(*words, "3")
    assert f"Blue wins   {told['first_wins']:.2%}\n" in answer.out
    assert answer.err.startswith("500 games, ")
    over = playproof("playouts", "othello", "e6f4e3f6g5d6e7f5c5", "--games", "7", "--json").json()
    assert (over["first_wins"], over["mean_length"]) == (1.0, 0.0)


def test_analyse(playproof: Playproof) -> None:
    words = ["analyse", "choko", "5/5/1r3/5/br3 b 0 0 - 40", "--agent", "minimax:depth=2"]
    answer = playproof(*words, "--top", "1")
    assert answer.code == 0
    assert "A1xC1,B3" in answer.out
    *moves, last = map(json.loads, playproof(*words, "--json", "--seed", "1").out.splitlines())
    assert [move["rank"] for move in moves] == list(range(1, len(moves) + 1))
    assert moves[0]["move"] == last["best"] == last["line"][0] == "A1xC1,B3"
    assert last["agent"] == "minimax:depth=2"
    assert last["seed"] == 1


# enumerate


def test_enumerate_by_stones(playproof: Playproof) -> None:
    answer = playproof("enumerate", "othello", "--stones", "9")
    assert answer.code == 0
    assert [line.split() for line in answer.out.splitlines()] == [
        ["stones", str(stones), str(count)]
        for stones, count in zip(range(4, 10), [1, 1, 3, 14, 60, 322], strict=True)
    ]
    assert answer.err.endswith(" s\n")


def test_enumerate_by_ply(playproof: Playproof) -> None:
    told = playproof("enumerate", "choko", "--ply", "4", "--json").json()
    assert told.pop("seconds") >= 0
    assert told == {
        "game": "choko",
        "level": "ply",
        "symmetric": True,
        "positions": {"0": 1, "1": 6, "2": 85, "3": 989, "4": 10_653},
    }


def test_enumerate_raw_counts_symmetric_positions_apart(playproof: Playproof) -> None:
    told = playproof("enumerate", "othello", "--ply", "4", "--raw", "--json").json()
    assert told["symmetric"] is False
    assert told["positions"] == {"0": 1, "1": 4, "2": 12, "3": 54, "4": 236}
    lines = playproof("enumerate", "choko", "--ply", "2", "--raw").out.splitlines()
    assert [line.split()[-1] for line in lines] == ["1", "25", "600"]


def test_enumerate_a_small_board_to_its_end(playproof: Playproof) -> None:
    told = playproof("enumerate", "othello:size=4", "--stones", "40", "--json").json()
    assert told["game"] == "othello:size=4"
    # By hand: one first move up to symmetry, then the three answers to it.
    assert [told["positions"][str(stones)] for stones in (4, 5, 6)] == [1, 1, 3]
    assert max(map(int, told["positions"])) <= 40
    assert told["positions"].get("16", 0) == 0  # a full board has no legal move
