"""A lab whose jobs are quick fakes, in this process, and people who look at them."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.support.web.jobs.lab_of_fakes import make
from tests.support.web.people import ADDRESS, Talker

Json = dict[str, Any]


class Desk:
    """Somebody who starts jobs and waits for them."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def start(self, *argv: str, resume: list[str] | None = None) -> str:
        answer = self.client.post("/api/test/start", json={"argv": argv, "resume": resume})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["id"])

    def job(self, id: str) -> Json:
        answer = self.client.get(f"/api/jobs/{id}")
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def do(self, id: str, deed: str, status: int = 200) -> Json:
        answer = self.client.post(f"/api/jobs/{id}/{deed}", json={})
        assert answer.status_code == status, answer.text
        return dict(answer.json())

    def until(self, id: str, good: Callable[[Json], bool] | str) -> Json:
        """The job once it is so."""
        end = time.monotonic() + 30
        while True:
            job = self.job(id)
            if job["state"] == good if isinstance(good, str) else good(job):
                return job
            assert time.monotonic() < end, job
            time.sleep(0.03)


@pytest.fixture(autouse=True)
def _soon() -> Iterator[None]:
    """An answer that never comes must not hold everything up."""

    def late(*_: object) -> None:
        raise TimeoutError("a test of jobs took more than two minutes")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(make(tmp_path / "lab"), base_url=ADDRESS) as found:
        found.get("/api/join")
        yield found


@pytest.fixture
def desk(client: TestClient) -> Desk:
    return Desk(client)


@pytest.fixture
def talk(client: TestClient) -> Iterator[Talker]:
    with Talker(client) as talker:
        yield talker
