"""Positions to learn from, labels, and a run of imitation that version 0.1 was killed in."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open

from tests.support.cli.running import Answer
from tests.support.compatibility.made import MADE, json_of, lines_of, names

Playproof = Callable[..., Answer]
Copy = Callable[[str], Path]


def test_positions_are_counted_and_shown_as_ever(playproof: Playproof, copy: Copy) -> None:
    folder = copy("imitation") / "positions"
    data = json_of(folder / "data.json")
    told = playproof("data", "stats", "positions", "--json").json()
    assert {name: told[name] for name in data} == data
    assert (told["positions"], told["games"], told["rejected"]) == (91, 8, 1)

    array = np.memmap(folder / "positions.bin", np.dtype((np.void, 40)), "r")
    assert len(array) == 91
    for number in (0, 40, 90):
        raw = array[number].tobytes()
        shown = playproof("data", "show", "positions", "--position", str(number), "--json").json()
        assert shown["action"] == int.from_bytes(raw[24:26], "little")
        assert shown["ply"] == int.from_bytes(raw[26:28], "little")
        assert shown["game"] == int.from_bytes(raw[28:32], "little") + 1  # people count from 1
        assert shown["value"] == int.from_bytes(raw[36:37], "little", signed=True)
        assert shown["fold"] == raw[37]
        assert shown["position"].split()[1] == ("b" if raw[35] & 1 else "w")


def test_the_same_games_give_the_same_bytes(playproof: Playproof, copy: Copy) -> None:
    folder = copy("imitation")
    words = ("data", "build", "games.pgn", "--sample", "0.6", "--folds", "3", "--seed", "1")
    for out in ("positions", "again"):  # what is finished, and anew
        answer = playproof(*words, "--workers", "1", "--out", out)
        assert answer.code == 0, answer.err
    for file in ("positions.bin", "games.npy", "rejected.txt", "data.json", "plan.json"):
        assert (folder / "again" / file).read_bytes() == (folder / "positions" / file).read_bytes()
    refused = playproof(*words[:-1], "2", "--workers", "1", "--out", "positions")
    assert refused.code == 2  # a folder serves one build: the old plan was understood


@pytest.fixture
def judge(tmp_path: Path) -> str:
    """The engine that judged for the old version."""
    script = tmp_path / "judge"
    script.write_text(f"#!/bin/sh\nexec {sys.executable} {MADE / 'judge.py.txt'}\n")
    script.chmod(0o755)
    return str(script)


def test_labels_are_counted_joined_and_asked_for_again(
    playproof: Playproof, copy: Copy, judge: str
) -> None:
    folder = copy("imitation") / "labels"
    old = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    told = playproof("data", "stats", "labels", "--json").json()
    data = json_of(folder / "data.json")
    assert {name: told[name] for name in data} == data
    assert (told["engine"], told["positions"], told["walks"]) == ("Judge 1", 524, 8)
    shown = playproof("data", "show", "labels", "--position", "3", "--json").json()
    assert shown["action"] == int.from_bytes(old["positions.bin"][3 * 40 + 24 :][:2], "little")

    for file in ("data.json", "labels.bin", "positions.bin", "games.npy"):
        (folder / file).unlink()  # the finished part alone is left, as after a kill
    words = ("--multipv", "2", "--nodes", "100", "--blunders", "0.3", "--folds", "3", "--seed", "4")
    answer = playproof(
        "data", "label", "--out", "labels", "--engine", judge, "--count", "512", "--workers", "1",
        *words,
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()} == old


def read(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    with safe_open(file, framework="numpy") as opened:
        header: dict[str, Any] = dict(opened.metadata())
        header["facts"] = json.loads(header["facts"])
        return {name: opened.get_tensor(name) for name in opened.keys()}, header  # noqa: SIM118


def test_imitation_goes_on_as_the_old_version_would_have(playproof: Playproof, copy: Copy) -> None:
    folder = copy("imitation")
    pytest.importorskip("torch")
    run = folder / "run"
    state, header = read(run / "checkpoint.safetensors")
    net, net_header = read(run / "net.safetensors")
    settings = (run / "settings.json").read_bytes()
    assert json.loads(settings)["settings"]["data"] == "positions,labels"
    assert header["facts"]["iteration"] == 1

    measured = playproof("data", "test", "positions", "--net", "run/net.safetensors", "--json")
    assert measured.json()["top1"] == lines_of(run / "metrics.jsonl")[0]["test_top1"] == 1 / 32
    assert json.loads(net_header["architecture"])["kind"] == "resnet"

    resumed = playproof("train", "--resume", "--out", "run", "--json").json()
    assert (resumed["preset"], resumed["iterations"]) == ("imitation", 4)
    metrics, finished = lines_of(run / "metrics.jsonl"), lines_of(folder / "finished.jsonl")
    assert len(metrics) == len(finished) == 4
    for new, old in zip(metrics, finished, strict=True):
        assert new == pytest.approx(old, rel=1e-2, abs=1e-4)  # threads add in any order
        assert list(new) == list(old)
    assert (run / "settings.json").read_bytes() == settings
    new_state, new_header = read(run / "checkpoint.safetensors")
    assert names(new_header) == names(header)
    assert set(new_state) == set(state)
    new_net, new_net_header = read(run / "net.safetensors")
    assert set(new_net) == set(net)
    assert names(new_net_header) == names(net_header)
    assert json.loads(new_net_header["architecture"]) == json.loads(net_header["architecture"])


def test_a_net_in_16_bits_still_begins_a_run(playproof: Playproof, copy: Copy) -> None:
    folder = copy("imitation")
    pytest.importorskip("torch")
    shutil.rmtree(folder / "run")
    sizes = ("blocks=0", "filters=1", "steps=1", "batch=8", "evaluate_every=0", "iterations=1")
    changes = [part for size in sizes for part in ("--set", size)]
    answer = playproof(
        "train", "imitation", "--out", "run", "--set", "data=positions", *changes,
        "--set", "start=start.safetensors", "--seconds", "0", "--seed", "1",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    with safe_open(folder / "start.safetensors", framework="numpy") as start:
        first = start.get_tensor("policy.out.weight")
    net, _ = read(folder / "run" / "net.safetensors")
    assert first.dtype == np.float16
    assert (net["policy.out.weight"] == first.astype(np.float32)).all()
