"""The lab at work: rooms, those who look at them, agents at their moves, clocks."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from starlette.requests import HTTPConnection

from playproof.core.bits import derive_seed
from playproof.core.errors import PlayproofError
from playproof.web.catalog import listing as catalog
from playproof.web.catalog.third_party import source_file
from playproof.web.database import Store
from playproof.web.engines.fair_queue import Asker
from playproof.web.engines.pool import Failed, Job, Thinkers
from playproof.web.engines.priorities import THREADS, Pace, Turns
from playproof.web.game.lobby import Lobby
from playproof.web.game.room import OUT_OF_TIME, Room
from playproof.web.game.session import Visit
from playproof.web.http.access import Access, Brakes, Person, new_code
from playproof.web.jobs.runner import Jobs
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.games import Error
from playproof.web.warmup import Warmup
from playproof.web.websocket.subscriptions import Watching
from playproof.web.worker_threads import Workshop

_TRIES = 2  # of an agent that fails
_PACE = 0.4  # seconds between the moves of two agents, for those who watch
_SOON = 1.0  # seconds until an agent for whom there was no room asks again
_STAYS = 30.0  # seconds that a guest who asks over HTTP counts as being in the game
_SWITCH = 0.0005  # seconds after which a thread lets the loop go on; Python's choice is 5 ms
_MOST_ASKERS = 10_000  # persons whose address is remembered


class Lab:
    """What the parts' ``routes(lab)`` may use: ``folder``, ``find`` and the rooms it gives,
    ``owner``, ``jobs`` and ``watching``."""

    def __init__(
        self,
        folder: Path,
        *,
        code: str | None = None,
        owner_key: str | None = None,
        workers: int | None = None,
    ) -> None:
        self.folder = folder.resolve()  # the data folder: games, jobs, runs, certificates
        self.store = Store(folder)
        secret, round = self.store.fact("secret"), int(self.store.fact("round", "0"))
        self.access = Access(secret, code, owner_key, round=round)
        self.lobby = Lobby(self.store)
        self.warmup = Warmup()
        self.thinkers = Thinkers(workers, prepare=self._prepare)
        self.jobs = Jobs(self.folder)
        self.watching = Watching()
        self.requests = Brakes(300, 60.0)  # HTTP requests of one person
        self.requests_from = Brakes(2000, 400.0)  # and of the guests at one address
        self.turns = Turns()
        self.pace = Pace(120, 40.0)  # messages of a guest over all connections
        self.pace_from = Pace(1000, 400.0)  # and of the guests at one address
        self.workshop = Workshop(self.lobby, self.warmup)
        self.beginnings = Brakes(30, 0.5)  # new games of one person
        self.beginnings_from = Brakes(200, 2.0)  # and of the guests at one address
        self.visits: dict[str, set[Visit]] = {}  # by room
        self.description: dict[str, Any] = {}  # of our HTTP side, for programs
        self.url = ""  # how others reach us, for the join link
        self.invitation = ""  # where those go who come with the join code alone: /play/ID
        self.hang_up_on_guests: Callable[[], None] = lambda: None
        self._threads = ThreadPoolExecutor(THREADS, "answer")
        self._turns: dict[str, Job] = {}
        self._awaited: dict[str, int] = {}  # by room: the version at which an agent is to move
        self._askers: dict[str, Asker] = {}  # by person, the one seen last stands last
        self._tasks: set[asyncio.Task[None]] = set()
        self._flags: dict[str, asyncio.TimerHandle] = {}
        self.lobby.loaded = self._set_flag  # its clock runs again

    def start(self) -> None:
        """Once the server runs: agents whose turn it was go on."""
        # Python's own choice is 5 on a small computer, which a few guests keep busy.
        asyncio.get_running_loop().set_default_executor(self._threads)
        sys.setswitchinterval(_SWITCH)
        self._spawn(self._resume_games())
        self.jobs.begin()

    async def _resume_games(self) -> None:
        """Agents whose turn it was when the lab was ended."""
        for id in self.store.waiting():
            await self.warmup.need_game(self.lobby.game_of(id))
            room = self.lobby.waiting(id)
            if room is not None:
                self._go_on(room)

    async def _prepare(self, task: dict[str, Any]) -> None:
        """Before an agent thinks, its kernels are compiled."""
        if "agent" in task:
            await self.warmup.need_agent(task["game"], task["agent"])

    async def close(self) -> None:
        await self.watching.close()
        for timer in self._flags.values():
            timer.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(self.thinkers.close(), self.jobs.close(), self.warmup.close())
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.store.close()

    def find(self, connection: HTTPConnection, id: str) -> Room:
        """The game ``id``, if whoever asks may see it; a Refusal otherwise."""
        return self.lobby.room(self.access.known(connection), id)

    def owner(self, connection: HTTPConnection) -> Person:
        """Who asks, if it is the owner: whoever has shown the key."""
        person = self.access.known(connection)
        if not person.owner:
            raise Refusal("access", "only who started the lab may do this; you may look")
        return person

    # Guests

    def renew_code(self) -> None:
        """Another join code; those who are in stay."""
        self.access.code = new_code()
        self.store.set_fact("code", self.access.code)

    def turn_guests_out(self) -> None:
        """Nobody but the owner is in any more, and the code of before opens nothing."""
        self.access.turn_out()
        self.store.set_fact("round", str(self.access.round))
        self.store.set_fact("code", self.access.code or "")
        self.hang_up_on_guests()
        for visit in [visit for visits in self.visits.values() for visit in visits]:
            if not visit.person.owner:  # who asked over HTTP waits for an agent's thought
                visit.drop()

    # Visits

    def come(self, visit: Visit, room: Room) -> None:
        """A visitor enters a room, and leaves the one before."""
        if visit.room is not room:
            self.leave(visit)
        visit.enter(room)
        self._see(visit, room)
        self.visits.setdefault(room.id, set()).add(visit)
        if visit.person.id not in room.here:
            room.here.add(visit.person.id)
            self.tell(room, but=visit)
        self._go_on(room)

    def attend(self, visit: Visit) -> None:
        """A visitor looks at a room without staying there: an agent who had given up waiting
        for its move asks for it again."""
        room = visit.here()
        self._see(visit, room)
        if room.id not in self._awaited and room.agent_to_move is not None:
            self._go_on(room)

    def _see(self, visit: Visit, room: Room) -> None:
        room.asked = time.monotonic()
        self._askers.pop(visit.person.id, None)
        self._askers[visit.person.id] = visit.asker
        if len(self._askers) > _MOST_ASKERS:
            del self._askers[next(iter(self._askers))]

    def leave(self, visit: Visit) -> None:
        visit.drop()
        room, visit.room = visit.room, None
        if room is None:
            return
        others = self.visits.get(room.id, set())
        others.discard(visit)
        if not others:
            self.visits.pop(room.id, None)
        if all(other.person != visit.person for other in others):
            room.here.discard(visit.person.id)
            self.tell(room)
        if not room.here:
            room.rest()

    def tell(self, room: Room, *, but: Visit | None = None) -> None:
        """The state to all who look at a room, as soon as it is drawn."""
        for visit in list(self.visits.get(room.id, ())):
            if visit is but or visit.is_told:
                continue
            if self.store.is_flushed and self.workshop.undrawn(visit) is None:
                visit.tell(visit.state())
            else:
                visit.is_told = True
                self._spawn(self._tell(visit))

    async def _tell(self, visit: Visit) -> None:
        try:
            await self.store.flush()
            await self.workshop.draw(visit)
        except Refusal:  # so much is asked for by this one that they must ask again
            return
        finally:
            visit.is_told = False
        if visit.room is not None:
            visit.tell(visit.state())

    # Changes

    def commit(self, room: Room, *, by: Visit | None = None) -> None:
        """A room has changed: save it, tell the others, and let it go on.

        If it cannot be saved nobody is told, and it is as it was.
        """
        room.thinking = room.agent_to_move is not None
        try:
            self.lobby.save(room)
        except Refusal:
            self._restore(room)
            raise
        self.tell(room, but=by)
        self._go_on(room)

    def _restore(self, room: Room) -> None:
        for visit in self.visits.get(room.id, ()):
            visit.room = self.lobby.room(visit.person, room.id)

    def keeps(self, person: Person) -> bool:
        """Whether somebody keeps order here: the owner of a lab that is open to others."""
        return person.owner and self.access.code is not None

    def delete(self, person: Person, id: str, *, by: Visit | None = None) -> None:
        room = self.lobby.delete(person, id, keeper=self.keeps(person))
        if room is not None:
            self._end_turn(room)
            self._set_flag(room)
        for other in self.visits.pop(id, set()):
            other.drop()
            other.room = None
            if other is not by:
                other.tell(Error.of(Refusal("gone", "this game was deleted")))

    # Agents at their moves

    def _go_on(self, room: Room) -> None:
        """Whatever a room needs to happen by itself."""
        self._set_flag(room)
        spec = room.agent_to_move
        turn = self._turns.get(room.id)
        if turn is not None and turn.task.get("ver") != room.ver:
            self._end_turn(room)
            turn = None
        room.thinking = spec is not None
        if spec is None or turn is not None or self._awaited.get(room.id) == room.ver:
            return
        # Two agents play only while somebody watches.
        alone = all(seat.kind == "agent" for seat in room.seats)
        if alone and room.id not in self.visits:
            room.thinking = False
            return
        self._begin_turn(room, spec, _PACE if alone else 0.0)

    def _begin_turn(self, room: Room, spec: str, pause: float) -> None:
        side = room.to_move or 0
        asker = self._asker(room)
        most = catalog.LONGEST_THOUGHT if asker.owner else catalog.LONGEST_MOVE_OF_GUESTS
        task = {
            "do": "move",
            "ver": room.ver,
            "game": room.game.name,
            "state": room.state.serialize(),
            "file": source_file(room.game),
            "agent": spec,
            "seed": derive_seed(room.seed, 1 + side) % 2**63,
            "seconds": _seconds(room, side, most),
        }
        self._awaited[room.id] = room.ver
        self._spawn(self._turn(room, task, pause))

    def _asker(self, room: Room) -> Asker:
        """On whose behalf an agent moves: of the owner who is in the game, else of whoever
        was seen last of those it belongs to."""
        persons = {room.creator, *(seat.person for seat in room.seats)} - {""}
        here = [visit.asker for visit in self.visits.get(room.id, ())]
        for asker in here:
            if asker.owner and asker.person in persons:
                return asker
        known = [self._askers[person] for person in persons if person in self._askers]
        guests = [asker for asker in known if not asker.owner]
        stranger = Asker(room.creator, owner=self.access.code is None)
        return next(iter([*guests, *known, stranger]))

    def _is_wanted(self, room: Room, ver: int, asker: Asker) -> bool:
        """Whether an agent's move is still to be made; guests are waited for while they wait."""
        if room.gone or room.ver != ver:
            return False
        return asker.owner or bool(room.here) or time.monotonic() - room.asked < _STAYS

    async def _turn(self, room: Room, task: dict[str, Any], pause: float) -> None:
        """One move of an agent, to its end."""
        try:
            await asyncio.sleep(pause)
            await self._decide(room, task)
        finally:
            if self._awaited.get(room.id) == task["ver"]:
                del self._awaited[room.id]

    async def _decide(self, room: Room, task: dict[str, Any]) -> None:
        side, error, ver = room.to_move or 0, "", int(task["ver"])
        failures = 0
        while failures < _TRIES:
            asker = self._asker(room)
            if room.id in self._turns or not self._is_wanted(room, ver, asker):
                return
            try:
                job = self.thinkers.submit(
                    task,
                    urgent=True,
                    asker=asker,
                    wanted=lambda asker=asker: self._is_wanted(room, ver, asker),  # type: ignore[misc]
                )
            except Refusal:
                await asyncio.sleep(_SOON)
                continue
            self._turns[room.id] = job
            try:
                answer = await job.answer
                if room.ver == ver and not room.gone:
                    room.play(int(answer["action"]))
                    self._turns.pop(room.id, None)
                    self.commit(room)
                return
            except (Failed, PlayproofError, Refusal) as failure:
                error = str(failure)
                failures += 1
            finally:
                if self._turns.get(room.id) is job:
                    del self._turns[room.id]
        if room.ver == ver and not room.gone:
            room.end(1 - side, f"{room.game.players[side]}'s agent {error}")
            self.commit(room)

    def _end_turn(self, room: Room) -> None:
        turn = self._turns.pop(room.id, None)
        if turn is not None:
            turn.drop()

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Clocks

    def _set_flag(self, room: Room) -> None:
        """Wake up when the running clock has run out."""
        timer = self._flags.pop(room.id, None)
        if timer is not None:
            timer.cancel()
        left = room.clocks.flag_in if room.clocks else None
        if left is not None and room.id in self.lobby.rooms and not room.is_over:
            loop = asyncio.get_running_loop()
            self._flags[room.id] = loop.call_later(left + 0.01, self._flag_falls, room)

    def _flag_falls(self, room: Room) -> None:
        self._flags.pop(room.id, None)
        clocks = room.clocks
        if clocks is None or clocks.running is None or room.is_over:
            return
        if clocks.now()[clocks.running] > 0.0:
            self._set_flag(room)
            return
        side = clocks.running
        room.end(1 - side, f"{room.game.players[side]} {OUT_OF_TIME}")
        self.commit(room)


def _seconds(room: Room, side: int, most: float) -> float:
    """The longest an agent may take: the lab's limit ``most``, or a share of its clock."""
    if room.clocks is None:
        return most
    left = room.clocks.now()[side]
    share = left / 15 + 0.8 * room.clocks.increment
    return max(0.02, min(most, share, 0.8 * left))
