"""What a room tells one person: the whole state, the next clicks of a long list, its
line in a listing, its record in a format."""

from __future__ import annotations

from typing import Any

from playproof.core.errors import PlayproofError
from playproof.core.game import Game
from playproof.core.kernels import CHANCE
from playproof.formats.record import Record
from playproof.web.catalog import listing as catalog
from playproof.web.database import Listed
from playproof.web.game.announcements import move_sentence
from playproof.web.game.room import Room, Seat
from playproof.web.protocol.codec import build
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies import games as replies


def state_message(room: Room, person: str, line: int = 0, ply: int | None = None) -> replies.State:
    """The state as ``person`` sees it at a ply of a line; None is the last one."""
    last = room.lines.length(line)
    here = last if ply is None else min(ply, last)
    free = room.analysis and person == room.creator
    mine = free or (here == last and room.may_move(person))
    view = dict(room.view(line, here))
    if not mine:
        view |= {"legal": [], "lazy": False, "actions": [], "steps": []}
    view["turn"] = {**view["turn"], "who": _who(room, person, line, here)}
    over = view["over"] is not None or (room.ended is not None and line == 0 and here == last)
    view["announcement"] = _announcement(room, person, line, here, mine=mine and not over)
    if room.ended and line == 0 and here == last:
        view["over"] = f"{room.ended[1]}."
        view["say"] = f"{room.ended[1]}."
        view["marks"] = []  # there is no move to mark any more
    return replies.State(
        id=room.id,
        ver=room.ver,
        game=room.game.name,
        title=room.game.title,
        variant=room.variant,
        options=room.game.options,
        seed=room.seed,
        players=list(room.game.players),
        ply=here,
        of=last,
        line=line,
        view=view,
        moves=room.lines.names(line),
        seats=[_seat(seat, person, room.here) for seat in room.seats],
        clock=build(replies.ClockTimes, room.clocks.message()) if room.clocks else None,
        result=room.result,
        reason=room.reason,
        thinking=room.thinking,
        can=replies.Allowed(
            move=mine and view["over"] is None,
            undo=(free and here == last > 0) or room.may_undo(person),
            redo=room.may_redo(person, line, here),
            resign=room.may_resign(person),
        ),
        analysis=room.analysis,
        source=build(replies.Source, room.source) if room.source else None,
        lines=[
            replies.Variation(x.id, x.parent, x.begin, x.names, x.id == line)
            for x in room.lines.all.values()
        ],
        shared=room.shared,
        yours=person == room.creator,
        formats=catalog.formats(room.game.name),
    )


def _who(room: Room, person: str, line: int, ply: int) -> str:
    """Whose decision a position is, or was: you, agent or other."""
    side = room.lines.state(line, ply).current_player
    if side is None or side == CHANCE:
        return "other"
    if room.analysis:
        return "you" if person == room.creator else "other"
    seat = room.seats[side]
    if seat.kind == "agent":
        return "agent"
    return "you" if seat.person == person else "other"


_MOST_TOLD = 4  # moves in a row that are told at once


def _announcement(room: Room, person: str, line: int, ply: int, *, mine: bool) -> str:
    """What was played since this person's own last move, and whether it is his turn."""
    states, names = room.lines.states(line), room.lines.names(line)
    sides = {i for i, seat in enumerate(room.seats) if seat.person == person != ""}
    alone = len(sides) == 1 and not room.analysis  # one side is his, the other is not
    first = ply
    while alone and ply - first < _MOST_TOLD and first > 0:
        if states[first - 1].current_player in sides:
            break
        first -= 1
    told = [
        move_sentence(
            room.game,
            states[i].current_player,
            names[i],
            room.view(line, i),
            room.view(line, i + 1),
        )
        for i in range(max(0, min(first, ply - 1)), ply)
    ]
    return " ".join([*told, "Your turn."] if alone and mine else told)


def _seat(seat: Seat, person: str, present: set[str]) -> replies.Seat:
    you = seat.person == person != ""
    name = {"agent": seat.spec, "open": "Open"}.get(seat.kind, "You" if you else "Guest")
    here = seat.kind == "agent" or seat.person in present
    return replies.Seat(seat.kind, name, seat.spec, you, here)


def next_clicks(
    room: Room, prefix: tuple[str, ...], line: int, ply: int | None
) -> list[replies.NextClick]:
    """The clicks that may follow ``prefix``: what each means, and whether it ends a move."""
    found: dict[str, replies.NextClick] = {}
    depth = len(prefix)
    for move in room.look(line, ply).legal:
        if move.clicks[:depth] != prefix or len(move.clicks) <= depth:
            continue
        token = move.clicks[depth]
        click = found.setdefault(token, replies.NextClick(token, move.kinds[depth], False))
        if len(move.clicks) == depth + 1:
            click.ends, click.n = True, move.name
    if not found:
        raise Refusal("illegal", f"no move begins with {' '.join(prefix) or 'nothing'}")
    return list(found.values())


def listing(
    row: Listed, entry: dict[str, Any], person: str, here: set[str], *, keeper: bool
) -> replies.ListedGame:
    """A game in a list of games; ``here`` are connected to it.  A ``keeper`` may delete
    what others began, and is told of games that are for others alone."""
    seats = [Seat(**seat) for seat in entry["seats"]]
    return build(
        replies.ListedGame,
        {
            "id": row.id,
            **entry,
            "seats": [_seat(seat, person, here) for seat in seats],
            "updated": row.updated,
            "shared": row.shared,
            "yours": row.own,
            "open": any(seat.kind == "open" for seat in seats),
            "can": {
                "see": row.own or row.shared,
                "delete": keeper or person == row.creator,
            },
        },
    )


def check_format(room: Room, kind: str) -> None:
    if kind not in catalog.formats(room.game.name):
        known = ", ".join(catalog.formats(room.game.name))
        raise Refusal("gone", f"{room.game.title} cannot be written as {kind}: want {known}")


def download(game: Game, record: Record, kind: str) -> str:
    """A game as text of a format; a long one takes a good part of a second."""
    try:
        if kind == "sgf":
            from playproof.formats import sgf

            return sgf.write_record(record)
        if kind == "pgn":
            from playproof.formats import pgn

            return pgn.write_record(record)
    except PlayproofError as error:
        raise Refusal("illegal", str(error)) from None
    if kind == "jsonl":
        return record.to_json() + "\n"
    return game.join_moves(record.moves) + "\n"
