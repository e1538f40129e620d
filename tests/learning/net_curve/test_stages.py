"""Stages of learning: a group is learned where its share stays above a level to the end."""

from __future__ import annotations

import numpy as np
import pytest

from playproof.arena.yardstick.critical import CriticalPosition
from playproof.arena.yardstick.groups import Group
from playproof.learning.net_curve.stages import stages, stays_above


@pytest.mark.parametrize(
    ("shares", "reached"),
    [
        ([0.1, 0.9, 0.9], 10),
        ([0.9, 0.1, 0.9], 20),  # a level that is lost again does not count
        ([0.9, 0.8, 0.8], 0),
        ([0.9, 0.9, 0.1], None),
    ],
)
def test_a_level_is_reached_where_it_is_never_lost_again(
    shares: list[float], reached: int | None
) -> None:
    assert stays_above([0, 10, 20], shares, 0.8) == reached


def test_groups_are_in_the_order_in_which_they_are_learned() -> None:
    position = CriticalPosition("5/5/2b2/5/5 r 11 12 b 1", (0, -2, -2, -2))
    early, late, never = (Group("kind", name) for name in ("early", "late", "never"))
    kept = np.array([[1, 0, 0, 0, 1], [1, 1, 0, 0, 0], [1, 1, 0, 1, 0], [1, 1, 1, 1, 0]], np.bool_)
    groups = [(early,), (early,), (late,), (late,), (never,)]
    ordered = stages([0, 5, 10, 15], kept, [position] * 5, groups)
    assert [stage.group.name for stage in ordered] == ["early", "late", "never"]
    assert [stage.reached for stage in ordered] == [(5, 5), (15, 15), (None, None)]
    assert [stage.half for stage in ordered] == [5, 10, None]  # never: it gains nothing
    assert ordered[1].shares == (0.0, 0.0, 0.5, 1.0)
    assert ordered[0].positions == 2
    assert ordered[0].chance == 0.25
