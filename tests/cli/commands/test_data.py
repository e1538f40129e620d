"""``playproof data`` on the command line, and PGN at its other doors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from playproof.cli.main import main
from tests.support.formats.pgn_play import random_game, write


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.pgn").write_text(write([random_game(seed, 30) for seed in range(12)]))
    return tmp_path


BUILD = ["data", "build", "games.pgn", "--out", "out", "--seed", "3", "--workers", "1"]


def test_build_stats_and_show(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(BUILD) == 0
    told = capsys.readouterr()
    assert "1,183,411" in told.out
    assert "seed 3" in told.err
    assert main(["data", "stats", "out", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["games"] == 12
    assert main(["data", "show", "out", "--position", "2"]) == 0
    assert "Played: " in capsys.readouterr().out
    assert main(["data", "show", "out", "--position", "2", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["file"] == "games.pgn"
    assert main(["data", "show", "out", "--position", "99999"]) == 2
    assert "there is no position 99999" in capsys.readouterr().err


def test_the_same_command_without_a_seed_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(BUILD) == 0
    assert main([*BUILD[:5], "--workers", "1"]) == 0
    assert capsys.readouterr().err.count("seed 3") == 2
    assert main([*BUILD[:5], "--seed", "4"]) == 2
    assert "is a build with seed 3, not 4" in capsys.readouterr().err


def test_bad_input_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, code in (
        (["data", "build", "none.pgn", "--out", "x"], 3),
        (["data", "build", "games.pgn", "--out", "x", "--sample", "2"], 2),
        (["data", "stats", "nowhere"], 3),
        (["show", "chess", "games.pgn", "--number", "99"], 3),
    ):
        assert main(arguments) == code
        error = capsys.readouterr().err.strip().split("\n")[-1]
        assert error.startswith("error: ")


def test_show_reads_and_writes_pgn(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "chess", "games.pgn", "--number", "2", "--pgn", "one.pgn"]) == 0
    position = capsys.readouterr().out.split("Position: ")[1]
    assert main(["show", "chess", "one.pgn"]) == 0
    assert capsys.readouterr().out.split("Position: ")[1] == position
    assert main(["show", "othello", "--pgn", "two.pgn"]) == 2
    assert "PGN is for chess" in capsys.readouterr().err


def test_play_goes_on_from_a_file_and_saves_pgn(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--first", "random", "--second", "random", "--seed", "1", "--quiet"]
    save = ["--from", "games.pgn", "--save", "saved.pgn"]
    assert main(["play", "chess", *arguments, *save]) == 0
    capsys.readouterr()
    assert main(["show", "chess", "saved.pgn", "--json"]) == 0
    moves = json.loads(capsys.readouterr().out)["moves"]
    main(["show", "chess", "games.pgn", "--json"])
    assert moves[:30] == json.loads(capsys.readouterr().out)["moves"]
    assert main(["play", "othello", *arguments, "--save", "saved.pgn"]) == 2
