"""The keeper: whatever happens to anyone, nothing of a job is left running."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from playproof.core.jobs import supervisor as keeper
from playproof.core.parallel import processes
from tests.support.paths import SUPPORT

FAMILY = SUPPORT / "core" / "family.py"

Keeper = subprocess.Popen[bytes]
linux = pytest.mark.skipif(sys.platform != "linux", reason="orphans are found on Linux alone")


def wait(is_so: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Callable[..., tuple[Keeper, list[int]]]]:
    """Starts the family under a keeper; the keeper and the numbers of all four."""
    started: list[Keeper] = []

    def start(*words: str, patience: float = keeper.PATIENCE) -> tuple[Keeper, list[int]]:
        file = tmp_path / "family"
        own, text = tmp_path / "keeper.py", Path(keeper.__file__).read_text(encoding="utf-8")
        own.write_text(text.replace("PATIENCE = 5.0", f"PATIENCE = {patience}"), encoding="utf-8")
        command = [sys.executable, "-I", "-S", str(own), sys.executable, str(FAMILY)]
        found = subprocess.Popen([*command, str(file), *words], stdin=subprocess.PIPE)
        started.append(found)
        assert wait(file.exists)
        family = [int(word) for word in file.read_text().split()]
        assert all(processes.birth(pid) for pid in family)
        return found, family

    yield start
    for found in started:
        found.kill()
        found.communicate()


def all_gone(family: list[int]) -> bool:
    return wait(lambda: not any(processes.birth(pid) for pid in family))


@linux
def test_all_end_with_who_holds_the_pipe(
    kept: Callable[..., tuple[Keeper, list[int]]],
) -> None:
    found, family = kept("deaf")
    assert found.stdin is not None
    found.stdin.close()
    assert all_gone(family)
    assert found.wait(10) == 128 + signal.SIGKILL


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_as_by_ctrl_c(
    kept: Callable[..., tuple[Keeper, list[int]]], number: signal.Signals
) -> None:
    found, family = kept()
    found.send_signal(number)
    assert found.wait(10) == 130
    assert all_gone(family)


@linux
def test_what_does_not_listen_is_killed(kept: Callable[..., tuple[Keeper, list[int]]]) -> None:
    found, family = kept("deaf", patience=0.5)
    sent = time.monotonic()
    found.send_signal(signal.SIGINT)
    found.send_signal(signal.SIGINT)  # asking twice is not sooner
    assert found.wait(10) == 130
    assert time.monotonic() - sent >= 0.5
    assert all_gone(family)


@linux
def test_the_command_does_not_outlive_its_keeper(
    kept: Callable[..., tuple[Keeper, list[int]]],
) -> None:
    found, family = kept()
    found.kill()
    assert all_gone(family[:1])
    for pid in family[1:]:
        processes.send(pid, signal.SIGKILL)


@linux
def test_a_killed_command_takes_its_children_with_it(
    kept: Callable[..., tuple[Keeper, list[int]]],
) -> None:
    found, family = kept()
    processes.send(family[0], signal.SIGKILL)
    assert found.wait(10) == 128 + signal.SIGKILL
    assert all_gone(family)


@pytest.mark.parametrize("code", [0, 3])
def test_the_exit_code_is_the_commands(code: int) -> None:
    script = f"import os, sys; sys.exit({code} if os.getpriority(0, 0) >= 10 else 99)"
    done = subprocess.Popen(
        [sys.executable, "-I", "-S", keeper.__file__, sys.executable, "-c", script],
        stdin=subprocess.PIPE,
    )
    assert done.wait(30) == code
    assert done.stdin is not None
    done.stdin.close()


def test_ctrl_c_is_heard_even_if_the_lab_does_not() -> None:
    # A shell without job control starts what is in the background with SIGINT ignored.
    script = (
        "import signal, sys; sys.exit(signal.getsignal(2) is not signal.default_int_handler "
        "or signal.pthread_sigmask(signal.SIG_BLOCK, []) != {signal.SIGINT})"
    )
    done = subprocess.Popen(
        [sys.executable, "-I", "-S", keeper.__file__, sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert done.wait(30) == 0
    assert done.stdin is not None
    done.stdin.close()
