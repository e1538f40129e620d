"""Every command explains itself; games, doctor, bench, and play between agents."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from playproof import __version__
from tests.support.cli.running import Answer

Playproof = Callable[..., Answer]

COMMANDS = (
    "games",
    "play",
    "show",
    "analyse",
    "perft",
    "playouts",
    "enumerate",
    "conform",
    "bench",
    "doctor",
)


# The command itself


def test_help_names_every_command(playproof: Playproof) -> None:
    for flag in ("--help", "-h"):
        answer = playproof(flag)
        assert answer.code == 0
        assert answer.err == ""
        for name in COMMANDS:
            assert f" {name} " in answer.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, playproof: Playproof) -> None:
    answer = playproof(name, "--help")
    assert answer.code == 0
    assert f" {name} " in answer.out
    assert "--json" in answer.out


def test_version(playproof: Playproof) -> None:
    assert playproof("--version") == Answer(0, f"playproof {__version__}\n", "")


@pytest.mark.parametrize(
    "words",
    [
        "games",
        "doctor",
        "show othello f5",
        "show choko",
        "perft othello 2",
        "enumerate choko --ply 1",
        "playouts choko --games 3",
        "play othello:size=4 --first random --second random --seed 1",
    ],
)
def test_json_is_one_line_and_nothing_else(words: str, playproof: Playproof) -> None:
    assert isinstance(playproof(*words.split(), "--json").json(), dict)


# games


def test_games_lists_games_options_and_agents(playproof: Playproof) -> None:
    answer = playproof("games")
    assert answer.code == 0
    assert answer.err == ""
    for word in ("choko", "othello", "size=8", "lone_jump=false", "cap=100", "4, 6 or 8"):
        assert word in answer.out
    for agent in ("greedy", "human", "random"):
        assert agent in answer.out


def test_games_as_json(playproof: Playproof) -> None:
    told = playproof("games", "--json").json()
    othello = next(game for game in told["games"] if game["name"] == "othello")
    assert othello["players"] == ["Black", "White"]
    assert othello["actions"] == 65
    assert othello["symmetries"] == 8
    assert othello["observations"] == {"planes": [3, 8, 8]}
    size = othello["options"][0]
    assert (size["name"], size["default"], size["values"]) == ("size", 8, "4, 6 or 8")
    assert {"greedy", "human", "random"} <= {agent["name"] for agent in told["agents"]}


# doctor


def test_doctor_is_content(playproof: Playproof) -> None:
    answer = playproof("doctor")
    assert answer.code == 0
    for word in ("This machine", "compile cache", "numba", "cores", "stockfish"):
        assert word in answer.out


def test_doctor_as_json(playproof: Playproof) -> None:
    told = playproof("doctor", "--json").json()
    assert set(told) == {"machine", "cache", "needed", "extras", "solvers", "engines"}
    assert told["machine"]["playproof"] == __version__
    assert told["machine"]["cores"] >= 1
    assert all(told["needed"].values())
    assert set(told["extras"]) == {"learn", "prove", "interop", "cluster", "dev"}
    assert told["extras"]["dev"]["pytest"] == pytest.__version__
    assert told["cache"]["megabytes"] >= 0


def test_doctor_finds_the_solvers_that_solve(playproof: Playproof) -> None:
    """Kissat comes in a wheel, off the PATH; CaDiCaL is a module."""
    from playproof.proofs.sat.solvers import available, choose_solver, kissat_binary, version

    told = playproof("doctor", "--json").json()["solvers"]
    there = [name for name, solver in told["all"].items() if solver["found"]]
    assert there == available()
    assert told["used"] == choose_solver(None)
    assert [told["all"][name]["version"] for name in there] == [version(name) for name in there]
    if "kissat" in there:
        assert told["all"]["kissat"]["found"] == kissat_binary()
        lines = playproof("doctor").out.splitlines()
        (line,) = [line for line in lines if line.startswith("  kissat")]
        assert "used if none is named" in line
        assert version("kissat") in line
        assert "not found" not in line


def test_doctor_does_not_take_an_error_for_a_gpu(
    playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = tmp_path / "nvidia-smi"
    driver.write_text("#!/bin/sh\necho NVIDIA-SMI has failed\nexit 9\n")
    driver.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert playproof("doctor", "--json").json()["machine"]["gpu"] == "none"
    driver.write_text("#!/bin/sh\necho NVIDIA H200, 143771 MiB\n")
    assert playproof("doctor", "--json").json()["machine"]["gpu"].startswith("NVIDIA H200, 143771")


def test_doctor_clears_the_cache_it_names(
    playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))
    kernels = tmp_path / "kernels" / "old"
    kernels.mkdir(parents=True)
    (kernels / "kernel.nbc").write_bytes(b"\0" * 2_500_000)
    (tmp_path / "mine.txt").write_text("not a kernel")
    assert playproof("doctor", "--json").json()["cache"] == {
        "folder": str(tmp_path / "kernels"),
        "megabytes": 2.5,
    }
    answer = playproof("doctor", "--clear-cache", "--json")
    assert answer.err == f"deleted {tmp_path / 'kernels'}\n"
    assert answer.json()["cache"]["megabytes"] == 0
    assert not kernels.exists()
    assert (tmp_path / "mine.txt").exists()


def test_doctor_fails_where_something_needed_is_missing(
    playproof: Playproof, monkeypatch: pytest.MonkeyPatch
) -> None:
    from playproof.cli.commands import doctor

    monkeypatch.setattr(doctor, "_NEEDED", ("numpy", "no-such-package"))
    answer = playproof("doctor")
    assert answer.code == 1
    assert answer.err == "missing: no-such-package: pip install no-such-package\n"
    assert playproof("doctor", "--json").code == 1


# bench


@pytest.mark.slow
def test_bench_engines(playproof: Playproof, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec("pyspiel") is None:
        pytest.skip("OpenSpiel is not installed: nothing to measure beside (make install)")
    # Go, by far the slowest, is measured as the others are.
    peers = {"othello": "othello", "choko": "othello", "chess": "chess"}
    for name, value in (("_PEERS", peers), ("_STEPS", 5000), ("_BATCH", 64)):
        monkeypatch.setattr(f"playproof.cli.benches.engines.{name}", value)
    told = playproof("bench", "engines", "--seconds", "0.05", "--json").json()
    assert told["bench"] == "engines"
    assert told["open_spiel"]
    measured = {(m["engine"], m["game"], m["how"]): m for m in told["measurements"]}
    engines = [("playproof", game) for game in peers]
    engines += [("OpenSpiel", game) for game in set(peers.values())]
    hows = ("lists", "mask + observation")
    others = {("playproof", "chess", "perft")}
    if told["peers"]["python-chess"]:
        others.add(("python-chess", "chess", "lists"))
    if told["peers"]["Stockfish"]:
        others.add(("Stockfish", "chess", "perft"))
    assert set(measured) - others == {
        (engine, game, how) for engine, game in engines for how in hows
    }
    assert others <= set(measured)
    assert set(measured["playproof", "chess", "lists"]["ratios"]) <= {"python-chess"}
    for measurement in told["measurements"]:
        assert measurement["steps_per_second"] > 0
        if (measurement["engine"], measurement["game"], measurement["how"]) in others:
            continue
        name = measurement["game"]
        peer = peers[name] if measurement["engine"] == "playproof" else name
        rate = measured["OpenSpiel", peer, measurement["how"]]["steps_per_second"]
        assert measurement["ratio"] == pytest.approx(measurement["steps_per_second"] / rate)


# play: its interactive life is in test_play.py


def test_a_seed_makes_a_game_repeatable(playproof: Playproof) -> None:
    words = ["play", "othello", "--first", "random", "--second", "greedy", "--json", "--seed"]
    first = playproof(*words, "7").json()
    assert first["seed"] == 7
    assert first["players"] == ["random", "greedy"]
    assert playproof(*words, "7").json() == first
    assert playproof(*words, "8").json()["moves"] != first["moves"]


def test_a_game_without_a_seed_tells_the_one_it_took(playproof: Playproof) -> None:
    words = ["play", "choko:cap=20", "--first", "random", "--second", "random", "--json"]
    first, second = playproof(*words), playproof(*words)
    assert first.json()["moves"] != second.json()["moves"]
    seed = first.json()["seed"]
    assert f"seed {seed}" in first.err
    assert playproof(*words, "--seed", str(seed)).json() == first.json()
