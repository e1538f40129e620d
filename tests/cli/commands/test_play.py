"""Games in the terminal: what a person types, what comes back, and what is kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playproof import State, make
from playproof.formats.record import Record, read_records
from tests.support.cli.running import Answer, Terminal, process

Playproof = Callable[..., Answer]

# A whole game of 4x4 Othello with a pass in it, and how it ends.
SMALL = ["c4", "b4", "a1", "d2", "d4", "d3", "a2", "c1", "a4", "a3", "b1", "pass", "d1"]
SMALL_END = "1-0  Black wins 14 to 2."
WIPED_OUT = "e6f4e3f6g5d6e7f5c5"


class Table:
    """One seat at the terminal: every session is saved, so what was played can be looked at."""

    def __init__(self, playproof: Playproof, folder: Path) -> None:
        self._playproof = playproof
        self._folder = folder
        self._games = 0

    def play(self, *lines: str, options: str = "", game: str = "othello") -> tuple[Answer, Record]:
        """A session in which ``lines`` are typed, then the input ends."""
        self._games += 1
        file = self._folder / f"game-{self._games}.jsonl"
        words = ["play", game, "--seed", "1", *options.split(), "--save", str(file)]
        answer = self._playproof(*words, stdin="".join(f"{line}\n" for line in lines))
        (record,) = read_records(file)
        return answer, record


@pytest.fixture
def table(playproof: Playproof, tmp_path: Path) -> Table:
    return Table(playproof, tmp_path)


TWO_PEOPLE = "--first human --second human"


# Moves


def test_a_move_is_played_and_answered(table: Table) -> None:
    answer, record = table.play("f5", "quit")
    assert answer.code == 0
    assert answer.err.startswith("Othello: human against greedy, seed 1\n")
    assert answer.out.startswith("Othello   ● Black to move   ● 2   ○ 2\n")
    assert answer.out.count("Black, your move (? for help): ") == 2
    assert record.moves[0] == "f5"
    assert len(record.moves) == 2
    assert f"2. White (greedy): {record.moves[1]}\n" in answer.out
    assert record.players == ("human", "greedy")
    assert record.seed == 1
    assert record.result == "*"
    assert record.reason is None


def test_names_may_be_written_in_any_case(table: Table) -> None:
    _, record = table.play("F5", "d6", "C4", " D3 ", options=TWO_PEOPLE)
    assert record.moves == ("f5", "d6", "c4", "d3")
    _, record = table.play("c3", "A1", "c3-C4", "b2", game="choko", options=TWO_PEOPLE)
    assert record.moves == ("C3", "A1", "C3-C4", "B2")


def test_a_wrong_move_is_refused_and_asked_again(table: Table) -> None:
    answer, record = table.play("a1", "z9", "pass", "f5 d6", "", "   ", "f5", options=TWO_PEOPLE)
    assert "Othello: a1 is not legal here; legal: d3, c4, f5, e6\n" in answer.out
    assert "'z9' is not a move of Othello: write a square from a1 to h8, or pass\n" in answer.out
    assert "pass is not legal here" in answer.out
    assert "'f5 d6' is not a move of Othello" in answer.out
    assert answer.out.count("Black, your move") == 7
    assert record.moves == ("f5",)


def test_the_legal_moves_are_told(table: Table) -> None:
    answer, record = table.play("?")
    assert "4 legal moves: d3 c4 f5 e6\n" in answer.out
    for command in ("undo", "hint", "save FILE", "resign", "board", "quit"):
        assert command in answer.out
    assert record.moves == ()


def test_the_board_and_the_help_are_shown_again(table: Table) -> None:
    first, _ = table.play()
    board = first.out.partition("Black, your move")[0]
    answer, _ = table.play("board", "help")
    assert answer.out.count(board) == 2
    assert "take your last move back" in answer.out


def test_a_whole_game_of_two_people(table: Table) -> None:
    answer, record = table.play(*SMALL, game="othello:size=4", options=TWO_PEOPLE)
    assert answer.code == 0
    assert answer.out.endswith(f"{SMALL_END}\n")
    assert "unfinished" not in answer.err
    assert record.moves == tuple(SMALL)
    assert record.result == "1-0"
    assert record.reason is None
    assert record.replay().outcome == 1


def test_a_drawn_game_and_a_lost_one(table: Table, playproof: Playproof) -> None:
    drawn = ["a2", "a3", "a4", "c1", "d1", "a1", "d3", "d4", "c4", "d2", "b1", "b4"]
    answer, record = table.play(*drawn, game="othello:size=4", options=TWO_PEOPLE)
    assert answer.out.endswith("1/2-1/2  Draw, 8 discs each.\n")
    assert record.result == "1/2-1/2"
    start = "5/5/1b3/5/rb3 r 0 0 - 41"
    words = ["play", "choko", "--from", start, *TWO_PEOPLE.split(), "--json"]
    told = playproof(*words, stdin="A1xC1,B3\n").json()
    assert told["result"] == "0-1"
    assert told["start"] == start


# Undo, hint


def test_undo_takes_back_a_move_and_its_answer(table: Table) -> None:
    _, one = table.play("f5", "quit")
    more = one.replay().legal_names()[0]
    _, two = table.play("f5", more, "quit")
    assert two.moves[:3] == (*one.moves, more)
    assert len(two.moves) == 4
    _, record = table.play("f5", more, "undo", "quit")
    assert record.moves == one.moves
    _, record = table.play("f5", more, "undo", "UNDO", "quit")
    assert record.moves == ()
    _, record = table.play("f5", more, "undo", "undo", "f5", more, "quit")
    assert record.moves == two.moves  # the same seed answers as before


def test_there_is_nothing_to_undo_at_the_start(table: Table) -> None:
    answer, record = table.play("undo", "f5", "undo", "undo", "undo", "f5")
    assert answer.out.count("there is no move of yours to take back\n") == 3
    assert len(record.moves) == 2


def test_undo_between_two_people_takes_back_one_move(table: Table) -> None:
    _, record = table.play("f5", "d6", "c4", "undo", options=TWO_PEOPLE)
    assert record.moves == ("f5", "d6")
    _, record = table.play("f5", "d6", "c4", "undo", "undo", "f6", options=TWO_PEOPLE)
    assert record.moves == ("f5", "f6")


def test_undo_by_the_second_player_keeps_the_opening(table: Table) -> None:
    options = "--first greedy --second human"
    answer, record = table.play("undo", options=options)
    assert "there is no move of yours to take back" in answer.out
    assert len(record.moves) == 1
    reply = record.replay().legal_names()[0]
    _, record = table.play(reply, "undo", options=options)
    assert len(record.moves) == 1


def test_a_hint_is_a_legal_move_and_is_not_played(table: Table, playproof: Playproof) -> None:
    answer, record = table.play("hint")
    hint = answer.out.partition("greedy would play ")[2].split()[0]
    assert hint in make("othello").start().legal_names()
    assert record.moves == ()
    # Blue can win at once, and that is what the hint is.
    won = "5/5/1r3/5/br3 b 0 0 - 40"
    words = ["play", "choko", "--from", won, *TWO_PEOPLE.split()]
    answer = playproof(*words, stdin="Hint\n")
    assert "greedy would play A1xC1,B3\n" in answer.out


# Save, resign, leave


def test_a_saved_game_can_be_shown(table: Table, playproof: Playproof, tmp_path: Path) -> None:
    file = tmp_path / "my games.jsonl"
    save = f"save {file}"
    answer, last = table.play("f5", save, "d6", "c4", save, "quit", options=TWO_PEOPLE)
    assert answer.out.count(f"saved to {file}\n") == 2
    first, second = read_records(file)
    assert first.moves == ("f5",)
    assert second == last
    for number, moves in ((1, 1), (2, 3)):
        words = ["show", "othello", str(file), "--number", str(number), "--json"]
        assert playproof(*words).json()["ply"] == moves


def test_a_game_that_cannot_be_saved_goes_on(table: Table, tmp_path: Path) -> None:
    answer, record = table.play("save", f"save {tmp_path}", "f5", options=TWO_PEOPLE)
    assert "save where? Write: save FILE\n" in answer.out
    assert f"{tmp_path} cannot be written: Is a directory\n" in answer.out
    assert record.moves == ("f5",)


@pytest.mark.parametrize(
    ("lines", "moves", "result", "reason"),
    [
        (["resign"], (), "0-1", "Black resigned"),
        (["f5", "Resign", "d6"], ("f5",), "1-0", "White resigned"),
        (["f5", "d6", "resign"], ("f5", "d6"), "0-1", "Black resigned"),
    ],
)
def test_who_resigns_has_lost(
    lines: list[str],
    moves: tuple[str, ...],
    result: str,
    reason: str,
    table: Table,
    playproof: Playproof,
    tmp_path: Path,
) -> None:
    answer, record = table.play(*lines, options=TWO_PEOPLE)
    assert answer.code == 0
    assert answer.out.endswith(f"{result}  {reason}\n")
    assert "unfinished" not in answer.err
    assert (record.moves, record.result, record.reason) == (moves, result, reason)
    file = tmp_path / "resigned.jsonl"
    file.write_text(record.to_json())
    assert playproof("show", "othello", str(file)).code == 0


@pytest.mark.parametrize("lines", [["f5", "quit"], ["f5", "QUIT now"], ["f5"]])
def test_leaving_is_no_failure(lines: list[str], table: Table) -> None:
    answer, record = table.play(*lines, options=TWO_PEOPLE)
    assert answer.code == 0
    assert "The game was left unfinished after 1 moves.\n" in answer.err
    assert record.moves == ("f5",)
    assert record.result == "*"
    assert answer.out.rstrip().endswith("(? for help):")


def test_ctrl_c_saves_and_says_so(
    playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "stopped.jsonl"
    typed = iter(["f5", "d6"])

    def read(self: object, prompt: str) -> str:
        line = next(typed, None)
        if line is None:
            raise KeyboardInterrupt
        return line

    monkeypatch.setattr("playproof.cli.terminal_game.TerminalGame._read", read)
    answer = playproof("play", "othello", *TWO_PEOPLE.split(), "--save", str(file))
    assert answer.code == 130
    (record,) = read_records(file)
    assert record.moves == ("f5", "d6")
    assert answer.err.endswith("error: stopped\n")


# Agents, starts, output


def test_an_agent_may_begin(table: Table) -> None:
    answer, record = table.play("quit", options="--first random --second human")
    assert answer.out.startswith(f"1. Black (random): {record.moves[0]}\n")
    assert "White, your move (? for help): " in answer.out
    assert len(record.moves) == 1


@pytest.mark.parametrize("game", ["othello:size=6", "choko"])
def test_two_agents_play_to_the_end(game: str, table: Table) -> None:
    answer, record = table.play(game=game, options="--first random --second greedy")
    assert answer.code == 0
    end = record.replay()
    assert end.is_terminal
    assert record.result == {1: "1-0", 0: "1/2-1/2", -1: "0-1"}[end.outcome or 0]
    assert answer.out.endswith(f"{record.result}  {end.view().over}\n")
    numbered = [line for line in answer.out.splitlines() if line[:1].isdigit() and ". " in line]
    assert len([line for line in numbered if "): " in line]) == len(record.moves)


def test_quiet_shows_the_result_alone(table: Table) -> None:
    options = "--first random --second random --quiet"
    answer, record = table.play(game="othello:size=4", options=options)
    assert answer.out == f"{record.result}  {record.replay().view().over}\n"
    asked, _ = table.play("f5", options="--quiet")
    assert "your move" in asked.out  # a person must see what to answer


@pytest.mark.parametrize("options", [TWO_PEOPLE, "--first greedy --second random"])
def test_a_finished_position_is_over_before_it_begins(options: str, table: Table) -> None:
    answer, record = table.play("a1", options=f"--from {WIPED_OUT} {options}")
    assert answer.code == 0
    assert "your move" not in answer.out
    assert answer.out.endswith("1-0  Black wins 13 to 0.\n")
    assert len(record.moves) == 9
    assert record.result == "1-0"


def test_a_game_from_moves_knows_them(table: Table) -> None:
    answer, record = table.play("C4", options=f"--from f5d6 {TWO_PEOPLE}")
    assert answer.out.startswith("Othello   ● Black to move   ● 3   ○ 3\n")
    assert record.moves == ("f5", "d6", "c4")
    assert record.start is None


def test_a_game_from_a_position_is_kept_with_it(table: Table) -> None:
    board = make("othello").start().play("f5d6").position.replace(" ", "")
    _, record = table.play("c4", options=f"--from {board} {TWO_PEOPLE}")
    assert record.moves == ("c4",)
    assert record.start == f"{board[:-1]} {board[-1]}"
    assert record.replay() == make("othello").start().play("f5d6c4")


def test_json_keeps_stdout_pure_with_a_person_at_the_board(playproof: Playproof) -> None:
    words = ["play", "othello", "--seed", "1", "--json"]
    answer = playproof(*words, stdin="?\nf5\nhint\nundo\nf5\nquit\n")
    told = answer.json()
    assert told["moves"][0] == "f5"
    assert told["result"] == "*"
    assert "your move" in answer.err
    assert "4 legal moves: d3 c4 f5 e6" in answer.err
    resigned = playproof(*words, stdin="resign\n").json()
    assert (resigned["result"], resigned["reason"]) == ("0-1", "Black resigned")


def test_a_pipe_plays_as_a_person_does(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    lines = "".join(f"{move}\n" for move in SMALL)
    words = ["play", "othello:size=4", *TWO_PEOPLE.split(), "--save", str(file)]
    answer = process(*words, stdin=lines)
    assert answer.code == 0
    assert answer.out.endswith(f"{SMALL_END}\n")
    assert "\x1b" not in answer.out + answer.err
    told: dict[str, Any] = json.loads(file.read_text())
    assert told["moves"] == SMALL
    assert State.parse(file.read_text()).outcome == 1


# A real terminal


def test_a_session_in_a_terminal(tmp_path: Path) -> None:
    file = tmp_path / "terminal.jsonl"
    prompt = "Black, your move (? for help): "
    with Terminal("play", "othello", "--seed", "1", "--save", str(file)) as terminal:
        assert "Othello: human against greedy, seed 1" in terminal.wait_for(prompt)
        terminal.type("?")
        assert "4 legal moves: d3 c4 f5 e6" in terminal.wait_for(prompt)
        terminal.type("e3")
        assert "e3 is not legal here; legal: d3, c4, f5, e6" in terminal.wait_for(prompt)
        terminal.type("hint")
        assert "greedy would play" in terminal.wait_for(prompt)
        terminal.type("F5")
        assert "2. White (greedy): " in terminal.wait_for(prompt)
        terminal.type("undo")
        assert "● 2   ○ 2" in terminal.wait_for(prompt)
        terminal.type("undo")
        assert "no move of yours to take back" in terminal.wait_for(prompt)
        terminal.type("c4")
        assert "2. White (greedy): " in terminal.wait_for(prompt)
        assert b"\x1b[48;5;29" in terminal.raw  # a green board
        terminal.interrupt()
        assert terminal.close(seconds=10) == 130
        ending = terminal.shown.rpartition(prompt)[2]
        assert "The game was left unfinished after 2 moves.\n" in ending
        assert f"saved to {file}\n" in ending
        assert "Traceback" not in terminal.shown
    (record,) = read_records(file)
    assert record.moves[0] == "c4"
    assert len(record.moves) == 2


@pytest.mark.slow
def test_a_terminal_game_is_resigned_and_ended() -> None:
    with Terminal("play", "choko:cap=4", "--seed", "1", NO_COLOR="1") as terminal:
        terminal.wait_for("Blue, your move")
        terminal.type("c3")
        terminal.wait_for("Blue, your move")
        terminal.type("resign")
        assert terminal.close() == 0
        assert terminal.shown.endswith("0-1  Blue resigned\n")
        assert b"\x1b" not in terminal.raw
