"""The commands about proofs as people use them: prove, check, reach, census, paper."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.running import Answer
from playproof import make
from playproof.cli.main import main

Playproof = Callable[..., Answer]

FAILED, USAGE, DATA = 1, 2, 3
FOUR = make("othello", size=4)
MOST_4X4 = 8  # moves on 4x4, reachable or not
MOST_REACHABLE_4X4 = 6
CENSUS = ("census", "othello:size=4", "--moves", "6", "--workers", "1")


@pytest.fixture(autouse=True)
def _own_files(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables and candidates are made here, whatever the user's cache holds."""
    home = tmp_path_factory.getbasetemp() / "proofs" / "kernels"
    for module in ("othello_candidates", "othello_forward"):
        monkeypatch.setattr(f"playproof.proofs.{module}.cache_home", lambda: home)


def finite(answer: Answer) -> Any:
    """One line of JSON without NaN or Infinity, which are no JSON."""
    answer.json()

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} in {answer.out}")

    return json.loads(answer.out, parse_constant=refuse)


def failed(answer: Answer, code: int, *says: str) -> None:
    """One line of error and that exit code."""
    lines = [line for line in answer.err.splitlines() if line.startswith("error: ")]
    assert answer.code == code, answer.err
    assert len(lines) == 1
    assert answer.err.endswith(lines[0] + "\n")
    for text in says:
        assert text in lines[0]


def moves_of(position: str) -> int:
    return len(FOUR.position(position).legal_actions())


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
    assert answer == Answer(0, f"{file}: 188 variables, 491 clauses\n", "")
    lines = file.read_text().splitlines()
    assert lines[0] == "c playproof: an Othello position on 4x4 with at least 9 moves"
    assert json.loads(lines[1].removeprefix("c "))["at_least"] == 9
    assert "c variable 1 is own a1" in lines
    assert "p cnf 188 491" in lines
    assert len([line for line in lines if line[0] not in "cp"]) == 491
    told = finite(playproof(*words, "--dimacs", str(file), "--json"))
    assert (told["variables"], told["clauses"]) == (188, 491)


def test_a_bound_is_refuted_in_cubes(playproof: Playproof) -> None:
    # With certificates it is as any chain: those are tried elsewhere, in fewer parts.
    answer = playproof(
        "prove", "othello-mobility", "--size", "4", "--cubes", "--at-least", "9", "--workers", "1"
    )
    assert answer.code == 0
    assert answer.out == "proved   there is no Othello position on 4x4 with at least 9 moves\n"
    assert "231 parts refuted" in answer.err


def test_cubes_do_not_refute_what_is_there(playproof: Playproof) -> None:
    words = ["prove", "othello-mobility", "--size", "4", "--at-least", "7", "--cubes"]
    answer = playproof(*words)
    failed(answer, FAILED, "not so", "has a witness")
    assert moves_of(answer.out.split("position  ")[1].splitlines()[0]) >= 7


