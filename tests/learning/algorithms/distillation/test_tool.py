"""The tool that trains nets of several sizes at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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
    names = ["choko-oracle-100kb", "choko-oracle-300kb"]
    words = [*names, "--out", str(tmp_path), "--seconds", "25", "--calibrate", "2"]
    for name, value in changes.items():
        words += ["--set", f"{name}={value}"]
    oracle_nets.main(words)
    report = json.loads((tmp_path / "report.json").read_text())
    assert list(report["nets"]) == names
    for name, result in report["nets"].items():
        net = load(tmp_path / f"{name}.safetensors")
        assert net.architecture.parameters == result["parameters"]
        assert net.metadata["positions"] == result["positions"] > 0
        assert 0 < result["chance"] < 1
        assert result["final"]["held_out_all"] > 0
    again = [*words[:3], str(tmp_path / "second"), *words[4:], "--start", str(tmp_path)]
    oracle_nets.main(again)
    assert load(tmp_path / "second" / f"{names[0]}.safetensors").observation == "position"
