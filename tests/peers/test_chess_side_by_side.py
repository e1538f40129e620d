"""A small helping of the comparison with python-chess that ``make verify`` runs by the million."""

import pytest

from tests.support.peers.chess_side_by_side import with_python_chess


@pytest.mark.parametrize("draws", ["automatic", "claimed"])
def test_chess_agrees_with_python_chess(draws: str) -> None:
    pytest.importorskip("chess", reason="python-chess is not installed: pip install chess")
    assert with_python_chess(draws, positions=3000, seed=1) >= 3000
