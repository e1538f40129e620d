"""Games, agents and statements that somebody wrote for version 0.1 are known to every command.

They are the examples of that version as they were; their names end in ``.txt``, so that nobody
brings them up to date.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cli.running import SOURCES, Answer, process
from tests.support.compatibility.made import MADE
from tests.support.paths import EXAMPLES

Playproof = Callable[..., Answer]

pytestmark = pytest.mark.usefixtures("forget_loaded")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder ``theirs`` with all files, in the current folder."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    for file in (MADE / "third_party").iterdir():
        (theirs / file.stem).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLAYPROOF_DATA", str(tmp_path / "data"))
    return theirs


@pytest.mark.parametrize(("game", "place"), [("four", 0), ("nim", 1)])
def test_an_old_game_is_played_kept_and_replayed(
    game: str, place: int, playproof: Playproof, files: Path
) -> None:
    line = (MADE / "records" / "games.jsonl").read_text("utf-8").splitlines()[place]
    Path("old.jsonl").write_text(line + "\n")
    load = ("--load", f"theirs/{game}.py")
    shown = playproof(*load, "show", game, "old.jsonl", "--svg", "end.svg")
    assert shown.code == 0, shown.err
    assert "<svg" in Path("end.svg").read_text("utf-8")
    words = ("--first", "random", "--second", "random", "--seed", "3", "--save", "new.jsonl")
    played = playproof(*load, "play", game, *words, "--quiet")
    assert played.code == 0, played.err
    assert json.loads(Path("new.jsonl").read_text("utf-8")) == json.loads(line)
    if game == "nim":
        lawful = playproof(*load, "conform", game, "--games", "1", "--seed", "1")
        assert lawful.code == 0, lawful.out + lawful.err
        counts = [playproof(*load, "perft", game, d, "--json").json()["leaves"] for d in "123"]
        assert counts == [3, 9, 27]


def test_an_old_agent_plays(playproof: Playproof, files: Path) -> None:
    words = ("--first", "mobility", "--second", "mobility:most=true", "--seed", "1", "--json")
    game = playproof("--load", "theirs/mobility.py", "play", "othello:size=4", *words).json()
    assert game["players"] == ["mobility", "mobility:most=true"]
    assert game["result"] in ("1-0", "0-1", "1/2-1/2")
    told = playproof(
        "--load", "theirs/mobility.py", "analyse", "othello", "--agent", "mobility", "--json"
    )
    assert told.code == 0, told.err


def test_what_code_of_ones_own_overrides_and_asks_for(playproof: Playproof, files: Path) -> None:
    """Hooks of a game, names of a batch and a state, and a reward, under their old names."""
    load = ("--load", "theirs/hooks.py")
    words = ("--first", "first-of-all", "--second", "first-of-all", "--seed", "1")
    played = playproof(*load, "play", "sticks", *words, "--from", "2,3,3,3,3", "--save", "s.jsonl")
    assert played.code == 0, played.err
    assert "0-1  White took the last stick." in played.out
    assert json.loads(Path("s.jsonl").read_text("utf-8"))["moves"][:6] == list("233331")

    sizes = ("hidden=4", "steps=32", "games=4", "minibatch=16", "iterations=1")
    changes = ("game=othello:size=4", "observation=planes", "evaluate_every=0", "reward=freedom")
    settings = [part for change in (*sizes, *changes) for part in ("--set", change)]
    words = ("train", "choko-ppo-v1", "--out", "run", "--seed", "1", *settings, "--json")
    told = playproof(*load, *words).json()
    assert told["value_loss"] == pytest.approx(0.058783949, rel=1e-3)  # as the old version had it


def test_a_package_of_ones_own_is_found_by_its_entry_points(files: Path) -> None:
    info = files / "pastimes-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pastimes\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[playproof.games]\nnim = nim:Nim\n"
        "[playproof.agents]\nmobility = mobility:Mobility\n"
        "[playproof.statements]\nothello-flips = othello_flips:OthelloFlips\n"
    )
    path = os.pathsep.join([str(SOURCES), str(files)])
    text = (EXAMPLES / "othello_flips.py").read_text("utf-8")  # which registers itself, too
    (files / "othello_flips.py").write_text(text.replace("@register_statement\n", ""))
    answer = process("games", "--json", PYTHONPATH=path)
    listed = {
        kind: [each["name"] for each in each_kind] for kind, each_kind in answer.json().items()
    }
    assert "nim" in listed["games"]
    assert "mobility" in listed["agents"]
    proved = process("prove", "othello-flips", "--size", "4", "--at-least", "6", PYTHONPATH=path)
    assert proved.code == 0, proved.err


@pytest.mark.xfail(
    strict=True,
    reason="it imports othello_boards and othello_play of the proofs, which are othello.boards and "
    "othello.play there now",
)
def test_an_old_statement_is_proved(playproof: Playproof, files: Path) -> None:
    words = ("prove", "othello-flips", "--size", "4", "--at-least", "6", "--json")
    told = playproof("--load", "theirs/othello_flips.py", *words)
    assert told.code == 0, told.err
    assert "turned" in told.out
