"""Tables of Choko that version 0.1 built are asked, checked, and built to their end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.support.cli.running import Answer
from tests.support.compatibility.made import digest, json_of, lines_of, names

Playproof = Callable[..., Answer]
Copy = Callable[[str], Path]

POSITION = "5/1rr2/2b2/3b1/5 b 0 0 - 24"
LONE = ("--out", "outcome")


def test_the_answers_are_those_of_the_old_version(playproof: Playproof, copy: Copy) -> None:
    folder = copy("tables")
    tables = ("--out", "distance")
    probe = playproof("table", "probe", POSITION, *tables, "--json").json()
    assert probe == json_of(folder / "probe.json")
    assert (probe["value"], probe["moves"]["C3xC5,B4"], probe["moves"]["D2-D3"]) == (1, 1, -2)
    line = playproof("table", "line", POSITION, *tables, "--json").json()
    assert line == json_of(folder / "line.json")
    stats = playproof("table", "stats", *tables, "--json").json()
    assert stats == json_of(folder / "stats.json")
    assert stats["slices"]["h0-2v2"]["positions"] == 75_900
    stats = playproof("table", "stats", "choko:lone_jump=on", *LONE, "--json").json()
    assert stats == json_of(folder / "stats-outcome.json")
    assert stats["slices"]["h0-2v1"]["wins"] == 4_100

    words = ("table", "query", "positions.txt", *tables, "--answers", "again.jsonl")
    answer = playproof(*words)
    assert answer.code == 0, answer.err
    assert lines_of(folder / "again.jsonl") == lines_of(folder / "answers.jsonl")
    made = playproof(
        "yardstick", "choko", "--make", "answers.jsonl", "--out", "s.gz", "--seed", "1"
    )
    assert made.code == 0, made.err  # answers are what a yardstick is made of


def test_the_tables_are_verified(playproof: Playproof, copy: Copy) -> None:
    copy("tables")
    for game, folder, slices in (("choko", "distance", 3), ("choko:lone_jump=on", "outcome", 5)):
        told = playproof("table", "verify", game, "--out", folder, "--seed", "1", "--json").json()
        assert (told["slices"], told["wrong"]) == (slices, 0), told


def test_a_build_goes_on_from_old_slices_to_the_same_files(
    playproof: Playproof, copy: Copy
) -> None:
    folder = copy("tables")
    for game, kind, words, last in (
        ("choko", "distance", ("--pieces", "4", "--distance"), ["h2-0v0"]),
        ("choko:lone_jump=on", "outcome", ("--pieces", "3"), ["h1-0v1", "h1-1v0"]),
    ):
        files = {file: digest(file) for file in sorted((folder / kind).iterdir())}
        gone = [folder / kind / f"{name}.{kind}" for name in last]
        headers = [json.loads(file.read_bytes().split(b"\n")[0]) for file in gone]
        for file in gone:
            file.unlink()
        kept = {file: file.stat().st_mtime_ns for file in files if file not in gone}
        answer = playproof("table", "build", game, *words, "--out", kind)
        assert answer.code == 0, answer.err
        assert {file: file.stat().st_mtime_ns for file in kept} == kept
        for file, header in zip(gone, headers, strict=True):
            assert names(json.loads(file.read_bytes().split(b"\n")[0])) == names(header)
        assert {file: digest(file) for file in sorted((folder / kind).iterdir())} == files


def test_the_perfect_agent_plays_from_them(playproof: Playproof, copy: Copy) -> None:
    folder = copy("tables")
    words = ("--from", POSITION, "--first", f"perfect:tables={folder / 'distance'}")
    game = playproof("play", "choko", *words, "--second", "random", "--seed", "1", "--json").json()
    assert (game["moves"], game["result"]) == (["C3xC5,B4"], "1-0")
