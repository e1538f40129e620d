"""What each message does.  The WebSocket and the HTTP twins both come through here."""

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
from playproof.web.engines.pool import Failed, Job
from playproof.web.game.parse_text import AUTO
from playproof.web.game.serializers import next_clicks
from playproof.web.game.session import Visit
from playproof.web.lab import Lab
from playproof.web.protocol import requests
from playproof.web.protocol.codec import build
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.base import Deleted, Message
from playproof.web.protocol.replies.games import Error, Left, NextClicks, Pong, State, Thought
from playproof.web.protocol.requests import given, ply_of

Handler = Callable[[Lab, Visit, Any], Awaitable[Message]]
Thinkable = requests.Think | requests.Hint


async def handle(lab: Lab, visit: Visit, request: requests.Request) -> Message:
    """The answer to a request; a Refusal if it is not obeyed.

    ``think`` and ``hint`` are not here: their answers come in parts.
    """
    id, room = given(request.id), visit.room
    elsewhere = room is not None and id is not None and id != room.id
    if elsewhere and not isinstance(request, requests.Join):
        raise Refusal("gone", "you are in another game: join this one first")
    return await _HANDLERS[type(request)](lab, visit, request)


async def _state(lab: Lab, visit: Visit) -> State:
    """What the visitor sees now, once it is safe and drawn."""
    await lab.store.flush()
    await lab.workshop.draw(visit)
    return visit.state()


async def _new(lab: Lab, visit: Visit, request: requests.New) -> Message:
    # Guests at the owner's own address must not use up what the owner may begin.
    place = visit.person.owner or lab.beginnings_from.of(visit.address).take()
    if not (place and lab.beginnings.of(visit.person.id).take()):
        raise Refusal("limit", "too many new games at once: wait a few seconds")
    await lab.warmup.need_game(None if request.game == AUTO else given(request.game))
    # To read a text takes a while.
    turn = lab.workshop.turns.take(visit.asker) if request.text else contextlib.nullcontext()
    async with turn:
        room = await lab.lobby.new(visit.person, request)
    lab.come(visit, room)
    return await _state(lab, visit)


async def _join(lab: Lab, visit: Visit, request: requests.Join) -> Message:
    id, seat = given(request.id), request.seat
    if id is None:
        raise Refusal("bad", "join needs id")
    await lab.workshop.open(visit.asker, id)
    room = lab.lobby.room(visit.person, id)
    if seat is not None and visit.person.id != room.seats[seat].person:
        room.sit(visit.person.id, seat)
        lab.commit(room, by=visit)
    lab.come(visit, room)
    visit.go(visit.line, ply_of(request.ply))
    return await _state(lab, visit)


async def _leave(lab: Lab, visit: Visit, request: requests.Leave) -> Message:
    lab.leave(visit)
    return Left()


async def _move(lab: Lab, visit: Visit, request: requests.Move) -> Message:
    clicks, action = given(request.c), given(request.action)
    if (clicks is None) == (action is None):
        raise Refusal("bad", "move needs c, its clicks, or action, its number: one of them")
    await lab.workshop.draw(visit, *_place(visit, request))
    room = visit.here()
    room.check_version(request.ver)
    line, ply = _place(visit, request)
    visit.go(*room.move(visit.person.id, clicks, action, line, ply))
    lab.commit(room, by=visit)
    return await _state(lab, visit)


async def _next(lab: Lab, visit: Visit, request: requests.Next) -> Message:
    await lab.workshop.draw(visit, *_place(visit, request))
    room = visit.here()
    room.check_version(request.ver)
    return NextClicks(next_clicks(room, request.prefix, *_place(visit, request)))


async def _undo(lab: Lab, visit: Visit, request: requests.Undo) -> Message:
    room = visit.here()
    room.check_version(request.ver)
    if room.analysis:
        visit.go(*room.undo_line(visit.person.id, visit.line, visit.ply))
    else:
        room.undo(visit.person.id)
        visit.go(0, None)
    lab.commit(room, by=visit)
    return await _state(lab, visit)


async def _redo(lab: Lab, visit: Visit, request: requests.Redo) -> Message:
    room = visit.here()
    room.check_version(request.ver)
    if room.analysis:
        visit.go(*room.redo_line(visit.person.id, visit.line, visit.ply))
    else:
        room.redo(visit.person.id)
        visit.go(0, None)
    lab.commit(room, by=visit)
    return await _state(lab, visit)


