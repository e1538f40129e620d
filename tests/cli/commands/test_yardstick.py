"""``playproof yardstick`` from the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.arena import critical
from tests.support.cli.running import Answer

USAGE, DATA = 2, 3
Playproof = Callable[..., Answer]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables' answers about small positions."""
    file = tmp_path_factory.mktemp("yardstick") / "answers.jsonl"
    file.write_text("".join(f"{line}\n" for line in critical.lines()))
    return file


@pytest.fixture
def a_set(answers: Path, tmp_path: Path, playproof: Playproof) -> Path:
    out = tmp_path / "set.json.gz"
    done = playproof("yardstick", "choko", "--make", str(answers), "--out", str(out), "--seed", "1")
    assert done.code == 0, done.err
    return out


@pytest.mark.slow
def test_a_sample_is_written_one_position_a_line(playproof: Playproof, tmp_path: Path) -> None:
    out = tmp_path / "candidates.txt"
    done = playproof("yardstick", "choko", "--sample", "30", "--seed", "7", "--out", str(out))
    assert (done.code, done.out) == (0, "")
    assert done.err == f"30 positions in {out}, seed 7\n"
    lines = out.read_text().splitlines()
    assert len(set(lines)) == 30
    assert playproof("show", "choko", lines[0]).code == 0


def test_making_a_set_tells_what_is_in_it(
    playproof: Playproof, answers: Path, tmp_path: Path
) -> None:
    files = [tmp_path / name for name in ("a.json.gz", "b.json.gz")]
    for out in files:
        words = ["--make", str(answers), "--out", str(out), "--seed", "1"]
        done = playproof("yardstick", "choko", *words)
        assert done.code == 0, done.err
    assert files[0].read_bytes() == files[1].read_bytes()
    assert [line.split()[0] for line in done.out.splitlines()] == ["opening", "middle", "end"]
    assert "opening      0 won      0 drawn" in done.out
    assert f"critical positions in {files[1]}" in done.err
    # No path of the machine it was made on.
    words = ["random", "--set", str(files[0]), "--seed", "1", "--workers", "1", "--json"]
    made = playproof("yardstick", "choko", *words).json()["made"]
    assert made["command"] == "playproof yardstick choko --make answers.jsonl --seed 1"


def test_agents_are_the_rows_and_phases_the_columns(playproof: Playproof, a_set: Path) -> None:
    words = ["random", "minimax:depth=2", "--set", str(a_set), "--seed", "1", "--workers", "1"]
    told = playproof("yardstick", "choko", *words)
    assert told.code == 0, told.err
    lines = [line.split("  ") for line in told.out.splitlines()]
    cells = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    assert ["agent", "opening", "middle", "end", "all"] in cells
    data = playproof("yardstick", "choko", *words, "--json").json()
    assert data["game"] == "choko:cap=0"
    for found in data["agents"]:
        row = next(line for line in cells if line and line[0] == found["agent"])
        assert row[1] == "-"
        for phase, cell in zip(("middle", "end", "all"), row[2:], strict=True):
            part = found[phase]
            low, high = part["interval"]
            shown = f"{100 * part['share']:.1f} % ({100 * low:.1f}\N{EN DASH}{100 * high:.1f})"
            assert cell == shown
            assert part["share"] == part["kept"] / part["positions"]
    weak, strong = (found["end"] for found in data["agents"])
    assert weak["interval"][1] < strong["interval"][0]
    assert weak["interval"][0] < weak["random"] < weak["interval"][1]
    by_chance = next(line for line in cells if line and line[0] == "(by chance)")
    assert by_chance[-1] == f"{100 * data['agents'][0]['all']['random']:.1f} %"


