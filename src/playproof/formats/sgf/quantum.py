"""Turns of Quantum Go as SGF nodes.

``QB[p:q]`` or ``QW[p:q]`` is the group that a turn places; an empty value is a
pass.  ``QC[p:q=r]`` says that the older group p, q collapses to r, in the order
of the decisions, and ``QK[r]`` that the new group collapses to r.  Groups left
over after the second pass collapse in the node of that pass.

The nodes also have ``AB AW AE PL LN`` for viewers that only know Go.  A file has
these in every turn, and then they must agree with the position, or in none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from playproof.core.errors import PlayproofError
from playproof.core.state import State
from playproof.formats.sgf.points import (
    read_point_group,
    read_points,
    write_point,
    write_points,
)
from playproof.formats.sgf.tree import Document, Node, PropertyValue, property_text
from playproof.games.quantum_go.game import QuantumGo
from playproof.rules import quantum_go as law

MOVES = ("QB", "QW")
_VIEWER_PROPERTIES = ("AB", "AW", "AE", "PL", "LN")


def quantum_game(state: State) -> QuantumGo:
    assert isinstance(state.game, QuantumGo)
    return state.game


def is_turn_start(state: State) -> bool:
    """Whether the next decision is the first of a turn."""
    game = quantum_game(state)
    return game.step(state.row) == law.PLACE and not game.new_group(state.row)


# The effect of decisions


def points_placed_by(state: State, action: int) -> tuple[int, ...]:
    """The points that a placement fills: two in the symmetric game, none for a pass."""
    game = quantum_game(state)
    if action == game.pass_action:
        return ()
    other = int(law.mirror(game.points.count, action))
    if not game.variant.symmetric or other == action or other in _occupied(state):
        return (action,)
    return tuple(sorted((action, other)))


def remaining_after(state: State, action: int) -> tuple[int, ...]:
    """What a decision leaves of the group that collapses now."""
    game = quantum_game(state)
    group = game.collapsing_group(state.row)
    if not game.w_type:
        return (action,)
    if action == game.pass_action:  # measured as present
        return (_measured_point(state),)
    return tuple(point for point in group if point != action)


def _measured_point(state: State) -> int:
    """The stone of a W-group that is measured now: the lowest that is touched and has not
    been measured in this step."""
    game = quantum_game(state)
    step, group = game.step(state.row), game.collapsing_group(state.row)
    if step > law.NEW_GROUP:
        return group[0]
    # The text of a position ends in step:new:group:bound:collapsed:measured:touched.
    measured, touched = (int(part) for part in state.position.split()[-1].split(":")[-2:])
    if step == law.NEW_GROUP:
        candidates = [point for i, point in enumerate(group) if touched >> i & 1]
    else:
        new = game.new_group(state.row)
        candidates = [point for point in group if any(_are_neighbours(game, point, n) for n in new)]
    return next(point for point in candidates if point >= measured)  # ``measured`` counts from 1


def _are_neighbours(game: QuantumGo, a: int, b: int) -> bool:
    columns, rows = abs(a % game.width - b % game.width), abs(a // game.width - b // game.width)
    return max(columns, rows) == 1 if game.variant.weak else columns + rows == 1


# Properties for viewers that only know Go


def _stones_by_side(state: State) -> tuple[set[int], set[int]]:
    """The points of Black's and of White's stones, entangled ones included."""
    game, row = quantum_game(state), state.row
    sides = [
        set(single) | set(pairs)
        for single, pairs in zip(game.stones(row), game.entangled(row), strict=True)
    ]
    sides[game.mover(row)] |= set(game.new_group(row))
    return sides[0], sides[1]


def _occupied(state: State) -> set[int]:
    black, white = _stones_by_side(state)
    return black | white


def _links(state: State) -> list[tuple[int, int]]:
    """The pairs of points that ``LN`` joins by a line."""
    game, row = quantum_game(state), state.row
    groups = [group for _, group in game.groups(row)] + [game.new_group(row)]
    return [pair for group in groups for pair in pairwise(group)]


def viewer_properties(before: State | None, after: State) -> dict[str, list[str]]:
    """The properties for ordinary viewers, by name: the stones that a turn added and removed,
    the side to move, and the lines of all groups.

    Without ``before`` they describe the whole position ``after``."""
    game = quantum_game(after)
    old: tuple[set[int], set[int]] = (set(), set()) if before is None else _stones_by_side(before)
    new = _stones_by_side(after)
    side = after.current_player if after.current_player in (0, 1) else game.mover(after.row)
    # Viewers assume that Black moves first.
    to_move = [] if before is None and side == 0 else ["BW"[side or 0]]
    links = [(write_point(game.points, a), write_point(game.points, b)) for a, b in _links(after)]
    return {
        "AB": write_points(game.points, new[0] - old[0]),
        "AW": write_points(game.points, new[1] - old[1]),
        "AE": write_points(game.points, (old[0] | old[1]) - (new[0] | new[1])),
        "PL": to_move,
        "LN": [f"{a}:{b}" for a, b in links],
    }


# Writing


@dataclass
class _Turn:
    """A turn's decisions, and the position before it."""

    before: State
    side: int
    points: list[int] = field(default_factory=list)  # of the new group
    collapses: list[str] = field(default_factory=list)  # values of QC
    new_group: list[str] = field(default_factory=list)  # values of QK

    def node(self, after: State) -> str:
        points = quantum_game(after).points
        parts = [
            f"{MOVES[self.side]}[{':'.join(write_points(points, self.points))}]",
            property_text("QC", self.collapses),
            property_text("QK", self.new_group),
        ]
        parts += [
            property_text(name, v) for name, v in viewer_properties(self.before, after).items()
        ]
        return ";" + "".join(parts)


