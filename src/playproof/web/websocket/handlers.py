"""What each message does. The WebSocket and the HTTP twins both use these handlers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import UNSET

from playproof.core import state as positions
from playproof.core.bits import derive_seed
from playproof.web.catalog import listing as catalog
from playproof.web.catalog.third_party import source_file
from playproof.web.engines.pool import EngineFailed, EngineJob
from playproof.web.game.parse_text import AUTO
from playproof.web.game.serializers import next_clicks
from playproof.web.game.session import Session
from playproof.web.lab import Lab
from playproof.web.protocol import requests
from playproof.web.protocol.codec import build
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.base import Deleted, Message
from playproof.web.protocol.replies.games import Error, LeftGame, NextClicks, Pong, State, Thought
from playproof.web.protocol.requests import ply_of, value_or_none

Handler = Callable[[Lab, Session, Any], Awaitable[Message]]
AnalysisRequest = requests.Think | requests.Hint


async def handle(lab: Lab, session: Session, request: requests.Request) -> Message:
    """The reply to a request; a Refusal if it cannot be carried out.

    ``think`` and ``hint`` are handled by ``start_analysis``, since they have several replies.
    """
    id, room = value_or_none(request.id), session.room
    elsewhere = room is not None and id is not None and id != room.id
    if elsewhere and not isinstance(request, requests.Join):
        raise Refusal("gone", "you are in another game: join this one first")
    return await _HANDLERS[type(request)](lab, session, request)


async def _state(lab: Lab, session: Session) -> State:
    """What the visitor sees now, once it is on the disk and rendered."""
    await lab.database.flush()
    await lab.worker_threads.render(session)
    return session.state()


async def _new(lab: Lab, session: Session, request: requests.New) -> Message:
    # Guests at the owner's own address must not use up the games that the owner may start.
    may_start = session.person.owner or lab.address_new_game_limits.bucket(session.address).take()
    if not (may_start and lab.new_game_limits.bucket(session.person.id).take()):
        raise Refusal("limit", "too many new games at once: wait a few seconds")
    await lab.warmup.need_game(None if request.game == AUTO else value_or_none(request.game))
    # Reading a text takes a while.
    slots = lab.worker_threads.slots
    slot = slots.hold(session.requester) if request.text else contextlib.nullcontext()
    async with slot:
        room = await lab.lobby.new(session.person, request)
    lab.enter(session, room)
    return await _state(lab, session)


async def _join(lab: Lab, session: Session, request: requests.Join) -> Message:
    id, seat = value_or_none(request.id), request.seat
    if id is None:
        raise Refusal("bad", "join needs id")
    await lab.worker_threads.load_game(session.requester, id)
    room = lab.lobby.room(session.person, id)
    if seat is not None and session.person.id != room.seats[seat].person:
        room.sit(session.person.id, seat)
        lab.commit(room, by=session)
    lab.enter(session, room)
    session.go_to(session.line, ply_of(request.ply))
    return await _state(lab, session)


async def _leave(lab: Lab, session: Session, request: requests.Leave) -> Message:
    lab.leave(session)
    return LeftGame()


async def _move(lab: Lab, session: Session, request: requests.Move) -> Message:
    clicks, action = value_or_none(request.c), value_or_none(request.action)
    if (clicks is None) == (action is None):
        raise Refusal("bad", "move needs either c, its clicks, or action, its number")
    await lab.worker_threads.render(session, *_place(session, request))
    room = session.current_room()
    room.check_version(request.ver)
    line, ply = _place(session, request)
    session.go_to(*room.move(session.person.id, clicks, action, line, ply))
    lab.commit(room, by=session)
    return await _state(lab, session)


async def _next(lab: Lab, session: Session, request: requests.Next) -> Message:
    await lab.worker_threads.render(session, *_place(session, request))
    room = session.current_room()
    room.check_version(request.ver)
    return NextClicks(next_clicks(room, request.prefix, *_place(session, request)))


async def _undo(lab: Lab, session: Session, request: requests.Undo) -> Message:
    room = session.current_room()
    room.check_version(request.ver)
    if room.analysis:
        session.go_to(*room.undo_line(session.person.id, session.line, session.ply))
    else:
        room.undo(session.person.id)
        session.go_to(0, None)
    lab.commit(room, by=session)
    return await _state(lab, session)


async def _redo(lab: Lab, session: Session, request: requests.Redo) -> Message:
    room = session.current_room()
    room.check_version(request.ver)
    if room.analysis:
        session.go_to(*room.redo_line(session.person.id, session.line, session.ply))
    else:
        room.redo(session.person.id)
        session.go_to(0, None)
    lab.commit(room, by=session)
    return await _state(lab, session)


async def _resign(lab: Lab, session: Session, request: requests.Resign) -> Message:
    room = session.current_room()
    room.check_version(request.ver)
    room.resign(session.person.id)
    lab.commit(room, by=session)
    return await _state(lab, session)


async def _goto(lab: Lab, session: Session, request: requests.Goto) -> Message:
    session.go_to(session.line, ply_of(request.ply))
    return await _state(lab, session)


async def _line(lab: Lab, session: Session, request: requests.Line) -> Message:
    session.current_room().lines.line(request.line)
    session.go_to(request.line, ply_of(request.ply))
    return await _state(lab, session)


async def _stop(lab: Lab, session: Session, request: requests.Stop) -> Message:
    session.stop_analysis()
    return await _state(lab, session) if session.room is not None else Pong()


async def _share(lab: Lab, session: Session, request: requests.Share) -> Message:
    room = session.current_room()
    room.share(session.person.id, request.on)
    lab.commit(room, by=session)
    for other in list(lab.sessions.get(room.id, ())):
        if not room.may_see(other.person.id):
            lab.leave(other)
            other.send(Error.of(Refusal("access", "this game is no longer shared")))
    return session.state()


async def _delete(lab: Lab, session: Session, request: requests.Delete) -> Message:
    lab.delete(session.person, session.current_room().id, by=session)
    await lab.database.flush()
    return Deleted()


async def _ping(lab: Lab, session: Session, request: requests.Ping) -> Message:
    return Pong()


_HANDLERS: dict[type[requests.Request], Handler] = {
    requests.New: _new,
    requests.Join: _join,
    requests.Leave: _leave,
    requests.Move: _move,
    requests.Next: _next,
    requests.Undo: _undo,
    requests.Redo: _redo,
    requests.Resign: _resign,
    requests.Goto: _goto,
    requests.Line: _line,
    requests.Stop: _stop,
    requests.Share: _share,
    requests.Delete: _delete,
    requests.Ping: _ping,
}


def _place(
    session: Session, request: requests.Move | requests.Next | AnalysisRequest
) -> tuple[int, int | None]:
    """The line and ply that a message names, by default the ones the visitor is viewing."""
    number, ply = value_or_none(request.line), ply_of(request.ply)
    line = session.line if number is None else number
    session.current_room().lines.line(line)
    return (line, session.ply) if ply is None and number is None else (line, ply)


# Analyses

LINES = 5  # best moves that a report gives with their continuation, by default


def start_analysis(
    lab: Lab, session: Session, request: AnalysisRequest, on_report: Callable[[Thought], None]
) -> tuple[EngineJob, Thought]:
    """Start an analysis; returns its job and a Thought with the fields common to its reports.

    A session has one analysis at a time: a new one ends the one before.
    """
    room = session.current_room()
    room.check_version(value_or_none(request.ver))
    line, ply = _place(session, request)
    state = room.state_at(ply, line)
    _check_can_analyse(state)
    agent = catalog.hinter(room.game)
    owner = session.person.owner
    seconds = most = catalog.LONGEST_THOUGHT if owner else catalog.LONGEST_OF_GUESTS
    budget, lines = None, LINES
    if isinstance(request, requests.Think):
        agent = catalog.check_agent(request.agent, room.game, seconds=most)
        lines = value_or_none(request.lines) or LINES
        if request.budget is not UNSET:
            limit = request.budget
            seconds = budget = limit if isinstance(limit, float) else limit.seconds
            catalog.check_seconds("budget", seconds, most)
    session.drop_analysis()
    head = Thought(room.ver, room.lines.length(line) if ply is None else ply, line, agent)
    job = lab.engines.submit(
        {
            "do": "think",
            "game": state.game.name,
            "state": state.serialize(),
            "file": source_file(state.game),
            "agent": agent,
            "seed": derive_seed(room.seed, 3) % 2**63,
            "seconds": seconds,
            "budget": budget,
            "lines": lines,
        },
        lambda report: on_report(_thought(head, report, done=False)),
        requester=session.requester,
    )
    session.analysis_job = job
    return job, head


def _thought(head: Thought, report: dict[str, Any], *, done: bool) -> Thought:
    """A report of an engine process as a message."""
    place = {"ver": head.ver, "ply": head.ply, "line": head.line, "agent": head.agent}
    return build(Thought, {"type": "think", **place, **report, "done": done})


async def final_thought(job: EngineJob, head: Thought) -> Thought:
    """The last report of an analysis; if it was dropped, its last interim report."""
    try:
        return _thought(head, await job.result, done=True)
    except EngineFailed as error:
        raise Refusal("busy", f"the agent {error}") from None
    except asyncio.CancelledError:
        return _thought(head, job.last, done=True)


def _check_can_analyse(state: positions.State) -> None:
    if state.is_terminal:
        raise Refusal("bad", "the game is over here: there is nothing to analyse")
    if state.is_chance:
        raise Refusal("bad", "chance is to move here: go to a position with a player to move")
