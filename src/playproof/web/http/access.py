"""Who may enter: the owner by a key, guests by the join code; after that, signed cookies.

A person is a random id in a cookie, signed with the folder's secret and the key. Nothing is
stored for a visitor, and a seat still belongs to the same person after a restart.
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
CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that look alike
# The right code is always accepted, so that wrong attempts lock nobody out. Guessing is hard
# because there are 31^8 = 8.5e11 codes. After ten wrong attempts each answer is delayed, which
# limits a script that waits for answers to one attempt a second. A script that does not wait gets
# 800 answers a second from two busy cores, and perhaps 3,000 from better ones. At 3,000, which
# nobody in the lab would overlook, the chance of finding the code is 1 in 39,000 in two hours and
# 1 in 470 in a week. The owner can renew the code at any time. The key has 256 bits.
CODE_LENGTH = 8
WAIT = 1.0  # seconds by which the answer to a wrong attempt is delayed
_MOST_DELAYED = 20  # delayed answers to one address, which may hold 200 connections
HOW_TO_OWN = "open the link that playproof serve printed, or enter the key in its file lab.key"
_YEAR = 365 * 86400
_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}
_MOST_BUCKETS = 10_000  # names remembered by RateLimits


def new_code() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


@dataclass
class TokenBucket:
    """A rate limit: ``capacity`` tokens at once, refilled at ``rate`` tokens a second."""

    capacity: float
    rate: float
    tokens: float = -1.0  # below 0: the bucket is new, thus full
    at: float = field(default_factory=lambda: time.monotonic())

    def take(self, amount: float = 1.0) -> bool:
        """Take ``amount`` tokens out; False, and nothing taken, if there are fewer."""
        self._fill()
        if self.tokens < amount:
            return False
        self.tokens -= amount
        return True

    @property
    def is_empty(self) -> bool:
        self._fill()
        return self.tokens < 1.0

    def _fill(self) -> None:
        now = time.monotonic()
        tokens = self.capacity if self.tokens < 0 else self.tokens
        self.tokens = min(self.capacity, tokens + (now - self.at) * self.rate)
        self.at = now


class RateLimits:
    """A token bucket for each name; the ones unused for longest are dropped."""

    def __init__(self, capacity: float, rate: float) -> None:
        self._capacity, self._rate = capacity, rate
        self._buckets: dict[str, TokenBucket] = {}

    def bucket(self, name: str) -> TokenBucket:
        bucket = self._buckets.pop(name, None) or TokenBucket(self._capacity, self._rate)
        self._buckets[name] = bucket
        if len(self._buckets) > _MOST_BUCKETS:
            del self._buckets[next(iter(self._buckets))]
        return bucket


@dataclass(frozen=True)
class Person:
    """A visitor of the lab; ``owner`` may do everything."""

    id: str
    owner: bool = False


class Access:
    """Who may enter, and as whom.

    The owner presents the key, guests the join ``code``; without a code there are no guests.
    Without either, everybody is let in as the owner: that is for a lab inside one's own process.
    ``round`` counts how often all guests have been sent out. It is part of what a guest's cookie
    signs, so the cookies of earlier rounds are no longer valid.
    """

    def __init__(
        self, secret: str, code: str | None, owner_key: str | None, *, round: int = 0
    ) -> None:
        self.code, self.round = code, round
        self._owner_key = owner_key
        self._folder_secret = secret.encode()
        self._secret = hmac.digest(self._folder_secret, (owner_key or "").encode(), "sha256")
        # Browsers keep cookies by host, not port: two labs on one host need different names.
        name = hmac.new(self._folder_secret, b"name", "sha256").hexdigest()[:8]
        self.cookie_name = f"{COOKIE}-{name}"
        self._wrong_attempts = RateLimits(10, 0.2)  # by address
        self._delayed: Counter[str] = Counter()  # answers being delayed, by address
        self._newcomer_limits = RateLimits(60, 2.0)  # new persons, by address

    @property
    def is_open(self) -> bool:
        """Whether everybody is let in without a key or a code."""
        return self.code is None and self._owner_key is None

    # Cookies

    def cookie(self, person: Person) -> str:
        # l: anybody in an open lab, o: the owner, g: a guest
        kind = "l" if self.is_open else "o" if person.owner else "g"
        return f"{person.id}.{kind}.{self._signature(person.id, kind)}"

    def _signature(self, id: str, kind: str) -> str:
        text = f"{id}.{kind}.{self.round}" if kind == "g" else f"{id}.{kind}"
        return _sign(self._secret, text)

    def _read(self, connection: HTTPConnection) -> tuple[str, str] | None:
        """(id, kind) from our cookie; None if there is none or its signature is wrong."""
        id, kind, signature = _parts(connection.cookies.get(self.cookie_name, ""))
        return (id, kind) if _equal(signature, self._signature(id, kind)) else None

    def _read_earlier(self, connection: HTTPConnection) -> tuple[str, str] | None:
        """(id, kind) from a cookie of an earlier version, in which labs had no keys.

        So the owner of such a lab keeps their games.
        """
        id, kind, signature = _parts(connection.cookies.get(COOKIE, ""))
        right = _sign(self._folder_secret, f"{id}.{kind}")
        return (id, kind) if _equal(signature, right) else None

    def person(self, connection: HTTPConnection) -> Person | None:
        """The person who sends this request; None if they have not entered yet."""
        id, kind = self._read(connection) or ("", "")
        if self.is_open:
            return Person(id, owner=True) if id else None
        if kind == "o" or (kind == "g" and self.code is not None):
            return Person(id, owner=kind == "o")
        return None

    def require_person(self, connection: HTTPConnection) -> Person:
        """The person who sends this request, a new one in an open lab; otherwise a Refusal."""
        person = self.person(connection)
        if person is None and self.is_open:
            return self.newcomer()
        if person is None:
            raise Refusal("access", self.question)
        return person

    @property
    def question(self) -> str:
        """The line shown to somebody who has not entered."""
        if self.code is None:
            return f"this lab is open to its owner only: {HOW_TO_OWN}"
        return "enter the join code first"

    def newcomer(self, *, owner: bool = False) -> Person:
        return Person(secrets.token_urlsafe(12), owner or self.is_open)

    def set_cookie(self, person: Person, connection: HTTPConnection) -> str:
        """The value of the Set-Cookie header; over TLS the cookie is ``Secure``."""
        secure = "; Secure" if connection.url.scheme in ("https", "wss") else ""
        value = f"{self.cookie_name}={self.cookie(person)}"
        return f"{value}; Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Strict{secure}"

    # Entering

    def enter(
        self, connection: HTTPConnection, *, code: str | None = None, key: str | None = None
    ) -> Person:
        """The person who presents the right code or key.

        Earlier wrong attempts from the same address do not matter.
        """
        right_key = key is not None and _equal(key.strip(), self._owner_key)
        typed = "".join((code or "").upper().replace("-", "").split())
        right_code = code is not None and _equal(typed, self.code)
        if not (right_key or right_code or self.is_open):
            raise Refusal("access", self._wrong_attempt_line(key))
        before = self._read(connection)
        if right_key:
            before = before or self._read_earlier(connection)
        elif before is None and not self._newcomer_limits.bucket(address_of(connection)).take():
            raise Refusal("limit", "too many newcomers from one address: wait a minute")
        owner = right_key or (before is not None and before[1] == "o")
        return Person(before[0], owner) if before else self.newcomer(owner=owner)

    def _wrong_attempt_line(self, key: str | None) -> str:
        if key is not None:
            return f"this is not the key of this lab: {HOW_TO_OWN}"
        if self.code is None:
            return f"this lab has no join code: {HOW_TO_OWN}"
        return "this is not the join code: check it and try again"

    async def delay_wrong_attempt(self, address: str) -> None:
        """Wait before a wrong attempt is answered; the first ten are answered at once.

        Only wrong attempts are delayed, so nobody can lock out others behind the same address.
        Too many parallel attempts are refused at once, so that they do not use up all connections.
        """
        if self._wrong_attempts.bucket(address).take():
            return
        if self._delayed[address] >= _MOST_DELAYED:
            raise Refusal("limit", "too many wrong codes: wait a minute and try again")
        self._delayed[address] += 1
        try:
            await asyncio.sleep(WAIT)
        finally:
            self._delayed[address] -= 1
            if not self._delayed[address]:
                del self._delayed[address]

    def turn_out(self) -> None:
        """Make all guests' cookies and the join code invalid."""
        self.round += 1
        self.code = new_code()


def _parts(cookie: str) -> tuple[str, str, str]:
    id, _, rest = cookie.partition(".")
    kind, _, signature = rest.partition(".")
    return id, kind, signature


def _sign(secret: bytes, text: str) -> str:
    return hmac.new(secret, text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[:40]


def _equal(text: str, right: str | None) -> bool:
    """Whether two texts are equal, in a time that does not depend on where they differ."""
    return right is not None and hmac.compare_digest(
        text.encode("utf-8", "replace"), right.encode("utf-8", "replace")
    )


def address_of(connection: HTTPConnection) -> str:
    return connection.client.host if connection.client else "?"


def is_this_machine(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


# Headers: another site's page must not reach us through a visitor's browser


def is_our_host(header: str, *, has_guests: bool, name: str = "") -> bool:
    """Whether a Host header names this lab; DNS rebinding would bring another name.

    With ``has_guests`` the lab is served to others too. Then any IP address, this machine's name
    and ``name``, under which the lab is published, are accepted as well.
    """
    try:
        host = urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return False
    bracketed = f"[{host}]" if ":" in host else host
    if bracketed in _LOOPBACK:
        return True
    if not has_guests:
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
