"""An algorithm that is not ours: trained, resumed, listed, compared, drawn, carried and shown as
ours are, without a line of our code that knows it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from playproof import DataError, PlayproofError, UsageError, register_algorithm
from playproof.cli.main import main
from playproof.learning import registry
from playproof.learning.algorithm import Algorithm, Folds
from playproof.learning.metrics import Metric
from playproof.learning.presets import find
from playproof.learning.runs import log as run_logs
from playproof.learning.runs.charts import TrainingCurves
from playproof.learning.runs.checkpoint import load_checkpoint
from playproof.learning.runs.run import CHECKPOINT, METRICS, NET, Run
from playproof.learning.runs.transfer import export_run, import_run
from playproof.learning.setting import setting
from playproof.nets.files import load
from playproof.web.pages.training.start import recipes
from playproof.web.server import make_app
from tests.support.cli.running import SOURCES, Answer, command, environment
from tests.support.learning import third_party_algorithm
from tests.support.learning.run_folders import metrics, write_run
from tests.support.learning.third_party_algorithm import ALGORITHM, DriftConfig
from tests.support.web.jobs.plain_job import job_told
from tests.support.web.people import ADDRESS

MODULE = Path(third_party_algorithm.__file__)
Call = Callable[..., Answer]


@pytest.fixture(autouse=True)
def drift(monkeypatch: pytest.MonkeyPatch) -> Algorithm[Any, Any]:
    """It is registered here, and forgotten after the test."""
    monkeypatch.setattr(registry, "_registered", {})
    return register_algorithm(ALGORITHM)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*words: object) -> Answer:
        capsys.readouterr()
        code = main([str(word) for word in words])
        told = capsys.readouterr()
        return Answer(code, told.out, told.err)

    return run


def run_to_end(folder: Path, **changes: object) -> Run:
    run = Run.create(folder, "drift", {name: str(value) for name, value in changes.items()})
    run.resume(checkpoint_every=2)
    return run


def state_of(folder: Path) -> tuple[dict[str, bytes], Any, bytes]:
    arrays, facts = load_checkpoint(folder / CHECKPOINT)
    return {k: a.tobytes() for k, a in arrays.items()}, facts, (folder / METRICS).read_bytes()


# Training


def test_it_is_trained_by_the_command(call: Call, tmp_path: Path) -> None:
    answer = call("train", "drift", "--out", tmp_path / "run", "--seed", 3, "--set", "step=0.2")
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert [line.split()[:2] for line in lines] == [["iteration", n] for n in "246"]
    assert "against wall" in lines[0]
    assert "way 0.1" in lines[0]
    assert "drift: 803 parameters, seed 3" in answer.err
    assert "all in all it went" in answer.err  # its meter
    facts = json.loads((tmp_path / "run" / "settings.json").read_text())
    assert (facts["algorithm"], facts["preset"]) == ("drift", "drift")
    assert facts["settings"]["step"] == 0.2
    net = load(tmp_path / "run" / NET)
    assert (net.game, net.family) == ("go:board=3x3", None)
    told = call("train", "drift", "--out", tmp_path / "again", "--json").json()
    assert (told["iterations"], told["of"], type(told["length"])) == (6, 6, float)


def test_its_net_may_be_for_a_family(tmp_path: Path) -> None:
    net = load(run_to_end(tmp_path, wide=1, iterations=1).folder / NET)
    assert str(net.coverage) == "go:board=3x3,komi=*"


def test_a_run_in_legs_is_the_run_left_alone(call: Call, tmp_path: Path) -> None:
    alone = run_to_end(tmp_path / "alone").folder
    legs = tmp_path / "legs"
    assert call("train", "drift", "--out", legs, "--seconds", 0).code == 0
    for _ in range(3):
        run = Run.open(legs)
        asked: list[None] = []

        def stopped(asked: list[None] = asked) -> bool:
            asked.append(None)
            return len(asked) > 3

        run.resume(checkpoint_every=1, stopped=stopped)
    assert call("train", "--resume", "--out", legs).code == 0
    assert state_of(legs) == state_of(alone)
    again = call("train", "drift", "--out", legs, "--resume")
    assert "6 of 6 iterations" in again.err
    other = call("train", "drift-fast", "--out", legs, "--resume")
    assert "holds another run" in other.err


KILLED = """
import os, signal, sys
from pathlib import Path
from playproof.learning.runs.run import Run

