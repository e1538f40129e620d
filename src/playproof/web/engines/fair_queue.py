"""Waiting in turn: address by address, and at one address person by person.

A cookie costs nothing, so a share for each person would give most to whoever has most
cookies.  An address gets one share, which its persons divide.
"""

from __future__ import annotations

import ipaddress
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from playproof.web.http.access import Person

_REMEMBERED = 200  # of those who were served

T = TypeVar("T")


@dataclass(frozen=True)
class Asker:
    """On whose behalf something is done.  ``owner``: of whoever started the lab."""

    person: str = ""
    address: str = ""
    owner: bool = False

    @classmethod
    def of(cls, person: Person, address: str) -> Asker:
        return cls(person.id, _network(address), person.owner)


def _network(address: str) -> str:
    """Whoever has one address of IPv6 has the 2**64 beside it too."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return address
    return str(ipaddress.ip_network((found, 64), strict=False))


class Load:
    """How much is at work, in all, for each address and for each person."""

    def __init__(self) -> None:
        self.total = 0
        self.addresses: Counter[str] = Counter()
        self.persons: Counter[str] = Counter()

    def add(self, asker: Asker) -> None:
        self._count(asker, 1)

    def remove(self, asker: Asker) -> None:
        self._count(asker, -1)

    def _count(self, asker: Asker, by: int) -> None:
        self.total += by
        for counter, key in ((self.addresses, asker.address), (self.persons, asker.person)):
            counter[key] += by
            if not counter[key]:
                del counter[key]


class FairQueue(Generic[T]):
    """What waits, each entry for an asker; ``pop`` takes from whoever has least at work, and
    among those from whoever was served longest ago."""

    def __init__(self) -> None:
        self._lines: dict[str, dict[str, deque[tuple[Asker, T]]]] = {}  # by address, by person
        self._served: dict[str, None] = {}  # addresses and persons, the one served last stands last

    def __len__(self) -> int:
        return sum(len(line) for persons in self._lines.values() for line in persons.values())

    def waiting_at(self, address: str) -> int:
        return sum(len(line) for line in self._lines.get(address, {}).values())

    def waiting_of(self, asker: Asker) -> int:
        return len(self._lines.get(asker.address, {}).get(asker.person, ()))

    def entries(self) -> list[T]:
        lines = [line for persons in self._lines.values() for line in persons.values()]
        return [entry for line in lines for _, entry in line]

    def push(self, asker: Asker, entry: T) -> None:
        line = self._lines.setdefault(asker.address, {}).setdefault(asker.person, deque())
        line.append((asker, entry))

    def pop(self, load: Load, *, of_address: int = 10**9, of_person: int = 10**9) -> T | None:
        """The next entry; None if nobody waits who may have more than is at work by ``load``."""
        order = {name: place for place, name in enumerate(self._served, 1)}

        def due(at_work: Counter[str]) -> Callable[[str], tuple[int, int]]:
            return lambda name: (at_work[name], order.get(name, 0))

        for address in sorted(self._lines, key=due(load.addresses)):
            person = min(self._lines[address], key=due(load.persons))
            if load.addresses[address] >= of_address or load.persons[person] >= of_person:
                continue
            asker, entry = self._lines[address][person][0]
            self.remove(asker, entry)
            for name in (address, person):
                self._served.pop(name, None)
                self._served[name] = None
            while len(self._served) > _REMEMBERED:
                del self._served[next(iter(self._served))]
            return entry
        return None

    def remove(self, asker: Asker, entry: T) -> None:
        """An entry that nobody waits for any more."""
        persons = self._lines.get(asker.address, {})
        line = persons.get(asker.person, deque())
        for pair in [pair for pair in line if pair[1] is entry]:
            line.remove(pair)
        if not line:
            persons.pop(asker.person, None)
        if not persons:
            self._lines.pop(asker.address, None)