# Certificates


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good certificate; tests break copies of it."""
    folder = tmp_path_factory.mktemp("certificate") / "good"
    words = ["prove", "othello-mobility", "--size", "4", "--at-least", "9"]
    assert main([*words, "--certificate", str(folder)]) == 0
    return folder


def swear(folder: Path) -> None:
    """Write the manifest that a liar would write."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for name in manifest["sha256"]:
        manifest["sha256"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_a_certificate_is_verified(certificate: Path, playproof: Playproof) -> None:
    answer = playproof("check", str(certificate))
    assert answer.code == 0
    assert answer.err == ""
    lines = answer.out.splitlines()
    assert lines[0] == "certificate  an Othello position on 4x4 with at least 9 moves"
    for line, name in zip(lines[1:4], ("manifest", "formula", "proof"), strict=True):
        assert line.split()[:2] == [name, "ok"]
    assert lines[-1] == "verified"
    told = finite(playproof("check", str(certificate), "--json"))
    assert told["verified"] is True
    assert [check["name"] for check in told["parts"][0]["checks"]][:3] == [
        "manifest",
        "formula",
        "proof",
    ]


BROKEN = {
    "no proof": ("proof.drat", lambda data: b"", "proof: the proof ends without the empty clause"),
    "a cut proof": ("proof.drat", lambda data: data[:-1], "proof: binary proof, step"),
    "a bold proof": ("proof.drat", lambda data: b"0\n", "proof: line 1: the empty clause does"),
    "another formula": (
        "formula.cnf",
        lambda data: data.replace(b"\n-", b"\n", 1),
        "formula: formula.cnf is not the statement's formula: they differ in line",
    ),
    "another statement": (
        "statement.json",
        lambda data: data.replace(b"9", b"8"),
        "formula: formula.cnf is not the statement's formula",
    ),
    "no statement": ("statement.json", lambda data: b"{}", 'formula: a statement must be a JSON'),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_certificate_is_rejected(
    what: str, certificate: Path, playproof: Playproof, tmp_path: Path
) -> None:
    name, spoil, says = BROKEN[what]
    folder = tmp_path / "broken"
    shutil.copytree(certificate, folder)
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(spoil(data))
    assert (folder / name).read_bytes() != data
    failed(playproof("check", str(folder)), DATA, f"manifest: {name} is not the file")
    swear(folder)
    answer = playproof("check", str(folder))
    failed(answer, DATA, f"{folder} is not verified: {says}")
    assert "REJECTED" in answer.out
    assert answer.out.endswith("NOT VERIFIED\n")
    quiet = playproof("check", str(folder), "--json")
    failed(quiet, DATA, says)
    assert json.loads(quiet.out)["verified"] is False


def test_nothing_is_certified_where_there_is_a_witness(
    playproof: Playproof, tmp_path: Path
) -> None:
    folder = tmp_path / "none"
    words = ["prove", "othello-mobility", "--size", "4", "--at-least", "8", "--json"]
    assert finite(playproof(*words, "--certificate", str(folder)))["status"] == "sat"
    assert not folder.exists()


# othello-reachable


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
    failed(playproof("check", str(folder)), DATA, "parts that its index does not name")


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


# equivalence and choko-mobility


def test_our_rules_are_those_of_the_paper(playproof: Playproof) -> None:
    answer = playproof("prove", "equivalence")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert [line.split(",")[0] for line in lines[:3]] == ["Figure 2", "Figure 3", "Figure 4"]
    assert all(": equals our rules (" in line for line in lines[:3])
    assert lines[3] == "proved   our rules of Othello equal Figures 2, 3 and 4 of the paper"


def test_a_comparison_without_time_is_no_difference(playproof: Playproof) -> None:
    answer = playproof("prove", "equivalence", "--seconds", "0")
    failed(answer, FAILED, "not decided", "give it more time")
    assert "DIFFERS" not in answer.out


def test_choko_has_positions_with_many_actions_and_none_with_177(playproof: Playproof) -> None:
    told = finite(playproof("prove", "choko-mobility", "--at-least", "60", "--json"))
    assert len(make("choko").position(told["position"]).legal_actions()) >= 60
    answer = playproof("prove", "choko-mobility", "--at-least", "177")
    assert answer.code == 0
    assert answer.out.startswith(
        "UNSAT  there is no such thing: a Choko position with at least 177"
    )


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
        ("check nowhere", DATA, ["nowhere is no folder", "want a certificate"]),
        ("check . --seconds 0", USAGE, ["0 seconds"]),
        ("reach choko C3", USAGE, ["reach is for othello, not for choko"]),
        ("reach othello:size=4 zz", DATA, ["16 characters"]),
        ("census choko", USAGE, ["a census is of othello, not of choko"]),
        ("census othello:size=4 --stones 17", USAGE, ["17 stones on 16 squares"]),
        ("paper othello33 --only 36", USAGE, ["no claim is called '36'", "unreachable"]),
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


def test_a_folder_that_holds_something_is_left_alone(
    certificate: Path, playproof: Playproof, tmp_path: Path
) -> None:
    before = {file.name: file.read_bytes() for file in certificate.iterdir()}
    words = ["prove", "othello-mobility", "--size", "4", "--at-least", "9", "--certificate"]
    failed(playproof(*words, str(certificate)), USAGE, "is there already", "new or empty folder")
    assert {file.name: file.read_bytes() for file in certificate.iterdir()} == before
    file = tmp_path / "file"
    file.write_text("mine\n")
    failed(playproof(*words, str(file / "deeper")), DATA, "cannot be written")
    census = [*CENSUS, "--stones", "6", "--file"]
    failed(playproof(*census, str(file)), DATA, "not a file of a census")
    failed(playproof(*census, str(tmp_path)), DATA, "cannot be written")
    assert file.read_text() == "mine\n"
