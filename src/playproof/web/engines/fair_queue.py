"""A fair queue: addresses take turns, and persons take turns at their address.

A cookie costs nothing, so an equal share for each person would favour whoever makes the most
cookies. Instead each address gets one share, which its persons divide.
"""

from __future__ import annotations

import ipaddress
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from playproof.web.http.access import Person

_REMEMBERED = 200  # addresses and persons served most recently

T = TypeVar("T")


@dataclass(frozen=True)
class Requester:
    """The person and network on whose behalf work is done; ``owner``: the lab's owner."""

    person: str = ""
    address: str = ""
    owner: bool = False

    @classmethod
    def of(cls, person: Person, address: str) -> Requester:
        return cls(person.id, _network(address), person.owner)


def _network(address: str) -> str:
    """The address that counts as one requester: for IPv6 its /64 network, which one host owns."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return address
    return str(ipaddress.ip_network((parsed, 64), strict=False))


class Load:
    """How much work is running: in total, by address and by person."""

    def __init__(self) -> None:
        self.total = 0
        self.addresses: Counter[str] = Counter()
        self.persons: Counter[str] = Counter()

    def add(self, requester: Requester) -> None:
        self._count(requester, 1)

    def remove(self, requester: Requester) -> None:
        self._count(requester, -1)

    def _count(self, requester: Requester, by: int) -> None:
        self.total += by
        for counter, key in ((self.addresses, requester.address), (self.persons, requester.person)):
            counter[key] += by
            if not counter[key]:
                del counter[key]


class FairQueue(Generic[T]):
    """Waiting entries by requester. ``pop`` takes from the requester with the least running work,
    and among equals from the one served longest ago."""

    def __init__(self) -> None:
        # By address, then by person.
        self._lines: dict[str, dict[str, deque[tuple[Requester, T]]]] = {}
        self._served: dict[str, None] = {}  # addresses and persons, the most recently served last

    def __len__(self) -> int:
        return sum(len(line) for persons in self._lines.values() for line in persons.values())

    def waiting_at(self, address: str) -> int:
        return sum(len(line) for line in self._lines.get(address, {}).values())

    def waiting_of(self, requester: Requester) -> int:
        return len(self._lines.get(requester.address, {}).get(requester.person, ()))

    def entries(self) -> list[T]:
        lines = [line for persons in self._lines.values() for line in persons.values()]
        return [entry for line in lines for _, entry in line]

    def push(self, requester: Requester, entry: T) -> None:
        line = self._lines.setdefault(requester.address, {}).setdefault(requester.person, deque())
        line.append((requester, entry))

    def pop(self, load: Load, *, of_address: int = 10**9, of_person: int = 10**9) -> T | None:
        """The next entry; None if nobody who waits may run more work on top of ``load``."""
        order = {name: place for place, name in enumerate(self._served, 1)}

        def due(running: Counter[str]) -> Callable[[str], tuple[int, int]]:
            return lambda name: (running[name], order.get(name, 0))

        for address in sorted(self._lines, key=due(load.addresses)):
            person = min(self._lines[address], key=due(load.persons))
            if load.addresses[address] >= of_address or load.persons[person] >= of_person:
                continue
            requester, entry = self._lines[address][person][0]
            self.remove(requester, entry)
            for name in (address, person):
                self._served.pop(name, None)
                self._served[name] = None
            while len(self._served) > _REMEMBERED:
                del self._served[next(iter(self._served))]
            return entry
        return None

    def remove(self, requester: Requester, entry: T) -> None:
        """Remove an entry that is no longer needed."""
        persons = self._lines.get(requester.address, {})
        line = persons.get(requester.person, deque())
        for pair in [pair for pair in line if pair[1] is entry]:
            line.remove(pair)
        if not line:
            persons.pop(requester.person, None)
        if not persons:
            self._lines.pop(requester.address, None)
