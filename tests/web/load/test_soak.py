"""A day of a few seconds; ``make verify`` has one of an hour, where memory is looked at too."""

from __future__ import annotations

from web.load import soaking


def test_a_day_leaves_nothing_behind() -> None:
    soak = soaking.run(0.03, seed=4, chairs=2)
    soak.check(memory=False)
    assert soak.day.visits >= 2
    assert soak.day.moves > 5
    assert sum(soak.day.jobs.values()) >= 1
    assert max(reading.sockets for reading in soak.readings) > soak.morning.sockets
