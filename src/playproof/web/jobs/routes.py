"""Jobs over HTTP and as topics. Anyone may view jobs; only the owner may start or stop them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from playproof.core.jobs.index import JobEntry
from playproof.web.http.operations import operation
from playproof.web.http.redaction import redact
from playproof.web.protocol.codec import build
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies import jobs as replies
from playproof.web.protocol.replies.base import Deleted

if TYPE_CHECKING:
    from playproof.web.lab import Lab
    from playproof.web.websocket.subscriptions import Polled

Json = dict[str, Any]

_LOG_TAIL = 8 * 1024  # bytes from the end of the log that come with a job
_NO_RIGHTS = {"cancel": False, "resume": False, "delete": False}


def routes(lab: Lab) -> list[Route]:
    """The routes below ``/api/jobs``; also registers the topics ``jobs`` and ``job:ID``."""
    lab.subscriptions.register(
        "jobs", lambda id, mark, owner: _poll_all(lab, id, mark, owner), personal=True
    )
    lab.subscriptions.register(
        "job", lambda id, mark, owner: _poll_job(lab, id, mark, owner), personal=True
    )

    def is_owner(request: Request) -> bool:
        return lab.access.require_person(request).owner

    @operation(replies.Jobs)
    async def jobs(request: Request) -> Json:
        """All jobs, the newest first."""
        owner = is_owner(request)
        entries = await asyncio.to_thread(lab.jobs.list)
        return {"jobs": [visible_job(entry, owner) for entry in entries]}

    @operation(replies.WholeJob)
    async def job(request: Request) -> Json:
        """A job with its steps and the end of its log."""
        entry = lab.jobs.entry(request.path_params["id"])
        return await asyncio.to_thread(full_job, entry, is_owner(request))

    @operation(replies.JobLog, query=("after",))
    async def log(request: Request) -> Json:
        """What a job printed, from byte ``after`` on, 64 KiB at a time; for the owner only."""
        lab.owner(request)
        after = request.query_params.get("after", "0")
        if not after.isascii() or not after.isdigit() or len(after) > 15:
            raise Refusal("bad", "after must be a whole number")
        text, then = lab.jobs.entry(request.path_params["id"]).log(int(after))
        return {"text": text, "next": then}

    @operation(replies.Job)
    async def cancel(request: Request) -> Json:
        """Stop a job as Ctrl-C would; after five seconds it is killed."""
        lab.owner(request)
        return lab.jobs.cancel(request.path_params["id"])

    @operation(replies.Job)
    async def resume(request: Request) -> Json:
        """Resume a job that was stopped."""
        lab.owner(request)
        return lab.jobs.resume(request.path_params["id"])

    @operation(Deleted)
    async def delete(request: Request) -> Deleted:
        """Delete a finished job; its results are kept."""
        lab.owner(request)
        lab.jobs.delete(request.path_params["id"])
        return Deleted()

    actions: list[Callable[[Request], Awaitable[Response]]] = [cancel, resume, delete]
    return [
        Route("/api/jobs", jobs),
        Route("/api/jobs/{id}", job),
        Route("/api/jobs/{id}/log", log),
        *(
            Route(f"/api/jobs/{{id}}/{action.__name__}", action, methods=["POST"])
            for action in actions
        ),
    ]


def visible_job(job: Json, owner: bool) -> Json:
    """A job as JSON for one person: guests get no command and no path of this machine."""
    if owner:
        return job
    redacted = {name: redact(job[name]) for name in ("title", "label", "error", "facts")}
    return {**job, **redacted, "command": "", "folder": None, "can": _NO_RIGHTS}


def full_job(entry: JobEntry, owner: bool) -> Json:
    """A job with its steps and the end of its log."""
    steps = entry.steps()
    if not owner:
        steps = redact(steps)
    log = entry.log(-_LOG_TAIL)[0] if owner else ""
    return {**visible_job(entry.to_json(), owner), "steps": steps, "log": log}


# Topics: sent again when anything but the time has changed


def _poll_all(lab: Lab, id: str, mark: Any, owner: bool) -> Polled:
    if id:  # otherwise the same list could be watched under any number of names
        raise Refusal("gone", 'the topic of all jobs is "jobs", that of one "job:ID"')
    jobs = [visible_job(job, owner) for job in lab.jobs.list()]
    now = _mark(jobs)
    return (mark, None) if now == mark else (now, build(replies.JobsNews, {"jobs": jobs}))


def _poll_job(lab: Lab, id: str, mark: Any, owner: bool) -> Polled:
    job = full_job(lab.jobs.entry(id), owner)
    now = _mark([job])
    return (mark, None) if now == mark else (now, build(replies.JobNews, {"job": job}))


def _mark(jobs: list[Json]) -> str:
    return json.dumps([{**job, "seconds": 0} for job in jobs])
