"""``playproof tactics`` from the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.nets.files import save
from playproof.tables.choko.build import build, plan_build
from playproof.tables.choko.cpu import Cpu
from playproof.tables.choko.store import DISTANCE, OUTCOME, FileStore
from tests.support.cli.running import Answer
from tests.support.nets.made_nets import random_net

USAGE, DATA = 2, 3
Playproof = Callable[..., Answer]
FAMILIES = ("secure-capture", "evasion", "capture-and-defend", "sacrifice-and-fork")
FIGURES = ("Figure 4", "Skirmish 1", "Skirmish 2", "Figure 7")


def test_the_table_says_what_the_json_says(playproof: Playproof) -> None:
    words = ["choko", "random", "minimax:depth=3", "--limit", "80", "--seed", "1"]
    told = playproof("tactics", *words)
    assert told.code == 0, told.err
    data = playproof("tactics", *words, "--json").json()
    assert (data["game"], data["seed"]) == ("choko", 1)
    assert [found["agent"] for found in data["agents"]] == ["random", "minimax"]
    cells = [[c.strip() for c in line.split("  ") if c.strip()] for line in told.out.splitlines()]
    assert ["family", "agent", "solved", "by chance"] in cells
    for name in (*FAMILIES, "all"):
        first = next(i for i, line in enumerate(cells) if line[:1] == [name])
        assert cells[first][0] == name
        for row, found in zip(cells[first : first + 2], data["agents"], strict=True):
            part = found["families"][name]
            low, high = part["interval"]
            share = f"{100 * part['share']:.1f} % ({100 * low:.1f}\N{EN DASH}{100 * high:.1f})"
            assert row[-3:] == [found["agent"], share, f"{100 * part['random']:.1f} %"]
            assert part["share"] == part["solved"] / part["positions"]
            assert part["policy"] is None
    for title in FIGURES:
        assert any(line.startswith(f"{title}, ") for line in told.out.splitlines())
    strong = data["agents"][1]["paper"]
    assert [one["name"] for one in strong] == ["figure-4", "skirmish-1", "skirmish-2", "figure-7"]
    assert all(one["right"] for one in strong)
    assert strong[2]["added"] == {"red": "", "blue": "E1"}
    assert "  minimax: D4xB4,A1, right\n" in told.out
    assert told.err == "seed 1\n"


def test_a_net_gets_columns_of_its_own_and_pgts_beside_it(
    playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save(random_net(), tmp_path / "odd.safetensors")
    words = ["choko", "net:odd.safetensors", "greedy", "--limit", "20", "--seed", "1"]
    told = playproof("tactics", *words)
    assert told.code == 0, told.err
    assert "right moves get" in told.out
    found, plain = playproof("tactics", *words, "--json").json()["agents"]
    policy = found["families"]["evasion"]["policy"]
    row = next(line for line in told.out.splitlines() if line.startswith("  evasion"))
    assert f"{100 * policy['probability']:.1f} %" in row
    assert f"{policy['mean_rank']:.1f}, median {policy['median_rank']:g}" in row
    one = found["paper"][0]
    verdict = "right" if one["right"] else "wrong"
    line = (
        f"  net:odd.safetensors: {one['plays']}, {verdict}; the paper's move has "
        f"{100 * one['probability']:.1f} %, rank {one['rank']}; the likeliest is "
        f"{one['likeliest']}\n"
    )
    assert line in told.out
    for one in found["pgts"]:
        verdict = "right" if one["right"] else "wrong"
        assert f"  pgts:net=odd.safetensors: {one['plays']}, {verdict}\n" in told.out
    assert len(found["pgts"]) == 4
    assert plain["pgts"] == []


def test_positions_are_drawn_with_what_is_right(playproof: Playproof) -> None:
    told = playproof("tactics", "choko", "--show", "--family", "paper", "--seed", "1")
    assert told.code == 0, told.err
    pictures = told.out.split("\n\n")
    for title in FIGURES:
        assert any(part.startswith(f"{title}, ") for part in pictures)
    assert "Added to what the text names: Red A1, Blue A5 E5.\n" in told.out
    assert "Added to what the text names: Blue E1.\n" in told.out
    assert " 1  ○  ○  ●  ·  ●\n" in told.out
    assert "Drawn by D4xB4,A1 alone.\n" in told.out
    words = ["--show", "--family", "evasion", "--limit", "2", "--seed", "1"]
    told = playproof("tactics", "choko", "minimax", *words)
    assert told.out.count("evasion: a piece is threatened") == 2
    assert told.out.count("minimax plays ") == 2
    assert "2 positions" in told.out
    assert "Figure 4" not in told.out


def test_one_family_alone_is_asked_about(playproof: Playproof) -> None:
    words = ["--family", "evasion", "--limit", "9", "--seed", "1", "--json"]
    (found,) = playproof("tactics", "choko", "greedy", *words).json()["agents"]
    assert list(found["families"]) == ["evasion", "all"]
    assert found["families"]["all"]["positions"] == 9
    assert found["paper"] == []
    (found,) = playproof("tactics", "choko", "greedy", "--family", "paper", "--json").json()[
        "agents"
    ]
    assert found["families"] == {}
    assert len(found["paper"]) == 4


WRONG = {
    "another game": ("othello random", USAGE, "there are no tactics for othello: want choko"),
    "no game": ("chokko random", USAGE, "no game 'chokko'"),
    "lone jumps": ("choko:lone_jump=on random", USAGE, "want choko:lone_jump=off"),
    "a short cap": ("choko:cap=50 random", USAGE, "a cap of 50 actions cuts wins short"),
    "no family": ("choko random --family forks", USAGE, "no family is called 'forks': want secure"),
    "no agent": ("choko rndom", USAGE, "no agent 'rndom'; did you mean random?"),
    "a second agent": ("choko random net:none", USAGE, "there is no net 'none'"),
    "a person": ("choko human", USAGE, "human cannot be asked about so many positions"),
    "nothing to do": ("choko", USAGE, "want one of: agents to test, --show, --make FILE"),
    "no limit": ("choko random --limit 0", USAGE, "--limit"),
    "two forms": ("choko random --show --json", USAGE, "want one of them"),
    "tables for nothing": ("choko random --tables x", USAGE, "--tables is for --make FILE"),
    "agents to make": ("choko random --make x", USAGE, "it takes --tables and --seed"),
    "no tables": ("choko --make x --tables none", DATA, "there are no tables in none: build some"),
    "no set": ("choko random --set none.gz", DATA, "none.gz cannot be read: No such file"),
    "a foreign set": ("choko random --set notes", DATA, "notes is no set of tactics: want one"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_invocation_gets_one_line(
    what: str, playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").write_text("These are my notes.\n")
    words, code, line = WRONG[what]
    check(playproof("tactics", *words.split()), code, line)
    assert [file.name for file in tmp_path.iterdir()] == ["notes"]


@pytest.mark.parametrize(
    ("kind", "line"),
    [(DISTANCE, "there is no table of h0-4v2"), (OUTCOME, "these tables have no distances")],
)
def test_tables_that_do_not_reach_are_refused(
    kind: str, line: str, playproof: Playproof, tmp_path: Path
) -> None:
    """Figure 7 has ten pieces; these tables end at four."""
    folder, device = tmp_path / "tables", Cpu()
    build(
        plan_build(False, kind, hands=0, pieces=4), device, FileStore(folder, False, kind, device)
    )
    out = tmp_path / "set"
    told = playproof("tactics", "choko", "--make", str(out), "--tables", str(folder))
    check(told, DATA if kind == DISTANCE else USAGE, line)
    assert not out.exists()


def check(answer: Answer, code: int, line: str) -> None:
    assert answer.code == code, answer.err
    assert answer.out == ""
    assert answer.err.startswith("error: ")
    assert answer.err.count("\n") == 1
    assert line in answer.err
