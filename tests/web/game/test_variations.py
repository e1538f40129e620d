"""An analysis: variations that leave the main line and each other."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from playproof.core.registry import make
from playproof.web.game import variations as lines_module
from playproof.web.game.variations import GameLines
from playproof.web.protocol.refusal import Refusal
from tests.support.web.people import Message, Talker


def shape(state: Message) -> list[tuple[int, int | None, int, list[str]]]:
    return [(x["id"], x["parent"], x["from"], x["moves"]) for x in state["lines"]]


def at(state: Message) -> tuple[int, int, int]:
    return state["line"], state["ply"], state["of"]


@pytest.fixture
def board(talk: Talker) -> Talker:
    talk.ask("new", text="f5d6c4", analysis=True)
    return talk


def test_a_move_at_an_earlier_ply_begins_a_line(board: Talker) -> None:
    assert shape(board.state) == [(0, None, 0, ["f5", "d6", "c4"])]
    board.ask("goto", ply=1)
    assert board.state["can"]["move"] is True
    assert board.state["view"]["legal"] != []
    board.move("f6")
    assert shape(board.state) == [(0, None, 0, ["f5", "d6", "c4"]), (1, 0, 1, ["f6"])]
    assert at(board.state) == (1, 2, 2)
    assert board.state["moves"] == ["f5", "f6"]
    assert [x["current"] for x in board.state["lines"]] == [False, True]
    board.move("e6")
    assert shape(board.state)[1] == (1, 0, 1, ["f6", "e6"])


def test_a_move_that_is_there_is_only_walked_to(board: Talker) -> None:
    board.ask("goto", ply=0)
    board.move("f5")
    assert at(board.state) == (0, 1, 3)
    board.move("f6")
    board.ask("line", line=0, ply=1)
    board.move("f6")
    assert (at(board.state), len(board.state["lines"])) == ((1, 2, 2), 2)
    # From inside a variation too: its parent's move, and a sister line.
    board.ask("goto", ply=1)
    board.move("d6")
    assert at(board.state) == (0, 2, 3)
    board.ask("line", line=1, ply=1)
    board.move("f4")
    assert shape(board.state)[2] == (2, 0, 1, ["f4"])


def test_lines_of_lines(board: Talker) -> None:
    board.ask("goto", ply=1)
    board.move("f6")
    board.move("e6")
    board.ask("goto", ply=2)
    legal = [move["n"] for move in board.state["view"]["legal"]]
    board.move(next(name for name in legal if name != "e6"))
    assert shape(board.state)[2][1:3] == (1, 2)
    assert board.state["moves"][:2] == ["f5", "f6"]
    assert board.ask("line", line=0)["moves"] == ["f5", "d6", "c4"]
    assert board.refused("line", line=9) == "bad"
    # By number and ply, as scripts do.
    board.ask("move", ver=board.state["ver"], c=["d6"], line=0, ply=1)
    assert at(board.state) == (0, 2, 3)


def test_undo_cuts_a_line_and_what_leaves_it_later(board: Talker) -> None:
    board.ask("goto", ply=1)
    board.move("f6")
    board.move("e6")
    board.ask("goto", ply=2)
    legal = [move["n"] for move in board.state["view"]["legal"]]
    board.move(next(name for name in legal if name != "e6"))
    board.ask("line", line=1, ply=2)
    # In the middle of a line nothing is taken back: what comes later would be lost.
    assert board.state["can"]["undo"] is False
    assert board.refused("undo", ver=board.state["ver"]) == "illegal"
    board.ask("line", line=1)
    assert len(shape(board.ask("undo", ver=board.state["ver"]))) == 3
    state = board.ask("undo", ver=board.state["ver"])
    assert shape(state) == [(0, None, 0, ["f5", "d6", "c4"])]
    assert at(state) == (0, 1, 3)
    board.ask("line", line=0)
    assert board.ask("undo", ver=board.state["ver"])["moves"] == ["f5", "d6"]


def test_redo_plays_again_what_was_taken_back_here(board: Talker, client: TestClient) -> None:
    def change(what: str) -> Message:
        return board.ask(what, ver=board.state["ver"])

    assert board.state["can"]["redo"] is False
    for _ in range(2):
        change("undo")
    assert (board.state["moves"], board.state["can"]["redo"]) == (["f5"], True)
    lab = client.app.state.lab  # type: ignore[attr-defined]
    kept = json.loads(lab.database.text(board.state["id"]))
    assert (kept["undone"], kept["undone_at"]) == (["c4", "d6"], [0, 1])
    assert change("redo")["moves"] == ["f5", "d6"]
    # Elsewhere there is nothing to play again; back there, there is.
    assert board.ask("goto", ply=1)["can"]["redo"] is False
    assert board.refused("redo", ver=board.state["ver"]) == "illegal"
    assert board.ask("goto", ply="last")["can"]["redo"] is True
    assert change("redo")["moves"] == ["f5", "d6", "c4"]
    # A variation that goes with its only move comes back as one.
    board.ask("goto", ply=1)
    board.move("f6")
    assert len(change("undo")["lines"]) == 1
    assert at(change("redo")) == (1, 2, 2)
    assert [line["moves"] for line in board.state["lines"]] == [["f5", "d6", "c4"], ["f6"]]
    # Another move forgets what was taken back.
    change("undo")
    board.ask("line", line=0, ply="last")
    assert board.state["can"]["redo"] is False
    change("undo")
    assert json.loads(lab.database.text(board.state["id"]))["undone"] == ["c4"]
    board.move(board.state["view"]["legal"][0]["c"][0])
    assert board.state["can"]["redo"] is False


def test_others_may_watch_an_analysis_but_not_play(
    board: Talker, talkers: Callable[[], Talker]
) -> None:
    board.ask("share", on=True)
    guest = talkers()
    state = guest.ask("join", id=board.state["id"])
    assert (state["can"]["move"], state["view"]["legal"]) == (False, [])
    assert guest.refused("move", ver=state["ver"], c=["d3"]) == "access"
    assert guest.refused("undo", ver=state["ver"]) == "access"
    # They stand where they like while the board grows.
    guest.ask("goto", ply=1)
    board.ask("goto", ply=1)
    board.move("f6")
    seen = guest.until(lambda m: m["type"] == "state" and len(m["lines"]) == 2)
    assert at(seen) == (0, 1, 3)


def test_chance_is_the_analysts_to_choose(talk: Talker) -> None:
    talk.ask("new", game="quantum-go", variant={"board": "5x5", "collapse": "born"}, analysis=True)
    for point in ("B2", "D4", "B3", "D2"):
        talk.move(point)
    assert talk.state["of"] == 4
    assert talk.refused("think", agent="greedy") == "bad"
    talk.move("D4")
    assert talk.state["view"]["events"][0]["to"] == "D4"
    talk.ask("goto", ply=4)
    talk.move("B2")
    assert len(talk.state["lines"]) == 2


def test_there_is_an_end_to_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines_module, "MOST_LINES", 3)
    monkeypatch.setattr(lines_module, "MOST_PLIES", 5)
    lines = GameLines(make("othello").start())
    legal = lines.start.legal_actions()
    for action in legal[:3]:
        lines.play(0, 0, action)
    with pytest.raises(Refusal, match="at most 3 lines"):
        lines.play(0, 0, legal[3])
    while lines.length(0) < 5:
        lines.play(0, lines.length(0), lines.state(0).legal_actions()[0])
    with pytest.raises(Refusal, match="at most 5 moves"):
        lines.play(0, 5, lines.state(0).legal_actions()[0])
    again = GameLines.from_json(lines.start, lines.to_json())
    assert [again.names(number) for number in again.all] == [
        lines.names(number) for number in lines.all
    ]


# Texts of several games, with players and variations

GAMES = """[Event "Cup"]
[Date "1900.??.??"]
[White "Anna"]
[Black "Berta"]
[Result "1-0"]

