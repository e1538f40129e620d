"""Proofs that are ended before their answer: by the stop flag, by an error, by Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import playproof
from playproof.core.stopping import StopFlag, stop_flag
from playproof.proofs import events
from playproof.proofs.api import find_positions
from playproof.proofs.checker import check as checker
from playproof.proofs.events import ProofEvent
from playproof.proofs.othello import pipeline as othello_pipeline
from playproof.proofs.othello.census import search as census_search
from playproof.proofs.othello.census.search import census
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.theorems import ByCubes
from tests.support.core.processes import environment

assert checker, othello_pipeline  # compiled before any clock runs

HARD = OthelloMobility(33, empties_at_least=39)  # not decided in a minute
SOON = 20.0  # seconds: on a busy machine nothing is at once


def children(parent: int) -> list[int]:
    """The processes that a process has started and that are still there."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(stat.parent.name))
    return found


@pytest.fixture
def stop() -> StopFlag:
    return stop_flag()


@pytest.fixture(autouse=True)
def _no_solver_is_left() -> Iterator[None]:
    start, before = time.monotonic(), children(os.getpid())
    yield
    assert time.monotonic() - start < SOON
    assert set(children(os.getpid())) <= set(before)


def stopping(stop: StopFlag, kind: type[ProofEvent]) -> Callable[[ProofEvent], None]:
    """Raises the flag at the first event of a kind."""

    def hear(event: ProofEvent) -> None:
        if isinstance(event, kind):
            stop[0] = 1

    return hear


