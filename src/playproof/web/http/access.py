"""Who may come in: the owner by a key, guests by the join code, all by signed cookies then.

A person is a random name in a cookie that this folder's secret and key sign.  So
nothing is stored for a visitor, and a seat is still theirs after a restart.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import secrets
import socket
import time
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from playproof.web.protocol.refusal import Refusal

COOKIE = "playproof"
CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without those that look alike
# A right code is always let in, so that wrong ones lock nobody out: what guessing meets is the
# number of codes.  31^8 is 8.5e11.  Wrong tries beyond ten are held back, which leaves a script
# that waits for its answers one a second; one that does not wait is answered as fast as the lab
# can: 800 a second on two cores with other work, say 3,000 on better ones.  At that rate, which
# nobody in the lab would overlook, two hours find the code with a chance of 1 in 39,000 and a
# week with 1 in 470; the owner can renew it at any time.  The key has 256 bits.
CODE_LENGTH = 8
WAIT = 1.0  # seconds that a wrong try is held back
_MOST_WAITING = 20  # of one address, which has 200 connections
HOW_TO_OWN = "open the link that playproof serve printed, or enter the key in its file lab.key"
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
    """Who may come in, and as whom.

    The owner shows the key, guests the join ``code``; without a code there are no guests.
    With neither nothing is asked: that is for a lab inside one's own process.  ``round`` counts
    how often all guests were turned out: a guest's cookie is good in its own round alone.
    """

    def __init__(
        self, secret: str, code: str | None, owner_key: str | None, *, round: int = 0
    ) -> None:
        self.code, self.round = code, round
        self._owner_key = owner_key
        self._former = secret.encode()  # what cookies were signed with before there was a key
        self._secret = hmac.digest(self._former, (owner_key or "").encode(), "sha256")
        # Cookies are kept by address, not by port: two labs here must not take each other's.
        self.cookie_name = f"{COOKIE}-{hmac.new(self._former, b'name', 'sha256').hexdigest()[:8]}"
        self._wrong = Brakes(10, 0.2)  # wrong codes from one address
        self._waiting: Counter[str] = Counter()  # answers that are held back, by address
        self._entering = Brakes(60, 2.0)  # new persons from one address

    @property
    def is_open(self) -> bool:
        """Whether nothing is asked."""
        return self.code is None and self._owner_key is None

    # Cookies

    def cookie(self, person: Person) -> str:
        kind = "l" if self.is_open else "o" if person.owner else "g"
        return f"{person.id}.{kind}.{self._signature(person.id, kind)}"

    def _signature(self, id: str, kind: str) -> str:
        text = f"{id}.{kind}.{self.round}" if kind == "g" else f"{id}.{kind}"
        return _signed(self._secret, text)

    def _read(self, connection: HTTPConnection) -> tuple[str, str] | None:
        """(id, kind) of a cookie that we signed."""
        id, kind, signature = _parts(connection.cookies.get(self.cookie_name, ""))
        return (id, kind) if _same(signature, self._signature(id, kind)) else None

    def _read_former(self, connection: HTTPConnection) -> tuple[str, str] | None:
        """The same of one that a lab without keys gave, so that the owner's games stay theirs."""
        id, kind, signature = _parts(connection.cookies.get(COOKIE, ""))
        return (id, kind) if _same(signature, _signed(self._former, f"{id}.{kind}")) else None

    def person(self, connection: HTTPConnection) -> Person | None:
        """Who this is; None if they have not come in yet."""
        id, kind = self._read(connection) or ("", "")
        if self.is_open:
            return Person(id, owner=True) if id else None
        if kind == "o" or (kind == "g" and self.code is not None):
            return Person(id, owner=kind == "o")
        return None

    def known(self, connection: HTTPConnection) -> Person:
        """Who this is; a Refusal asks for key or code, where nothing is asked all are let in."""
        person = self.person(connection)
        if person is None and self.is_open:
            return self.newcomer()
        if person is None:
            raise Refusal("access", self.question)
        return person

    @property
    def question(self) -> str:
        """What a stranger is told."""
        if self.code is None:
            return f"this lab is its owner's alone: {HOW_TO_OWN}"
        return "enter the join code first"

    def newcomer(self, *, owner: bool = False) -> Person:
        return Person(secrets.token_urlsafe(12), owner or self.is_open)

    def set_cookie(self, person: Person, connection: HTTPConnection) -> str:
        """The header's value; who came by TLS never sends it without."""
        secure = "; Secure" if connection.url.scheme in ("https", "wss") else ""
        value = f"{self.cookie_name}={self.cookie(person)}"
        return f"{value}; Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Strict{secure}"

    # Coming in

    def enter(
        self, connection: HTTPConnection, *, code: str | None = None, key: str | None = None
    ) -> Person:
        """The person who shows the right code or key, however many wrong ones came before
        from the same address."""
        right_key = key is not None and _same(key.strip(), self._owner_key)
        typed = "".join((code or "").upper().replace("-", "").split())
        right_code = code is not None and _same(typed, self.code)
        if not (right_key or right_code or self.is_open):
            raise Refusal("access", self._wrong_answer(key))
        before = self._read(connection)
        if right_key:
            before = before or self._read_former(connection)
        elif before is None and not self._entering.of(address_of(connection)).take():
            raise Refusal("limit", "too many newcomers from one place: wait a minute")
        owner = right_key or (before is not None and before[1] == "o")
        return Person(before[0], owner) if before else self.newcomer(owner=owner)

    def _wrong_answer(self, key: str | None) -> str:
        if key is not None:
            return f"this is not the key of this lab: {HOW_TO_OWN}"
        if self.code is None:
            return f"this lab has no join code: {HOW_TO_OWN}"
        return "this is not the join code: look at it again"

    async def hold_back(self, address: str) -> None:
        """Before a wrong try is answered: the first ten are at once, then each waits.

        Only wrong ones wait, so nobody locks out the others behind the same address.  Whoever
        tries many at a time is told so at once, lest the waiting take all connections.
        """
        if self._wrong.of(address).take():
            return
        if self._waiting[address] >= _MOST_WAITING:
            raise Refusal("limit", "too many wrong codes: wait a minute and try again")
        self._waiting[address] += 1
        try:
            await asyncio.sleep(WAIT)
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]

    def turn_out(self) -> None:
        """No guest's cookie of before is worth anything any more, nor the code."""
        self.round += 1
        self.code = new_code()


def _parts(cookie: str) -> tuple[str, str, str]:
    id, _, rest = cookie.partition(".")
    kind, _, signature = rest.partition(".")
    return id, kind, signature


def _signed(secret: bytes, text: str) -> str:
    return hmac.new(secret, text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[:40]


def _same(given: str, right: str | None) -> bool:
    """Whether they are equal, in a time that says nothing of where they differ."""
    return right is not None and hmac.compare_digest(
        given.encode("utf-8", "replace"), right.encode("utf-8", "replace")
    )


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
