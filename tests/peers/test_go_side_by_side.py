"""Go and Quantum Go beside the naive board: a small helping of what ``make verify`` runs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.peers.go_side_by_side import with_naive_quantum_go, with_open_spiel_go

SIZES = ((2, 2), (3, 2), (3, 3), (4, 3))
CASES: list[tuple[str, dict[str, Any]]] = [
    ("classical", {}),
    ("classical", {"suicide": True}),
    ("classical", {"ko": "simple"}),
    ("standard", {}),
    ("standard", {"suicide": True}),
    ("standard", {"ko": "simple", "scoring": "territory"}),
    ("standard", {"order": "rising"}),
    ("standard", {"collapse": "born", "alpha": 0.6}),
    ("weak", {}),
    ("symmetric", {}),
    ("semi-black", {}),
    ("semi-white", {"collapse": "born"}),
    ("ghz-3", {}),
    ("ghz-3", {"order": "rising", "collapse": "born"}),
    ("weak+ghz-3", {}),
    ("w-2", {}),
    ("w-3", {"scoring": "territory"}),
    ("w-3", {"suicide": True}),
    ("semi-black+w-3", {}),
    ("w-3", {"collapse": "born"}),
    ("w-4", {}),
]


@pytest.mark.parametrize(("variant", "options"), CASES, ids=str)
def test_the_engine_agrees_with_the_naive_board(variant: str, options: dict[str, Any]) -> None:
    for width, height in SIZES:
        if width * height >= 6 or variant[-1] not in "34":
            seed = 10 * width + height
            with_naive_quantum_go(variant, width, height, 60, seed, **options)


@pytest.mark.parametrize("size", [5, 9])
def test_go_agrees_with_open_spiel(size: int) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")
    assert with_open_spiel_go(size, positions=1000, seed=size) >= 1000
