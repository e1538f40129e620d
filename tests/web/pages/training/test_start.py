"""Starting runs, playing with their nets, deleting them; and the command behind it."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from playproof.cli.main import main
from playproof.learning.runs.log import read
from playproof.learning.runs.run import Run
from playproof.nets import run_nets
from playproof.nets.files import load
from playproof.web.pages.training.start import recipes
from tests.support.web.jobs.plain_job import job_told
from tests.support.web.training.small_runs import TINY, train


@pytest.fixture
def started(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that jobs would run."""
    found: list[list[str]] = []

    def start(kind: str, title: str, argv: list[str], **more: Any) -> dict[str, Any]:
        assert (kind, more["resume"]) == ("train", argv)  # one command begins and goes on
        found.append(argv)
        folder = str(more["folder"])
        return job_told("1", kind=kind, title=title, link=more["link"], folder=folder)

    monkeypatch.setattr(client.app.state.lab.jobs, "start", start)  # type: ignore[attr-defined]
    return found


def test_a_run_is_there_before_its_process(
    client: TestClient, data: Path, started: list[list[str]]
) -> None:
    answer = client.post("/api/runs", json={"recipe": "choko", "iterations": 20, "seed": 5}).json()
    assert answer["run"] == "choko-1"
    assert answer["job"]["link"] == "#/train/choko-1"
    run = client.get("/api/runs/choko-1").json()["run"]
    assert (run["iterations"], run["of"], run["seed"], run["net"]) == (0, 20, 5, False)
    assert client.post("/api/runs", json={"recipe": "choko"}).json()["run"] == "choko-2"
    log = read(data / "runs" / "choko-1")
    assert log.settings["evaluate_every"] == 10
    # The command takes the run that was written down for its own.
    assert Run.open(data / "runs" / "choko-1").settings.seed == 5
    assert main([*started[0], "--seconds", "0"]) == 0


def test_a_full_disk_leaves_no_run_behind(
    client: TestClient, data: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        answer = client.post("/api/runs", json={"recipe": "choko", "name": "mine"})
        assert (answer.status_code, "No space left" in answer.json()["msg"]) == (400, True)
    assert not (data / "runs" / "mine").exists()
    assert client.post("/api/runs", json={"recipe": "choko", "name": "mine"}).status_code == 200


def test_what_a_kill_left_empty_is_listed_and_can_be_deleted(
    client: TestClient, data: Path, started: list[list[str]]
) -> None:
    for name in ("gone", "several/seed-1", "taken"):
        (data / "runs" / name).mkdir(parents=True)
    (data / "runs" / "gone" / "settings.json.new").write_text("{")
    states = {run["id"]: run["state"] for run in client.get("/api/runs").json()["runs"]}
    empty = ("gone", "several~seed-1", "taken")
    assert {name: states.get(name) for name in empty} == dict.fromkeys(empty, "damaged")
    for name in empty[:2]:
        assert client.get(f"/api/runs/{name}").status_code == 200
        assert client.post(f"/api/runs/{name}/delete", json={}).status_code == 200
    assert not (data / "runs" / "several").exists()
    # Its name is free for a run that is one.
    assert client.post("/api/runs", json={"recipe": "choko", "name": "taken"}).status_code == 200


def test_every_recipe_can_be_begun(client: TestClient, started: list[list[str]]) -> None:
    for recipe, _ in recipes().values():
        answer = client.post("/api/runs", json={"recipe": recipe.id, "name": f"my-{recipe.id}"})
        assert answer.status_code == 200, answer.text
        assert recipe.keep % recipe.checkpoint == 0


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"recipe": "chess"},
        {"recipe": "choko", "iterations": 0},
        {"recipe": "choko", "iterations": 10**9},
        {"recipe": "choko", "iterations": "9"},
        {"recipe": "choko", "seed": -1},
        {"recipe": "choko", "seed": 1.5},
        {"recipe": "choko", "name": "../x"},
        {"recipe": "choko", "name": "a b"},
        {"recipe": "choko", "name": "compare"},
        {"recipe": "choko", "name": "job-1"},
        {"recipe": "choko", "name": "one"},
        {"recipe": "choko", "preset": "imitation"},
    ],
)
def test_what_cannot_be_is_refused_in_a_line(
    client: TestClient, data: Path, started: list[list[str]], fields: dict[str, Any]
) -> None:
    before = sorted((data / "runs").iterdir())
    answer = client.post("/api/runs", json=fields)
    assert answer.status_code == 400
    assert answer.json()["msg"]
    assert str(data) not in answer.text
    assert started == []
    assert sorted((data / "runs").iterdir()) == before