@pytest.mark.parametrize("solver", ["kissat", "cadical"])
def test_the_flag_ends_a_solver(solver: str, stop: StopFlag, tmp_path: Path) -> None:
    hear = stopping(stop, events.SolverProgress)
    proof = playproof.prove(
        HARD, solver=solver, certificate=tmp_path / "x", on_event=hear, stop=stop
    )
    assert (proof.verdict, proof.status, proof.certificate) == ("undecided", "unknown", None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("certified", [False, True])
def test_the_flag_ends_all_parts_of_a_theorem(
    certified: bool, stop: StopFlag, tmp_path: Path
) -> None:
    def soon() -> None:  # when both workers have their solver
        end = time.monotonic() + SOON
        while len(children(os.getpid())) < 2 and time.monotonic() < end:
            time.sleep(0.02)
        stop[0] = 1

    thread = threading.Thread(target=soon)
    thread.start()
    folder = tmp_path / "x" if certified else None
    proof = playproof.prove(ByCubes(33, 8, 39), workers=2, certificate=folder, stop=stop)
    thread.join()
    assert (proof.verdict, proof.certificate) == ("undecided", None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("solver", [None, "z3"])
def test_the_flag_ends_what_asks_by_itself(solver: str | None, stop: StopFlag) -> None:
    timer = threading.Timer(0.2, lambda: stop.__setitem__(0, 1))
    timer.start()
    if solver is None:
        proof = playproof.prove("othello-reachable", stop=stop)
        assert proof.search is not None
        assert proof.search.exists is None
    else:
        proof = playproof.prove("othello-mobility", solver=solver, stop=stop)
    assert proof.verdict == "undecided"


def test_the_flag_ends_the_search_for_the_largest(stop: StopFlag) -> None:
    hear = stopping(stop, events.BoundsProgress)
    proof = playproof.prove("choko-mobility", on_event=hear, stop=stop)
    assert (proof.verdict, proof.largest, proof.decisions) == ("undecided", None, ())


def test_the_flag_ends_an_enumeration(stop: StopFlag) -> None:
    hear = stopping(stop, events.PositionsProgress)
    found = find_positions("othello-mobility", size=4, at_least=5, on_event=hear, stop=stop)
    assert (len(found.positions), found.complete) == (1, False)


def test_a_flag_that_is_raised_already_leaves_nothing_to_do(stop: StopFlag, tmp_path: Path) -> None:
    stop[0] = 1
    proof = playproof.prove("othello-reachable", size=4, at_least=8, stop=stop)
    assert proof.verdict == "undecided"
    assert find_positions(OthelloMobility(8, 4), stop=stop).positions == ()


def test_a_check_that_was_stopped_has_verified_nothing(stop: StopFlag, tmp_path: Path) -> None:
    folder = tmp_path / "no-9"
    playproof.prove(OthelloMobility(9, 4), certificate=folder)

    def hear(event: ProofEvent) -> None:
        if isinstance(event, events.CheckProgress) and event.check == "proof":
            stop[0] = 1

    report = playproof.check(folder, on_event=hear, stop=stop)
    assert not report.verified
    checks = {check.name: check.passed for check in report.parts[0].checks}
    assert (checks["manifest"], checks["formula"], checks["proof"]) == (True, True, None)
    assert report.objection == "proof: stopped"


def test_the_plain_checker_is_stopped_too(stop: StopFlag, tmp_path: Path) -> None:
    folder, hints = tmp_path / "no-9", tmp_path / "hints"
    playproof.prove(OthelloMobility(9, 4), certificate=folder)

    def on_event(event: ProofEvent) -> None:
        stop[0] = isinstance(event, events.CheckProgress) and event.check == "plain"

    report = playproof.check(folder, plain=True, lrat=hints, on_event=on_event, stop=stop)
    (check,) = [check for check in report.parts[0].checks if check.name == "plain"]
    assert (check.passed, check.detail) == (None, "stopped")
    assert not report.verified
    assert report.objection == f"plain: {check.detail}"
    assert list(hints.iterdir()) == []


def test_another_checker_is_stopped_too(
    stop: StopFlag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "no-9"
    playproof.prove(OthelloMobility(9, 4), certificate=folder)
    tool = tmp_path / "drat-trim"
    tool.write_text("#!/bin/sh\nexec sleep 60\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    def hear(event: ProofEvent) -> None:
        if isinstance(event, events.CheckProgress) and event.check == "drat-trim":
            threading.Timer(0.2, lambda: stop.__setitem__(0, 1)).start()

    report = playproof.check(folder, on_event=hear, stop=stop)
    (check,) = [check for check in report.parts[0].checks if check.name == "drat-trim"]
    assert (check.passed, check.detail) == (None, "stopped")
    late = playproof.check(folder, seconds=0.3)
    (check,) = [check for check in late.parts[0].checks if check.name == "drat-trim"]
    assert (check.passed, check.detail) == (None, "not done after 0.3 s")


def test_a_chain_that_was_stopped_is_not_called_wrong(stop: StopFlag, tmp_path: Path) -> None:
    folder = tmp_path / "no-8"
    playproof.prove("othello-reachable", size=4, at_least=8, certificate=folder, workers=1)
    report = playproof.check(folder, on_event=stopping(stop, events.PartChecked), stop=stop)
    assert [part.verified for part in report.parts] == [True, False, False]
    assert report.whole is not None
    assert report.whole.passed is None
    assert report.objection == "part 002, manifest: stopped"


def test_a_census_keeps_no_block_that_was_cut_off(
    stop: StopFlag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search_block = census_search.search_block

    def cut_off(*given: object) -> dict[str, object]:
        stop[0] = 1  # while the first block is searched
        return search_block(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(census_search, "search_block", cut_off)
    position = playproof.make("othello", size=4).start().play("b1a3d4c1a4d3")
    own, opponent = (int(word) for word in position.row[:2])
    store = tmp_path / "census.jsonl"
    found = census([(own, opponent)], size=4, forward=6, file=store, megabytes=4, stop=stop)
    assert (found.done, found.finished) == (0, False)
    assert len(store.read_text().splitlines()) == 1  # the header


def test_an_error_of_the_listener_ends_the_solver(tmp_path: Path) -> None:
    def hear(event: ProofEvent) -> None:
        if isinstance(event, events.SolverProgress):
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        playproof.prove(HARD, certificate=tmp_path / "x", on_event=hear)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_ctrl_c_ends_solvers_and_leaves_no_draft(tmp_path: Path) -> None:
    script = (
        "import playproof\n"
        "from playproof.proofs.othello.mobility import OthelloMobility\n"
        "from playproof.proofs.theorems import Theorem\n"
        "class Hard(Theorem):\n"
        "    def sentence(self): return 'two hard parts'\n"
        "    def statements(self): return [OthelloMobility(33, 8, n) for n in (39, 40)]\n"
        "playproof.prove(Hard(), workers=2, certificate='x')\n"
    )
    ours = subprocess.Popen(
        [sys.executable, "-c", script], env=environment(), cwd=tmp_path, stderr=subprocess.PIPE
    )
    end = time.monotonic() + 60
    while len(solvers := children(ours.pid)) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    ours.send_signal(signal.SIGINT)
    try:
        _, errors = ours.communicate(timeout=20)
    finally:
        ours.kill()
    assert errors.endswith(b"KeyboardInterrupt\n")
    assert not [pid for pid in solvers if os.path.exists(f"/proc/{pid}")]
    assert list(tmp_path.iterdir()) == []
