"""Papers over HTTP: what each claims, our figures beside it, and running it again as a job."""

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
    from playproof.core.jobs.index import Entry
    from playproof.web.lab import Lab

Json = dict[str, Any]


def routes(lab: Lab) -> list[Route]:
    @operation(replies.Home)
    async def front(request: Request) -> Json:
        """Figures for the pictures of the first page."""
        return await asyncio.to_thread(home)

    @operation(replies.Papers)
    async def papers(request: Request) -> Json:
        """The papers, each in a sentence."""
        return {"papers": [_head(one) for one in known.PAPERS]}

    @operation(replies.WholePaper)
    async def paper(request: Request) -> Json:
        """A paper's claims beside our figures, and the last runs of them here."""
        one = known.paper(request.path_params["name"])
        runs = await asyncio.to_thread(last_runs, lab, one.name)
        return await asyncio.to_thread(_whole, one) | {"runs": runs}

    @operation(Job, body=bodies.RunClaim)
    async def run(request: Request) -> Json:
        """Run a quick claim, or a quick part, as a job; for who started the lab."""
        lab.owner(request)
        one = known.paper(request.path_params["name"])
        wanted = read(await body(request), bodies.RunClaim, "running a claim").run
        argv = known.argv(one, wanted)
        title = f"{one.title}: {_label(one, wanted)}"
        link = f"#/papers/{one.name}"
        return lab.jobs.start("paper", title, argv, resume=argv, link=link)

    return [
        Route("/api/home", front, methods=["GET"]),
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
    """The newest job of each claim or part: its id and state, and what it found."""
    wanted = {
        tuple(known.argv(known.BY_NAME[name], run)): run
        for run in (*known.BY_NAME[name].quick, *known.quick_claims(known.BY_NAME[name]))
    }
    found: Json = {}
    for entry in lab.jobs.book.entries():
        run = wanted.get(tuple(entry.card.get("argv", ())))
        if run is not None and run not in found:
            found[run] = {"job": entry.id, "state": entry.state, "outcome": outcome(entry, run)}
    return found


def outcome(entry: Entry, claim: str) -> replies.ClaimOutcome | None:
    """What a job found about a claim, from its steps."""
    for step in entry.steps():
        if step["facts"].get("claim") == claim:
            found = {key: step["facts"].get(key) for key in ("found", "holds", "seconds")}
            with contextlib.suppress(msgspec.ValidationError):  # a file that somebody changed
                return build(replies.ClaimOutcome, found)
    return None
