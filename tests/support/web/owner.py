"""The keys of labs that tests have started, by address, and how to come in with them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

_KEYS: dict[str, str] = {}
_FOR_ALL: set[str] = set()  # labs that every browser of the tests is to be in
_BROWSERS: list[BrowserContext] = []


def learn(link: str) -> str:
    """The address of a lab, whose key is now known, from the link that it printed."""
    base, _, key = link.partition("/#key=")
    assert key, f"{link} has no key"
    _KEYS[base] = key
    return base


def new_cookie(base: str) -> str:
    """``name=value`` of a new person with the owner's rights."""
    answer = httpx.post(f"{base}/api/enter", json={"key": _KEYS[base]}, timeout=60)
    ((name, value),) = answer.raise_for_status().cookies.items()
    return f"{name}={value}"


def client(base: str) -> httpx.Client:
    """What such a person asks with."""
    return httpx.Client(base_url=base, headers={"cookie": new_cookie(base)}, timeout=60)


# Browsers


def admit(context: BrowserContext, base: str) -> None:
    """A browser's person comes into a lab, without a look at its page."""
    name, _, value = new_cookie(base).partition("=")
    host = urlsplit(base).hostname or ""
    context.add_cookies(
        [{"name": name, "value": value, "domain": host, "path": "/", "sameSite": "Strict"}]
    )


def admit_everywhere(context: BrowserContext) -> None:
    """Into the labs that run now, and into those that ``invite`` comes to know later."""
    _BROWSERS.append(context)
    context.on("close", lambda _: _BROWSERS.remove(context))
    for base in _FOR_ALL:
        admit(context, base)


def invite(base: str) -> None:
    """All browsers of the tests are in this lab."""
    _FOR_ALL.add(base)
    for context in _BROWSERS:
        admit(context, base)


def forget(base: str) -> None:
    _FOR_ALL.discard(base)