def write_turns(state: State) -> list[str]:
    """One node for each turn that led to ``state``; the last turn may be unfinished."""
    game, now = quantum_game(state), state.start
    nodes: list[str] = []
    turn: _Turn | None = None
    for action in state.actions:
        step = game.step(now.row)
        if is_turn_start(now) or turn is None:
            if turn is not None:
                nodes.append(turn.node(now))
            turn = _Turn(now, game.mover(now.row))
        if step == law.PLACE:
            turn.points += points_placed_by(now, action)
        else:
            remaining = ":".join(write_points(game.points, remaining_after(now, action)))
            group = ":".join(write_points(game.points, game.collapsing_group(now.row)))
            if step == law.NEW_GROUP:
                turn.new_group.append(remaining)
            else:
                turn.collapses.append(f"{group}={remaining}")
        now = now.apply(action)
    if turn is not None:
        nodes.append(turn.node(now))
    return nodes


# Reading


def has_viewer_properties(nodes: list[Node]) -> bool:
    """Whether any of a file's turns has properties for viewers; then all must have them."""
    return any(node.values(name) for node in nodes for name in _VIEWER_PROPERTIES)


def read_turn(document: Document, node: Node, state: State, *, check_viewer: bool) -> State:
    """The position after the turn of a node.

    ``check_viewer`` requires that its properties for viewers are those of the turn."""
    key = next(name for name in MOVES if node.values(name))
    value = document.single_value(node, key)
    assert value is not None
    game, side = quantum_game(state), MOVES.index(key)
    if state.is_terminal:
        raise document.error(value.at, "the game is over: no turn may follow")
    if not is_turn_start(state):
        raise document.error(
            value.at, f"the turn before this one is not finished: {game.question(state)}"
        )
    if state.current_player != side:
        raise document.error(
            value.at, f"it is {game.players[1 - side]}'s turn, so want {MOVES[1 - side]}"
        )
    before = state
    state = _place(document, value, state)
    for name in ("QC", "QK"):
        for decision in node.values(name):
            state = _collapse(document, decision, name, state)
    if check_viewer:
        _check_viewer_properties(document, node, before, state)
    return state


def _place(document: Document, value: PropertyValue, state: State) -> State:
    game = quantum_game(state)
    if not value.raw.strip():
        return _apply(document, value.at, state, game.pass_action)
    points = read_point_group(document, game.points, value.raw, value.at)
    if game.variant.symmetric:
        if points_placed_by(state, points[0]) != tuple(sorted(points)):
            pair = ":".join(write_points(game.points, points_placed_by(state, points[0])))
            raise document.error(value.at, f"here the symmetric game places [{pair}]")
        return _apply(document, value.at, state, points[0])
    for number, point in enumerate(points):
        placing = game.step(state.row) == law.PLACE and not (number and is_turn_start(state))
        if not placing:
            raise document.error(
                value.at, f"[{value.text[:40]}] are more stones than a turn places"
            )
        state = _apply(document, value.at, state, point)
    return state


def _collapse(document: Document, value: PropertyValue, name: str, state: State) -> State:
    """The position after one decision about a group, a value of QC or QK."""
    game = quantum_game(state)
    step, group = game.step(state.row), game.collapsing_group(state.row)
    if not group or (name == "QK") != (step == law.NEW_GROUP):
        due = "nothing collapses now" if state.is_terminal else game.question(state)
        raise document.error(value.at, f"{name}[{value.text[:40]}] comes at the wrong time: {due}")
    text = value.raw
    if name == "QC":
        which, equals, text = text.partition("=")
        named = set(read_point_group(document, game.points, which, value.at))
        if not equals or named != set(group):
            due = ":".join(write_points(game.points, group))
            raise document.error(value.at, f"the next group to collapse is [{due}=...]")
    remaining = tuple(sorted(read_point_group(document, game.points, text, value.at)))
    for action in state.legal_actions():
        if remaining_after(state, action) == remaining:
            return _apply(document, value.at, state, action)
    choices = [
        ":".join(write_points(game.points, remaining_after(state, a)))
        for a in state.legal_actions()
    ]
    raise document.error(
        value.at, f"[{text[:40]}] cannot be left here: want {' or '.join(choices)}"
    )


def _apply(document: Document, at: int, state: State, action: int) -> State:
    try:
        return state.apply(action)
    except PlayproofError as error:
        raise document.error(at, error) from None


def _check_viewer_properties(document: Document, node: Node, before: State, after: State) -> None:
    """Raise an error unless the node's properties for viewers are those of the turn."""
    expected = viewer_properties(before, after)
    game = quantum_game(after)
    for name in _VIEWER_PROPERTIES:
        values = node.values(name)
        at = values[0].at if values else node.at
        if name in ("AB", "AW", "AE"):
            same = (
                write_points(game.points, read_points(document, game.points, node, name))
                == expected[name]
            )
        else:
            texts = [value.raw.strip() for value in values]
            same = sorted(map(_undirected, texts)) == sorted(map(_undirected, expected[name]))
        if not same:
            right = property_text(name, expected[name]) or f"no {name}"
            raise document.error(at, f"{name} does not fit the turn: want {right}")


def _undirected(line: str) -> str:
    """A line ``a:b`` with its ends in order, since it has no direction."""
    return ":".join(sorted(line.split(":")))


def has_turns(nodes: list[Node]) -> bool:
    """Whether a game has turns of Quantum Go."""
    return any(node.values(name) for node in nodes for name in MOVES)
