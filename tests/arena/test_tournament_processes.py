"""Tournaments in processes: killed, shared and far away, the table is the same.

The long versions, with a real cluster, are in make verify.
"""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from playproof.arena.tournament import tournament
from playproof.cli.main import main
from playproof.core.parallel import cluster
from tests.support.arena.killing import arguments, begin_alone, is_sound, kept, table, table_of
from tests.support.arena.players_here import players_here
from tests.support.cli.running import environment
from tests.support.core.fake_ray import FakeRay
from tests.support.longer import longer

THREE = ("random", "greedy", "minimax:depth=1")
GAMES = 20  # of each pairing: a first job of 4 games, and the others


def words(file: Path) -> list[str]:
    return [*arguments(THREE, GAMES, file, "othello:size=4"), "--workers", "1"]


def choose_moves(file: Path, *more: str) -> dict[str, Any]:
    """The table of the tournament in a file, played to its end in this process."""
    with players_here(), contextlib.redirect_stdout(io.StringIO()) as out:
        assert main([*words(file), *more]) == 0
    return table_of(out.getvalue())


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The table of a tournament that nobody killed, shared or moved elsewhere."""
    return choose_moves(tmp_path_factory.mktemp("alone") / "alone.sqlite")


@pytest.mark.slow
def test_processes_of_their_own_change_nothing(tmp_path: Path) -> None:
    def play(name: str) -> Any:
        players = ["random", "greedy"]
        return tournament(
            "othello:size=4", players, 8, path=tmp_path / name, seed=5, batch=2, workers=2
        ).to_json()

    apart = play("apart")
    with players_here():
        assert play("together") == apart


@pytest.mark.slow
@pytest.mark.parametrize("killed", longer([5], [1, 5]))
def test_killed_while_it_writes_it_ends_with_the_same_table(
    killed: int, tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    file = tmp_path / "killed.sqlite"
    process = begin_alone(words(file), killed=killed)
    _, err = process.communicate(timeout=120.0)
    assert process.returncode == -9, err
    # The first jobs of the three pairings, and one more.
    assert kept(file) == 0 if killed == 1 else 3 * 4 < kept(file) < 3 * GAMES
    assert choose_moves(file) == undisturbed
    assert kept(file) == 3 * GAMES
    assert is_sound(file)


@pytest.mark.slow
def test_two_processes_may_share_a_file(tmp_path: Path, undisturbed: dict[str, Any]) -> None:
    file = tmp_path / "shared.sqlite"
    other = begin_alone(words(file))
    end = time.monotonic() + 120.0
    while kept(file) == 0:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert choose_moves(file) == undisturbed
    assert table(other, 120.0) == undisturbed
    assert kept(file) == 3 * GAMES
    assert is_sound(file)


def test_a_cluster_gives_the_same_table(
    tmp_path: Path, undisturbed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(
        cluster, "_check_same_version", lambda pool: None
    )  # tried in test_cluster.py
    assert choose_moves(tmp_path / "far.sqlite", "--cluster", "local") == undisturbed
    assert ray.ended
    assert set(ray.tasks) == {"play"}
    assert len(ray.tasks) >= 6  # two or more of each pairing


def test_a_cluster_that_is_not_there_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", FakeRay())
    assert main([*words(tmp_path / "x"), "--cluster", "127.0.0.1:1"]) == 2
    (line,) = [text for text in capsys.readouterr().err.splitlines() if "error" in text]
    assert line.startswith("error: there is no Ray cluster at 127.0.0.1:1")


@pytest.mark.slow
def test_a_script_without_a_guard_is_told_and_nobody_loses(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from playproof.arena.tournament import match\n"
        "match('othello:size=4', 'greedy', 'random', 2, path='games.sqlite', seed=1, workers=1)\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, env=environment(), text=True,
        capture_output=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1
    assert (
        "a script that needs processes asks for them under if __name__ == '__main__':"
        in done.stderr
    )
    assert kept(tmp_path / "games.sqlite") == 0
