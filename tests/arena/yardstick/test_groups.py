"""Groups of critical positions: each in one of every aspect, by what its moves and values are."""

from __future__ import annotations

from collections import Counter

import pytest

from playproof import make
from playproof.arena.yardstick.critical import CriticalPosition
from playproof.arena.yardstick.groups import Group, groups_of, move_kind
from playproof.arena.yardstick.positions import shipped

GAME = make("choko", cap=0)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("A1", "corner"), ("E5", "corner"), ("A3", "edge"), ("C1", "edge"), ("C3", "inner"),
        ("D4", "inner"), ("E3-E2", "step"), ("E3xE5,A1", "jump"), ("E3xE5", "jump"),
    ],
)  # fmt: skip
def test_the_kind_of_a_move(name: str, kind: str) -> None:
    assert move_kind(name) == kind


def group_names(position: str, values: dict[str, int]) -> dict[str, str]:
    state = GAME.position(position)
    listed = tuple(values.get(name, -1) for name in state.legal_names())
    (groups,) = groups_of(GAME, [CriticalPosition(state.position, listed)])
    return dict(groups)


def test_a_jump_that_wins() -> None:
    moves = {"E3xE5,A1": 1, "E3-E2": 0, "E3-D3": 0}
    assert group_names("5/4r/4b/5/r2b1 b 0 0 - 24", moves) == {
        "phase": "end", "right moves": "jump", "value": "won",
        "share of right moves": "up to 25 %", "actions to the win": "1 to 10",
    }  # fmt: skip


def test_the_quickest_win_decides_the_band() -> None:
    groups = group_names("5/4r/4b/5/r2b1 b 0 0 - 24", {"E3-E2": 47, "E3-D3": 45, "D1-D2": 90})
    assert groups["actions to the win"] == "26 to 45"
    assert groups["right moves"] == "step"
    assert groups["share of right moves"] == "up to 50 %"  # three of six


def test_placements_by_their_squares() -> None:
    start = GAME.start()
    names = start.legal_names()

    def of(*right: str) -> str:
        return group_names(start.position, dict.fromkeys(right, 0))["right moves"]

    assert of("A1", "E5") == "placement, corner"
    assert of("A2") == "placement, edge"
    assert of("A1", "A2") == "placement, outer"
    assert of("C3") == "placement, inner"
    assert of("C3", "A1") == "placement, several"
    assert len(names) == 25


def test_every_shipped_position_is_in_one_group_of_each_aspect() -> None:
    yardstick = shipped(GAME)
    positions = yardstick.positions[::10]
    counts = Counter[str]()
    for one, groups in zip(positions, groups_of(GAME, positions), strict=True):
        aspects = [group.aspect for group in groups]
        assert len(set(aspects)) == len(aspects)
        assert Group("value", "won" if one.value > 0 else "drawn") in groups
        assert ("actions to the win" in aspects) == (one.value > 0)
        counts.update(aspects)
    assert {aspect for aspect, count in counts.items() if count == len(positions)} == {
        "phase", "right moves", "value", "share of right moves",
    }  # fmt: skip
