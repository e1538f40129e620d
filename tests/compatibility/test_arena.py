"""Tournaments, matches and ratings that version 0.1 was killed in are finished, not begun anew."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cli.running import Answer
from tests.support.compatibility.made import MADE, json_of, names, rounded, rows, schema

Playproof = Callable[..., Answer]
Copy = Callable[[str], Path]

ALONE = ("--workers", "1", "--batch", "1", "--json")
TOURNAMENT = (
    "tournament", "othello:size=4", "random", "greedy", "mcts:simulations=1500",
    "net:learned.safetensors", "--games", "6", "--seed", "5", *ALONE,
)  # fmt: skip
MATCH = (
    "match", "othello:size=4", "greedy", "mcts:simulations=1500", "--games", "60", "--sprt",
    "0,60", "--seed", "2", *ALONE,
)  # fmt: skip
ALL = "SELECT * FROM games ORDER BY id"


@pytest.mark.parametrize(
    ("name", "words", "played", "in_all"),
    [("tournament", TOURNAMENT, 18, 36), ("match", MATCH, 26, 32)],
)
def test_it_is_finished_as_the_old_version_would_have(
    name: str, words: tuple[str, ...], played: int, in_all: int, playproof: Playproof, copy: Copy
) -> None:
    folder = copy("arena")
    shutil.copy(f"{name}.sqlite", "before.sqlite")
    shutil.copy(f"{name}.sqlite-wal", "before.sqlite-wal")  # the kill left games there
    before, runs = (
        rows(Path("before.sqlite"), ALL),
        rows(Path("before.sqlite"), "SELECT * FROM runs"),
    )
    assert (len(before), len(runs), runs[0][-1]) == (played, 1, 0)

    answer = playproof(*words, "--file", f"{name}.sqlite")
    assert f"{played} of" in answer.err
    assert rounded(answer.json()) == rounded(json_of(folder / f"{name}.json"))
    after = rows(folder / f"{name}.sqlite", ALL)
    assert after[:played] == before
    assert len(after) == in_all
    # It is the run that was open: the same wish, word by word, and now it is done.
    assert rows(folder / f"{name}.sqlite", "SELECT * FROM runs") == [(*runs[0][:-1], 1)]
    assert {len(game) for game in after} == {len(before[0])}
    records = [names(json.loads(game[-1])) for game in after]
    assert {frozenset(found) for found in records} == {frozenset(records[0])}


def test_a_file_that_is_begun_today_is_like_the_old_one(playproof: Playproof, copy: Copy) -> None:
    copy("arena")
    words = [word for word in TOURNAMENT if word not in ("mcts:simulations=1500",)]
    assert playproof(*words, "--file", "new.sqlite").code == 0
    assert schema(Path("new.sqlite")) == schema(Path("tournament.sqlite"))
    new, old = (
        json.loads(rows(Path(file), "SELECT wish FROM runs")[0][0])
        for file in ("new.sqlite", "tournament.sqlite")
    )
    assert names(new) == names(old)
    # Who is known by what: a net by its numbers and sizes, wherever its file is.
    assert new["keys"] == [key for key in old["keys"] if not key.startswith("mcts")]
    one = "SELECT {} FROM games WHERE pair = 0 AND two = 'greedy' AND leg = 0"
    told = "first, second, result, reason, opening, plies, record"
    assert rows(Path("new.sqlite"), one.format(told)) == rows(
        Path("tournament.sqlite"), one.format(told)
    )
    questions = "SELECT game, openings, seed FROM events"
    assert rows(Path("new.sqlite"), questions) == rows(Path("tournament.sqlite"), questions)


def test_games_are_found_in_an_old_file(playproof: Playproof, copy: Copy) -> None:
    copy("arena")
    words = ("games-of", "net:learned.safetensors", "--file", "tournament.sqlite", "--limit", "99")
    found = [json.loads(line) for line in playproof(*words, "--json").out.splitlines()]
    assert len(found) == 4 + 2 + 2
    assert all("net:learned.safetensors" in record["players"] for record in found)
    lost = playproof(*words, "--json", "--result", "lost", "--against", "random").out.splitlines()
    assert len(lost) == sum(
        record["result"] == ("0-1" if record["players"][0].startswith("net") else "1-0")
        for record in found
        if "random" in record["players"]
    )
    opened = playproof(
        "games-of", "*", "--file", "tournament.sqlite", "--opening", "d3d4", "--json"
    )
    assert opened.out.splitlines()
    assert all(json.loads(line)["moves"][:2] == ["d3", "d4"] for line in opened.out.splitlines())


def test_a_rating_is_told_from_old_games(
    playproof: Playproof, copy: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy("arena")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    words = ("elo", "chess", "alphabeta:depth=1", "--against", "uci:./engine", "--nodes", "1")
    more = ("--levels", "1400,1500", "--games", "4", "--itself", "2", "--seed", "3", "--json")
    last = ("--openings", "random:plies=4", "--workers", "1", "--file", "elo.sqlite")
    old, before = json_of(folder / "elo.json"), rows(folder / "elo.sqlite", ALL)
    told = playproof(*words, *more, *last).json()
    assert {player["reused"] for player in told.pop("reuse")} == {8, 6, 2}
    old.pop("reuse")  # nothing was, at first
    assert rounded(told) == rounded(old)
    assert [level["points"] for level in told["levels"]] == [4.0, 3.5]
    assert rows(folder / "elo.sqlite", ALL) == before
    wishes = {wish for (wish,) in rows(folder / "elo.sqlite", "SELECT wish FROM runs")}
    assert len(wishes) == 5  # those of today are the old ones, word by word


def test_games_of_old_games_and_agents_of_ones_own(
    playproof: Playproof, copy: Copy, forget_loaded: None
) -> None:
    folder = copy("arena")
    theirs = folder / "theirs"
    theirs.mkdir()
    for name in ("nim", "mobility"):
        source = MADE / "third_party" / f"{name}.py.txt"
        (theirs / f"{name}.py").write_bytes(source.read_bytes())
    before = rows(folder / "ours.sqlite", ALL)
    assert len(before) == 8
    common = ("--games", "4", "--seed", "1", "--workers", "1", "--file", "ours.sqlite", "--json")
    nim = ("match", "nim:heap=10", "random", "greedy", "--openings", "random:plies=2,balance=1")
    told = playproof("--load", "theirs/nim.py", *nim, *common).json()
    assert [player["reused"] for player in told["reuse"]] == [4, 4]
    words = ("match", "othello:size=4", "mobility", "random")
    told = playproof("--load", "theirs/mobility.py", *words, *common).json()
    assert [player["reused"] for player in told["reuse"]] == [4, 4]
    # The agent is known by the content of its file.
    assert list(told["reuse"][0]["digests"]) == ["code"]
    assert told["pairings"][0]["points"] == 2.5
    assert rows(folder / "ours.sqlite", ALL) == before
