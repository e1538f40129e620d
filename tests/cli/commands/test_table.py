"""``playproof table`` from the command line, on tables that take a moment to build."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.cli.main import main
from tests.support.cli.running import Answer

FAILED, USAGE, DATA = 1, 2, 3
Playproof = Callable[..., Answer]

# Blue jumps over D2 and takes A1 as well: all of Red's pieces.
WON = "5/5/5/2br1/r3b b 0 0 - 24"
DRAWN = "5/1b3/2r2/1b3/4r b 0 0 - 40"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tables")
    for kind in ([], ["--distance"]):
        assert main(("table", "build", "choko", "--pieces", "4", *kind, "--out", str(out))) == 0
    return out


def test_a_build_says_first_what_it_will_take(playproof: Playproof, tmp_path: Path) -> None:
    done = playproof("table", "build", "choko", "--pieces", "4", "--out", str(tmp_path / "new"))
    assert done.code == 0, done.err
    announced = done.err.splitlines()
    assert announced[0].startswith("3 slices, 12,542 positions up to symmetry, of which 12,542")
    assert "GiB of memory" in announced[1]
    assert "GiB of disk in" in announced[1]
    assert "h0-2v2               75,900    33.22%    66.12%     0.66%" in done.out
    again = playproof("table", "build", "choko", "--pieces", "4", "--out", str(tmp_path / "new"))
    assert "of which 0 are to be solved" in again.err
    assert again.out == done.out


def test_a_build_stopped_by_the_clock_says_what_is_left(
    playproof: Playproof, tmp_path: Path
) -> None:
    words = ["table", "build", "choko", "--pieces", "4", "--out", str(tmp_path)]
    stopped = playproof(*words, "--seconds", "0")
    assert stopped.code == 0
    assert "stopped with 12,542 positions left" in stopped.err
    assert playproof(*words).code == 0
    assert playproof(*words, "--seconds", "0").code == 0


def test_a_build_in_memory_answers_and_verifies(playproof: Playproof, tmp_path: Path) -> None:
    asked, answers = tmp_path / "positions.txt", tmp_path / "answers.jsonl"
    asked.write_text(f"# a comment\n{WON}\n\nnonsense\n{DRAWN}\n")
    done = playproof(
        "table", "build", "choko", "--pieces", "4", "--distance", "--in-memory", "--verify",
        "--query", str(asked), "--answers", str(answers), "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    facts = done.json()
    assert facts["all"]["wrong"] == 0
    assert facts["slices"]["h0-2v2"]["longest_win"] == 5
    assert facts["examples"]["longest"]["0"]["actions"] == 5
    won, broken, drawn = map(json.loads, answers.read_text().splitlines())
    assert won["value"] == won["moves"]["C2xE2,A1"] == 1
    assert "no position of Choko" in broken["error"]
    assert drawn["value"] == 0


def test_probe(playproof: Playproof, folder: Path) -> None:
    told = playproof("table", "probe", WON, "--out", str(folder))
    assert told.out.startswith("Blue to move: won in 1\n  C2xE2,A1    won in 1\n")
    facts = playproof("table", "probe", DRAWN, "--out", str(folder), "--json").json()
    assert facts["value"] == 0
    assert facts["moves"]["B2-B1"] == 0
    assert facts["moves"]["B2-B3"] == -2


def test_the_cap_turns_a_late_win_into_a_draw(playproof: Playproof, folder: Path) -> None:
    board = "5/b4/1r1b1/1r3/5 b 0 0 -"  # won in five
    for ply, value in ((94, 5), (96, 0)):
        asked = ("table", "probe", f"{board} {ply}", "--out", str(folder), "--json")
        assert playproof(*asked).json()["value"] == 5
        assert playproof(*asked, "--cap").json()["value"] == value


def test_line_and_stats(playproof: Playproof, folder: Path) -> None:
    line = playproof("table", "line", WON, "--out", str(folder))
    assert line.out == "Blue to move: won in 1\nC2xE2,A1\n"
    drawn = playproof("table", "line", DRAWN, "--out", str(folder))
    assert "every line is drawn with best play" in drawn.out
    stats = playproof("table", "stats", "--out", str(folder))
    assert [row.split()[0] for row in stats.out.splitlines()] == [
        "slice", "h0-2v2", "h1-1v1", "h2-0v0", "all:",
    ]  # fmt: skip
    assert playproof("table", "stats", "--out", str(folder), "--json").json()["all"]["draws"] > 0


def test_verify(playproof: Playproof, folder: Path) -> None:
    told = playproof("table", "verify", "--out", str(folder), "--samples", "50", "--seed", "3")
    assert told.code == 0
    assert "0 wrong" in told.out
    whole = playproof("table", "verify", "--out", str(folder), "--all", "--json").json()
    assert (whole["checked"], whole["wrong"]) == (12_542, 0)


def test_query_to_stdout(playproof: Playproof, folder: Path, tmp_path: Path) -> None:
    asked = tmp_path / "positions.txt"
    asked.write_text(f"{WON}\n")
    told = playproof("table", "query", str(asked), "--out", str(folder))
    assert json.loads(told.out)["value"] == 1


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["build", "othello", "--all"], USAGE, "there are no tables of othello"),
        (["build", "choko"], USAGE, "no part of the game given: want --all, or --pieces"),
        (["build", "choko", "--all", "--pieces", "4"], USAGE, "--all cannot be combined"),
        (["build", "choko", "--pieces", "1"], USAGE, "want 2 to 24"),
        (["build", "choko", "--pieces", "4", "--verify"], USAGE, "want --distance too"),
        (["build", "choko", "--pieces", "4", "--hands", "13"], USAGE, "want 0 to 12"),
        (["build", "choko", "--pieces", "4", "--device", "tpu"], USAGE, "want cpu or cuda"),
        (["build", "choko", "--pieces", "4", "--query", "x"], USAGE, "go together"),
        (
            ["build", "choko", "--pieces", "4", "--query", "nowhere", "--answers", "y"],
            DATA,
            "nowhere cannot be read",
        ),
        (["build", "choko", "--pieces", "4", "--in-memory", "--out", "x"], USAGE, "leave out"),
        (["probe", WON, "--out", "nowhere"], DATA, "there are no tables in nowhere"),
        (["query", "nowhere"], DATA, "nowhere cannot be read"),
        (["query", "nowhere", "--solve"], USAGE, "--answers FILE"),
    ],
)
def test_mistakes_cost_one_line(
    playproof: Playproof, words: list[str], code: int, said: str
) -> None:
    told = playproof("table", *words)
    assert (told.code, told.out) == (code, "")
    assert said in told.err
    assert told.err.count("\n") == 1


def test_what_the_tables_do_not_hold_is_said_with_the_way_out(
    playproof: Playproof, folder: Path, tmp_path: Path
) -> None:
    more = playproof("table", "probe", "bbb2/5/5/rrr2/5 b 0 0 - 24", "--out", str(folder))
    assert more.code == DATA
    over = playproof("table", "probe", "5/5/5/5/b4 r 0 0 - 25", "--out", str(folder))
    assert "the game is over" in over.err
    other = playproof("table", "probe", WON, "--game", "choko:lone_jump=on", "--out", str(folder))
    assert "lone_jump False, not True" in other.err
    mixed = playproof(
        "table", "build", "choko:lone_jump=on", "--pieces", "3", "--distance", "--out", str(folder)
    )
    assert "use another folder" in mixed.err
    only = tmp_path / "outcomes"
    only.mkdir()
    for file in folder.glob("*.outcome"):
        (only / file.name).write_bytes(file.read_bytes())
    told = playproof("table", "line", WON, "--out", str(only))
    assert "build them with --distance" in told.err
    assert playproof("table", "probe", WON, "--out", str(only)).out.startswith(
        "Blue to move: won\n"
    )


# Without tables


@pytest.fixture
def no_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_DATA", str(tmp_path / "empty"))


@pytest.mark.usefixtures("no_tables")
def test_values_that_come_with_the_package_answer_a_probe(playproof: Playproof) -> None:
    told = playproof("table", "probe")
    assert told.code == 0, told.err
    assert told.out.startswith("Blue to move: won in 59\n  A1          won in 59\n")
    assert len(told.out.splitlines()) == 26
    assert told.err == (
        "from the values that come with Playproof, since the tables for it were not built here\n"
    )
    facts = playproof("table", "probe", "A1", "--json").json()
    assert (facts["value"], facts["source"]) == (-58, "shipped")
    assert len(facts["moves"]) == 24
    assert max(facts["moves"].values()) < 0


@pytest.mark.usefixtures("no_tables")
def test_of_some_positions_only_the_value_is_known(playproof: Playproof) -> None:
    told = playproof("table", "probe", "A1 E5")
    assert told.code == 0, told.err
    assert told.out.count("\n") == 1
    assert told.err.endswith("the values of its moves are not known\n")


@pytest.mark.usefixtures("no_tables")
def test_the_cap_counts_for_shipped_values_too(playproof: Playproof) -> None:
    late = "5/5/5/5/5 b 12 12 - 60"
    assert playproof("table", "probe", late, "--json").json()["value"] == 59
    assert playproof("table", "probe", late, "--json", "--cap").json()["value"] == 0


@pytest.mark.usefixtures("no_tables")
def test_the_best_line_comes_with_the_package(playproof: Playproof) -> None:
    told = playproof("table", "line")
    assert told.out.startswith("Blue to move: won in 59\n")
    assert len(told.out.splitlines()[1].split()) == 59
    other = playproof("table", "line", "A1 E5")
    assert other.code == DATA
    assert "build tables" in other.err


@pytest.mark.usefixtures("no_tables")
@pytest.mark.parametrize("words", [["probe"], ["line"]])
def test_what_neither_has_is_said(playproof: Playproof, words: list[str]) -> None:
    told = playproof("table", *words, WON)
    assert (told.code, told.out) == (DATA, "")
    assert "there are no tables in " in told.err
    assert "the values that come with Playproof do not have this position" in told.err
    assert told.err.count("\n") == 1
    assert playproof("table", *words, "--game", "choko:lone_jump=on").code == DATA


def test_a_folder_that_is_named_is_the_only_one_asked(playproof: Playproof, folder: Path) -> None:
    told = playproof("table", "probe", "--out", str(folder))
    assert told.code == DATA
    assert "there is no table of " in told.err
    assert playproof("table", "probe", WON, "--out", str(folder), "--json").json()["source"] == (
        "tables"
    )
