"""Papers over HTTP: their claims, our figures beside them, and running claims as jobs."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.requests import Request
from starlette.routing import Route

from playproof.papers import pages
from playproof.web.http.operations import operation
from playproof.web.http.routes import body
from playproof.web.pages.home import home
from playproof.web.pages.papers import claims as known
from playproof.web.protocol import bodies
from playproof.web.protocol.codec import build, read
from playproof.web.protocol.replies import papers as replies
from playproof.web.protocol.replies.jobs import Job

if TYPE_CHECKING:
    from playproof.core.jobs.index import JobEntry
    from playproof.web.lab import Lab

Json = dict[str, Any]


def routes(lab: Lab) -> list[Route]:
    """The routes below ``/api/papers``, and ``/api/home``."""

    @operation(replies.Home)
    async def home_data(request: Request) -> Json:
        """The data of the pictures on the home page."""
        return await asyncio.to_thread(home)

    @operation(replies.Papers)
    async def papers(request: Request) -> Json:
        """The papers, with a sentence or two about each."""
        return {"papers": [_head(one) for one in known.PAPERS]}

    @operation(replies.WholePaper)
    async def paper(request: Request) -> Json:
        """A paper's claims beside our figures, and their latest runs here."""
        one = known.paper(request.path_params["name"])
        runs = await asyncio.to_thread(last_runs, lab, one.name)
        return await asyncio.to_thread(_whole, one) | {"runs": runs}

    @operation(Job, body=bodies.RunClaim)
    async def run(request: Request) -> Json:
        """Run a quick claim or part of a paper as a job; for the owner only."""
        lab.owner(request)
        one = known.paper(request.path_params["name"])
        name = read(await body(request), bodies.RunClaim, "running a claim").run
        argv = known.argv(one, name)
        title = f"{one.title}: {_label(one, name)}"
        link = f"#/papers/{one.name}"
        return lab.jobs.start("paper", title, argv, resume=argv, link=link)

    return [
        Route("/api/home", home_data, methods=["GET"]),
        Route("/api/papers", papers, methods=["GET"]),
        Route("/api/papers/{name}", paper, methods=["GET"]),
        Route("/api/papers/{name}/run", run, methods=["POST"]),
    ]


def _head(one: known.Paper) -> Json:
    return {
        "name": one.name, "title": one.title, "authors": one.authors, "game": one.game,
        "about": one.about, "command": one.command,
    }  # fmt: skip


def _whole(one: known.Paper) -> Json:
    return {
        **_head(one),
        "words": one.words,
        "claims": known.claims(one),
        "quick": [
            {
                "run": run, "label": label, "takes": takes,
                "command": shlex.join(["playproof", *known.argv(one, run)]),
            }
            for run, (label, _, takes) in one.quick.items()
        ],
        "page": pages.shipped()[one.name],
    }  # fmt: skip


def _label(one: known.Paper, run: str) -> str:
    if run in one.quick:
        return one.quick[run][0]
    return next(str(claim["says"]) for claim in known.claims(one) if claim["name"] == run)


def last_runs(lab: Lab, name: str) -> Json:
    """The latest job of each claim or part of a paper: its id, its state, and its outcome."""
    one = known.BY_NAME[name]
    by_argv = {tuple(known.argv(one, run)): run for run in (*one.quick, *known.quick_claims(one))}
    runs: Json = {}
    for entry in lab.jobs.book.entries():
        run = by_argv.get(tuple(entry.record.get("argv", ())))
        if run is not None and run not in runs:
            runs[run] = {"job": entry.id, "state": entry.state, "outcome": outcome(entry, run)}
    return runs


def outcome(entry: JobEntry, claim: str) -> replies.ClaimOutcome | None:
    """What a job found about a claim, from its steps."""
    for step in entry.steps():
        if step["facts"].get("claim") == claim:
            content = {key: step["facts"].get(key) for key in ("found", "holds", "seconds")}
            with contextlib.suppress(msgspec.ValidationError):  # somebody edited the job's file
                return build(replies.ClaimOutcome, content)
    return None
