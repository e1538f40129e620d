"""The state of a running lab: rooms, sessions, agents at their moves, clocks.

One Lab is shared by the HTTP routes, the WebSocket connections and the pages. All its methods are
called in the event loop's thread.
"""

from __future__ import annotations

import asyncio
import functools
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
from playproof.web.database import LabDatabase
from playproof.web.engines.fair_queue import Requester
from playproof.web.engines.pool import EngineFailed, EngineJob, EnginePool
from playproof.web.engines.priorities import THREADS, ThreadSlots, Throttle
from playproof.web.game.lobby import Lobby
from playproof.web.game.room import OUT_OF_TIME, Room
from playproof.web.game.session import Session
from playproof.web.http.access import Access, Person, RateLimits, new_code
from playproof.web.jobs.runner import JobRunner
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.games import Error
from playproof.web.warmup import Warmup
from playproof.web.websocket.subscriptions import Subscriptions
from playproof.web.worker_threads import WorkerThreads

_TRIES = 2  # attempts at a move by an agent that fails
_PACE = 0.4  # seconds between the moves of two agents, for those who watch
_RETRY = 1.0  # seconds until a move is submitted again after the engines refused it
_STAYS = 30.0  # seconds for which a guest who asks over HTTP counts as present in the game
_SWITCH = 0.0005  # seconds after which a thread yields to the event loop; Python's default is 5 ms
_MOST_REQUESTERS = 10_000  # persons whose address is remembered


