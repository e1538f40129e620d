"""``playproof bench learning``: what it reports, and its bar."""

from __future__ import annotations

import pytest

from playproof.cli.benches import learning


@pytest.mark.slow
def test_our_update_is_five_times_as_fast_as_a_dense_one() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: nothing to measure beside")
    seen: list[tuple[int, int]] = []
    report = learning.measure(0.3, lambda done, total: seen.append((done, total)))
    told = report.to_json()
    assert told["parameters"] == 180_738
    assert told["minibatch"] == 128
    assert 15 < told["legal_actions"] < 20  # random play has 17.5
    assert told["ratio"] == told["samples_per_second"] / told["dense_samples_per_second"]
    assert told["ratio"] > 5
    assert told["torch"]
    assert len(report.rows()) == 2
    assert seen == [(0, 2), (1, 2)]


def test_without_pytorch_there_is_nothing_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "find_spec", lambda name: None)
    report = learning.measure(0.05, lambda done, total: None)
    assert report.peer is None
    assert report.ratio is None
    assert len(report.rows()) == 1
