"""The Othello paper's claims: figures drawn, passes, the small board, solvers side by side."""

from __future__ import annotations

import json
import re

import pytest

import playproof
from playproof import UsageError
from playproof.cli.main import main
from playproof.papers import claims, othello33, othello33_solvers
from playproof.papers.othello33_solvers import QUESTIONS, Question, chosen, compare, installed
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.sat import smt
from tests.support.oracles.othello_naive import BLACK, WHITE, board_of, naive_flips
from tests.support.paths import DOCS

PAGE = DOCS / "papers" / "othello33.md"
USAGE, FAILURE = 2, 1


@pytest.mark.parametrize(("moves", "empty"), [(33, 38), (34, 37)])
def test_the_pictures_have_the_moves_of_figure_5(moves: int, empty: int) -> None:
    """The position that the documentation draws, counted by a board of cells and by the game."""
    picture = f"othello-{moves}-{empty}.svg"
    match = re.search(
        rf'show othello "([-XO]{{64}} X)" --svg docs/pictures/{picture}', PAGE.read_text()
    )
    assert match, picture
    cells = match[1].split()[0]
    squares = [(i // 8, i % 8) for i in range(64)]
    board = board_of(
        8,
        [square for square, cell in zip(squares, cells, strict=True) if cell == "X"],
        [square for square, cell in zip(squares, cells, strict=True) if cell == "O"],
    )
    assert sum(bool(naive_flips(board, BLACK, *square)) for square in squares) == moves
    assert sum(cell is None for row in board for cell in row) == empty
    assert all(board[row][column] in (BLACK, WHITE) for row in (3, 4) for column in (3, 4))
    assert len(playproof.make("othello").position(match[1]).legal_actions()) == moves


def outcome(name: str) -> claims.ClaimOutcome:
    (one,) = claims.run(othello33.CLAIMS, only=[name])
    return one


def test_two_passes_and_41_plies() -> None:
    result = outcome("passes")
    assert result.holds is True
    assert result.result.startswith("2 with 15 stones (")
    assert result.result.endswith("never 3 before stone 18; 41 plies for 34 moves")


def test_a_third_pass_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(othello33, "PASSES", 1)
    monkeypatch.setattr(othello33, "OPENING", 15)  # two passes do occur before the 16th stone
    assert outcome("passes").holds is False


def test_any_position_of_6x6_has_20_moves_at_most() -> None:
    result = outcome("6x6-any")
    assert result.holds is True
    assert result.result.startswith("20 moves: ")
    assert result.result.endswith("21: UNSAT")


@pytest.mark.slow
def test_a_game_on_6x6_has_19_moves_at_most() -> None:
    result = outcome("6x6-reachable")
    assert result.holds is True
    record = re.fullmatch(r"19 moves after (\S+); never 20", result.result)
    assert record
    state = playproof.make("othello:size=6").start().play(record[1])
    assert len(state.legal_actions()) == 19


# Solvers side by side


def test_every_solver_gives_the_answer() -> None:
    few = chosen(["6x6-20", "6x6-21", "figure-2"])
    runs = list(compare(few, 60.0))
    assert [run.solver for run in runs] == [*installed()] * 3
    assert set(installed()) == {"z3", "cadical", "kissat"}
    for run in runs:
        assert run.status == run.question.status, run
        assert not run.is_wrong
        assert run.cpu_seconds > 0.0
        assert run.version


def test_a_limit_is_no_answer_and_a_wrong_answer_is_noticed() -> None:
    hard = chosen(["4x4-7"])
    (run,) = compare(hard, 0.3, ["z3"])
    assert run.status == "unknown"
    assert not run.is_wrong
    mistaken = Question("x", "x", lambda: OthelloMobility(9, 4), "sat")
    (run,) = compare([mistaken], 10.0, ["kissat"])
    assert run.status == "unsat"
    assert run.is_wrong


def test_z3_is_asked_what_it_has_an_encoding_of() -> None:
    for question in QUESTIONS:
        if not question.parts:
            assert smt.is_supported(question.build()), question.name
    (run,) = compare(chosen(["unreachable"]), 1.0, ["z3"])
    assert run.status is None


def test_the_command_prints_a_table_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("paper", "othello33", "--solvers", "--only", "6x6-20", "--seconds", "60")
    assert main(words) == 0
    printed = capsys.readouterr()
    assert re.search(r"6x6-20 .* SAT [\d.]+ s +SAT [\d.]+ s +SAT [\d.]+ s", printed.out)
    assert "Kissat 4" in printed.err
    assert main((*words, "--json")) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["seconds"] == 60.0
    assert [run["status"] for run in data["runs"]] == ["sat"] * 3
    assert {run["solver"] for run in data["runs"]} == {"z3", "cadical", "kissat"}


def test_the_command_fails_where_an_answer_is_wrong(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mistaken = Question("x", "x", lambda: OthelloMobility(9, 4), "sat")
    monkeypatch.setattr(othello33_solvers, "QUESTIONS", (mistaken,))
    assert main(("paper", "othello33", "--solvers")) == FAILURE
    assert "answers are wrong: x by z3" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--solvers", "--only", "black"), "there is no question 'black' for solvers"),
        (("--solvers", "--long"), "want one of them"),
        (("--seconds", "9"), "want both"),
    ],
)
def test_options_that_do_not_go_together(
    words: tuple[str, ...], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(("paper", "othello33", *words)) == USAGE
    assert part in capsys.readouterr().err
    with pytest.raises(UsageError, match="want 34, 35"):
        chosen(["black"])
