"""The tables of distillation: a folder, a probe server, or solved in memory; what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from playproof import DataError, UsageError
from playproof.core.registry import make
from playproof.learning.algorithms.distillation import truth
from playproof.learning.algorithms.distillation.learner import Distillation
from playproof.learning.algorithms.distillation.truth import open_truth
from playproof.tables.choko.cpu import Cpu
from playproof.tables.choko.game import open_store
from playproof.tables.choko.probe_server.client import NoServer
from playproof.tables.choko.slices import slice_of
from tests.support.learning.distillation_settings import settings
from tests.support.tables.probe_servers import served

pytest.importorskip("torch")


def test_the_game_is_solved_once_for_all_runs(folder: Path) -> None:
    s = settings(folder, tables="solve", hands=0, pieces=4)
    first = open_truth(s, "cpu")
    assert open_truth(replace(s, seed=5), "cpu") is first
    assert first.slices.tolist() == [[0, 2, 2]]
    assert not first.has_start
    state = make("choko", cap=0).position("1brb1/3r1/5/5/5 b 0 0 - 24")
    wanted = open_truth(settings(folder), "cpu").probe.codes_of([state])
    assert first.probe.codes_of([state]) == wanted
    truth.forget()
    assert open_truth(s, "cpu") is not first


def test_slices_that_lead_to_missing_ones_are_left_out(folder: Path, tmp_path: Path) -> None:
    for file in folder.glob("*.distance"):
        if not file.name.startswith("h1-1v1"):
            (tmp_path / file.name).write_bytes(file.read_bytes())
    s = settings(tmp_path)
    assert open_truth(s, "cpu").slices.tolist() == [[0, 2, 2]]
    assert bool(open_truth(s, "cpu").available[0, 2, 2])
    assert len(open_truth(settings(folder), "cpu").slices) == 3
    assert len(open_truth(settings(folder, hands=1), "cpu").slices) == 2
    (tmp_path / f"{slice_of(0, 2, 2).name}.distance").unlink()
    with pytest.raises(DataError, match="no whole tables with hands=0 and pieces=24"):
        open_truth(settings(tmp_path, hands=0), "cpu")


def test_a_probe_servers_tables_are_learned_from_like_those_of_its_folder(folder: Path) -> None:
    with served(open_store(folder, False)) as socket:
        learners = [
            Distillation(settings(folder, tables=tables, hands=1))
            for tables in (str(folder), f"unix:{socket}")
        ]
        by_file, by_server = (learner.positions.truth for learner in learners)
        assert by_server is not by_file
        assert by_server.slices.tolist() == by_file.slices.tolist()
        assert len(by_server.slices) == 2
        for learner in learners:
            learner.iterate()
        assert np.array_equal(learners[0].weights, learners[1].weights)
        few = settings(folder, tables=f"unix:{socket}", hands=0, pieces=3)
        with pytest.raises(DataError, match="has no whole tables with hands=0 and pieces=3: want"):
            open_truth(few, "cpu")
        other = settings(folder, tables=f"unix:{socket}", game="choko:lone_jump=on")
        with pytest.raises(UsageError, match="has tables of choko, not of choko:lone_jump=true"):
            open_truth(other, "cpu")


def test_a_server_that_is_not_there_is_refused_in_a_line(folder: Path, tmp_path: Path) -> None:
    s = settings(folder, tables=f"unix:{tmp_path / 'none'}")
    with pytest.raises(NoServer, match=r"^no probe server answers at .*: start one with '.*'$"):
        open_truth(s, "cpu")


def test_tables_that_are_not_there_or_too_large_are_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataError, match="there are no tables in"):
        Distillation(settings(tmp_path / "none"))
    monkeypatch.setattr(Cpu, "free_memory", lambda self: 1 << 30)
    with pytest.raises(UsageError, match=r"tables=solve takes \d+\.\d GiB and cpu has 1.0 GiB"):
        Distillation(settings(folder, tables="solve"))
    monkeypatch.setattr(Cpu, "free_memory", lambda self: 1 << 40)
    with pytest.raises(UsageError, match=r"tables=solve takes about \d+ hours on cpu: want"):
        Distillation(settings(folder, tables="solve"))
