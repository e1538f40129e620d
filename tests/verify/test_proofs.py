"""The long check that certifies a bound in groups of parts."""

from __future__ import annotations

import re

import pytest

from playproof.proofs.theorems import ByCubes
from tests.verify import proofs


def test_the_groups_together_have_every_part() -> None:
    parts = len(ByCubes(33, 8, 39).statements())
    groups = [name for name in proofs.pieces() if "33 moves, 39 empty, group" in name]
    assert parts == 231
    assert len(groups) == proofs.GROUPS
    numbers = [n for group in range(proofs.GROUPS) for n in proofs.parts_of_group(group, parts)]
    assert sorted(numbers) == list(range(parts))


@pytest.mark.slow
def test_a_group_is_certified_and_checked() -> None:
    summary = proofs._certified_cubes(33, 60, 0)  # four stones have four moves
    assert re.match(r"11 of 231 parts certified in \d+ s, \d+ MB, checked in \d+ s", summary)


def test_a_part_that_is_not_refuted_fails_the_check() -> None:
    with pytest.raises(AssertionError, match="at least 4 moves"):
        proofs._certified_cubes(4, 0, 0)
