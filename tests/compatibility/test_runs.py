"""Runs of training that version 0.1 was killed in go on, and their nets play."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open

from tests.support.cli.running import Answer
from tests.support.compatibility.made import json_of, lines_of, names

Playproof = Callable[..., Answer]
Copy = Callable[[str], Path]
Tensors = dict[str, Any]

# Iterations of the checkpoint, and of the whole run.  That of self-play is in the middle of its
# third, while the network learns.
RUNS = {"ppo": (2, 6), "dql": (2, 6), "alphazero": (2, 5)}
PRESETS = {"ppo": "choko-ppo-v1", "dql": "choko-dql", "alphazero": "alphazero:othello:size=4"}


def read(file: Path) -> tuple[Tensors, dict[str, Any]]:
    """Tensors and header of a file, with whatever in the header is JSON read."""
    with safe_open(file, framework="numpy") as opened:
        header: dict[str, Any] = dict(opened.metadata())
        for name in {"facts", "architecture", "win"} & set(header):
            header[name] = json.loads(header[name])
        return {name: opened.get_tensor(name) for name in opened.keys()}, header  # noqa: SIM118


def close(new: dict[str, Any], old: dict[str, Any]) -> bool:
    """Alike but for what another processor computes otherwise."""
    return list(new) == list(old) and np.allclose(
        list(new.values()), list(old.values()), rtol=1e-3, atol=1e-5
    )


@pytest.mark.parametrize("name", RUNS)
def test_a_run_goes_on_as_the_old_version_would_have(
    name: str, playproof: Playproof, copy: Copy
) -> None:
    run = copy("runs") / name
    before = {file.name: file.read_bytes() for file in run.iterdir() if file.is_file()}
    state, header = read(run / "checkpoint.safetensors")
    _, net = read(run / "net.safetensors")
    kept, times, games = (lines_of(run / f"{n}.jsonl") for n in ("metrics", "times", "games"))
    done, iterations = RUNS[name]
    assert header["facts"]["iteration"] == done
    assert times[-1]["iteration"] >= done

    answer = playproof("train", "--resume", "--out", str(run), "--json").json()
    assert (answer["preset"], answer["iterations"]) == (PRESETS[name], iterations)

    finished = lines_of(run.with_name(f"{name}-finished.jsonl"))  # by the old version
    metrics = lines_of(run / "metrics.jsonl")
    assert metrics[:done] == kept[:done]
    assert len(metrics) == iterations == len(finished)
    assert [line for line in metrics if not close(line, finished[line["iteration"] - 1])] == []
    assert (run / "settings.json").read_bytes() == before["settings.json"]
    assert names(lines_of(run / "times.jsonl")[-1]) == names(times[-1])
    new_games = lines_of(run / "games.jsonl")
    early = [game for game in games if game["iteration"] <= done]
    assert new_games[: len(early)] == early
    assert names(new_games[len(early) :]) == names(games)

    new_state, new_header = read(run / "checkpoint.safetensors")
    assert new_header["facts"]["iteration"] == iterations
    assert names(new_header) == names(header)
    kinds = {key: value.dtype for key, value in state.items()}
    assert {key: value.dtype for key, value in new_state.items()} == kinds
    assert names(read(run / "net.safetensors")[1]) == names(net)


def test_a_run_that_is_begun_today_has_the_same_fields(
    playproof: Playproof, copy: Copy, tmp_path: Path
) -> None:
    runs = copy("runs")
    for name, preset in PRESETS.items():
        old = json_of(runs / name / "settings.json")
        assert (old["format"], old["preset"], old["algorithm"]) == ("playproof-run", preset, name)
        changes = [
            part
            for key, value in old["settings"].items()
            for part in (
                "--set",
                f"{key}={'/'.join(map(str, value)) if key == 'hidden' else value}",
            )
            if value != ""
        ]
        new = tmp_path / "new" / name
        answer = playproof("train", preset, "--out", str(new), *changes, "--seconds", "0")
        assert answer.code == 0, answer.err
        today = json_of(new / "settings.json")
        assert names(today) >= names(old)  # an algorithm may have got more settings
        assert {key: today["settings"][key] for key in old["settings"]} == old["settings"]
        # One command for both: this is the run that the old version began.
        again = playproof(
            "train", preset, "--out", str(runs / name), *changes, "--resume", "--seconds", "0"
        )
        assert again.code == 0, again.err


def test_old_runs_are_listed_and_drawn(playproof: Playproof, copy: Copy) -> None:
    copy("runs")
    (ppo, dql, zero) = playproof("runs", "ppo", "dql", "alphazero", "--json").json()["runs"]
    assert [run["algorithm"] for run in (ppo, dql, zero)] == ["ppo", "dql", "alphazero"]
    assert [run["state"] for run in (ppo, dql, zero)] == ["unfinished"] * 3
    assert (ppo["preset"], ppo["game"], ppo["seed"]) == ("choko-ppo-v1", "othello:size=4", 3)
    assert (ppo["iterations"], ppo["of"]) == (3, 6)
    assert ppo["figures"]["value_loss"] == lines_of(Path("ppo/metrics.jsonl"))[-1]["value_loss"]
    assert set(ppo["evaluation"]["scores"]) == {"earlier", "random"}
    assert ppo["seconds_spent"] == sum(
        line["seconds"] for line in lines_of(Path("ppo/times.jsonl"))
    )

    for name, metric in (("ppo", "value_loss"), ("dql", "goal"), ("alphazero", "superiority")):
        words = ("--metric", metric, "--metric", "random_score", "--json", "--smooth", "1")
        drawn = playproof("plot", name, *words, "--out", f"{name}.svg").json()
        told = [line[metric] for line in lines_of(Path(name, "metrics.jsonl"))]
        assert json.dumps(told)[1:-1] in json.dumps(drawn), (name, drawn)
        assert Path(f"{name}.svg").read_text("utf-8").startswith("<svg")


@pytest.mark.parametrize("net", ["ppo/net", "ppo/nets/0", "ppo/nets/2", "dql/net", "alphazero/net"])
def test_an_old_net_says_what_its_numbers_say(net: str, playproof: Playproof, copy: Copy) -> None:
    file = copy("runs") / f"{net}.safetensors"
    tensors, header = read(file)
    assert header["architecture"]["hidden"] == [8]
    spec = f"net:{file}"
    answer = playproof("analyse", "othello:size=4", "--agent", spec, "--seed", "1", "--json")
    assert answer.code == 0, answer.err
    moves = {line["move"]: line["prior"] for line in map(json.loads, answer.out.splitlines()[:-1])}
    assert sorted(moves) == ["a2", "b1", "c4", "d3"]

    # The same by hand.  The start seen by Black: own discs, the other's, the legal moves.
    board = ["....", ".OX.", ".XO.", "...."]
    legal = {"b1": 1, "a2": 4, "d3": 11, "c4": 14}
    seen = [[square == who for row in board for square in row] for who in "XO"]
    seen.append([place in legal.values() for place in range(16)])
    hidden = tensors["hidden.0.weight"] @ np.ravel(seen) + tensors["hidden.0.bias"]
    logits = tensors["actions.weight"] @ np.maximum(hidden, 0) + tensors["actions.bias"]
    chances = np.exp(logits[list(legal.values())])
    expected = dict(zip(legal, chances / chances.sum(), strict=True))
    assert moves == pytest.approx(expected, abs=1e-5)


def test_old_nets_play_in_every_agent_that_takes_one(playproof: Playproof, copy: Copy) -> None:
    file = copy("runs") / "ppo" / "net.safetensors"
    for spec in (
        f"net:{file},greedy",
        f"net:{file},temperature=0.5",
        f"mcts:net={file},simulations=8,leaves=2",
        f"pgts:net={file},widths=2/2",
    ):
        words = ("--first", spec, "--second", "random", "--seed", "1", "--json")
        game = playproof("play", "othello:size=4", *words).json()
        assert game["players"] == [spec, "random"]
        assert game["result"] in ("1-0", "0-1", "1/2-1/2")


def test_packed_runs_are_unpacked_and_packed_again(playproof: Playproof, copy: Copy) -> None:
    runs = copy("runs")
    for name in ("ppo", "alphazero"):
        old = runs / f"{name}-packed"
        answer = playproof("runs", "import", str(old), "--out", "unpacked/" + name)
        assert answer.code == 0, answer.err
        own, header = read(runs / name / "checkpoint.safetensors")
        state, unpacked = read(Path("unpacked") / name / "checkpoint.safetensors")
        assert unpacked["facts"]["iteration"] == header["facts"]["iteration"]
        scale = 1e-3 if name == "alphazero" else 0.0  # carried in 16 bits, without its games
        assert {key.partition(".")[0] for key in set(own) - set(state)} == (
            {"playing", "losses", "games", "replay"} if scale else set()
        )
        for key, value in state.items():
            assert value.dtype == own[key].dtype
            np.testing.assert_allclose(value, own[key], rtol=scale, atol=scale)

        again = playproof("runs", "export", name, "--out", "again/" + name)
        assert again.code == 0, again.err
        index = json_of(Path("again") / name / "leg.json")
        wanted = json_of(old / "leg.json")
        same = ("format", "version", "preset", "iteration", "whole", "parts")
        assert names(index) == names(wanted)
        assert [index[key] for key in same] == [wanted[key] for key in same]
    resumed = playproof("train", "--resume", "--out", "unpacked/alphazero", "--json").json()
    assert resumed["iterations"] == 5
