"""Uploaded certificates: they are received, unpacked, checked by a job, and removed."""

from __future__ import annotations

import asyncio
import re
import secrets
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playproof.core import memory
from playproof.core.errors import DataError, one_line
from playproof.core.jobs.index import OVER
from playproof.web.pages.proofs.bundles import MOST_PACKED, unpack
from playproof.web.protocol.refusal import Refusal

if TYPE_CHECKING:
    from starlette.requests import Request

    from playproof.web.lab import Lab

_PACKED = "upload.zip"
_SECONDS = "600"  # for each check of each proof
_LEAST_MEMORY = 2_000  # megabytes for a check; a proof may need twenty times its size
_MOST = 8  # uploads that arrive or wait for their check: up to half a gigabyte of disk each
_POLL_SECONDS = 0.5  # how often a job is polled whose upload is to be removed
_SWEEP_SECONDS = 5.0  # between two sweeps, at least
_STALE_SECONDS = 3600.0  # after which an upload that no job needs is removed


class Uploads:
    """The folder ``uploads`` of the data folder, with one folder for each upload."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self.folder = lab.folder / "uploads"
        self._tasks: set[asyncio.Task[None]] = set()
        self._requests = 0  # uploads that are being received
        self._arriving: set[str] = set()  # names of folders whose job has not started yet
        self._last_sweep = 0.0

    async def check(self, request: Request) -> dict[str, Any]:
        """Receive the body of a request and start a job that checks it; returns the job."""
        if self._requests + len(self._tasks) >= _MOST:
            raise Refusal("limit", f"{_MOST} certificates are being checked: wait for one of them")
        self._requests += 1
        try:
            with self._lab.jobs.reserve():
                return await self._start_check(request)
        finally:
            self._requests -= 1

    async def _start_check(self, request: Request) -> dict[str, Any]:
        name = _name(request.query_params.get("name", ""))
        home = self.folder / secrets.token_hex(8)
        started = False
        self._arriving.add(home.name)
        try:
            await self._receive(request, home)
            await asyncio.to_thread(_unpack, home, home / name)
            argv = ["check", str(home / name), "--seconds", _SECONDS]
            argv += ["--memory", str(megabytes())]
            job = self._lab.jobs.start(
                "check", f"Check {name}", argv, resume=argv, once=True, reserved=True
            )
            started = True
        except OSError as error:
            raise Refusal("limit", f"there is no room for it: {error.strerror}") from None
        finally:
            self._arriving.discard(home.name)
            if not started:
                await asyncio.to_thread(shutil.rmtree, home, ignore_errors=True)
        self._remove_after(str(job["id"]), home)
        return job

    async def _receive(self, request: Request, home: Path) -> None:
        most = f"want a zip file of {MOST_PACKED // 2**20} MB at most"
        length = request.headers.get("content-length", "")
        if length.isdigit() and int(length) > MOST_PACKED:
            raise Refusal("large", f"the upload is too large: {most}")
        home.mkdir(parents=True)
        size = 0
        with (home / _PACKED).open("wb") as file:
            async for chunk in request.stream():
                size += len(chunk)
                if size > MOST_PACKED:
                    raise Refusal("large", f"the upload is too large: {most}")
                await asyncio.to_thread(file.write, chunk)
        if not size:
            raise Refusal("bad", f"nothing was sent: {most}")

    def _remove_after(self, id: str, home: Path) -> None:
        task = asyncio.get_running_loop().create_task(self._wait_and_remove(id, home))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _wait_and_remove(self, id: str, home: Path) -> None:
        """Remove an upload when its job is over or has been deleted."""
        while True:
            try:
                if _is_finished(self._lab.jobs.entry(id).state):
                    break
            except Refusal:
                break
            await asyncio.sleep(_POLL_SECONDS)
        await asyncio.to_thread(shutil.rmtree, home, ignore_errors=True)

    def sweep(self) -> None:
        """Remove the uploads that a killed lab has left behind; cheap if called often."""
        now = time.time()
        if now - self._last_sweep < _SWEEP_SECONDS or not self.folder.is_dir():
            return
        self._last_sweep = now
        # Read before the jobs: an upload that leaves the set later is among them.
        arriving = frozenset(self._arriving)
        states = {
            Path(word).parent: entry.state
            for entry in self._lab.jobs.book.entries()
            if entry.record.get("kind") == "check"
            for word in entry.record["argv"]
        }
        for home in self.folder.iterdir():
            state = states.get(home)
            # An upload without a job may be arriving slowly, or have arrived just now.
            abandoned = state is None and home.name not in arriving
            if _is_finished(state) or (abandoned and _age(home, now) > _STALE_SECONDS):
                shutil.rmtree(home, ignore_errors=True)


def megabytes() -> int:
    """The memory limit of a check: a third of the machine's memory, as two run at a time."""
    return max(_LEAST_MEMORY, memory.total() // (3 * 10**6))


def _is_finished(state: str | None) -> bool:
    """Whether a job in this state no longer needs its upload; an interrupted job does, since it
    is resumed."""
    return state in OVER and state != "interrupted"


def _unpack(home: Path, folder: Path) -> None:
    try:
        unpack(home / _PACKED, folder)
    except DataError as error:
        raise Refusal("bad", one_line(error)) from None
    finally:
        (home / _PACKED).unlink(missing_ok=True)


def _name(text: str) -> str:
    """The name of an upload, made safe as the name of a folder."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", text.removesuffix(".zip"))[:60].strip("-.")
    return name if name and name != _PACKED else "certificate"


def _age(path: Path, now: float) -> float:
    try:
        return now - path.stat().st_mtime
    except OSError:
        return 0.0
