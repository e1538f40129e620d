"""A small helping of the comparisons that ``make verify`` runs by the million."""

import pytest

from tests.support.peers import side_by_side


@pytest.mark.parametrize("size", [4, 6, 8])
def test_othello_agrees_with_the_naive_board(size: int) -> None:
    assert side_by_side.with_naive_othello(size, positions=600, seed=size) >= 600


@pytest.mark.parametrize("lone_jump", [False, True])
def test_choko_agrees_with_the_naive_board(lone_jump: bool) -> None:
    assert side_by_side.with_naive_choko(lone_jump, positions=1000, seed=1) >= 1000


def test_othello_agrees_with_open_spiel() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")
    assert side_by_side.with_open_spiel(positions=6000, seed=1) >= 6000