def kill(metrics):
    if metrics["iteration"] == 4:
        os.kill(os.getpid(), signal.SIGKILL)

Run.create(Path(sys.argv[1]), "drift", {}).resume(checkpoint_every=1, on_iteration=kill)
"""


def installed(folder: Path, **points: str) -> dict[str, str]:
    """The environment of a process in which a distribution with these entry points is there."""
    notes = folder / "their_algorithms-1.0.dist-info"
    notes.mkdir(parents=True)
    (notes / "METADATA").write_text("Metadata-Version: 2.1\nName: their-algorithms\nVersion: 1.0\n")
    lines = "".join(f"{name} = {target}\n" for name, target in points.items())
    (notes / "entry_points.txt").write_text(f"[playproof.algorithms]\n{lines}")
    (folder / "their_drift.py").write_text(MODULE.read_text())
    return environment(PYTHONPATH=os.pathsep.join([str(folder), str(SOURCES)]))


def test_one_of_an_entry_point_is_killed_and_resumed(tmp_path: Path) -> None:
    env = installed(tmp_path / "site", drift="their_drift:ALGORITHM")
    folder = tmp_path / "killed"

    def run(words: list[str]) -> Answer:
        done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=120)
        return Answer(done.returncode, done.stdout, done.stderr)

    killed = run([sys.executable, "-c", KILLED, str(folder)])
    assert killed.code == -signal.SIGKILL, killed.err
    assert 0 < Run.open(folder).restore_learner().iteration < 6
    answer = run(command("train", "--resume", "--out", str(folder)))
    assert answer.code == 0, answer.err
    assert state_of(folder) == state_of(run_to_end(tmp_path / "alone").folder)
    listed = run(command("train", "--presets", "--json")).json()["presets"]
    assert {"name": "drift:GAME", "algorithm": "drift", "summary": ALGORITHM.summary} in listed


def test_a_file_brings_one(tmp_path: Path) -> None:
    """``--load``: the file declares it, and need not register it."""
    (tmp_path / "drifting.py").write_text(MODULE.read_text())
    words = ["--load", str(tmp_path / "drifting.py"), "train", "drift", "--settings", "--json"]
    done = subprocess.run(
        command(*words), env=environment(), capture_output=True, text=True, timeout=120
    )
    (listed,) = json.loads(done.stdout).values()
    assert {"name": "step", "kind": "number", "default": "0.1", "allowed": "more than 0",
            "meaning": "how far a weight drifts in an iteration"} in listed  # fmt: skip


def test_broken_packages_are_one_line_and_break_nothing_else(tmp_path: Path) -> None:
    site = tmp_path / "site"
    env = installed(site, crash="crash_algorithm:X", plain="plain_algorithm:X",
                    alias="their_drift:ALGORITHM", dql="crash_algorithm:X")  # fmt: skip
    (site / "crash_algorithm.py").write_text("raise RuntimeError('out of\\nideas')")
    (site / "plain_algorithm.py").write_text("X = 3")
    script = """if True:
        import json, sys
        from playproof import PlayproofError
        from playproof.learning import presets, registry
        errors = {}
        for name in ("crash", "plain", "alias", "absent"):
            try:
                registry.find(name)
            except PlayproofError as error:
                errors[name] = str(error)
        try:
            presets.find("nothing")
        except PlayproofError as error:
            errors["preset"] = str(error)
        ours = registry.find("dql").module
        print(json.dumps([registry.names(), errors, ours, presets.find("choko-dql").name]))
    """
    done = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    names, errors, ours, preset = json.loads(done.stdout)
    assert names == [
        "alias", "alphazero", "crash", "distillation", "dql", "imitation", "plain", "ppo",
    ]  # fmt: skip
    assert "cannot be loaded: out of ideas" in errors["crash"]
    assert "is not a playproof Algorithm" in errors["plain"]
    assert "calls itself 'drift'" in errors["alias"]
    assert "there is no algorithm 'absent'" in errors["absent"]
    assert errors["preset"].startswith("there is no preset 'nothing': want choko-dql")
    assert "the algorithm" in errors["preset"]
    assert (ours, preset) == ("playproof.learning.algorithms.dql.registration", "choko-dql")
    assert all("\n" not in error for error in errors.values())


def test_folds_are_runs_beside_each_other(call: Call, tmp_path: Path) -> None:
    answer = call("train", "drift", "--out", tmp_path / "all", "--folds")
    assert answer.code == 0, answer.err
    assert [run.settings.fold for run in Run.open_all(tmp_path / "all")] == [0, 1, 2]  # type: ignore[attr-defined]
    assert answer.out.splitlines()[-1].startswith("luck")
    told = call("train", "choko-dql", "--out", tmp_path / "none", "--folds")
    assert told.err == "error: choko-dql has no folds: they are for imitation or drift\n"


def test_a_device_it_has_not_is_told_in_a_line(call: Call, tmp_path: Path) -> None:
    answer = call("train", "drift", "--out", tmp_path / "run", "--device", "cuda")
    assert answer.err.splitlines()[-1] == "error: --device cuda: drift runs on cpu alone"


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"iteration": 1, "length": "far"}, "the metric length is 'far' of type str: want a nu"),
        ({"iteration": 1, "length": None}, "the metric length is 'None' of type NoneType: want"),
        ({"length": 1.0}, "metrics without iteration: want the number of the iteration"),
    ],
)
def test_what_is_no_metric_is_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: dict[str, Any], says: str
) -> None:
    monkeypatch.setattr(third_party_algorithm.Drift, "iterate", lambda self, stopped: told)
    with pytest.raises(PlayproofError, match=says):
        Run.create(tmp_path, "drift", {}).resume()


# Presets and settings


def test_presets_for_any_game(call: Call, tmp_path: Path) -> None:
    preset = find("drift:go:board=4x4,komi=2")
    assert (preset.algorithm, preset.settings.game) == (ALGORITHM, "go:board=4x4,komi=2.0")
    answer = call("train", "nothing", "--out", tmp_path / "run")
    assert "rl-chess, drift, drift-fast, alphazero:GAME or drift:GAME" in answer.err
    rows = [line.split()[:2] for line in call("train", "--presets").out.splitlines() if line]
    assert ["drift-fast", "drift"] in rows
    assert ["choko-dql", "dql"] in rows
    assert "Settings of drift-fast (drift)" in call("train", "drift-fast", "--settings").out
    assert "drift" in call("train", "--settings", "--json").json()


# Looking at runs


def test_it_is_listed_and_compared(call: Call, tmp_path: Path) -> None:
    one = run_to_end(tmp_path / "one").folder
    write_run(tmp_path / "two", metrics(10))
    alone = call("runs", one)
    assert "length" in alone.out.splitlines()[2]
    rows = [" ".join(line.split()) for line in call("runs", tmp_path).out.splitlines()]
    assert "run preset iterations score against, % figure time" in rows
    assert any("wall" in row and "length" in row for row in rows)
    assert any("entropy" in row for row in rows)
    facts = call("runs", one, tmp_path / "two", "--json").json()
    assert facts["differ"]["algorithm"] == ["drift", "ppo"]
    assert set(facts["runs"][0]["evaluation"]["scores"]) == {"wall"}
    compared = [
        " ".join(row.split()) for row in call("runs", one, tmp_path / "two").out.split("\n")
    ]
    assert any(row.startswith("weight norm") for row in compared)
    assert any(row.startswith("score against wall, %") for row in compared)


def test_it_is_drawn(call: Call, tmp_path: Path) -> None:
    folder = run_to_end(tmp_path / "run").folder
    answer = call("plot", folder)
    assert answer.code == 0, answer.err
    assert [line[:20].rstrip() for line in answer.out.splitlines()] == [
        "Score against a wall", "Way of a weight",
    ]  # fmt: skip
    assert "Score against a wall" in (folder / "plot.svg").read_text()
    log = run_logs.read(folder)
    results = ["wall_wins", "wall_draws", "wall_losses"]
    chart = TrainingCurves.of([log], [*results, "weight_norm", "share_up"]).chart()
    assert [panel.title for panel in chart.panels] == [
        "Against a wall", "Weight norm", "Share that rose",  # the second nobody has declared
    ]  # fmt: skip
    assert [panel.percent for panel in chart.panels] == [True, False, True]


def test_two_algorithms_in_one_picture(tmp_path: Path) -> None:
    ours = run_logs.read(write_run(tmp_path / "ours", metrics(6)))
    theirs = run_logs.read(run_to_end(tmp_path / "theirs").folder)
    names = [metric.name for metric in TrainingCurves.of([ours, theirs]).metrics]
    assert names[:4] == ["earlier_wins", "earlier_draws", "earlier_losses", "random_score"]
    assert names[-2:] == ["wall_score", "length"]


def test_it_travels(call: Call, tmp_path: Path) -> None:
    run_to_end(tmp_path / "one")
    package = export_run(tmp_path / "one", tmp_path / "packed")
    assert not package.whole
    assert sum(file.stat().st_size for file in (tmp_path / "packed").iterdir()) < 100_000
    import_run(tmp_path / "packed", tmp_path / "two")
    assert "memory" not in load_checkpoint(tmp_path / "two" / CHECKPOINT)[0]
    one, two = (Run.open(tmp_path / name).restore_learner() for name in ("one", "two"))
    np.testing.assert_allclose(two.weights, one.weights, rtol=1e-2, atol=1e-3)
    assert two.iteration == 6
    answer = call("runs", "export", tmp_path / "one", "--out", tmp_path / "more")
    assert answer.err == "the memory stays behind\n"
    assert call("train", "--resume", "--out", tmp_path / "two").code == 0


def test_a_run_of_an_algorithm_that_is_gone(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run_to_end(tmp_path / "run").folder
    monkeypatch.setattr(registry, "_registered", {})
    with pytest.raises(DataError, match="there is no algorithm 'drift' here: one of your own need"):
        Run.open(folder)
    assert call("runs", folder).code == 0  # what it told can still be read
    answer = call("plot", folder)
    assert [line[:18].rstrip() for line in answer.out.splitlines()] == [
        "Length", "Share up", "Weight norm", "Test luck", "Score against wall",
    ]  # fmt: skip


# The Train page


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    data = tmp_path / "data"
    run_to_end(data / "runs" / "adrift")
    monkeypatch.setenv("PLAYPROOF_DATA", str(data))
    with TestClient(make_app(data), base_url=ADDRESS) as client:
        client.get("/api/catalog")
        yield client


def test_the_page_shows_it(lab: TestClient) -> None:
    (run,) = lab.get("/api/runs").json()["runs"]
    assert (run["id"], run["state"], run["algorithm"]) == ("adrift", "done", "drift")
    assert run["method"] == ALGORITHM.summary
    assert run["opponents"] == {"wall": "a wall"}
    assert set(run["evaluation"]["scores"]) == {"wall"}
    figures = lab.get("/api/runs/adrift").json()["chart"]["figures"]
    shown = {figure["name"]: figure for figure in figures}
    assert list(shown)[:4] == ["wall_score", "length", "test_luck", "share_up"]
    score, length = shown["wall_score"], shown["length"]
    assert score["title"] == "Score against a wall"
    assert "every point is luck" in score["about"]
    assert (score["percent"], score["whole"], score["main"]) == (True, True, True)
    assert (length["title"], length["good"], length["main"]) == ("Way of a weight", "down", True)
    assert shown["share_up"]["percent"] is True
    plain = shown["weight_norm"]  # nobody has said anything about it
    assert (plain["title"], plain["about"], plain["main"]) == ("Weight norm", "", False)
    assert len(plain["curves"][0]["x"]) == 6
    assert lab.get("/api/runs/adrift/chart.svg").text.startswith("<svg")


def test_the_page_starts_it(lab: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []

    def start(self: Any, kind: str, title: str, words: list[str], **more: Any) -> Any:
        started.append(words)
        return job_told("1")

    monkeypatch.setattr("playproof.web.jobs.runner.JobRunner.start", start)
    offered = lab.get("/api/runs").json()["recipes"]
    assert offered[0]["id"] == "drifting"  # the shortest first
    answer = lab.post("/api/runs", json={"recipe": "drifting", "name": "mine"})
    assert answer.status_code == 200, answer.text
    (words,) = started
    assert words[:2] == ["train", "drift"]
    assert "step=0.5" in words


def test_nobody_takes_the_id_of_another_recipe() -> None:
    recipe = replace(ALGORITHM.recipes[0], id="choko")
    other = replace(ALGORITHM, name="other", presets={}, recipes=(recipe,))
    register_algorithm(other)
    assert recipes()["choko"][0].preset == "choko-ppo-v1"
    assert recipes()["drifting"] == (ALGORITHM.recipes[0], False)


# What cannot be registered


@dataclass(frozen=True)
class Undescribed(DriftConfig):
    odd: int = 3


@dataclass(frozen=True)
class Switched(DriftConfig):
    odd: bool = setting(True, "on or off")


class NoDataclass(DriftConfig):
    pass


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"name": "A B"}, "an algorithm cannot be called 'A B': want small letters"),
        ({"config": dict}, "want a class derived from playproof.learning.settings.RunSettings"),
        ({"config": NoDataclass}, "NoDataclass must be a dataclass: write @dataclass(frozen=True)"),
        ({"config": Undescribed}, r"Undescribed.odd: want setting(DEFAULT, MEANING)"),
        ({"config": Switched}, "Switched.odd is bool: want int, float, str or tuple of int"),
        ({"metrics": (Metric("a"), Metric("a"))}, "the metric a is declared twice"),
        ({"metrics": (Metric("iteration"),)}, "a metric cannot be called 'iteration'"),
        ({"metrics": (Metric("a", line="{:q}"),)}, "metric a: line='{:q}': want one such as"),
        ({"metrics": (Metric("a", good="left"),)}, "good='left': want 'up', 'down' or ''"),  # type: ignore[arg-type]
        ({"panels": ("lenght",)}, "lenght is none of its metrics: want length, share_up or test"),
        ({"listed": "door_score"}, "door_score is none of its metrics"),
        ({"listed": "wall"}, "wall is none of its metrics"),
        ({"presets": {"mine": find("choko-dql").settings}}, "the preset mine is no DriftConfig"),
        ({"folds": Folds(lambda config: 3, "part")}, "it has folds, but no setting part"),
    ],
)
def test_what_is_no_algorithm_is_told_in_a_line(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as error:
        replace(ALGORITHM, **changes)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_settings_that_cannot_be_made_are_told_in_a_line() -> None:
    @dataclass(frozen=True)
    class Half(third_party_algorithm.RunSettings):
        def check(self) -> None: ...

    with pytest.raises(UsageError, match=r"Half has no architecture\(\): settings need check and"):
        replace(ALGORITHM, config=Half, presets={}, folds=None)  # type: ignore[type-var]


def test_names_that_are_taken_are_refused() -> None:
    assert register_algorithm(ALGORITHM) is ALGORITHM  # once more is no harm
    with pytest.raises(UsageError, match="an algorithm called 'drift' is already there"):
        register_algorithm(replace(ALGORITHM))
    with pytest.raises(UsageError, match="an algorithm called 'ppo' is already there"):
        register_algorithm(replace(ALGORITHM, name="ppo"))
    with pytest.raises(UsageError, match="a preset called 'drift' is already there: choose anoth"):
        register_algorithm(replace(ALGORITHM, name="other"))
