"""A small crowd for a few seconds, then a day of a few seconds, at one lab; ``make verify`` has
200 people for two minutes and a day of an hour, where memory is looked at too."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.web.load import killing, loading, soaking


@dataclass(frozen=True)
class House:
    """A lab, its data folder, and the one for files that are thrown away."""

    lab: killing.Lab
    home: Path
    scratch: Path


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder, mark = tmp_path_factory.mktemp("house"), secrets.token_hex(8)
    home, scratch = folder / "lab", folder / "scratch"
    scratch.mkdir()
    with killing.laboratory(home, mark, TMPDIR=str(scratch)) as lab:
        yield House(lab, home, scratch)
        said = lab.end()
    killing.await_nothing(mark)
    assert "Traceback" not in said, said[-3000:]


@pytest.mark.slow
def test_a_crowd_plays_and_no_move_is_lost(house: House) -> None:
    lab = house.lab
    crowd = loading.gather(lab.base, lab.process.pid, 5, 3.0, seed=3, pace=0.08)
    load = asyncio.run(crowd)
    load.check(flat=25.0)  # the first seconds fill what is kept
    assert load.clients == 20
    assert load.count.moves > 30
    assert load.count.rejoined > 0
    assert load.count.refused > 0


@pytest.mark.slow
def test_a_day_leaves_nothing_behind(house: House) -> None:
    soak = soaking.live(house.lab, house.home, house.scratch, 0.03, seed=4, chairs=2)
    soak.check(memory=False)
    assert soak.day.visits >= 2
    assert soak.day.moves > 5
    assert sum(soak.day.jobs.values()) >= 1
    assert max(reading.sockets for reading in soak.readings) > soak.morning.sockets
