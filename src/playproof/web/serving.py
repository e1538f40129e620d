"""Running the lab's server: its port, the line with the address, the browser."""

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
from playproof.web.database import LabDatabase
from playproof.web.http.access import CODE_LENGTH, new_code
from playproof.web.http.connection_limits import ConnectionLimiter, raise_open_files_limit
from playproof.web.http.owner_key import PAGE_FILE, owner_key, write_opening_page
from playproof.web.protocol.refusal import LARGEST

LOOPBACK = "127.0.0.1"
_MORE_PORTS = 50  # tried after one that is in use

OnLine = Callable[[str], None]


def serve(
    folder: Path,
    *,
    host: str | None,
    port: int,
    browser: bool,
    on_address: OnLine,
    on_note: OnLine,
    url: str | None = None,
) -> None:
    """Serve until Ctrl-C.

    ``on_address`` gets the line with the address, ``on_note`` all other lines. ``url`` is the
    address of a proxy on this machine through which others reach the lab. ``folder`` is the data
    folder of the lab, its engines and its jobs.
    """
    os.environ["PLAYPROOF_DATA"] = str(folder.resolve())
    before = os.umask(0o077)  # only the owner may read what the lab and its jobs write
    try:
        _serve(
            folder,
            host,
            port,
            _check_url(url),
            browser=browser,
            on_address=on_address,
            on_note=on_note,
        )
    finally:
        os.umask(before)


def _check_url(url: str | None) -> str | None:
    """The proxy's address, with a slash at its end."""
    if url is None:
        return None
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/"):
        raise UsageError(
            f"--url {url}: want only scheme and host, such as https://lab.example.org/"
        )
    return f"{parts.scheme}://{parts.netloc}/"


def _serve(
    folder: Path,
    host: str | None,
    port: int,
    proxy: str | None,
    *,
    browser: bool,
    on_address: OnLine,
    on_note: OnLine,
) -> None:
    listening = _bind(host or LOOPBACK, port, on_note)
    port = listening.getsockname()[1]
    code, key = _admission(folder, guests=host is not None or proxy is not None)
    url = proxy or f"http://{LOOPBACK if host is None else _reachable(host)}:{port}/"
    from playproof.web.server import make_app  # imported late: it loads kernels

    app = make_app(folder, code=code, owner_key=key, url=url, warm=True, on_note=on_note)
    own = f"{url}#key={key}"
    on_address(f"Playproof's lab is at {own}")
    if code is not None:
        on_note(f"Others join at {url} with the code {code}. Press Ctrl-C to end.")
        if proxy is not None:
            on_note(f"The proxy finds it at http://{LOOPBACK if host is None else host}:{port}/")
    else:
        on_note(f"Keep this link to yourself. Games are stored in {folder}. Press Ctrl-C to end.")
    raise_open_files_limit()
    if browser:
        page = write_opening_page(folder.resolve(), own)
        threading.Timer(0.5, webbrowser.open, (page.as_uri(),)).start()
    try:
        asyncio.run(_run_server(app, listening, behind_proxy=proxy is not None))
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
        (folder / PAGE_FILE).unlink(missing_ok=True)
    _exit_if_threads_run()


def _admission(folder: Path, *, guests: bool) -> tuple[str | None, str]:
    """The join code, if guests are to be let in, and the owner's key."""
    with contextlib.closing(LabDatabase(folder)) as database:
        key = owner_key(folder)
        if not guests:
            return None, key
        code = database.setting("code", new_code())
        if len(code) < CODE_LENGTH:  # made by an earlier version, whose codes are too short
            code = new_code()
            database.set_setting("code", code)
        return code, key


async def _run_server(app: Starlette, listening: socket.socket, *, behind_proxy: bool) -> None:
    config = uvicorn.Config(
        app,
        http=ConnectionLimiter().connect,  # type: ignore[arg-type]  # any factory of protocols
        ws_max_size=LARGEST,
        ws_max_queue=16,
        ws_per_message_deflate=False,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        log_level="error",
        access_log=False,
        server_header=False,
        # Without our own proxy anyone could claim to come from any address.
        proxy_headers=behind_proxy,
        forwarded_allow_ips=LOOPBACK,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=1,
        limit_concurrency=2000,
    )
    logging.getLogger("uvicorn.error").addFilter(_is_worth_logging)
    try:
        await uvicorn.Server(config).serve(sockets=[listening])
    finally:
        # At its end the loop waits for its executor's threads; the lab's may still be compiling.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """False for the server's lines about responses that were cut off when the lab was stopped."""
    error = record.exc_info[1] if record.exc_info else None
    ended = isinstance(error, asyncio.CancelledError)
    return not ended and "graceful shutdown exceeded" not in str(record.msg)


def _exit_if_threads_run() -> None:
    """Exit at once if threads are still at work.

    Python would wait for them, compilation cannot be interrupted, and nobody needs its result any
    more. Everything to be kept is on the disk by now.
    """
    others = set(threading.enumerate()) - {threading.current_thread()}
    if all(thread.daemon for thread in others):
        return
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(0)


def _bind(host: str, port: int, on_note: OnLine) -> socket.socket:
    """A listening socket at ``port``, or at the next port that is free."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise UsageError(
            f"--host {host}: there is no such address; 0.0.0.0 is every address of this machine"
        ) from None
    for candidate in range(port, port + (_MORE_PORTS if port else 1)):
        listening = socket.socket(family, socket.SOCK_STREAM)
        # Otherwise a short answer waits 40 ms for the acknowledgement of the one before.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((address[0], candidate, *address[2:]))
            listening.listen(512)
        except OSError as error:
            listening.close()
            if error.errno in (errno.EADDRINUSE, errno.EACCES) and candidate < 65535:
                continue
            raise UsageError(f"cannot serve at {host}:{candidate}: {error.strerror}") from None
        if port and candidate != port:
            on_note(f"Port {port} is in use: using {candidate}.")
        return listening
    last = port + _MORE_PORTS - 1
    raise UsageError(f"none of the ports {port} to {last} can be used: choose another with --port")


def _reachable(host: str) -> str:
    """The host that others can type; if we listen on all addresses, ours in the network."""
    if host not in ("0.0.0.0", "::", ""):
        return f"[{host}]" if ":" in host else host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only selects the outgoing address
            return str(probe.getsockname()[0])
        except OSError:
            return LOOPBACK
