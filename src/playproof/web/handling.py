"""What each message does.  The WebSocket and the HTTP twins both come through here."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from playproof.core.bits import derive_seed
from playproof.core.state import State
from playproof.web import catalog
from playproof.web.game_text import AUTO
from playproof.web.lab import Lab
from playproof.web.messages import Message, Refusal
from playproof.web.other_games import source_file
from playproof.web.telling import next_tokens
from playproof.web.thinking import Failed, Job
from playproof.web.visits import Visit

Handler = Callable[[Lab, Visit, Message], Awaitable[Message]]


async def handle(lab: Lab, visit: Visit, kind: str, fields: Message) -> Message:
    """The answer to a checked message; a Refusal if it is not obeyed.

    ``think`` and ``hint`` are not here: their answers come in parts.
    """
    id = fields["id"]
    if visit.room is not None and id is not None and id != visit.room.id and kind != "join":
        raise Refusal("gone", "you are in another game: join this one first")
    return await _HANDLERS[kind](lab, visit, fields)


async def _state(lab: Lab, visit: Visit) -> Message:
    """What the visitor sees now, once it is safe and drawn."""
    await lab.store.flush()
    await lab.workshop.draw(visit)
    return visit.state()


async def _new(lab: Lab, visit: Visit, fields: Message) -> Message:
    # Guests at the owner's own address must not use up what the owner may begin.
    place = visit.person.owner or lab.beginnings_from.of(visit.address).take()
    if not (place and lab.beginnings.of(visit.person.id).take()):
        raise Refusal("limit", "too many new games at once: wait a few seconds")
    await lab.warmup.need_game(None if fields["game"] == AUTO else fields["game"])
    # To read a text takes a while.
    turn = lab.workshop.turns.take(visit.asker) if fields["text"] else contextlib.nullcontext()
    async with turn:
        room = await lab.lobby.new(visit.person, fields)
    lab.come(visit, room)
    return await _state(lab, visit)


async def _join(lab: Lab, visit: Visit, fields: Message) -> Message:
    id, seat = fields["id"], fields["seat"]
    if id is None:
        raise Refusal("bad", "join needs id")
    await lab.workshop.open(visit.asker, id)
    room = lab.lobby.room(visit.person, id)
    if seat is not None and visit.person.id != room.seats[seat].person:
        room.sit(visit.person.id, seat)
        lab.commit(room, by=visit)
    lab.come(visit, room)
    visit.go(visit.line, fields["ply"])
    return await _state(lab, visit)


async def _leave(lab: Lab, visit: Visit, fields: Message) -> Message:
    lab.leave(visit)
    return {"type": "left"}


async def _move(lab: Lab, visit: Visit, fields: Message) -> Message:
    if (fields["c"] is None) == (fields["action"] is None):
        raise Refusal("bad", "move needs c, its clicks, or action, its number: one of them")
    await lab.workshop.draw(visit, *_place(visit, fields))
    room = visit.here()
    room.check_version(fields["ver"])
    line, ply = _place(visit, fields)
    visit.go(*room.move(visit.person.id, fields["c"], fields["action"], line, ply))
    lab.commit(room, by=visit)
    return await _state(lab, visit)


async def _next(lab: Lab, visit: Visit, fields: Message) -> Message:
    await lab.workshop.draw(visit, *_place(visit, fields))
    room = visit.here()
    room.check_version(fields["ver"])
    return {"type": "next", "tokens": next_tokens(room, fields["prefix"], *_place(visit, fields))}


async def _undo(lab: Lab, visit: Visit, fields: Message) -> Message:
    room = visit.here()
    room.check_version(fields["ver"])
    if room.analysis:
        visit.go(*room.undo_line(visit.person.id, visit.line, visit.ply))
    else:
        room.undo(visit.person.id)
        visit.go(0, None)
    lab.commit(room, by=visit)
    return await _state(lab, visit)


async def _redo(lab: Lab, visit: Visit, fields: Message) -> Message:
    room = visit.here()
    room.check_version(fields["ver"])
    if room.analysis:
        visit.go(*room.redo_line(visit.person.id, visit.line, visit.ply))
    else:
        room.redo(visit.person.id)
        visit.go(0, None)
    lab.commit(room, by=visit)
    return await _state(lab, visit)


async def _resign(lab: Lab, visit: Visit, fields: Message) -> Message:
    room = visit.here()
    room.check_version(fields["ver"])
    room.resign(visit.person.id)
    lab.commit(room, by=visit)
    return await _state(lab, visit)


async def _goto(lab: Lab, visit: Visit, fields: Message) -> Message:
    visit.go(visit.line, fields["ply"])
    return await _state(lab, visit)


async def _line(lab: Lab, visit: Visit, fields: Message) -> Message:
    visit.here().lines.line(fields["line"])
    visit.go(fields["line"], fields["ply"])
    return await _state(lab, visit)


async def _stop(lab: Lab, visit: Visit, fields: Message) -> Message:
    visit.stop()
    return await _state(lab, visit) if visit.room is not None else {"type": "pong"}


async def _share(lab: Lab, visit: Visit, fields: Message) -> Message:
    room = visit.here()
    room.share(visit.person.id, fields["on"])
    lab.commit(room, by=visit)
    for other in list(lab.visits.get(room.id, ())):
        if not room.may_see(other.person.id):
            lab.leave(other)
            other.tell(Refusal("access", "this game is no longer shared").to_json())
    return visit.state()


async def _delete(lab: Lab, visit: Visit, fields: Message) -> Message:
    lab.delete(visit.person, visit.here().id, by=visit)
    await lab.store.flush()
    return {"type": "deleted"}


async def _ping(lab: Lab, visit: Visit, fields: Message) -> Message:
    return {"type": "pong"}


_HANDLERS: dict[str, Handler] = {
    "new": _new,
    "join": _join,
    "leave": _leave,
    "move": _move,
    "next": _next,
    "undo": _undo,
    "redo": _redo,
    "resign": _resign,
    "goto": _goto,
    "line": _line,
    "stop": _stop,
    "share": _share,
    "delete": _delete,
    "ping": _ping,
}


def _place(visit: Visit, fields: Message) -> tuple[int, int | None]:
    """The line and ply that a message means: its own, or where the visitor stands."""
    line = visit.line if fields["line"] is None else fields["line"]
    visit.here().lines.line(line)
    if fields["ply"] is None and fields["line"] is None:
        return line, visit.ply
    return line, fields["ply"]


# Thinking

LINES = 5  # best moves that a thinking tells of with their continuation, unless asked otherwise
_NOTHING: Message = {
    "sims": 0,
    "of": 0,
    "nodes": 0,
    "seconds": 0.0,
    "value": None,
    "unit": "result",
    "words": "",
    "share": None,
    "proven": False,
    "heat": {},
    "pv": [],
    "actions": [],
    "top": [],
}


def think(
    lab: Lab, visit: Visit, kind: str, fields: Message, tell: Callable[[Message], None]
) -> tuple[Job, Message]:
    """Begin a thinking; the job, and what stands in each of its messages.

    A visitor has one at a time: a new one ends the one before.
    """
    room = visit.here()
    room.check_version(fields["ver"])
    line, ply = _place(visit, fields)
    state = room.state_at(ply, line)
    _check_thinkable(state)
    agent = catalog.hinter(room.game)
    owner = visit.person.owner
    seconds = most = catalog.LONGEST_THOUGHT if owner else catalog.LONGEST_OF_GUESTS
    budget, lines = None, LINES
    if kind == "think":
        agent = catalog.allowed(fields["agent"], room.game, seconds=most)
        lines = fields["lines"] or LINES
        if fields["budget"]:
            seconds = budget = fields["budget"]["seconds"]
            catalog.check_seconds("budget", seconds, most)
    visit.drop()
    head = {
        "type": "think",
        "ver": room.ver,
        "ply": room.lines.length(line) if ply is None else ply,
        "line": line,
        "agent": agent,
    }
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
        lambda report: tell({**head, **report, "done": False}),
        asker=visit.asker,
    )
    visit.thinking = job
    return job, head


async def thought(job: Job, head: Message) -> Message:
    """The last message of a thinking; of one that was given up, what was known by then."""
    try:
        return {**head, **await job.answer, "done": True}
    except Failed as error:
        raise Refusal("busy", f"the agent {error}") from None
    except asyncio.CancelledError:
        return {**head, **_NOTHING, **job.last, "done": True}


def _check_thinkable(state: State) -> None:
    if state.is_terminal:
        raise Refusal("bad", "the game is over here: there is nothing to think about")
    if state.is_chance:
        raise Refusal("bad", "chance is to move here: go to a position with a player to move")
