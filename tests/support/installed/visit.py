"""A visit to the lab of an installed Playproof, alone: no test framework, no network.

Run by the Python of an environment that has the wheel, in an empty folder::

    python visit.py PLAN

PLAN is a JSON file: ``files`` are the static files of the wheel with their SHA-256,
``without`` beginnings of addresses to leave out, ``specs`` agents for Choko.  It starts
``playproof serve``, fetches the page, every static file and every plain address of the
API, and plays a move of Othello, and of Choko against each agent.  What it found goes
to stdout as JSON.
"""

from __future__ import annotations

import hashlib
import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

PATIENCE = 300.0  # seconds: the first of a kind is compiled before it is answered
MAYBE = ("/api/join.svg",)  # there only in a lab that is open to others
COOKIES = CookieJar()
OPENER = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(COOKIES))


def enter(url: str, key: str) -> None:
    """Come in as the owner."""
    data = json.dumps({"key": key}).encode()
    with OPENER.open(f"{url}/api/enter", data, timeout=PATIENCE) as answer:
        assert json.load(answer)["owner"] is True


def get(url: str) -> tuple[int, bytes]:
    try:
        with OPENER.open(url, timeout=PATIENCE) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def wrong_files(url: str, listing: dict[str, str]) -> list[str]:
    """Static files that are not served as they are in the wheel."""
    found = []
    for name, digest in listing.items():
        status, content = get(f"{url}/static/{name}")
        if status != 200 or hashlib.sha256(content).hexdigest() != digest:
            found.append(f"{name}: {status}")
    return found


def wrong_links(url: str) -> list[str]:
    """What the page itself names and does not get."""
    status, content = get(url)
    assert status == 200
    named = re.findall(r'(?:src|href)="(/[^"#]*)"', content.decode())
    assert named
    return [name for name in named if get(f"{url}{name}")[0] != 200]


def wrong_answers(url: str, without: list[str]) -> tuple[int, list[str]]:
    """How many addresses of the API need nothing, and which of them fail."""
    status, content = get(f"{url}/api/openapi.json")
    assert status == 200
    paths = json.loads(content)["paths"]
    plain = [
        path
        for path, ways in paths.items()
        if "{" not in path and "get" in ways and not path.startswith((*MAYBE, *without))
    ]
    return len(plain), [path for path in plain if not _is_answer(*get(url + path))]


def _is_answer(status: int, content: bytes) -> bool:
    """Some addresses want to be told more, and say so."""
    return status == 200 or (status == 400 and json.loads(content)["type"] == "error")


def play(url: str, game: str, spec: str) -> list[str]:
    """A move against an agent, and its answer."""
    from websockets.sync.client import connect

    cookie = {"Cookie": "; ".join(f"{one.name}={one.value}" for one in COOKIES)}
    address = f"{url.replace('http', 'ws')}/ws"
    with connect(address, max_size=None, additional_headers=cookie) as socket:
        socket.send(json.dumps({"type": "new", "game": game, "seats": ["human", spec]}))
        state: dict[str, Any] = json.loads(socket.recv(timeout=PATIENCE))
        assert state["type"] == "state", state
        clicks = state["view"]["legal"][0]["c"]
        socket.send(json.dumps({"type": "move", "ver": state["ver"], "c": clicks}))
        while len(state["moves"]) < 2 and state["result"] == "*":
            state = json.loads(socket.recv(timeout=PATIENCE))
            assert state["type"] == "state", state
    assert state["result"] == "*", state["reason"]
    return list(state["moves"])


def main() -> None:
    plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    program = Path(sys.executable).with_name("playproof")
    process = subprocess.Popen(
        [str(program), "serve", "--no-browser", "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        link = re.search(r"(http://[^/\s]+)/#key=(\S+)", process.stdout.readline())
        assert link is not None
        at = link[1]
        enter(at, link[2])
        asked, failed = wrong_answers(at, plan["without"])
        report = {
            "files": len(plan["files"]),
            "wrong_files": wrong_files(at, plan["files"]),
            "wrong_links": wrong_links(at),
            "addresses": asked,
            "wrong_answers": failed,
            "moves": [play(at, "othello", "random")]
            + [play(at, "choko", spec) for spec in plan["specs"]],
        }
    finally:
        process.send_signal(signal.SIGINT)
        try:
            code = process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    print(json.dumps({**report, "ended": code}))


if __name__ == "__main__":
    main()