def test_a_run_that_no_job_takes_is_taken_back(
    client: TestClient, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playproof.web.jobs.runner.MOST_WAITING", 0)
    assert client.post("/api/runs", json={"recipe": "choko"}).status_code == 429
    assert not (data / "runs" / "choko-1").exists()


def test_without_pytorch_only_what_needs_none_is_offered(
    client: TestClient, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playproof.web.pages.training.start.has_torch", lambda: False)
    offered = client.get("/api/runs").json()["recipes"]
    assert [recipe["id"] for recipe in offered] == ["choko"]
    assert "PyTorch" in client.post("/api/runs", json={"recipe": "go-3x3"}).json()["msg"]
    assert client.post("/api/runs", json={"recipe": "choko"}).status_code == 200


# Nets at play


def seats(client: TestClient, *specs: str, **fields: Any) -> Any:
    game = {"game": "othello", "variant": {"size": 4}, "seats": list(specs), **fields}
    return client.post("/api/games", json=game)


def test_nets_of_runs_play_by_name(client: TestClient) -> None:
    for spec in ("net:run/one", "net:run/one/2,greedy", "mcts:net=run/two,simulations=4"):
        answer = seats(client, spec, "random")
        assert answer.status_code == 200, answer.text
        assert answer.json()["seats"][0]["spec"] == spec


@pytest.mark.parametrize(
    "spec",
    ["net:run/three", "net:run/one/1", "net:run/../one", "net:run/one/../two", "net:run/one~..~two",
     "net:run/", "net:run//etc/passwd", "net:run/one/net.safetensors", "net:run/one.safetensors",
     "mcts:net=run/x", "net:runs/one/net.safetensors"],
)  # fmt: skip
def test_no_other_file_is_reached_by_a_spec(client: TestClient, data: Path, spec: str) -> None:
    shutil.copy(data / "runs" / "one" / "net.safetensors", data / "runs" / "one.safetensors")
    answer = seats(client, spec, "random")
    assert answer.status_code == 400, answer.text
    assert str(data) not in answer.text


def test_a_net_of_another_game_is_refused(client: TestClient, data: Path) -> None:
    answer = client.post("/api/games", json={"game": "choko", "seats": ["net:run/one", "random"]})
    assert answer.status_code == 400
    assert "run/one" in answer.json()["msg"]
    assert str(data) not in answer.text


def test_names_mean_files(data: Path) -> None:
    one = data / "runs" / "one"
    assert run_nets.file_of("run/one") == one / "net.safetensors"
    assert run_nets.file_of("run/one/0") == one / "nets" / "0.safetensors"
    latest = load(run_nets.file_of("run/one")).weights
    assert (load(run_nets.file_of("run/one/0")).weights != latest).any()
    assert (load(run_nets.file_of("run/one/4")).weights == latest).all()


# Deleting


def test_a_run_is_deleted_with_all_that_is_in_it(client: TestClient, data: Path) -> None:
    train(data / "runs" / "deep" / "seed-1")
    assert client.post("/api/runs/deep~seed-1/delete", json={}).status_code == 200
    assert not (data / "runs" / "deep").exists()
    assert client.get("/api/runs/one").status_code == 200
    assert client.post("/api/runs/deep~seed-1/delete", json={}).status_code == 404


def test_a_link_to_elsewhere_is_not_followed(
    client: TestClient, data: Path, tmp_path: Path
) -> None:
    train(tmp_path / "far", seed=3)
    (data / "runs" / "near").symlink_to(tmp_path / "far")
    assert client.post("/api/runs/near/delete", json={}).status_code == 403
    assert (tmp_path / "far" / "settings.json").exists()


# The command line


def command(folder: Path, *more: str) -> list[str]:
    sets = [part for item in TINY.items() for part in ("--set", "=".join(item))]
    return ["train", "choko-ppo-v1", "--out", str(folder), *sets, "--set", "iterations=4",
            "--seed", "1", "--checkpoint", "1", *more]  # fmt: skip


def test_one_command_begins_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert main([*command(folder, "--resume"), "--seconds", "0", "--keep", "2"]) == 0
    assert read(folder).done == 0
    assert main(command(folder, "--resume", "--keep", "2")) == 0
    assert read(folder).done == 4
    assert sorted(file.name for file in (folder / "nets").iterdir()) == [
        "0.safetensors", "2.safetensors", "4.safetensors",
    ]  # fmt: skip
    kept = load(folder / "nets" / "2.safetensors")
    assert json.loads(json.dumps(dict(kept.metadata)))["iterations"] == 2
    capsys.readouterr()
    assert main([*command(folder, "--resume"), "--set", "rate=0.5"]) == 2
    assert "holds another run" in capsys.readouterr().err
    assert main(["train", "--resume", "--out", str(folder), "--seed", "2"]) == 2
    assert main(command(folder)) == 2  # without --resume a run is never touched


@pytest.mark.slow
def test_self_play_is_told_beside_the_bare_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["train", "alphazero:othello:size=4", "--out", str(tmp_path / "run"), "--seed", "1"]
    small = {"iterations": 1, "positions": 60, "games": 16, "simulations": 4, "minibatch": 16,
             "hidden": 8, "evaluate_every": 0}  # fmt: skip
    sets = [part for key, value in small.items() for part in ("--set", f"{key}={value}")]
    assert main([*argv, *sets]) == 0
    said = capsys.readouterr().err
    line = next(line for line in said.splitlines() if line.startswith("self-play over whole"))
    assert "leaves/s" in line
    assert "of the bare network's" in line
