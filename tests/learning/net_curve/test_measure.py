"""The nets of a run are measured once each, whatever stops the measuring, and by time and phase."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playproof import DataError, UsageError, make
from playproof.arena.yardstick.measure import measure as measure_agent
from playproof.arena.yardstick.positions import shipped
from playproof.learning.net_curve import measure
from playproof.learning.net_curve.chart import chart
from playproof.learning.net_curve.measure import (
    LINES,
    POLICY,
    NetCurveConfig,
    kept_nets,
    measure_nets,
)
from playproof.learning.net_curve.report import NetCurveReport
from playproof.learning.runs.run import NET, Run
from playproof.nets import files as net_files

FEW = {
    "iterations": "4", "steps": "64", "epochs": "1", "games": "8", "hidden": "8",
    "evaluate_every": "0",
}  # fmt: skip
CONFIG = NetCurveConfig(positions=30)
SEARCHED = replace(CONFIG, simulations=(3,), against=("random",), games=4, match_every=4)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = Run.create(tmp_path_factory.mktemp("run") / "choko", "choko-ppo-v3", FEW)
    run.resume(checkpoint_every=2, keep_every=2)
    return run.folder


@pytest.fixture
def folder(trained: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(trained, tmp_path / "run"))


def test_each_net_is_measured_as_the_command_measures_an_agent(folder: Path) -> None:
    curve = measure_nets(folder, SEARCHED)
    assert curve.iterations == [0, 2, 4]
    yardstick = shipped(make("choko"))
    for player in (POLICY, 3):
        for net, kept in zip(curve.nets, curve.kept[player], strict=True):
            agent = net.spec(player, "cpu")
            alone = measure_agent(yardstick, agent, seed=1, limit=30).phases["all"].kept
            assert int(kept.sum()) == alone.kept
            assert len(kept) == alone.positions == 30


def test_what_is_measured_is_not_measured_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = NetCurveReport(measure_nets(folder, SEARCHED)).to_json()
    lines = (folder / LINES).read_text()
    assert len(lines.splitlines()) == 3 + 3 + 2  # policies, searches, matches of 0 and 4

    def never(*arguments: Any, **keywords: Any) -> Any:
        raise AssertionError("measured again")

    for name in ("choose_moves", "match", "policy_network"):
        monkeypatch.setattr(measure, name, never)
    (folder / LINES).write_text(lines + '{"key": "cut in the mid')  # a kill
    assert NetCurveReport(measure_nets(folder, SEARCHED)).to_json() == first
    assert (folder / LINES).read_text() == lines
    for other in (replace(CONFIG, positions=31), replace(CONFIG, seed=2)):
        with pytest.raises(AssertionError, match="measured again"):
            measure_nets(folder, other)


def test_another_net_of_the_same_iteration_is_measured_anew(folder: Path) -> None:
    measure_nets(folder, CONFIG)
    file = folder / "nets" / "2.safetensors"
    net = net_files.load(file)
    net_files.save(replace(net, weights=-net.weights), file)
    measure_nets(folder, CONFIG)
    lines = [json.loads(line) for line in (folder / LINES).read_text().splitlines()]
    assert [line["iteration"] for line in lines] == [0, 2, 4, 2]


def test_a_run_in_progress_is_measured_up_to_its_latest_net(folder: Path) -> None:
    (folder / "nets" / "4.safetensors").unlink()
    nets = kept_nets(folder)
    assert [net.iteration for net in nets] == [0, 2, 4]
    assert nets[-1].file == folder / NET
    shutil.rmtree(folder / "nets")
    assert [net.iteration for net in kept_nets(folder)] == [4]
    (folder / NET).unlink()
    with pytest.raises(DataError, match="has no nets yet: want a run of 'playproof train --keep"):
        kept_nets(folder)


def test_the_report_has_times_phases_and_results(folder: Path) -> None:
    (folder / "times.jsonl").write_text(
        '{"iteration": 3, "iterations": 3, "seconds": 90.0}\n'
        '{"iteration": 4, "iterations": 1, "seconds": 30.0}\n'
    )
    report = NetCurveReport(measure_nets(folder, SEARCHED))
    data = report.to_json()
    assert [net["minutes"] for net in data["nets"]] == [0.0, 1.0, 2.0]
    for net in data["nets"]:
        phases = net["kept"]["policy"]
        counts = [phases[phase]["positions"] for phase in ("opening", "middle", "end", "all")]
        assert counts == [10, 10, 10, 30]
        assert sum(phases[p]["kept"] for p in ("opening", "middle", "end")) == phases["all"]["kept"]
        assert set(net["kept"]) == {"policy", "3 simulations"}
    played = [net["against"] for net in data["nets"]]
    assert [set(one) for one in played] == [{"random"}, set(), {"random"}]
    result = played[0]["random"]
    assert result["games"] == result["wins"] + result["draws"] + result["losses"] == 4
    phases = [s for s in data["stages"]["policy"] if s["aspect"] == "phase"]
    assert {s["group"]: s["shares"][-1] for s in phases} == {
        phase: data["nets"][-1]["kept"]["policy"][phase]["share"]
        for phase in ("opening", "middle", "end")
    }
    svg = chart(report).svg()
    for words in ("Value kept, by minutes of training", "3 simulations", "Against random"):
        assert words in svg
    json.dumps(data, allow_nan=False)


def test_the_positions_are_those_of_one_sample_for_all_nets(folder: Path) -> None:
    curve = measure_nets(folder, CONFIG)
    again = measure_nets(folder, replace(CONFIG, positions=None))
    assert len(again.positions) == 4200
    assert set(curve.positions) <= set(again.positions)
    assert all(len(kept) == 4200 for kept in again.kept[POLICY])
    assert np.array_equal(
        curve.kept[POLICY],
        again.kept[POLICY][:, [again.positions.index(one) for one in curve.positions]],
    )


def test_what_cannot_be_measured_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="want 1 or more simulations"):
        NetCurveConfig(simulations=(0,))
    with pytest.raises(UsageError, match="--device gpu: want cpu or cuda"):
        NetCurveConfig(device="gpu")
    with pytest.raises(UsageError, match="cannot be asked about so many positions"):
        measure_nets(folder, replace(CONFIG, against=("human",)))
    (folder / LINES).write_text("[]\n")
    with pytest.raises(DataError, match="is damaged: delete it to measure again"):
        measure_nets(folder, CONFIG)
    othello = Run.create(tmp_path / "othello", "choko-ppo-v3", FEW | {
        "game": "othello:size=4", "observation": "planes", "iterations": "1"})  # fmt: skip
    othello.resume()
    with pytest.raises(UsageError, match="there is no yardstick for othello: want choko"):
        measure_nets(othello.folder, CONFIG)