1. e4 {first} e5 (1... c5 2. Nf3 (2. Nc3) d6) 2. Nf3 1-0

[White "Cleo"]
[Black "Dora"]
[Result "*"]

1. d4 *
"""
FORKED = "(;GM[1]SZ[9]PB[Ali]PW[Bo]RE[W+R];B[ee];W[cc](;B[gg])(;B[cg];W[gc]))"


def test_players_and_variations_of_a_text_are_there(talk: Talker, client: TestClient) -> None:
    state = talk.ask("new", text=GAMES, analysis=True)
    assert state["source"] == {
        "players": ["Anna", "Berta"],
        "result": "1-0",
        "date": "1900",
        "event": "Cup",
        "left_out": ["1 further game", "1 comment or sign"],
    }
    assert shape(state) == [
        (0, None, 0, ["e4", "e5", "Nf3"]),
        (1, 0, 1, ["c5", "Nf3", "d6"]),
        (2, 1, 2, ["Nc3"]),
    ]
    saved = client.get(f"/api/games/{state['id']}.pgn").text
    assert '[White "Anna"]' in saved
    go = talk.ask("new", text=FORKED, analysis=True)
    assert go["source"]["players"] == ["Ali", "Bo"]
    assert shape(go)[1][2:] == (2, ["C3", "G7"])
    plain = talk.ask("new", text="f5d6", analysis=True)
    assert plain["source"] is None
    played = talk.ask("new", text=GAMES, game="chess")  # a game has one line
    assert (played["source"], len(played["lines"])) == (None, 1)


def test_variations_beyond_the_limit_are_counted(
    talk: Talker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines_module, "MOST_LINES", 2)
    state = talk.ask("new", text=GAMES, analysis=True)
    assert len(state["lines"]) == 2
    assert "1 variation" in state["source"]["left_out"]


def test_what_a_text_holds(client: TestClient) -> None:
    def contents(text: str, game: str = "auto") -> Message:
        return dict(client.post(f"/api/contents?game={game}", content=text).json())

    found = contents(GAMES)
    assert (found["of"], found["choices"]) == (2, [])
    second = found["games"][1]
    assert (second["players"], second["result"]) == (["Cleo", "Dora"], "*")
    assert GAMES[second["begin"] : second["end"]].strip().endswith("1. d4 *")
    assert contents("f5d6c3") == {"choices": [], "msg": "", "games": [], "of": 0}
    doubtful = contents("f5 d6 c3 d3 a1")
    assert [one["title"] for one in doubtful["choices"]] == ["Go", "Othello"]
    assert "move 5" in doubtful["msg"]
    assert contents("f5 d6 c3 d3 a1", "go")["choices"] == []
    assert "name the game" in contents("what is this?")["msg"]
    assert contents("(;GM[1")["msg"].startswith("line 1")
    assert contents(" " * (1 << 20) + "f5")["code"] == "limit"
