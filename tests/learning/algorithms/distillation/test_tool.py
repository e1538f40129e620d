"""The tool that trains nets of several sizes at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from playproof import UsageError
from playproof.nets.files import load
from tests.support.paths import ROOT

pytest.importorskip("torch")
pytestmark = pytest.mark.slow


def test_all_sizes_learn_together_and_leave_their_nets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import oracle_nets

    changes = {
        "tables": "solve", "hands": "0", "pieces": "4", "blocks": "0", "batch": "16",
        "block": "64", "steps": "2", "evaluation_positions": "64", "player": "none",
    }  # fmt: skip
    names = ("choko-oracle-100kb", "choko-oracle-300kb")
    plan = oracle_nets.Plan(names, changes, None, "cpu")
    assert oracle_nets.measure(plan, 4.0) > 0
    plan = replace(plan, changes={**changes, "iterations": "40", "evaluate_every": "20"})
    report = oracle_nets.train(plan, 300.0, tmp_path / "first")
    assert list(report["nets"]) == list(names)
    for name, result in report["nets"].items():
        net = load(tmp_path / "first" / f"{name}.safetensors")
        assert net.architecture.parameters == result["parameters"]
        assert net.metadata["positions"] == result["positions"] == 40 * 2 * 16
        assert 0 < result["chance"] < 1
        assert result["final"]["held_out_all"] > 0
    plan = replace(plan, start=tmp_path / "first")
    assert plan.settings_of(names[0]).start.endswith("choko-oracle-100kb.safetensors")
    oracle_nets.train(plan, 0.0, tmp_path / "second")  # no time: the nets stay what they are
    one, two = (load(tmp_path / leg / f"{names[0]}.safetensors") for leg in ("first", "second"))
    assert np.array_equal(one.weights, two.weights)
    words = [*names, "--out", str(tmp_path), "--seconds", "0", "--calibrate", "4"]
    for name, value in changes.items():
        words += ["--set", f"{name}={value}"]
    with pytest.raises(UsageError, match="--seconds 0 leave no time to learn"):
        oracle_nets.main(words)
