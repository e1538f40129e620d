"""``playproof serve``: ports, addresses, codes, and errors in a line."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect
from websockets.typing import Origin

from playproof.cli.main import main
from playproof.core.errors import UsageError
from playproof.web import serving
from tests.support.web import owner
from tests.support.web.browser import Server as Guarded
from tests.support.web.people import Server, eventually, running


@pytest.fixture
def fails(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """``playproof serve``, in this process, which cannot begin: its code and what it says."""

    def call(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main(["serve", "--no-browser", *arguments])
        told = capsys.readouterr()
        assert told.out == ""
        return code, told.err

    return call


def test_it_says_where_it_is_and_ends_with_ctrl_c(
    tmp_path: Path, fails: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "new" / "folder"
    stuck_run(folder / "runs" / "stuck")
    monkeypatch.setenv("BROWSER", f"{slow_browser(tmp_path)} %s")
    server = Server(folder, "--browser")
    opens_without_the_key_in_sight(server, tmp_path / "started")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#key=[\w-]{43}", server.url)
    assert httpx.get(server.url).status_code == 200
    # One lab a folder.
    code, said = fails("--folder", str(tmp_path / "new" / "folder"), "--port", "0")
    assert (code, "another lab is using" in said) == (2, True)
    # A thread that never ends is not waited for: as long may one take that compiles kernels.
    with owner.client(server.base) as client, pytest.raises(httpx.TimeoutException):
        client.get("/api/runs", timeout=0.3)
    assert server.stop() == 0
    assert server.process.stdout is not None
    assert "Traceback" not in server.process.stdout.read()
    assert not (folder / "open-lab.html").exists()
    assert (folder / "lab.key").exists()  # the next one has the same


def slow_browser(folder: Path) -> Path:
    """A program that notes what it was started with, and stays a while."""
    file = folder / "browser"
    file.write_text(f'#!/bin/sh\necho "$@" > {folder}/started.new\n'
                    f"mv {folder}/started.new {folder}/started\nsleep 2\n")  # fmt: skip
    file.chmod(0o755)
    return file


def opens_without_the_key_in_sight(server: Server, started: Path) -> None:
    """Everyone on a computer can read all command lines, as ``ps`` does."""
    key = (server.folder / "lab.key").read_text().strip()
    assert server.url.endswith(f"#key={key}")
    address = eventually(started.exists) and started.read_text().strip()
    assert address == (server.folder / "open-lab.html").as_uri()
    lines = [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline") if file.exists()]
    assert [line for line in lines if key.encode() in line] == []
    page = server.folder / "open-lab.html"
    assert f'url={server.url}"' in page.read_text()
    modes = {file.name: file.stat().st_mode & 0o777 for file in server.folder.glob("*.*")}
    assert set(modes.values()) == {0o600}, modes


def stuck_run(folder: Path) -> None:
    """A run that nobody can read to its end."""
    folder.mkdir(parents=True)
    settings = {"format": "playproof-run", "algorithm": "", "preset": "", "settings": {}}
    (folder / "settings.json").write_text(json.dumps(settings))
    os.mkfifo(folder / "metrics.jsonl")


def test_others_come_in_with_a_code_that_stays(guarded: Guarded) -> None:
    key = (guarded.folder / "lab.key").read_text().strip()
    assert guarded.printed.endswith(f"/#key={key}")
    with httpx.Client(base_url=guarded.url) as client:
        assert client.get("/api/catalog").status_code == 403
        assert client.post("/api/enter", json={"key": key}).status_code == 200
        code = client.get("/api/join").json()["code"]
    with contextlib.closing(sqlite3.connect(guarded.folder / "lab.sqlite")) as store:
        facts = dict(store.execute("select name, value from facts"))
    assert facts["code"] == code
    assert key not in facts.values()


def test_a_port_that_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port, said = taken.getsockname()[1], []
        with serving._bind("127.0.0.1", port, said.append) as found:
            assert found.getsockname()[1] > port
        assert said == [f"Port {port} is in use: using {found_port(said[0])}."]


def found_port(line: str) -> int:
    return int(re.findall(r"\d+", line)[1])


def test_an_address_that_is_not_ours() -> None:
    with pytest.raises(UsageError, match="cannot serve at 192"):
        serving._bind("192.0.2.1", 0, print)
    with pytest.raises(UsageError, match="there is no such address"):
        serving._bind("no-such-host.invalid", 0, print)


def test_a_broken_store_is_told_in_a_line(
    tmp_path: Path, fails: Callable[..., tuple[int, str]]
) -> None:
    (tmp_path / "lab.sqlite").write_text("oh no")
    code, said = fails("--folder", str(tmp_path), "--port", "0")
    assert code == 3
    assert re.fullmatch(r"error: .*lab.sqlite cannot be used .*\n", said)
    assert (tmp_path / "lab.sqlite").read_text() == "oh no"


@pytest.mark.parametrize(
    ("host", "shown"),
    [("192.168.1.7", "192.168.1.7"), ("::1", "[::1]"), ("my-machine", "my-machine")],
)
def test_what_others_type(host: str, shown: str) -> None:
    assert serving._reachable(host) == shown
    assert re.fullmatch(r"[\d.]+", serving._reachable("0.0.0.0"))


@pytest.mark.slow
def test_behind_a_proxy_with_tls(tmp_path: Path) -> None:
    """What the proxy passes on is what its visitors sent, and their address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url, headers = (
        "https://lab.example.org",
        {"x-forwarded-proto": "https", "sec-fetch-site": "same-origin"},
    )
    name = {"host": "lab.example.org", "origin": url}
    with running(tmp_path, "--url", url, "--port", str(port)) as server:
        assert server.base == url
        at = f"http://127.0.0.1:{port}"
        with httpx.Client(
            base_url=at, headers={**headers, **name, "x-forwarded-for": "203.0.113.7"}
        ) as owner_:
            answer = owner_.post("/api/enter", json={"key": server.url.partition("#key=")[2]})
            assert answer.json() == {"type": "entered", "owner": True}
            cookie = answer.headers["set-cookie"]
            assert cookie.endswith("; HttpOnly; SameSite=Strict; Secure")
            sent = {"cookie": cookie.partition(";")[0]}
            joined = owner_.get("/api/join", headers=sent).json()
            assert joined["link"] == f"{url}/#code={joined['code']}"
        # Another site's page, and a name that is not the proxy's.
        for wrong in ({"origin": "https://evil.example"}, {"host": "evil.example"}):
            answer = httpx.get(f"{at}/api/catalog", headers={**headers, **name, **sent, **wrong})
            assert answer.status_code == 403
        line = socket.create_connection(("127.0.0.1", port))
        with connect("ws://lab.example.org/ws", sock=line, additional_headers=sent,
                     origin=Origin(url)) as talk:  # fmt: skip
            talk.send('{"type": "ping"}')
            assert json.loads(talk.recv(timeout=20)) == {"type": "pong"}
        # A script on this machine goes straight to it.
        answer = httpx.post(f"{at}/api/enter", json={"key": server.url.partition("#key=")[2]})
        assert "Secure" not in answer.headers["set-cookie"]


@pytest.mark.parametrize("url", ["lab.example.org", "ftp://x", "https://", "https://x/lab/"])
def test_an_address_of_a_proxy_that_is_none(
    url: str, fails: Callable[..., tuple[int, str]]
) -> None:
    code, said = fails("--url", url, "--port", "0")
    assert (code, said.count("\n"), "https://lab.example.org/" in said) == (2, 1, True)
