"""The supervisor: whatever happens to whom, nothing of a job is left running."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from playproof.core.jobs import supervisor
from playproof.core.parallel import processes
from tests.support.paths import SUPPORT

FAMILY = SUPPORT / "core" / "family.py"

Supervisor = subprocess.Popen[bytes]
Start = Callable[..., tuple[Supervisor, list[int]]]  # the supervisor, and the pids of the family
linux = pytest.mark.skipif(sys.platform != "linux", reason="orphans are found on Linux only")


def wait(is_so: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture
def supervised(tmp_path: Path) -> Iterator[Start]:
    """Start the family under a supervisor; return the supervisor and the pids of all four."""
    started: list[Supervisor] = []

    def start(
        *words: str, seconds: float = supervisor.STOP_SECONDS
    ) -> tuple[Supervisor, list[int]]:
        file = tmp_path / "family"
        own, text = (
            tmp_path / "supervisor.py",
            Path(supervisor.__file__).read_text(encoding="utf-8"),
        )
        own.write_text(
            text.replace("STOP_SECONDS = 5.0", f"STOP_SECONDS = {seconds}"), encoding="utf-8"
        )
        command = [sys.executable, "-I", "-S", str(own), sys.executable, str(FAMILY)]
        process = subprocess.Popen([*command, str(file), *words], stdin=subprocess.PIPE)
        started.append(process)
        assert wait(file.exists)
        family = [int(word) for word in file.read_text().split()]
        assert all(processes.birth(pid) for pid in family)
        return process, family

    yield start
    for process in started:
        process.kill()
        process.communicate()


def all_gone(family: list[int]) -> bool:
    return wait(lambda: not any(processes.birth(pid) for pid in family))


@linux
def test_all_end_with_the_process_that_holds_the_pipe(
    supervised: Start,
) -> None:
    process, family = supervised("deaf")
    assert process.stdin is not None
    process.stdin.close()
    assert all_gone(family)
    assert process.wait(10) == 128 + signal.SIGKILL


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_as_ctrl_c_would(supervised: Start, number: signal.Signals) -> None:
    process, family = supervised()
    process.send_signal(number)
    assert process.wait(10) == 130
    assert all_gone(family)


@linux
def test_what_does_not_stop_is_killed(
    supervised: Start,
) -> None:
    process, family = supervised("deaf", seconds=0.5)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)  # asking twice is not sooner
    assert process.wait(10) == 130
    assert time.monotonic() - sent >= 0.5
    assert all_gone(family)


@linux
def test_the_command_does_not_outlive_its_supervisor(
    supervised: Start,
) -> None:
    process, family = supervised()
    process.kill()
    assert all_gone(family[:1])
    for pid in family[1:]:
        processes.send_signal(pid, signal.SIGKILL)


@linux
def test_a_killed_command_takes_its_children_with_it(
    supervised: Start,
) -> None:
    process, family = supervised()
    processes.send_signal(family[0], signal.SIGKILL)
    assert process.wait(10) == 128 + signal.SIGKILL
    assert all_gone(family)


@pytest.mark.parametrize("code", [0, 3])
def test_the_exit_code_is_the_commands(code: int) -> None:
    script = f"import os, sys; sys.exit({code} if os.getpriority(0, 0) >= 10 else 99)"
    done = subprocess.Popen(
        [sys.executable, "-I", "-S", supervisor.__file__, sys.executable, "-c", script],
        stdin=subprocess.PIPE,
    )
    assert done.wait(30) == code
    assert done.stdin is not None
    done.stdin.close()


def test_ctrl_c_works_even_if_the_lab_ignores_it() -> None:
    # A shell without job control starts what is in the background with SIGINT ignored.
    script = (
        "import signal, sys; sys.exit(signal.getsignal(2) is not signal.default_int_handler "
        "or signal.pthread_sigmask(signal.SIG_BLOCK, []) != {signal.SIGINT})"
    )
    done = subprocess.Popen(
        [sys.executable, "-I", "-S", supervisor.__file__, sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert done.wait(30) == 0
    assert done.stdin is not None
    done.stdin.close()
