"""Starting the lab: a port, the line with the address, the browser."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette

from playproof.core.errors import UsageError
from playproof.web.database import Store
from playproof.web.http.access import CODE_LENGTH, new_code
from playproof.web.http.connection_limits import Porch, allow_files
from playproof.web.http.owner_key import PAGE_FILE, owner_key, write_opening_page
from playproof.web.protocol.refusal import LARGEST

LOOPBACK = "127.0.0.1"
_MORE_PORTS = 50  # tried after one that is taken

Say = Callable[[str], None]


def serve(
    folder: Path,
    *,
    host: str | None,
    port: int,
    browser: bool,
    say: Say,
    note: Say,
    url: str | None = None,
) -> None:
    """Serve until Ctrl-C.  ``say`` gets the line with the address, ``note`` the rest.

    ``url`` is the address of a proxy on this machine that others come through.
    ``folder`` is the data folder of all that the lab does, thinkers and jobs with it.
    """
    os.environ["PLAYPROOF_DATA"] = str(folder.resolve())
    before = os.umask(0o077)  # whatever we and our jobs write is for the owner's eyes
    try:
        _serve(folder, host, port, _checked(url), browser=browser, say=say, note=note)
    finally:
        os.umask(before)


def _checked(url: str | None) -> str | None:
    """An address as a proxy has it, with a / at its end."""
    if url is None:
        return None
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/"):
        raise UsageError(
            f"--url {url}: want scheme and name alone, such as https://lab.example.org/"
        )
    return f"{parts.scheme}://{parts.netloc}/"


def _serve(
    folder: Path,
    host: str | None,
    port: int,
    proxy: str | None,
    *,
    browser: bool,
    say: Say,
    note: Say,
) -> None:
    listening = _bound(host or LOOPBACK, port, note)
    port = listening.getsockname()[1]
    code, key = _admission(folder, guests=host is not None or proxy is not None)
    url = proxy or f"http://{LOOPBACK if host is None else _reachable(host)}:{port}/"
    from playproof.web.server import make_app  # here for the few kernels that it imports

    app = make_app(folder, code=code, owner_key=key, url=url, warm=True, note=note)
    own = f"{url}#key={key}"
    say(f"Playproof's lab is at {own}")
    if code is not None:
        note(f"Others join at {url} with the code {code}. Press Ctrl-C to end.")
        if proxy is not None:
            note(f"The proxy finds it at http://{LOOPBACK if host is None else host}:{port}/")
    else:
        note(f"The link is yours alone. Games are kept in {folder}. Press Ctrl-C to end.")
    allow_files()
    if browser:
        page = write_opening_page(folder.resolve(), own)
        threading.Timer(0.5, webbrowser.open, (page.as_uri(),)).start()
    try:
        asyncio.run(_served(app, listening, behind_proxy=proxy is not None))
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
        (folder / PAGE_FILE).unlink(missing_ok=True)
    _leave()


def _admission(folder: Path, *, guests: bool) -> tuple[str | None, str]:
    """The join code, if there are to be guests, and the owner's key."""
    with contextlib.closing(Store(folder)) as store:
        key = owner_key(folder)
        if not guests:
            return None, key
        code = store.fact("code", new_code())
        if len(code) < CODE_LENGTH:  # of an earlier version, which locked people out instead
            code = new_code()
            store.set_fact("code", code)
        return code, key


async def _served(app: Starlette, listening: socket.socket, *, behind_proxy: bool) -> None:
    config = uvicorn.Config(
        app,
        http=Porch().connect,  # type: ignore[arg-type]  # whatever makes a protocol will do
        ws_max_size=LARGEST,
        ws_max_queue=16,
        ws_per_message_deflate=False,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        log_level="error",
        access_log=False,
        server_header=False,
        # Without a proxy of ours anyone could claim to come from anywhere.
        proxy_headers=behind_proxy,
        forwarded_allow_ips=LOOPBACK,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=1,
        limit_concurrency=2000,
    )
    logging.getLogger("uvicorn.error").addFilter(_is_trouble)
    try:
        await uvicorn.Server(config).serve(sockets=[listening])
    finally:
        # The loop waits for the threads of the one it has; the lab's own may be compiling.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))


def _is_trouble(record: logging.LogRecord) -> bool:
    """Whether a line of the server's is worth telling: that an answer is cut off when the
    lab is ended is not."""
    error = record.exc_info[1] if record.exc_info else None
    ended = isinstance(error, asyncio.CancelledError)
    return not ended and "graceful shutdown exceeded" not in str(record.msg)


def _leave() -> None:
    """End at once if a thread is still at work: making machine code cannot be interrupted,
    Python would wait for it, and nobody is there any more for whom it works.  All that
    is to be kept is on the disk."""
    others = set(threading.enumerate()) - {threading.current_thread()}
    if all(thread.daemon for thread in others):
        return
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(0)


def _bound(host: str, port: int, note: Say) -> socket.socket:
    """A socket at ``port``, or at the next one that is free."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise UsageError(
            f"--host {host}: there is no such address; 0.0.0.0 is all of ours"
        ) from None
    for tried in range(port, port + (_MORE_PORTS if port else 1)):
        listening = socket.socket(family, socket.SOCK_STREAM)
        # Else a short answer waits 40 ms for the other side to say that it got the last one.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((address[0], tried, *address[2:]))
            listening.listen(512)
        except OSError as error:
            listening.close()
            if error.errno in (errno.EADDRINUSE, errno.EACCES) and tried < 65535:
                continue
            raise UsageError(f"cannot serve at {host}:{tried}: {error.strerror}") from None
        if port and tried != port:
            note(f"Port {port} is taken: using {tried}.")
        return listening
    raise UsageError(f"no port from {port} to {port + _MORE_PORTS - 1} is free: choose with --port")


def _reachable(host: str) -> str:
    """The address that others can type: ours in the network, where we listen on all."""
    if host not in ("0.0.0.0", "::", ""):
        return f"[{host}]" if ":" in host else host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent: it only chooses a way out
            return str(probe.getsockname()[0])
        except OSError:
            return LOOPBACK
