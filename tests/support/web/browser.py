"""Debian's Chromium for tests: pages that are watched, and a server to look at.

A watched page remembers everything that a reader's browser would complain
about, and every request that would leave this machine; the fixtures of
``conftest.py`` fail a test that leaves such a trace.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest

import playproof
from tests.support.peers.programs import program
from tests.support.web import owner

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

STATIC = Path(playproof.__file__).resolve().parent / "web" / "static"
# What the server sends: scripts from the server itself, never from within a page.
POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'"
WIDE: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 375, "height": 740},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
_URL = re.compile(r"http://[^\s/]+(?:/\S*)?")
_START_SECONDS = 240  # the first start of all compiles the rules of the games


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A browser that no name outside this machine resolves for."""
    path = program("chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=path,
            args=["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
        )
        try:
            yield browser
        finally:
            browser.close()


class Problems:
    """What went wrong on the watched pages; ``allow`` names what a test provokes."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self._allowed: list[re.Pattern[str]] = []

    def allow(self, pattern: str) -> None:
        """Problems that match are expected, also those already seen."""
        self._allowed.append(re.compile(pattern))

    def forbid(self) -> None:
        """Nothing is expected any more."""
        self._allowed = []

    def left(self) -> list[str]:
        return [text for text in self.seen if not any(a.search(text) for a in self._allowed)]

    def watch(self, context: BrowserContext) -> None:
        context.on("request", lambda request: self._request(request.url))
        context.on("page", self.watch_page)

    def watch_page(self, page: Page) -> None:
        page.on("console", lambda said: self._console(said.type, said.text, said.location))
        page.on("pageerror", lambda error: self.seen.append(f"page error: {error}"))
        page.on("websocket", lambda socket: self._request(socket.url))

    def _console(self, kind: str, text: str, where: Any) -> None:
        if kind == "error":
            self.seen.append(f"console: {text} ({where})")

    def _request(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob", "about") and parts.hostname != "127.0.0.1":
            self.seen.append(f"request leaves this machine: {url}")


class Desk:
    """A page that the tests of a file use one after another: going to another address is
    quick there, opening the lab in a new browser is not."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        self.problems = Problems()
        self.context = browser.new_context(**{**WIDE, **options})
        self.context.set_default_timeout(10_000)
        owner.admit_everywhere(self.context)
        self.problems.watch(self.context)
        self.page = self.context.new_page()

    def lend(self) -> Iterator[Page]:
        """For one test; what the page complained about meanwhile fails it."""
        self.clear()
        yield self.page
        found, self.problems.seen = self.problems.left(), []
        self.problems.forbid()
        assert found == []

    def clear(self) -> None:
        """Away from what the last test left, so that nothing of it is taken for the next one's."""
        url, _, place = self.page.url.partition("#")
        if place.startswith("/"):
            self.page.keyboard.press("Escape")  # a dialog
            self.page.goto(f"{url}#/rules/go")
            self.page.get_by_test_id("page-rules").get_by_role("heading", level=1).wait_for()


def scrolls_sideways(page: Page) -> bool:
    """Whether the page is wider than its window."""
    return bool(
        page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    )


class Server:
    """``playproof serve`` in a process of its own, on a free port.

    All browsers here are its owner's, unless it has guests.
    """

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        command = [sys.executable, "-m", "playproof.cli.main", "serve", "--no-browser"]
        if "--port" not in arguments:
            command += ["--port", "0"]
        self.process = subprocess.Popen(
            [*command, "--folder", str(folder), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "200"},
            start_new_session=True,  # its agents end with it
        )
        self.said: list[str] = []
        self._url: str | None = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.url = self._wait()
        if "--host" not in arguments:
            owner.invite(self.url)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            found = _URL.search(line)
            if found and self._url is None:
                self._url = found[0].rstrip(".,)")

    def _wait(self) -> str:
        """The address as printed, without what follows its port."""
        end = time.monotonic() + _START_SECONDS
        while self._url is None:
            if self.process.poll() is not None or time.monotonic() > end:
                self.stop()
                pytest.fail("playproof serve did not start:\n" + "".join(self.said), pytrace=False)
            time.sleep(0.02)
        self.printed = self._url
        return owner.learn(self._url)

    def stop(self) -> None:
        """End it as Ctrl-C would; what does not end is killed with all it started."""
        if self._url is not None:
            owner.forget(self.url)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._reader.join(5)


@contextlib.contextmanager
def running_server(folder: Path, *arguments: str) -> Iterator[Server]:
    server = Server(folder, *arguments)
    try:
        yield server
    finally:
        server.stop()


class _Files(SimpleHTTPRequestHandler):
    """``/static`` is the package's, all else the folder of a test's own pages."""

    own: Path

    def translate_path(self, path: str) -> str:
        name = unquote(urlsplit(path).path).lstrip("/")
        if name.startswith("static/"):
            return str(STATIC / name.removeprefix("static/"))
        return str(self.own / name)

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def do_GET(self) -> None:  # the base class's name
        if self.path == "/favicon.ico":
            self.send_response(204)
            self.end_headers()
            return
        super().do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextlib.contextmanager
def static_site(own: Path) -> Iterator[str]:
    """The URL of the static files alone, for what needs no server behind it."""
    handler = type("Files", (_Files,), {"own": own})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
