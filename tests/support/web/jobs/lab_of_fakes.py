"""A lab whose jobs are ``fake.py``, in a process of its own: ``python lab_of_fakes.py FOLDER``.

POST /api/test/start {"argv": [...], "resume": [...], "title": ...} starts one.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Any

import uvicorn
from starlette.requests import Request
from starlette.routing import Route

from playproof.web import server
from playproof.web.http.openapi import describe
from playproof.web.http.operations import operation
from playproof.web.http.routes import body, protected_routes
from playproof.web.protocol.replies.jobs import Job

FAKE = (sys.executable, str(Path(__file__).with_name("fake.py")))


def make(folder: Path) -> server.Starlette:
    """A lab of fakes, with a route that starts them."""
    app = server.make_app(folder)
    lab = app.state.lab
    lab.jobs.program = FAKE

    @operation(Job)
    async def start(request: Request) -> dict[str, Any]:
        """Start a fake."""
        fields = await body(request)
        started: dict[str, Any] = lab.jobs.start(
            "match", fields.get("title", "A fake"), fields["argv"], resume=fields.get("resume")
        )
        return started

    app.routes[2:2] = protected_routes(lab, [Route("/api/test/start", start, methods=["POST"])])
    asked = [route for route in app.routes if isinstance(route, Route)]
    lab.openapi = describe([route for route in asked if route.path.startswith("/api/")])
    return app


def main(folder: Path) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    config = uvicorn.Config(make(folder), log_level="error", access_log=False)
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
