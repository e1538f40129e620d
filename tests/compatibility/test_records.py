"""Games and positions that version 0.1 wrote down are read, and written as they were."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import playproof as house
from playproof.formats import pgn, sgf
from tests.support.cli.running import Answer
from tests.support.compatibility.made import MADE

Playproof = Callable[..., Answer]
Copy = Callable[[str], Path]

RECORDS = (MADE / "records" / "games.jsonl").read_text("utf-8").splitlines()
STATES = (MADE / "records" / "states.jsonl").read_text("utf-8").splitlines()
OURS = [line for line in RECORDS if json.loads(line)["game"] not in ("nim", "four")]


def game_of(line: str) -> str:
    data = json.loads(line)
    return f"{data['game']}-{len(data['moves'])}"


@pytest.mark.parametrize("line", OURS, ids=game_of)
def test_a_record_is_replayed_and_written_again(line: str) -> None:
    record = house.Record.from_json(line)
    assert record.to_json() == line
    end = record.replay()  # every move is checked, and the result
    data = json.loads(line)
    assert (end.moves, end.is_terminal) == (data["moves"], True)
    assert end.game.options == data["options"]
    again = house.Record.of(end, record.players, seed=record.seed)
    assert again.to_json() == line


@pytest.mark.parametrize("line", STATES, ids=game_of)
def test_a_state_is_read_and_written_again(line: str) -> None:
    state = house.State.parse(line)
    data = json.loads(line)
    assert (state.moves, state.position) == (data["moves"], data["position"])
    assert state.game.options == data["options"]
    assert state.serialize() == line


def test_they_are_shown(playproof: Playproof, copy: Copy) -> None:
    copy("records")
    for number, (game, last) in {
        3: ("othello:size=4", "Game over"),
        7: ("chess", "Black wins by checkmate."),
        8: ("go:board=5x5,komi=2.5", "White wins by 5.5 points."),
    }.items():
        shown = playproof("show", game, "games.jsonl", "--number", str(number))
        assert shown.code == 0, shown.err
        assert last in shown.out
    for line in STATES:
        shown = playproof("show", json.loads(line)["game"], line)
        assert f"Position: {json.loads(line)['position']}" in shown.out, shown.err


def test_transcripts_are_read(playproof: Playproof) -> None:
    for line in (*OURS[:4], OURS[5]):
        data = json.loads(line)
        game = house.make(data["game"], **data["options"])
        joined = game.join_moves(data["moves"])
        assert game.start().play(joined).moves == data["moves"]


@pytest.mark.parametrize(("name", "place"), [("go", 7), ("quantum", 8), ("born", 9)])
def test_sgf_is_read_and_written_again(name: str, place: int) -> None:
    text = (MADE / "records" / f"{name}.sgf").read_text("utf-8")
    data = json.loads(RECORDS[place])
    state, record = sgf.read(text)
    # SGF names the stones of a group in an order of its own; the board is the same.
    assert sorted(state.moves) == sorted(data["moves"])
    assert state.position == house.Record.from_json(RECORDS[place]).replay().position
    assert (list(record.players), record.result) == (data["players"], data["result"])
    assert state.game.options == data["options"]
    assert sgf.write(state, record.players, result=record.result) == text


def test_pgn_is_read_and_written_again() -> None:
    text = (MADE / "records" / "game.pgn").read_text("utf-8")
    data = json.loads(RECORDS[6])
    state, record = pgn.read(text)
    assert state.moves == data["moves"]
    assert (list(record.players), record.result) == (["random", "greedy"], "0-1")
    assert pgn.write(state, record.players, result=record.result) == text
