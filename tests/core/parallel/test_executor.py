"""Jobs: the same answers from one process and from several, and an end to all of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from playproof import UsageError
from playproof.core.parallel import executor
from tests.support.core import executor_tasks
from tests.support.core.processes import environment
from tests.support.paths import ROOT

one_or_two = pytest.mark.parametrize("workers", [1, 2])


@one_or_two
def test_results_come_in_the_order_of_the_tasks(workers: int) -> None:
    # The first tasks take longest, so that they finish last.
    tasks = [(number, 0.05 * (4 - number)) for number in range(5)]
    assert executor.run(executor_tasks.slow_square, tasks, workers=workers) == [0, 1, 4, 9, 16]


@one_or_two
def test_nothing_to_do_is_soon_done(workers: int) -> None:
    assert executor.run(executor_tasks.slow_square, [], workers=workers) == []


def test_one_worker_is_this_process_and_two_are_others() -> None:
    here = os.getpid()
    tasks = [(number,) for number in range(6)]
    assert set(executor.run(executor_tasks.worker, tasks, workers=1)) == {here}
    elsewhere = set(executor.run(executor_tasks.worker, tasks, workers=2))
    assert here not in elsewhere
    assert 1 <= len(elsewhere) <= 2


@pytest.mark.parametrize("workers", [0, -1])
def test_no_workers_cannot_work(workers: int) -> None:
    with pytest.raises(UsageError, match=f"^{workers} workers cannot work: want 1 or more$"):
        executor.run(executor_tasks.slow_square, [(1,)], workers=workers)


def test_seeds_depend_on_the_job_and_not_on_who_does_it() -> None:
    tasks = [(2026, task) for task in range(8)]
    alone = executor.run(executor_tasks.random_number, tasks, workers=1)
    assert alone == executor.run(executor_tasks.random_number, tasks, workers=2)
    assert len({seed for _, seed in alone}) == 8


@one_or_two
def test_an_error_is_raised_where_the_jobs_were_asked_for(workers: int, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        executor.run(executor_tasks.reciprocal, [(1, tmp_path), (0, tmp_path)], workers=workers)


@one_or_two
def test_an_error_cancels_what_has_not_begun(workers: int, tmp_path: Path) -> None:
    numbers = range(40)  # the first of them fails
    tasks = [(number, tmp_path, 0.1) for number in numbers]
    with pytest.raises(ZeroDivisionError):
        executor.run(executor_tasks.reciprocal, tasks, workers=workers)
    time.sleep(0.5)  # what is under way may end
    assert len(list(tmp_path.iterdir())) < 20


@one_or_two
def test_progress_is_reported_after_each_task(workers: int, tmp_path: Path) -> None:
    started_by_then: list[tuple[int, int]] = []

    def on_progress(done: int) -> None:
        started_by_then.append((done, len(list(tmp_path.iterdir()))))

    tasks = [(number, tmp_path, 0.1) for number in range(1, 13)]
    executor.run(executor_tasks.reciprocal, tasks, workers=workers, on_progress=on_progress)
    assert [done for done, _ in started_by_then] == list(range(1, 13))
    # Reported as it goes, not at the end: after the first task most are still to come.
    assert started_by_then[0][1] < 12


def test_an_executor_takes_single_tasks() -> None:
    with executor.executor(1) as pool:
        assert pool.submit(executor_tasks.slow_square, 7).result() == 49
        assert list(pool.map(executor_tasks.slow_square, [1, 2, 3])) == [1, 4, 9]
        failed = pool.submit(executor_tasks.slow_square, "seven")
        assert isinstance(failed.exception(), TypeError)


def test_each_worker_keeps_to_one_thread() -> None:
    assert executor.run(executor_tasks.threads, [(), ()], workers=2) == [1, 1]


def test_all_cores_are_the_default() -> None:
    assert 1 <= executor.cores() <= (os.cpu_count() or 1)


# Ctrl-C, and worse

ASK_FOR_LONG_JOBS = """
import signal
import sys
from pathlib import Path
from tests.support.core import executor_tasks
from playproof.core.parallel import executor

if __name__ == "__main__":
    # Tests that run in the background may have been started with Ctrl-C ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    tasks = [(number, Path(sys.argv[1]), 600.0) for number in range(1, 6)]
    try:
        print("asking")
        executor.run(executor_tasks.reciprocal, tasks, workers=2)
    except KeyboardInterrupt:
        sys.exit(130)
"""


@pytest.fixture
def parent(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that runs tasks of ten minutes each, in a session of its own."""
    script = tmp_path / "ask.py"
    script.write_text(ASK_FOR_LONG_JOBS)
    (tmp_path / "begun").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-u", str(script), str(tmp_path / "begun")],
        env=environment(ROOT),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "asking\n"
    yield process
    for pid in members(process.pid):
        os.kill(pid, signal.SIGKILL)
    process.communicate()


def members(session: int) -> set[int]:
    """The processes of a session that are still at work."""
    listing = subprocess.run(
        ["ps", "-e", "-o", "pid=,sid=,stat="], capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in listing.stdout.splitlines()]
    return {int(pid) for pid, sid, stat in rows if int(sid) == session and stat[0] != "Z"}


def wait_until(condition: Callable[[], bool], seconds: float = 15.0) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def assert_a_clean_end(parent: subprocess.Popen[str]) -> None:
    _, complaints = parent.communicate(timeout=15)  # long before a task would be done
    assert parent.returncode == 130
    assert "Traceback" not in complaints
    assert wait_until(lambda: not members(parent.pid))


@pytest.mark.parametrize("signalled", [pytest.param("parent", marks=pytest.mark.slow), "terminal"])
def test_ctrl_c_at_work_leaves_no_orphan(
    parent: subprocess.Popen[str], tmp_path: Path, signalled: str
) -> None:
    assert wait_until(lambda: len(list((tmp_path / "begun").iterdir())) == 2)  # both at work
    assert len(members(parent.pid)) > 2
    # A terminal signals everyone in the foreground, kill only the one it is given.
    (os.kill if signalled == "parent" else os.killpg)(parent.pid, signal.SIGINT)
    assert_a_clean_end(parent)


@pytest.mark.parametrize(
    "blow", [pytest.param(signal.SIGTERM, marks=pytest.mark.slow), signal.SIGKILL]
)
def test_a_parent_that_is_killed_takes_its_workers_along(
    parent: subprocess.Popen[str], tmp_path: Path, blow: signal.Signals
) -> None:
    assert wait_until(lambda: len(list((tmp_path / "begun").iterdir())) == 2)
    os.kill(parent.pid, blow)
    parent.communicate(timeout=15)
    assert parent.returncode == -blow
    assert wait_until(lambda: not members(parent.pid))


@pytest.mark.parametrize("delay", [0.1, pytest.param(0.4, marks=pytest.mark.slow)])
def test_ctrl_c_while_the_workers_start_leaves_no_orphan(
    parent: subprocess.Popen[str], delay: float
) -> None:
    time.sleep(delay)
    os.killpg(parent.pid, signal.SIGINT)
    assert_a_clean_end(parent)
