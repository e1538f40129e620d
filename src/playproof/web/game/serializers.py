"""Messages made from a room: its state as one person sees it, the next clicks of a long list,
its entry in a list of games, and its record as a file."""

from __future__ import annotations

from typing import Any

from playproof.core.errors import PlayproofError
from playproof.core.game import Game
from playproof.core.kernels import CHANCE
from playproof.formats.record import Record
from playproof.web.catalog import listing as catalog
from playproof.web.database import GameRow
from playproof.web.game.announcements import move_sentence
from playproof.web.game.room import Room, Seat
from playproof.web.protocol.codec import build
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies import games as replies


def state_message(room: Room, person: str, line: int = 0, ply: int | None = None) -> replies.State:
    """The state as ``person`` sees it at a ply of a line, by default the last."""
    last = room.lines.length(line)
    here = last if ply is None else min(ply, last)
    is_analyst = room.analysis and person == room.creator
    may_move = is_analyst or (here == last and room.may_move(person))
    view = _view_for(room, person, line, here, may_move=may_move)
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
        seats=[_seat(seat, person, room.connected) for seat in room.seats],
        clock=build(replies.ClockTimes, room.clocks.message()) if room.clocks else None,
        result=room.result,
        reason=room.reason,
        thinking=room.thinking,
        can=replies.Allowed(
            move=may_move and view["over"] is None,
            undo=(is_analyst and here == last > 0) or room.may_undo(person),
            redo=room.may_redo(person, line, here),
            resign=room.may_resign(person),
        ),
        analysis=room.analysis,
        source=build(replies.Source, room.source) if room.source else None,
        lines=[
            replies.Variation(x.id, x.parent, x.branch_ply, x.names, x.id == line)
            for x in room.lines.all.values()
        ],
        shared=room.shared,
        yours=person == room.creator,
        formats=catalog.formats(room.game.name),
    )


def _view_for(room: Room, person: str, line: int, ply: int, *, may_move: bool) -> dict[str, Any]:
    """The View of a position with what depends on the person: legal moves, turn, announcement."""
    is_end = room.ended is not None and line == 0 and ply == room.lines.length(line)
    view = dict(room.view(line, ply))
    if not may_move:
        view |= {"legal": [], "lazy": False, "actions": [], "steps": []}
    view["turn"] = {**view["turn"], "who": _who(room, person, line, ply)}
    is_over = view["over"] is not None or is_end
    view["announcement"] = _announcement(
        room, person, line, ply, your_turn=may_move and not is_over
    )
    if room.ended and is_end:
        view["over"] = f"{room.ended[1]}."
        view["say"] = f"{room.ended[1]}."
        view["marks"] = []  # there is no next move to mark
    return view


def _who(room: Room, person: str, line: int, ply: int) -> str:
    """Whose decision a position is, from this person's side: you, agent or other."""
    side = room.lines.state(line, ply).current_player
    if side is None or side == CHANCE:
        return "other"
    if room.analysis:
        return "you" if person == room.creator else "other"
    seat = room.seats[side]
    if seat.kind == "agent":
        return "agent"
    return "you" if seat.person == person else "other"


_MOST_ANNOUNCED = 4  # moves in a row that are announced at once


def _announcement(room: Room, person: str, line: int, ply: int, *, your_turn: bool) -> str:
    """What was played since this person's last move, and whether it is their turn."""
    states, names = room.lines.states(line), room.lines.names(line)
    sides = {i for i, seat in enumerate(room.seats) if seat.person == person != ""}
    has_opponent = len(sides) == 1 and not room.analysis
    first = ply
    while has_opponent and ply - first < _MOST_ANNOUNCED and first > 0:
        if states[first - 1].current_player in sides:
            break
        first -= 1
    sentences = [
        move_sentence(
            room.game,
            states[i].current_player,
            names[i],
            room.view(line, i),
            room.view(line, i + 1),
        )
        for i in range(max(0, min(first, ply - 1)), ply)
    ]
    return " ".join([*sentences, "Your turn."] if has_opponent and your_turn else sentences)


def _seat(seat: Seat, person: str, present: set[str]) -> replies.Seat:
    you = seat.person == person != ""
    name = {"agent": seat.spec, "open": "Open"}.get(seat.kind, "You" if you else "Guest")
    here = seat.kind == "agent" or seat.person in present
    return replies.Seat(seat.kind, name, seat.spec, you, here)


def next_clicks(
    room: Room, prefix: tuple[str, ...], line: int, ply: int | None
) -> list[replies.NextClick]:
    """The clicks that may follow ``prefix``: what each means, and whether it ends a move."""
    clicks: dict[str, replies.NextClick] = {}
    depth = len(prefix)
    for move in room.full_view(line, ply).legal:
        if move.clicks[:depth] != prefix or len(move.clicks) <= depth:
            continue
        token = move.clicks[depth]
        click = clicks.setdefault(token, replies.NextClick(token, move.kinds[depth], False))
        if len(move.clicks) == depth + 1:
            click.ends, click.n = True, move.name
    if not clicks:
        raise Refusal("illegal", f"no move begins with {' '.join(prefix) or 'nothing'}")
    return list(clicks.values())


def listing(
    row: GameRow, entry: dict[str, Any], person: str, connected: set[str], *, moderator: bool
) -> replies.ListedGame:
    """A game in a list of games.

    A ``moderator`` may delete other people's games, and also gets those that are not shared.
    """
    seats = [Seat(**seat) for seat in entry["seats"]]
    return build(
        replies.ListedGame,
        {
            "id": row.id,
            **entry,
            "seats": [_seat(seat, person, connected) for seat in seats],
            "updated": row.updated,
            "shared": row.shared,
            "yours": row.own,
            "open": any(seat.kind == "open" for seat in seats),
            "can": {
                "see": row.own or row.shared,
                "delete": moderator or person == row.creator,
            },
        },
    )


def check_format(room: Room, kind: str) -> None:
    if kind not in catalog.formats(room.game.name):
        available = ", ".join(catalog.formats(room.game.name))
        raise Refusal("gone", f"{room.game.title} cannot be written as {kind}: want {available}")


def download(game: Game, record: Record, kind: str) -> str:
    """A game as text in a format; writing a long one takes a good part of a second."""
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