def test_the_results_are_drawn_by_the_sizes_of_networks(
    playproof: Playproof, a_set: Path, tmp_path: Path
) -> None:
    file = tmp_path / "curve.svg"
    words = ["random", "net:choko-ppo-v3,greedy=true", "pgts:net=choko-ppo-v3", "--set", str(a_set)]
    words += ["--limit", "4", "--seed", "1", "--workers", "1", "--svg", str(file)]
    done = playproof("yardstick", "choko", *words, "--json")
    assert done.code == 0, done.err
    assert [found["parameters"] for found in done.json()["agents"]] == [None, 180_738, 180_738]
    svg = file.read_text()
    assert all(name in svg for name in ("net:NET,greedy=true", "pgts:net=NET", "opening", "end"))
    assert "random" not in svg
    told = playproof("yardstick", "choko", *words[1:2], *words[3:5], "--limit", "2", "--seed", "1")
    assert "180,738" in told.out


def test_a_limit_is_kept_to(playproof: Playproof, a_set: Path) -> None:
    words = ["greedy", "--set", str(a_set), "--limit", "20", "--seed", "1", "--workers", "1"]
    (found,) = playproof("yardstick", "choko", *words, "--json").json()["agents"]
    assert [found[name]["positions"] for name in ("middle", "end", "all")] == [10, 10, 20]
    assert "20 critical positions" in playproof("yardstick", "choko", *words).out


WRONG = {
    "another game": ("othello random", USAGE, "there is no yardstick for othello: want choko"),
    "no game": ("chokko random", USAGE, "no game 'chokko'"),
    "no agent": ("choko rndom", USAGE, "no agent 'rndom'; did you mean random?"),
    "a wrong option": ("choko minimax:deep=3", USAGE, "no option 'deep'"),
    "a person": ("choko human", USAGE, "human cannot be asked about so many positions"),
    "nothing to do": ("choko", USAGE, "want one of: agents to measure, --sample N, --make"),
    "two things at once": ("choko random --sample 5", USAGE, "want one of: agents to measure"),
    "nowhere to go": ("choko --sample 5", USAGE, "want --out FILE"),
    "an agent's out": ("choko random --out x", USAGE, "measuring takes --json"),
    "a picture of nothing": ("choko --svg x --sample 5 --out y", USAGE, "name some, such as net:"),
    "a picture without nets": ("choko random --svg x", USAGE, "none of the agents has a network"),
    "no place for a picture": ("choko random --svg no/x", DATA, "no/x cannot be written"),
    "no positions": ("choko --sample 0 --out x", USAGE, "--sample"),
    "no limit": ("choko random --limit 0", USAGE, "--limit"),
    "no set": ("choko random --set none.gz", DATA, "none.gz cannot be read: No such file"),
    "a foreign set": ("choko random --set notes", DATA, "notes is no set of positions: want one"),
    "no answers": ("choko --make none --out x", DATA, "none cannot be read: No such file"),
    "foreign answers": ("choko --make notes --out x", DATA, "notes, line 1: no answer of"),
    "no place": ("choko --sample 5 --out no/x", DATA, "no/x cannot be written: No such file"),
    "no place for a set": ("choko --make notes --out no/x", DATA, "no/x cannot be written"),
    "no such set": ("choko:lone_jump=on random", USAGE, "no set of choko:lone_jump=true,cap=0"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_invocation_gets_one_line(
    what: str, playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").write_text("These are my notes.\n")
    words, code, line = WRONG[what]
    check(playproof("yardstick", *words.split()), code, line)
    assert [file.name for file in tmp_path.iterdir()] == ["notes"]


def test_a_broken_line_among_good_ones_is_named(
    playproof: Playproof, answers: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    lines = answers.read_text().splitlines()
    broken.write_text("\n".join([*lines[:4], lines[4][:-9], *lines[5:]]))
    told = playproof("yardstick", "choko", "--make", str(broken), "--out", str(tmp_path / "x"))
    check(told, DATA, f"{broken}, line 5: no answer of 'playproof table query'")


def test_a_set_of_other_rules_is_refused(playproof: Playproof, a_set: Path) -> None:
    told = playproof("yardstick", "choko:lone_jump=on", "random", "--set", str(a_set))
    check(told, USAGE, "is a set of choko:cap=0, not of choko:lone_jump=true,cap=0")


def check(answer: Answer, code: int, line: str) -> None:
    assert answer.code == code, answer.err
    assert answer.out == ""
    assert answer.err.startswith("error: ")
    assert answer.err.count("\n") == 1
    assert line in answer.err
