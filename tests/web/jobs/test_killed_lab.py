"""kill -9 of a lab with jobs: nothing is left running, and what can go on does."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from playproof.core.parallel import processes
from tests.support.web.jobs import lab_of_fakes


class Lab:
    """A lab of fakes in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, lab_of_fakes.__file__, str(folder)], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("http://")

    def ask(self, path: str, **fields: Any) -> dict[str, Any]:
        data = json.dumps(fields).encode() if fields else None
        request = urllib.request.Request(self.url + path, data)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return dict(json.load(answer))

    def until(self, id: str, good: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        end = time.monotonic() + 30
        while not good(job := self.ask(f"/api/jobs/{id}")):
            assert time.monotonic() < end, job
            time.sleep(0.1)
        return job

    def end(self, number: signal.Signals) -> None:
        self.process.send_signal(number)
        self.process.communicate(timeout=20)


@pytest.fixture
def labs(tmp_path: Path) -> Iterator[Callable[[], Lab]]:
    """Starts labs, one after the other, on one folder."""
    started: list[Lab] = []

    def start() -> Lab:
        started.append(Lab(tmp_path / "lab"))
        return started[-1]

    yield start
    for lab in started:
        if lab.process.poll() is None:
            lab.end(signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="orphans are found on Linux alone")
def test_a_killed_lab(labs: Callable[[], Lab], tmp_path: Path) -> None:
    lab, file = labs(), tmp_path / "family"
    deaf = lab.ask("/api/test/start", argv=["deaf", str(file)])["id"]
    going = lab.ask("/api/test/start", argv=["count", "1000"], resume=["count", "3"])["id"]
    waiting = lab.ask("/api/test/start", argv=["count", "2"])["id"]
    lab.until(deaf, lambda _: file.exists())
    lab.until(going, lambda job: bool(job["done"]))
    family = [int(word) for word in file.read_text().split()]
    family += processes.descendants(lab.process.pid)
    assert len(family) >= 8  # two keepers, two fakes, the family
    lab.end(signal.SIGKILL)
    after = labs()  # at once: the keepers may still be at it
    job = after.until(going, lambda job: job["state"] == "done")
    assert job["total"] == 3
    after.until(waiting, lambda job: job["state"] == "done")
    job = after.ask(f"/api/jobs/{deaf}")
    assert (job["state"], job["can"]["resume"]) == ("interrupted", False)
    assert not any(processes.birth(pid) for pid in family)
    after.until(deaf, lambda _: not list((tmp_path / "lab" / "jobs").glob("*/tmp")))
    after.end(signal.SIGINT)
    assert after.process.returncode in (0, -signal.SIGINT)
