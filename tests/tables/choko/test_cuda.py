"""Choko's CUDA passes beside the CPU's, in Numba's simulator: no GPU is needed."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from playproof.tables.choko.slices import Slice, parse
from playproof.tables.choko.solve import work
from playproof.tables.choko.store import DISTANCE, OUTCOME
from playproof.tables.choko.value_codes import WIN_AT_ONCE
from tests.support.core.processes import python
from tests.support.longer import longer
from tests.support.paths import ROOT
from tests.support.tables.choko_simulated import NAMES, PIECES
from tests.support.tables.choko_solved import cpu, solved

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def simulated() -> dict[str, Any]:
    code = "from tests.support.tables.choko_simulated import main; main()"
    out = python("-W", "ignore", "-c", code, folders=(ROOT,), NUMBA_ENABLE_CUDASIM="1")
    return dict(json.loads(out))


@pytest.mark.parametrize("name", [*NAMES, *longer([], ["h1-0v1"])])
def test_both_devices_solve_alike(simulated: dict[str, Any], name: str) -> None:
    one, results, store = parse(name), simulated["slices"][name], solved(True, PIECES).store
    assert one is not None
    codes = store.fetch(one)
    assert results["codes"] == codes[: one.cells].tolist()
    assert results["counts"] == cpu().histogram(one, codes).tolist() == store.counts(one).tolist()
    assert results["outcomes"] == cpu().unpack(cpu().pack(codes))[: one.cells].tolist()
    some = codes[: one.cells : 3].tolist()
    assert results["some"] == some + some[:3]  # of three groups, one of them empty
    assert results["first"] == [
        cpu().find(codes, one.cells, code) for code in (0, 1, 2, 128, 253, 255)
    ]
    assert (results["wrong"], results["wrong if damaged"] > 0) == (0, True)
    pair = {one, one.mirror} if one.large > one.small else {one}
    assert results["ticks"] == sum(work(each) for each in pair)


@pytest.mark.parametrize("kind", [DISTANCE, OUTCOME])
def test_a_device_keeps_what_the_cpu_solves(simulated: dict[str, Any], kind: str) -> None:
    results, here = simulated[kind], solved(True, 2, kind)
    assert results["counts"] == [line.counts.tolist() for line in here.built.summaries]
    assert results["served"] == results["read"]
    assert results["read"] == here.store.read(Slice(0, 1, 1, 0), np.arange(9)).tolist()
    assert results["win"] == here.store.find(Slice(0, 1, 1, 0), WIN_AT_ONCE)
    state = here.probe.game.position("5/5/5/2b2/2r2 r 0 0 - 25")
    moves = [[action, *value] for action, value in here.probe.moves(state)]
    assert results["moves"] == moves
    assert moves[0][1] == 1  # a jump over the only piece