async def _resign(lab: Lab, visit: Visit, request: requests.Resign) -> Message:
    room = visit.here()
    room.check_version(request.ver)
    room.resign(visit.person.id)
    lab.commit(room, by=visit)
    return await _state(lab, visit)


async def _goto(lab: Lab, visit: Visit, request: requests.Goto) -> Message:
    visit.go(visit.line, ply_of(request.ply))
    return await _state(lab, visit)


async def _line(lab: Lab, visit: Visit, request: requests.Line) -> Message:
    visit.here().lines.line(request.line)
    visit.go(request.line, ply_of(request.ply))
    return await _state(lab, visit)


async def _stop(lab: Lab, visit: Visit, request: requests.Stop) -> Message:
    visit.stop()
    return await _state(lab, visit) if visit.room is not None else Pong()


async def _share(lab: Lab, visit: Visit, request: requests.Share) -> Message:
    room = visit.here()
    room.share(visit.person.id, request.on)
    lab.commit(room, by=visit)
    for other in list(lab.visits.get(room.id, ())):
        if not room.may_see(other.person.id):
            lab.leave(other)
            other.tell(Error.of(Refusal("access", "this game is no longer shared")))
    return visit.state()


async def _delete(lab: Lab, visit: Visit, request: requests.Delete) -> Message:
    lab.delete(visit.person, visit.here().id, by=visit)
    await lab.store.flush()
    return Deleted()


async def _ping(lab: Lab, visit: Visit, request: requests.Ping) -> Message:
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
    visit: Visit, request: requests.Move | requests.Next | Thinkable
) -> tuple[int, int | None]:
    """The line and ply that a message means: its own, or where the visitor stands."""
    named, ply = given(request.line), ply_of(request.ply)
    line = visit.line if named is None else named
    visit.here().lines.line(line)
    return (line, visit.ply) if ply is None and named is None else (line, ply)


# Thinking

LINES = 5  # best moves that a thinking tells of with their continuation, unless asked otherwise


def think(
    lab: Lab, visit: Visit, request: Thinkable, tell: Callable[[Thought], None]
) -> tuple[Job, Thought]:
    """Begin a thinking; the job, and what stands in each of its messages.

    A visitor has one at a time: a new one ends the one before.
    """
    room = visit.here()
    room.check_version(given(request.ver))
    line, ply = _place(visit, request)
    state = room.state_at(ply, line)
    _check_thinkable(state)
    agent = catalog.hinter(room.game)
    owner = visit.person.owner
    seconds = most = catalog.LONGEST_THOUGHT if owner else catalog.LONGEST_OF_GUESTS
    budget, lines = None, LINES
    if isinstance(request, requests.Think):
        agent = catalog.allowed(request.agent, room.game, seconds=most)
        lines = given(request.lines) or LINES
        wanted = request.budget
        if wanted is not UNSET:
            seconds = budget = wanted if isinstance(wanted, float) else wanted.seconds
            catalog.check_seconds("budget", seconds, most)
    visit.drop()
    here = room.lines.length(line) if ply is None else ply
    head = Thought(room.ver, here, line, agent)
    job = lab.thinkers.submit(
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
        lambda report: tell(_filled(head, report, done=False)),
        asker=visit.asker,
    )
    visit.thinking = job
    return job, head


def _filled(head: Thought, report: dict[str, Any], *, done: bool) -> Thought:
    """A message of a thinking, as its process reports it."""
    place = {"ver": head.ver, "ply": head.ply, "line": head.line, "agent": head.agent}
    return build(Thought, {"type": "think", **place, **report, "done": done})


async def thought(job: Job, head: Thought) -> Thought:
    """The last message of a thinking; of one that was given up, what was known by then."""
    try:
        return _filled(head, await job.answer, done=True)
    except Failed as error:
        raise Refusal("busy", f"the agent {error}") from None
    except asyncio.CancelledError:
        return _filled(head, job.last, done=True)


def _check_thinkable(state: positions.State) -> None:
    if state.is_terminal:
        raise Refusal("bad", "the game is over here: there is nothing to think about")
    if state.is_chance:
        raise Refusal("bad", "chance is to move here: go to a position with a player to move")
