"""Certificates that somebody brings: taken in, unpacked, checked by a job, and removed."""

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
_LEAST = 2_000  # megabytes of memory for a check; a proof may want twenty times its size
_MOST = 8  # uploads that wait for their check, or come in: half a gigabyte of disk each
_LOOK = 0.5  # seconds between two looks at a job whose upload is to be removed
_SWEEP = 5.0  # seconds between two sweeps
_STALE = 3600.0  # seconds after which an upload that no job needs is rubbish


class Uploads:
    """The folder ``uploads`` of the data folder: one folder an upload."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self.folder = lab.folder / "uploads"
        self._tasks: set[asyncio.Task[None]] = set()
        self._coming = 0
        self._arriving: set[str] = set()  # names of folders whose job is not started yet
        self._swept = 0.0

    async def check(self, request: Request) -> dict[str, Any]:
        """Take in the body of a request and start a job that checks it; the job."""
        if self._coming + len(self._tasks) >= _MOST:
            raise Refusal("limit", f"{_MOST} certificates are being checked: wait for one of them")
        self._coming += 1
        try:
            with self._lab.jobs.reserve():
                return await self._take_in(request)
        finally:
            self._coming -= 1

    async def _take_in(self, request: Request) -> dict[str, Any]:
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
        told = request.headers.get("content-length", "")
        if told.isdigit() and int(told) > MOST_PACKED:
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
        task = asyncio.get_running_loop().create_task(self._see_off(id, home))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _see_off(self, id: str, home: Path) -> None:
        """Remove an upload once its job is over, or was deleted."""
        while True:
            try:
                if _is_done_with(self._lab.jobs.entry(id).state):
                    break
            except Refusal:
                break
            await asyncio.sleep(_LOOK)
        await asyncio.to_thread(shutil.rmtree, home, ignore_errors=True)

    def sweep(self) -> None:
        """Remove what a lab that was killed has left; called often, it does little."""
        now = time.time()
        if now - self._swept < _SWEEP or not self.folder.is_dir():
            return
        self._swept = now
        arriving = frozenset(self._arriving)  # before the jobs: what leaves it is one of them
        states = {
            Path(word).parent: entry.state
            for entry in self._lab.jobs.book.entries()
            if entry.record.get("kind") == "check"
            for word in entry.record["argv"]
        }
        for home in self.folder.iterdir():
            state = states.get(home)
            # What no job knows may be coming in, however slowly, or have begun just now.
            unknown = state is None and home.name not in arriving
            if _is_done_with(state) or (unknown and _age(home, now) > _STALE):
                shutil.rmtree(home, ignore_errors=True)


def megabytes() -> int:
    """What a check may take: a third of the machine's memory, for two run at a time."""
    return max(_LEAST, memory.total() // (3 * 10**6))


def _is_done_with(state: str | None) -> bool:
    """Whether a job in this state needs its upload no more: what was interrupted goes on."""
    return state in OVER and state != "interrupted"


def _unpack(home: Path, folder: Path) -> None:
    try:
        unpack(home / _PACKED, folder)
    except DataError as error:
        raise Refusal("bad", one_line(error)) from None
    finally:
        (home / _PACKED).unlink(missing_ok=True)


def _name(text: str) -> str:
    """The upload's name as that of a folder."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", text.removesuffix(".zip"))[:60].strip("-.")
    return name if name and name != _PACKED else "certificate"


def _age(path: Path, now: float) -> float:
    try:
        return now - path.stat().st_mtime
    except OSError:
        return 0.0