class Lab:
    """The lab. Pages get it in ``routes(lab)`` and use ``folder``, ``access``, ``owner``, ``find``
    (a room), ``jobs``, ``warmup`` and ``subscriptions``."""

    def __init__(
        self,
        folder: Path,
        *,
        code: str | None = None,
        owner_key: str | None = None,
        workers: int | None = None,
    ) -> None:
        self.folder = folder.resolve()  # the data folder: games, jobs, runs, certificates
        self.database = LabDatabase(folder)
        secret = self.database.setting("secret")
        round = int(self.database.setting("round", "0"))
        self.access = Access(secret, code, owner_key, round=round)
        self.lobby = Lobby(self.database)
        self.warmup = Warmup()
        self.engines = EnginePool(workers, prepare=self._prepare)
        self.jobs = JobRunner(self.folder)
        self.subscriptions = Subscriptions()
        self.request_limits = RateLimits(300, 60.0)  # HTTP requests, by person
        self.address_request_limits = RateLimits(2000, 400.0)  # of guests, by address
        self.thread_slots = ThreadSlots()
        self.message_throttle = Throttle(120, 40.0)  # WebSocket messages, by guest
        self.address_throttle = Throttle(1000, 400.0)  # of guests, by address
        self.worker_threads = WorkerThreads(self.lobby, self.warmup)
        self.new_game_limits = RateLimits(30, 0.5)  # by person
        self.address_new_game_limits = RateLimits(200, 2.0)  # of guests, by address
        self.sessions: dict[str, set[Session]] = {}  # by room
        self.openapi: dict[str, Any] = {}  # the description of the HTTP side
        self.url = ""  # the address under which others reach the lab, for the join link
        self.invitation = ""  # the page that guests with only the join code land at: /play/ID
        self.hang_up_on_guests: Callable[[], None] = lambda: None
        self._threads = ThreadPoolExecutor(THREADS, "answer")
        self._agent_moves: dict[str, EngineJob] = {}  # by room
        self._awaited: dict[str, int] = {}  # by room: the version at which an agent is to move
        self._requesters: dict[str, Requester] = {}  # by person, the most recently seen last
        self._tasks: set[asyncio.Task[None]] = set()
        self._flags: dict[str, asyncio.TimerHandle] = {}  # by room: when its running clock runs out
        self.lobby.on_load = self._set_flag  # the clock of a loaded game runs again

    def start(self) -> None:
        """Start the background work; called when the server runs."""
        # Python's own default is 5 threads on a small computer, which a few guests keep busy.
        asyncio.get_running_loop().set_default_executor(self._threads)
        sys.setswitchinterval(_SWITCH)
        self._spawn(self._resume_games())
        self.jobs.resume_previous()

    async def _resume_games(self) -> None:
        """Continue games in which an agent was to move when the lab stopped."""
        for id in self.database.games_awaiting_agent():
            await self.warmup.need_game(self.lobby.game_of(id))
            room = self.lobby.load_or_none(id)
            if room is not None:
                self._advance(room)

    async def _prepare(self, task: dict[str, Any]) -> None:
        """Wait until the kernels that an engine job needs are compiled."""
        if "agent" in task:
            await self.warmup.need_agent(task["game"], task["agent"])

    async def close(self) -> None:
        await self.subscriptions.close()
        for timer in self._flags.values():
            timer.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(self.engines.close(), self.jobs.close(), self.warmup.close())
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.database.close()

    def find(self, connection: HTTPConnection, id: str) -> Room:
        """The game ``id``, if the person who sends this request may see it; else a Refusal."""
        return self.lobby.room(self.access.require_person(connection), id)

    def owner(self, connection: HTTPConnection) -> Person:
        """The person who sends this request, if it is the owner; else a Refusal."""
        person = self.access.require_person(connection)
        if not person.owner:
            raise Refusal("access", "only the owner of the lab may do this; guests may view")
        return person

    # Guests

    def renew_code(self) -> None:
        """Make a new join code; guests who are in stay in."""
        self.access.code = new_code()
        self.database.set_setting("code", self.access.code)

    def turn_guests_out(self) -> None:
        """End all guests' sessions and make a new join code; only the owner stays in."""
        self.access.turn_out()
        self.database.set_setting("round", str(self.access.round))
        self.database.set_setting("code", self.access.code or "")
        self.hang_up_on_guests()
        for session in [session for sessions in self.sessions.values() for session in sessions]:
            if not session.person.owner:  # this one may wait for an analysis over HTTP
                session.drop_analysis()

    # Sessions

    def enter(self, session: Session, room: Room) -> None:
        """Move a session into a room and out of the one before."""
        if session.room is not room:
            self.leave(session)
        session.enter(room)
        self._remember_requester(session, room)
        self.sessions.setdefault(room.id, set()).add(session)
        if session.person.id not in room.connected:
            room.connected.add(session.person.id)
            self.broadcast(room, exclude=session)
        self._advance(room)

    def mark_seen(self, session: Session) -> None:
        """Note that a session without a connection views its room.

        An agent's move that nobody waited for any longer is submitted again.
        """
        room = session.current_room()
        self._remember_requester(session, room)
        if room.id not in self._awaited and room.agent_to_move is not None:
            self._advance(room)

    def _remember_requester(self, session: Session, room: Room) -> None:
        room.last_seen = time.monotonic()
        self._requesters.pop(session.person.id, None)
        self._requesters[session.person.id] = session.requester
        if len(self._requesters) > _MOST_REQUESTERS:
            del self._requesters[next(iter(self._requesters))]

    def leave(self, session: Session) -> None:
        """Move a session out of its room and end its analysis."""
        session.drop_analysis()
        room, session.room = session.room, None
        if room is None:
            return
        others = self.sessions.get(room.id, set())
        others.discard(session)
        if not others:
            self.sessions.pop(room.id, None)
        if all(other.person != session.person for other in others):
            room.connected.discard(session.person.id)
            self.broadcast(room)
        if not room.connected:
            room.clear_caches()

    def broadcast(self, room: Room, *, exclude: Session | None = None) -> None:
        """Send the state to all sessions in a room, as soon as it is saved and rendered."""
        for session in list(self.sessions.get(room.id, ())):
            if session is exclude or session.update_pending:
                continue
            if self.database.is_flushed and self.worker_threads.unrendered(session) is None:
                session.send(session.state())
            else:
                session.update_pending = True
                self._spawn(self._send_state(session))

    async def _send_state(self, session: Session) -> None:
        try:
            await self.database.flush()
            await self.worker_threads.render(session)
        except Refusal:  # this person asks for too much: they have to ask for the state themselves
            return
        finally:
            session.update_pending = False
        if session.room is not None:
            session.send(session.state())

    # Changes

    def commit(self, room: Room, *, by: Session | None = None) -> None:
        """Save a changed room, send it to the others, and let it continue.

        If it cannot be saved, nobody is told and the room is as it was before.
        """
        room.thinking = room.agent_to_move is not None
        try:
            self.lobby.save(room)
        except Refusal:
            self._restore(room)
            raise
        self.broadcast(room, exclude=by)
        self._advance(room)

    def _restore(self, room: Room) -> None:
        for session in self.sessions.get(room.id, ()):
            session.room = self.lobby.room(session.person, room.id)

    def is_moderator(self, person: Person) -> bool:
        """Whether a person moderates: the owner of a lab that is open to guests."""
        return person.owner and self.access.code is not None

    def delete(self, person: Person, id: str, *, by: Session | None = None) -> None:
        """Delete a game and end all sessions in it."""
        room = self.lobby.delete(person, id, moderator=self.is_moderator(person))
        if room is not None:
            self._cancel_agent_move(room)
            self._set_flag(room)
        for other in self.sessions.pop(id, set()):
            other.drop_analysis()
            other.room = None
            if other is not by:
                other.send(Error.of(Refusal("gone", "this game was deleted")))

    # Agents at their moves

    def _advance(self, room: Room) -> None:
        """Start whatever a room does by itself: its clock, and the move of an agent."""
        self._set_flag(room)
        spec = room.agent_to_move
        job = self._agent_moves.get(room.id)
        if job is not None and job.task.get("ver") != room.ver:
            self._cancel_agent_move(room)
            job = None
        room.thinking = spec is not None
        if spec is None or job is not None or self._awaited.get(room.id) == room.ver:
            return
        # Two agents play each other only while somebody watches.
        alone = all(seat.kind == "agent" for seat in room.seats)
        if alone and room.id not in self.sessions:
            room.thinking = False
            return
        self._start_agent_move(room, spec, _PACE if alone else 0.0)

    def _start_agent_move(self, room: Room, spec: str, pause: float) -> None:
        side = room.to_move or 0
        requester = self._requester(room)
        most = catalog.LONGEST_THOUGHT if requester.owner else catalog.LONGEST_MOVE_OF_GUESTS
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
        self._spawn(self._agent_move(room, task, pause))

    def _requester(self, room: Room) -> Requester:
        """On whose behalf an agent moves.

        That is the owner, if present in the game; otherwise the person among its players and its
        creator who was seen last.
        """
        persons = {room.creator, *(seat.person for seat in room.seats)} - {""}
        present = [session.requester for session in self.sessions.get(room.id, ())]
        for requester in present:
            if requester.owner and requester.person in persons:
                return requester
        remembered = [self._requesters[person] for person in persons if person in self._requesters]
        guests = [requester for requester in remembered if not requester.owner]
        stranger = Requester(room.creator, owner=self.access.code is None)
        return next(iter([*guests, *remembered, stranger]))

    def _is_wanted(self, room: Room, ver: int, requester: Requester) -> bool:
        """Whether an agent's move is still needed; a guest's, only while a guest is present."""
        if room.deleted or room.ver != ver:
            return False
        return requester.owner or bool(room.connected) or time.monotonic() - room.last_seen < _STAYS

    async def _agent_move(self, room: Room, task: dict[str, Any], pause: float) -> None:
        """Make one move of an agent, after a pause."""
        try:
            await asyncio.sleep(pause)
            await self._choose_and_play(room, task)
        finally:
            if self._awaited.get(room.id) == task["ver"]:
                del self._awaited[room.id]

    async def _choose_and_play(self, room: Room, task: dict[str, Any]) -> None:
        """Get the agent's move and play it; an agent that fails repeatedly loses the game."""
        side, error, ver = room.to_move or 0, "", int(task["ver"])
        failures = 0
        while failures < _TRIES:
            requester = self._requester(room)
            if room.id in self._agent_moves or not self._is_wanted(room, ver, requester):
                return
            try:
                job = self.engines.submit(
                    task,
                    urgent=True,
                    requester=requester,
                    # Bound now, since ``requester`` changes in the loop.
                    still_wanted=functools.partial(self._is_wanted, room, ver, requester),
                )
            except Refusal:
                await asyncio.sleep(_RETRY)
                continue
            self._agent_moves[room.id] = job
            try:
                result = await job.result
                if room.ver == ver and not room.deleted:
                    room.play(int(result["action"]))
                    self._agent_moves.pop(room.id, None)
                    self.commit(room)
                return
            except (EngineFailed, PlayproofError, Refusal) as failure:
                error = str(failure)
                failures += 1
            finally:
                if self._agent_moves.get(room.id) is job:
                    del self._agent_moves[room.id]
        if room.ver == ver and not room.deleted:
            room.end(1 - side, f"{room.game.players[side]}'s agent {error}")
            self.commit(room)

    def _cancel_agent_move(self, room: Room) -> None:
        job = self._agent_moves.pop(room.id, None)
        if job is not None:
            job.drop()

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Clocks

    def _set_flag(self, room: Room) -> None:
        """Schedule the moment at which the running clock runs out."""
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
    """The longest that an agent may take: ``most``, or less where its clock demands it."""
    if room.clocks is None:
        return most
    left = room.clocks.now()[side]
    share = left / 15 + 0.8 * room.clocks.increment
    return max(0.02, min(most, share, 0.8 * left))
