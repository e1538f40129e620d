"""Many people at once: games checked move by move, and what the lab uses meanwhile."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.support.web.load import meters
from tests.support.web.load.meters import Reading, typical
from tests.support.web.load.tables import Count, Table
from tests.support.web.owner import new_cookie
from tests.support.web.people import running

AT_A_TABLE = 4
PACE = 1.0  # seconds between two thoughts of one person, on average
# A room of the lab is at most some hundred kilobytes and at most 200 are kept; Python gives
# memory back in arenas of a megabyte.  A leak of one state message (20 kB) a move would
# show as 40 MB a minute.
FLAT = 8.0  # megabytes that the second half of the time may have over the first
QUICK = 0.5  # seconds within which 99 % of the moves are answered, on a machine of two cores


@dataclass(frozen=True)
class Load:
    clients: int
    seconds: float
    count: Count
    before: Reading  # with nobody there
    readings: list[Reading]
    after: Reading  # when all have gone
    said: str  # by the server, beyond its greeting

    def share(self, part: float) -> float:
        """Seconds within which that share of the moves was answered."""
        times = sorted(self.count.times)
        return times[min(len(times) - 1, int(part * len(times)))]

    def halves(self, name: str) -> tuple[float, float]:
        """The typical value in the first half of the time, and in the second."""
        middle = len(self.readings) // 2
        return typical(self.readings[:middle], name), typical(self.readings[middle:], name)

    def told(self) -> str:
        count, (first, second) = self.count, self.halves("memory")
        times = ", ".join(f"{1e3 * self.share(p):.0f} ms" for p in (0.5, 0.95, 0.99))
        return (
            f"{self.clients} clients, {count.moves:,} moves in {count.games} games, "
            f"{count.states:,} states; {count.undone} undone, {count.resigned} resigned, "
            f"{count.rejoined} rejoined, {count.hostile} wrong words; answers in {times} "
            f"(50, 95, 99 %), worst {max(count.times):.2f} s; memory {self.before.memory:.0f}, "
            f"then {first:.1f} and {second:.1f} MB; files {self.before.files}, at most "
            f"{max(r.files for r in self.readings)}, then {self.after.files}; processes "
            f"{self.before.processes}, at most {max(r.processes for r in self.readings)}"
        )

    def check(self, *, flat: float = FLAT) -> None:
        """An AssertionError says what was not right."""
        count = self.count
        assert not count.troubles, f"{len(count.troubles)} troubles, first {count.troubles[:3]}"
        assert count.broken == 0, f"{count.broken} lines broke by themselves"
        assert "Traceback" not in self.said, self.said[-2000:]
        first, second = self.halves("memory")
        assert second - first < flat, f"memory grew from {first:.1f} to {second:.1f} MB"
        # A connection each, and as many files as before once they have gone.
        most = max(reading.sockets for reading in self.readings)
        assert most <= self.before.sockets + self.clients + 8, f"{most} sockets"
        assert self.after.sockets <= self.before.sockets + 2, f"{self.after.sockets} sockets left"
        assert self.after.files <= self.before.files + 4, f"{self.after.files} files left open"
        assert self.after.processes <= self.before.processes, f"{self.after.processes} processes"


def run(games: int, seconds: float, *, seed: int = 1, pace: float = PACE) -> Load:
    """``games`` tables at a new lab for ``seconds``, two players and two watchers each."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as server:
        crowd = gather(server.base, server.process.pid, games, seconds, seed=seed, pace=pace)
        load = asyncio.run(crowd)
        server.stop()
        assert server.process.stdout is not None
        return Load(**{**vars(load), "said": server.process.stdout.read()})


async def gather(
    base: str, pid: int, games: int, seconds: float, *, seed: int, pace: float
) -> Load:
    """The same at a lab that is there, and whose process is ``pid``."""
    loop, count, readings = asyncio.get_running_loop(), Count(), list[Reading]()
    cookies = [new_cookie(base) for _ in range(games * AT_A_TABLE)]
    seats = [cookies[AT_A_TABLE * n : AT_A_TABLE * (n + 1)] for n in range(games)]
    tables = [Table(base, own, 1000 * seed + n, count, pace=pace) for n, own in enumerate(seats)]
    before = await meters.once(pid, lambda now: now.processes > 0)  # the first engine is there
    guests = [guest for table in tables for guest in table.guests]
    for guest in guests:
        await guest.line.open()

    async def watch() -> None:
        while True:
            await asyncio.sleep(min(1.0, seconds / 20))
            readings.append(meters.read(pid))

    watcher = asyncio.create_task(watch())
    await asyncio.gather(*(table.play(loop.time() + seconds) for table in tables))
    watcher.cancel()
    for guest in guests:
        await guest.line.close()
    after = await meters.once(pid, lambda now: now.sockets <= before.sockets, 2.0)
    return Load(len(guests), seconds, count, before, readings, after, "")
