"""Who may come in: persons by signed cookies, the join code, and brakes on guessing.

A person is a random name in a cookie that this folder's secret signs.  So
nothing is stored for a visitor, and a seat is still theirs after a restart.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import socket
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from playproof.web.messages import Refusal

COOKIE = "playproof"
CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without those that look alike
CODE_LENGTH = 6
_YEAR = 365 * 86400
_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}
_FORGOTTEN = 10_000  # brakes to remember at most


def new_code() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


@dataclass
class Bucket:
    """A brake: ``burst`` at once, then ``rate`` a second."""

    burst: float
    rate: float
    filled: float = -1.0
    at: float = field(default_factory=lambda: time.monotonic())

    def take(self, amount: float = 1.0) -> bool:
        """Whether there is so much in it; then it is taken out."""
        self._fill()
        if self.filled < amount:
            return False
        self.filled -= amount
        return True

    @property
    def is_empty(self) -> bool:
        self._fill()
        return self.filled < 1.0

    def _fill(self) -> None:
        now = time.monotonic()
        filled = self.burst if self.filled < 0 else self.filled
        self.filled = min(self.burst, filled + (now - self.at) * self.rate)
        self.at = now


class Brakes:
    """A bucket for each name; those longest unused are forgotten."""

    def __init__(self, burst: float, rate: float) -> None:
        self._burst, self._rate = burst, rate
        self._buckets: dict[str, Bucket] = {}

    def of(self, name: str) -> Bucket:
        bucket = self._buckets.pop(name, None) or Bucket(self._burst, self._rate)
        self._buckets[name] = bucket
        if len(self._buckets) > _FORGOTTEN:
            del self._buckets[next(iter(self._buckets))]
        return bucket


@dataclass(frozen=True)
class Person:
    id: str
    owner: bool = False


class Access:
    """``code`` None: the lab is on this computer alone, and nothing is asked."""

    def __init__(self, secret: str, code: str | None, owner_key: str | None) -> None:
        self._secret = secret.encode()
        self.code = code
        self._owner_key = owner_key
        self._wrong = Brakes(10, 0.2)  # wrong codes from one address
        self._wrong_at_all = Bucket(2000, 10.0)
        self._entering = Brakes(60, 2.0)  # new persons from one address

    # Cookies

    def cookie(self, person: Person) -> str:
        kind = "l" if self.code is None else "o" if person.owner else "g"
        return f"{person.id}.{kind}.{self._signature(person.id, kind)}"

    def _signature(self, id: str, kind: str) -> str:
        text = f"{id}.{kind}".encode()
        return hmac.new(self._secret, text, hashlib.sha256).hexdigest()[:40]

    def _read(self, value: str) -> tuple[str, str] | None:
        """(id, kind) of a cookie that we signed."""
        id, _, rest = value.partition(".")
        kind, _, signature = rest.partition(".")
        right = self._signature(id, kind)
        good = signature.isascii() and hmac.compare_digest(signature, right)
        return (id, kind) if good else None

    def person(self, connection: HTTPConnection) -> Person | None:
        """Who this is; None if they have not come in yet."""
        found = self._read(connection.cookies.get(COOKIE, ""))
        if found is None:
            return None
        id, kind = found
        if self.code is None:
            return Person(id, owner=True)
        return Person(id, owner=kind == "o") if kind in "og" else None

    def known(self, connection: HTTPConnection) -> Person:
        """Who this is; a Refusal asks for the code, without one a newcomer is let in."""
        person = self.person(connection)
        if person is None and self.code is None:
            return self.newcomer()
        if person is None:
            raise Refusal("access", "enter the join code first")
        return person

    def newcomer(self, *, owner: bool = False) -> Person:
        return Person(secrets.token_urlsafe(12), owner or self.code is None)

    def set_cookie(self, person: Person) -> str:
        """The header's value."""
        return f"{COOKIE}={self.cookie(person)}; Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Strict"

    # Coming in

    def enter(
        self, connection: HTTPConnection, *, code: str | None = None, key: str | None = None
    ) -> Person:
        """The person who shows the right code or key; wrong ones are counted and slowed."""
        address = address_of(connection)
        wrong = self._wrong.of(address)
        if wrong.is_empty or self._wrong_at_all.is_empty:
            raise Refusal("limit", "too many wrong codes: wait a minute and try again")
        right_key = key is not None and self._owner_key is not None
        right_key = right_key and _same(key or "", self._owner_key or "")
        typed = "".join((code or "").upper().split())
        right_code = code is not None and self.code is not None and _same(typed, self.code)
        if self.code is not None and not (right_key or right_code):
            wrong.take()
            self._wrong_at_all.take()
            raise Refusal("access", "this is not the join code: look at it again")
        if not self._entering.of(address).take():
            raise Refusal("limit", "too many newcomers from one place: wait a minute")
        before = self._read(connection.cookies.get(COOKIE, ""))
        owner = right_key or self.code is None or (before is not None and before[1] == "o")
        return Person(before[0], owner) if before else self.newcomer(owner=owner)


def _same(a: str, b: str) -> bool:
    return hmac.compare_digest(a.encode("utf-8", "replace"), b.encode())


def address_of(connection: HTTPConnection) -> str:
    return connection.client.host if connection.client else "?"


def is_this_machine(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


# Headers: a page of somebody else's must not reach us through a visitor's browser


def is_our_host(header: str, *, open_: bool, name: str = "") -> bool:
    """Whether a Host header names us: DNS rebinding comes with a name of its own.

    ``open_``: we are served to others too, so any address and this machine's name will do,
    and the ``name`` that we were told to listen at.
    """
    try:
        host = urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return False
    bracketed = f"[{host}]" if ":" in host else host
    if bracketed in _LOOPBACK:
        return True
    if not open_:
        return False
    try:
        ipaddress.ip_address(host)
    except ValueError:
        own = socket.gethostname().lower()
        first = own.partition(".")[0]
        return host in {own, first, f"{first}.local", name.lower()} - {""}
    return True


def is_our_origin(connection: HTTPConnection) -> bool:
    """Whether a request comes from our page, or from no page at all."""
    site = connection.headers.get("sec-fetch-site", "none")
    if site not in ("same-origin", "none"):
        return False
    origin = connection.headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc == connection.headers.get("host", "")
    except ValueError:
        return False
