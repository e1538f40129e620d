"""Jobs over HTTP and as topics: everyone may look, who started the lab may do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from playproof.core.jobs.index import Entry
from playproof.web.http.operations import operation
from playproof.web.http.redaction import hidden
from playproof.web.protocol.codec import build
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies import jobs as replies
from playproof.web.protocol.replies.base import Deleted

if TYPE_CHECKING:
    from playproof.web.lab import Lab
    from playproof.web.websocket.subscriptions import Seen

Json = dict[str, Any]

_LAST = 8 * 1024  # bytes at the end of a log that are told with a job
_NO = {"cancel": False, "resume": False, "delete": False}


def routes(lab: Lab) -> list[Route]:
    lab.watching.offer(
        "jobs", lambda id, mark, owner: _look_at_all(lab, id, mark, owner), personal=True
    )
    lab.watching.offer("job", lambda id, mark, owner: _look(lab, id, mark, owner), personal=True)

    def is_owner(request: Request) -> bool:
        return lab.access.known(request).owner

    @operation(replies.Jobs)
    async def jobs(request: Request) -> Json:
        """All jobs, the newest first."""
        owner = is_owner(request)
        found = await asyncio.to_thread(lab.jobs.list)
        return {"jobs": [shown(job, owner) for job in found]}

    @operation(replies.WholeJob)
    async def job(request: Request) -> Json:
        """A job with its steps and the end of its log."""
        entry = lab.jobs.entry(request.path_params["id"])
        return await asyncio.to_thread(whole, entry, is_owner(request))

    @operation(replies.JobLog, query=("after",))
    async def log(request: Request) -> Json:
        """What a job printed, from byte ``after`` on, 64 KiB at a time; for who started the lab."""
        lab.owner(request)
        after = request.query_params.get("after", "0")
        if not after.isascii() or not after.isdigit() or len(after) > 15:
            raise Refusal("bad", "after must be a whole number")
        text, then = lab.jobs.entry(request.path_params["id"]).log(int(after))
        return {"text": text, "next": then}

    @operation(replies.Job)
    async def cancel(request: Request) -> Json:
        """Stop a job as Ctrl-C would; it is killed after five seconds."""
        lab.owner(request)
        return lab.jobs.cancel(request.path_params["id"])

    @operation(replies.Job)
    async def resume(request: Request) -> Json:
        """Go on with a job that was stopped."""
        lab.owner(request)
        return lab.jobs.resume(request.path_params["id"])

    @operation(Deleted)
    async def delete(request: Request) -> Deleted:
        """Forget a job that is over; its results stay."""
        lab.owner(request)
        lab.jobs.delete(request.path_params["id"])
        return Deleted()

    deeds: list[Callable[[Request], Awaitable[Response]]] = [cancel, resume, delete]
    return [
        Route("/api/jobs", jobs),
        Route("/api/jobs/{id}", job),
        Route("/api/jobs/{id}/log", log),
        *(Route(f"/api/jobs/{{id}}/{deed.__name__}", deed, methods=["POST"]) for deed in deeds),
    ]


def shown(job: Json, owner: bool) -> Json:
    """A job as somebody may see it: guests see no command, and no path of this machine."""
    if owner:
        return job
    told = {name: hidden(job[name]) for name in ("title", "label", "error", "facts")}
    return {**job, **told, "command": "", "folder": None, "can": _NO}


def whole(entry: Entry, owner: bool) -> Json:
    """A job with its steps and the end of its log."""
    steps = entry.steps()
    if not owner:
        steps = hidden(steps)
    log = entry.log(-_LAST)[0] if owner else ""
    return {**shown(entry.to_json(), owner), "steps": steps, "log": log}


# Topics: told again when anything but the clock has changed


def _look_at_all(lab: Lab, id: str, mark: Any, owner: bool) -> Seen:
    if id:  # else the same list could be watched under any number of names
        raise Refusal("gone", 'the topic of all jobs is "jobs", that of one "job:ID"')
    jobs = [shown(job, owner) for job in lab.jobs.list()]
    now = _mark(jobs)
    return (mark, None) if now == mark else (now, build(replies.JobsNews, {"jobs": jobs}))


def _look(lab: Lab, id: str, mark: Any, owner: bool) -> Seen:
    job = whole(lab.jobs.entry(id), owner)
    now = _mark([job])
    return (mark, None) if now == mark else (now, build(replies.JobNews, {"job": job}))


def _mark(jobs: list[Json]) -> str:
    return json.dumps([{**job, "seconds": 0} for job in jobs])
