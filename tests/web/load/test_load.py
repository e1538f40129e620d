"""A small crowd for a few seconds; ``make verify`` has 200 people for two minutes."""

from __future__ import annotations

from web.load import loading


def test_a_crowd_plays_and_no_move_is_lost() -> None:
    load = loading.run(5, 3.0, seed=3, pace=0.08)
    load.check(flat=25.0)  # the first seconds fill what is kept
    assert load.clients == 20
    assert load.count.moves > 30
    assert load.count.rejoined > 0
    assert load.count.refused > 0
