"""``playproof runs`` and ``playproof plot``: what they print, write and refuse."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from playproof.cli.commands.plot import sparkline
from playproof.cli.commands.runs import _duration
from tests.support.cli.running import Answer
from tests.support.learning.run_folders import metrics, write_run

Playproof = Callable[..., Answer]
DASH = "\N{EN DASH}"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def some_runs(folder: Path) -> None:
    times = [{"iteration": 5, "seconds": 60.0}, {"iteration": 10, "seconds": 90.0}]
    write_run(folder / "one", metrics(10), times=times, iterations=30)
    write_run(folder / "many" / "seed-1", metrics(10, level=1.0), seed=1, rate=3e-4)
    write_run(folder / "many" / "seed-2", metrics(10, level=3.0), seed=2, rate=3e-4)


# runs


def test_runs_are_listed(here: Path, playproof: Playproof) -> None:
    some_runs(here)
    answer = playproof("runs")
    assert answer.code == 0
    shown = re.sub(r"\d+ s ago", "# s ago", answer.out)
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "one choko-ppo-v3 10 of 30 earlier 62.5 [41, 80] 0.2 2.5 min spent" in lines
    assert "choko, seed 1 unfinished, # s ago random 100.0 [84, 100] 5.0 min left" in lines
    assert f"many/seed-2 choko-ppo-v3 10 of 10 earlier 62.5 [41, 80] 0.3 {DASH}" in lines
    assert answer.err == ""


def test_a_run_that_has_not_moved_for_long_shows_it(here: Path, playproof: Playproof) -> None:
    folder = write_run(here / "one", metrics(10), iterations=30)
    before = time.time() - 3 * 3600
    for file in folder.iterdir():
        os.utime(file, (before, before))
    assert "unfinished, 3.0 h ago" in playproof("runs").out


def test_runs_as_json(here: Path, playproof: Playproof) -> None:
    some_runs(here)
    write_run(here / "new", checkpoint=False)
    found = {run["run"]: run for run in playproof("runs", str(here), "--json").json()["runs"]}
    assert len(found) == 4
    one = found[str(here / "one")]
    assert (one["state"], one["iterations"], one["of"]) == ("unfinished", 10, 30)
    assert (one["seconds_spent"], one["seconds_left"]) == (150.0, pytest.approx(300.0))
    assert one["evaluation"]["iteration"] == 10
    assert one["evaluation"]["scores"]["earlier"]["score"] == 0.625
    assert one["figures"]["entropy"] == 0.2
    new = found[str(here / "new")]
    assert (new["iterations"], new["evaluation"], new["figures"]) == (0, None, {})


def test_named_runs_are_compared(here: Path, playproof: Playproof) -> None:
    some_runs(here)
    answer = playproof("runs", "one", "many/seed-2")
    lines = [" ".join(line.split()) for line in answer.out.splitlines()]
    assert "rate 0.0001 0.0003" in lines
    assert "seed 1 2" in lines
    assert not any(line.startswith("hidden") for line in lines)
    assert "iterations 10 of 30 10 of 10" in lines
    assert "score against random, % 100.0 [84, 100] 100.0 [84, 100]" in lines
    assert "entropy 0.2 0.3" in lines
    assert f"time spent 2.5 min {DASH}" in lines
    facts = playproof("runs", "one", "many/seed-2", "--json").json()
    assert facts["differ"] == {"rate": [1e-4, 3e-4], "iterations": [30, 10], "seed": [1, 2]}
    assert "are the same" in playproof("runs", "one", "one/../one", "many/../one").out


def test_damaged_runs_are_listed_and_named(here: Path, playproof: Playproof) -> None:
    some_runs(here)
    (here / "one" / "metrics.jsonl").write_text("?\n{}\n")
    (here / "many" / "seed-1" / "settings.json").write_text("{")
    answer = playproof("runs")
    assert answer.code == 0
    assert answer.out.count("damaged") == 2
    assert "one/metrics.jsonl: line 1 is damaged" in answer.err
    assert "settings.json is not the settings of a run" in answer.err
    states = {run["run"]: run["state"] for run in playproof("runs", "--json").json()["runs"]}
    assert sorted(states.values()) == ["damaged", "damaged", "done"]


def test_no_runs(here: Path, playproof: Playproof) -> None:
    answer = playproof("runs")
    assert (answer.code, answer.out) == (0, "")
    assert "no runs in . and 3 folders below" in answer.err
    assert playproof("runs", "--json").json() == {"runs": []}
    answer = playproof("runs", "nowhere")
    assert (answer.code, answer.err) == (3, "error: there is no folder nowhere\n")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (119.4, "119 s"), (150, "2.5 min"), (7199, "120 min"), (7200, "2.0 h"),
     (90_000, "25 h"), (200_000, "2.3 d"), (None, DASH)],
)  # fmt: skip
def test_durations(seconds: float | None, text: str) -> None:
    assert _duration(seconds) == text


# plot


def test_a_run_is_drawn_into_its_folder(here: Path, playproof: Playproof) -> None:
    some_runs(here)
    answer = playproof("plot", "one")
    assert answer.code == 0
    assert answer.err == "drew one/plot.svg\n"
    assert "Training of choko-ppo-v3, seed 1" in (here / "one" / "plot.svg").read_text()
    lines = answer.out.splitlines()
    assert len(lines) == 8
    told = " ".join(lines[0].split())
    assert told == "Won against itself 10 iterations earlier 50.0 % ▅▅ 50.0 %"
    assert "█▄▃▂▂▂▁▁▁▁" in lines[4]


def test_several_runs_are_drawn_here(here: Path, playproof: Playproof) -> None:
    some_runs(here)
    answer = playproof("plot", "one", "many", "--metric", "entropy", "--metric", "divergence")
    assert answer.err == "drew plot.svg\n"
    svg = (here / "plot.svg").read_text()
    assert "many (2 seeds)" in svg
    assert "Divergence of an update" in svg
    assert "Clipped" not in svg
    assert answer.out.splitlines()[0] == "one"


def test_a_short_seed_is_told(here: Path, playproof: Playproof) -> None:
    some_runs(here)
    write_run(here / "many" / "seed-3", metrics(4), seed=3, rate=3e-4)
    said = playproof("plot", "many").err
    assert "many (3 seeds): the mean ends at iteration 4, where the shortest run ends" in said


def test_files_and_themes(here: Path, playproof: Playproof) -> None:
    some_runs(here)
    assert playproof("plot", "one", "--out", "x/dark.svg", "--theme", "dark").code == 0
    root = ElementTree.parse(here / "x" / "dark.svg").getroot()
    assert any(element.get("fill") == "#1d2226" for element in root.iter())
    pytest.importorskip(
        "resvg_py", reason="*** resvg_py is not installed: PNG is NOT tested; pip install it ***"
    )
    assert playproof("plot", "one", "--out", "one.png").code == 0
    assert (here / "one.png").read_bytes().startswith(b"\x89PNG")
    assert not (here / "one" / "plot.svg").exists()


def test_curves_as_json(here: Path, playproof: Playproof) -> None:
    some_runs(here)
    facts = playproof("plot", "many", "--metric", "entropy", "--smooth", "1", "--json").json()
    assert facts["lines"] == [
        {"name": "many (2 seeds)", "folders": ["many/seed-1", "many/seed-2"], "seeds": [1, 2]}
    ]
    (curve,) = facts["metrics"]["entropy"]
    assert curve["runs"] == 2
    assert curve["values"][:2] == [2.0, 1.0]
    assert curve["lower"][0] < 2.0 < curve["upper"][0]
    assert not list(here.rglob("*.svg"))  # a picture only if asked for


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("plot nowhere", 3, "there is no folder nowhere"),
        ("plot empty", 3, "empty holds no run: want a folder that playproof train wrote"),
        ("plot new", 3, "new: no iteration is finished yet"),
        ("plot broken", 3, "line 1 is damaged"),
        ("plot one --metric speed", 2, "the runs have no 'speed': want policy_loss, value_loss"),
        ("plot one --out plot.gif", 2, "--out plot.gif: want a name that ends with .svg or .png"),
        ("plot one --theme blue", 2, "--theme blue: want light or dark"),
        ("plot one --smooth 0", 2, "--smooth"),
        ("plot one --out one/settings.json/x.svg", 3, "cannot be written"),
        ("plot", 2, "RUN..."),
    ],
)
def test_what_cannot_be_drawn_is_told_in_a_line(
    here: Path, playproof: Playproof, words: str, code: int, said: str
) -> None:
    some_runs(here)
    write_run(here / "new", checkpoint=False)
    (write_run(here / "broken") / "metrics.jsonl").write_text("?\n?\n")
    (here / "empty").mkdir()
    before = sorted(here.rglob("*"))
    answer = playproof(*words.split())
    assert answer.code == code
    assert said in answer.err
    assert answer.err.count("\n") == 1
    assert sorted(here.rglob("*")) == before


def test_png_without_its_package(
    here: Path, playproof: Playproof, monkeypatch: pytest.MonkeyPatch
) -> None:
    some_runs(here)
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    answer = playproof("plot", "one", "--out", "one.png")
    assert answer.code == 1
    assert answer.err == (
        "error: a .png needs the package resvg_py: pip install resvg_py, or write an .svg\n"
    )


def test_a_run_that_is_read_is_not_touched(here: Path, playproof: Playproof) -> None:
    some_runs(here)
    with (here / "one" / "metrics.jsonl").open("a") as file:
        file.write('{"iteration": 11, "entr')
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    for words in (("runs",), ("plot", "one", "--json"), ("runs", "one", "many/seed-1")):
        assert playproof(*words).code == 0
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before


def test_sparklines() -> None:
    x = np.arange(8.0)
    assert sparkline(x, x) == "▁▂▃▄▅▆▇█"
    assert sparkline(x, np.full(8, 2.0)) == "▁" * 8
    assert sparkline(x, np.full(8, 0.5), (0.0, 1.0)) == "▅" * 8
    assert sparkline(x[:0], x[:0]) == ""
    assert sparkline(np.array([1.0]), np.array([3.0])) == "▁"
    assert len(sparkline(np.arange(5000.0), np.arange(5000.0))) == 40
    assert sparkline(np.array([0.0, 1.0, 9.0]), np.array([0.0, 1.0, 1.0])) == "▁ █"


def test_a_real_run_is_listed_and_drawn(here: Path, playproof: Playproof) -> None:
    small = {"iterations": 4, "steps": 256, "epochs": 1, "games": 8, "hidden": 16,
             "evaluate_every": 2, "evaluation_games": 8}  # fmt: skip
    words = [word for name, value in small.items() for word in ("--set", f"{name}={value}")]
    assert playproof("train", "choko-ppo-v3", "--out", "real", "--seed", "3", *words).code == 0
    (run,) = playproof("runs", "--json").json()["runs"]
    assert (run["state"], run["iterations"], run["seed"]) == ("done", 4, 3)
    assert set(run["evaluation"]["scores"]) == {"earlier", "random"}
    lines = (here / "real" / "metrics.jsonl").read_text().splitlines()
    assert run["figures"]["entropy"] == json.loads(lines[-1])["entropy"]
    assert playproof("plot", "real").code == 0
