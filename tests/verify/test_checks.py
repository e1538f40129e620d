"""The long checks can be started: their modules import, and each has pieces with names."""

from __future__ import annotations

import pytest

from tests.verify.checks import CHECKS


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_has_pieces(name: str) -> None:
    pieces = CHECKS[name].pieces()
    assert pieces
    assert all(label and callable(piece) for label, piece in pieces.items())
