"""``playproof prove`` as people use it: bounds on legal moves, our rules, and wrong words."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from playproof import make
from playproof.proofs import theorems
from tests.support.cli.proving import DATA, FAILED, FOUR, MOST_4X4, USAGE, failed, finite, moves_of
from tests.support.cli.running import Answer

Playproof = Callable[..., Answer]

pytestmark = pytest.mark.usefixtures("proof_files")


# othello-mobility


def test_a_position_is_drawn_and_counted(playproof: Playproof) -> None:
    answer = playproof("prove", "othello-mobility", "--size", "4", "--at-least", "8")
    assert answer.code == 0
    assert answer.out.startswith(
        "SAT  there is an Othello position on 4x4 with at least 8 moves\nOthello   ●"
    )
    assert answer.out.endswith("moves     8\n")
    position = answer.out.split("position  ")[1].splitlines()[0]
    assert str(FOUR.position(position)) in answer.out
    assert moves_of(position) == MOST_4X4
    assert "variables" in answer.err
    assert "clauses" in answer.err


@pytest.mark.parametrize("way", [[], ["--z3"], ["--solver", "cadical"], ["--solver", "kissat"]])
def test_the_maximum_of_4x4_by_every_solver(way: list[str], playproof: Playproof) -> None:
    words = ["prove", "othello-mobility", "--size", "4", "--json", *way]
    most = finite(playproof(*words, "--at-least", str(MOST_4X4)))
    assert most["status"] == "sat"
    assert moves_of(most["position"]) == MOST_4X4
    more = finite(playproof(*words, "--at-least", str(MOST_4X4 + 1)))
    assert (more["status"], more["position"]) == ("unsat", None)
    assert more["solver"].startswith(way[-1].lstrip("-") if way else "")


def test_empty_squares_are_asked_for(playproof: Playproof) -> None:
    words = ["prove", "othello-mobility", "--size", "4", "--at-least", "8", "--json"]
    told = finite(playproof(*words, "--empties-at-least", "9"))
    assert told["position"].count("-") >= 9
    assert finite(playproof(*words, "--empties-at-least", "10"))["status"] == "unsat"


def test_all_positions_are_enumerated(playproof: Playproof) -> None:
    words = ["prove", "othello-mobility", "--size", "4", "--at-least", "8"]
    told = finite(playproof(*words, "--enumerate", "100", "--json"))
    assert told["all"] is True
    states = [FOUR.position(text) for text in told["positions"]]
    assert [len(state.legal_actions()) for state in states] == [8, 8, 8]
    images = [{state.transformed(s).position for s in range(8)} for state in states]
    assert not images[0] & images[1] | images[1] & images[2] | images[2] & images[0]
    some = playproof(*words, "--enumerate", "2")
    assert len(some.out.splitlines()) == 2
    assert "there may be others" in some.err


def test_the_formula_is_written_and_not_solved(playproof: Playproof, tmp_path: Path) -> None:
    file = tmp_path / "formula.cnf"
    words = ["prove", "othello-mobility", "--size", "4", "--at-least", "9"]
    answer = playproof(*words, "--dimacs", str(file))
    assert answer == Answer(0, f"{file}: 178 variables, 484 clauses\n", "")
    lines = file.read_text().splitlines()
    assert lines[0] == "c playproof: an Othello position on 4x4 with at least 9 moves"
    assert json.loads(lines[1].removeprefix("c "))["at_least"] == 9
    assert "c variable 1 is own a1" in lines
    assert "p cnf 178 484" in lines
    assert len([line for line in lines if line[0] not in "cp"]) == 484
    told = finite(playproof(*words, "--dimacs", str(file), "--json"))
    assert (told["variables"], told["clauses"]) == (178, 484)


def test_a_bound_is_refuted_in_cubes(playproof: Playproof, monkeypatch: pytest.MonkeyPatch) -> None:
    # All 231 of them, and with certificates, are tried elsewhere.
    some = list(itertools.islice(theorems.cubes(4), 0, None, 40))
    monkeypatch.setattr(theorems, "cubes", lambda size: some)
    words = ["prove", "othello-mobility", "--size", "4", "--cubes", "--workers", "1", "--at-least"]
    answer = playproof(*words, "9")
    assert answer.code == 0
    assert answer.out == "proved   there is no Othello position on 4x4 with at least 9 moves\n"
    assert f"{len(some)} parts refuted" in answer.err
    answer = playproof(*words, "6")
    failed(answer, FAILED, "not so", "has a witness")
    assert moves_of(answer.out.split("position  ")[1].splitlines()[0]) >= 6


# equivalence and choko-mobility: what they prove is shown in docs/papers/othello33.md, which is run


def test_a_comparison_without_time_is_no_difference(playproof: Playproof) -> None:
    answer = playproof("prove", "equivalence", "--seconds", "0")
    failed(answer, FAILED, "not decided", "give it more time")
    assert "DIFFERS" not in answer.out


def test_choko_has_positions_with_many_actions(playproof: Playproof) -> None:
    told = finite(playproof("prove", "choko-mobility", "--at-least", "60", "--json"))
    assert len(make("choko").position(told["position"]).legal_actions()) >= 60


# Bad input


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("prove othello-mobility --solver minisat", USAGE, ["'minisat'", "cadical or kissat"]),
        ("prove othello-mobility --size 5", USAGE, ["size 5", "4, 6 or 8"]),
        ("prove othello-mobility --size 4 --at-least 20", USAGE, ["at_least 20 on 16 squares"]),
        ("prove othello-mobility --cubes --z3", USAGE, ["--z3 and --cubes", "leave one out"]),
        ("prove othello-mobility --z3 --certificate x", USAGE, ["--z3 and --certificate"]),
        ("prove othello-mobility --enumerate 0", USAGE, ["--enumerate"]),
        ("prove othello-mobility --dimacs none/x.cnf", DATA, ["none/x.cnf cannot be written"]),
        ("prove othello-reachable --method guess", USAGE, ["'guess'", "pipeline or unroll"]),
        ("prove othello-reachable --plies 9", USAGE, ["want --method unroll"]),
        ("prove othello-reachable --mover black", USAGE, ["want --method unroll"]),
        ("prove othello-reachable --method unroll --max-stones 9", USAGE, ["--plies"]),
        ("prove othello-reachable --method unroll --mover red", USAGE, ["'red'"]),
        ("prove othello-reachable --method unroll --plies 999", USAGE, ["999 plies", "0 to 120"]),
        ("prove choko-mobility --condition hot", USAGE, ["'hot'", "none, material or placed"]),
        ("prove chess", USAGE, ["chess"]),
        ("check nowhere", DATA, ["nowhere is not a folder", "want the folder of a certificate"]),
        ("check . --seconds 0", USAGE, ["0 seconds"]),
        ("reach choko C3", USAGE, ["reach is for othello, not for choko"]),
        ("reach othello:size=4 zz", DATA, ["16 characters"]),
        ("census choko", USAGE, ["census is for othello, not for choko"]),
        ("census othello:size=4 --stones 17", USAGE, ["17 stones on 16 squares"]),
        ("paper othello33 --only 36", USAGE, ["there is no claim '36'", "unreachable"]),
        ("paper go19", USAGE, ["go19"]),
        # Hard ones in a moment: no answer is no answer.
        (
            "prove othello-mobility --at-least 34 --empties-at-least 38 --seconds 0.1",
            FAILED,
            ["not decided in 0.", "give it more time"],
        ),
        ("prove othello-reachable --seconds 0.1", FAILED, ["not decided", "more time"]),
        ("prove choko-mobility --seconds 0.1", FAILED, ["not decided", "more time"]),
        ("prove othello-mobility --z3 --seconds 0.1", FAILED, ["not decided", "more time"]),
    ],
)
def test_wrong_words_get_one_line(
    words: str,
    code: int,
    says: list[str],
    playproof: Playproof,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    failed(playproof(*words.split()), code, *says)
    assert not list(tmp_path.iterdir())
