"""Turns of Quantum Go as SGF nodes.

``QB[p:q]`` or ``QW[p:q]`` is the group that a turn places (nothing inside: a
pass), ``QC[p:q=r]`` what an older group p, q leaves, in the order of the
decisions, and ``QK[r]`` what the new group leaves.  Groups left over after the
second pass collapse in that pass's node.  ``AB AW AE PL LN`` beside them are
for viewers that know Go alone; a file has them in every turn, and right, or in none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from playproof.core.errors import PlayproofError
from playproof.core.state import State
from playproof.formats.sgf.points import (
    read_joined,
    read_points,
    write_point,
    write_points,
)
from playproof.formats.sgf.tree import Document, Node, Value, property_text
from playproof.games.quantum_go.game import QuantumGo
from playproof.rules import quantum_go as law

MOVES = ("QB", "QW")
_BESIDE = ("AB", "AW", "AE", "PL", "LN")


def game_of(state: State) -> QuantumGo:
    assert isinstance(state.game, QuantumGo)
    return state.game


def begins_turn(state: State) -> bool:
    """Whether the next decision opens a turn."""
    game = game_of(state)
    return game.step(state.row) == law.PLACE and not game.new_group(state.row)


# What decisions do


def placed_by(state: State, action: int) -> tuple[int, ...]:
    """The points that a placement fills: two in the symmetric game; none is a pass."""
    game = game_of(state)
    if action == game.pass_action:
        return ()
    other = int(law.mirror(game.points.count, action))
    if not game.variant.symmetric or other == action or other in _occupied(state):
        return (action,)
    return tuple(sorted((action, other)))


def left_by(state: State, action: int) -> tuple[int, ...]:
    """What is left of the group that collapses now, after one decision."""
    game = game_of(state)
    group = game.asked(state.row)
    if not game.w_type:
        return (action,)
    if action == game.pass_action:  # measured, and found there
        return (_measured(state),)
    return tuple(point for point in group if point != action)


def _measured(state: State) -> int:
    """The stone of a W-group that chance looks at: the lowest that is touched and was
    not looked at before."""
    game = game_of(state)
    step, group = game.step(state.row), game.asked(state.row)
    if step > law.NEW_GROUP:
        return group[0]
    # The text of a position ends in step:new:group:bound:collapsed:measured:touched.
    before, touched = (int(part) for part in state.position.split()[-1].split(":")[-2:])
    if step == law.NEW_GROUP:
        hit = [point for i, point in enumerate(group) if touched >> i & 1]
    else:
        new = game.new_group(state.row)
        hit = [point for point in group if any(_touch(game, point, n) for n in new)]
    return next(point for point in hit if point >= before)  # ``before`` counts from 1


def _touch(game: QuantumGo, a: int, b: int) -> bool:
    columns, rows = abs(a % game.width - b % game.width), abs(a // game.width - b // game.width)
    return max(columns, rows) == 1 if game.variant.weak else columns + rows == 1


# What a viewer shows


def _shown(state: State) -> tuple[set[int], set[int]]:
    """Black's and White's points, entangled stones among them."""
    game, row = game_of(state), state.row
    sides = [
        set(single) | set(pairs)
        for single, pairs in zip(game.stones(row), game.entangled(row), strict=True)
    ]
    sides[game.mover(row)] |= set(game.new_group(row))
    return sides[0], sides[1]


def _occupied(state: State) -> set[int]:
    black, white = _shown(state)
    return black | white


def _lines(state: State) -> list[tuple[int, int]]:
    game, row = game_of(state), state.row
    groups = [group for _, group in game.groups(row)] + [game.new_group(row)]
    return [pair for group in groups for pair in pairwise(group)]


def beside(before: State | None, after: State) -> dict[str, list[str]]:
    """The properties for ordinary viewers: what a turn changed, who is next, and the
    lines of all groups; everything where there is no ``before``."""
    game = game_of(after)
    old: tuple[set[int], set[int]] = (set(), set()) if before is None else _shown(before)
    new = _shown(after)
    side = after.current_player if after.current_player in (0, 1) else game.mover(after.row)
    # Before the first move a viewer assumes Black.
    to_move = [] if before is None and side == 0 else ["BW"[side or 0]]
    lines = [(write_point(game.points, a), write_point(game.points, b)) for a, b in _lines(after)]
    return {
        "AB": write_points(game.points, new[0] - old[0]),
        "AW": write_points(game.points, new[1] - old[1]),
        "AE": write_points(game.points, (old[0] | old[1]) - (new[0] | new[1])),
        "PL": to_move,
        "LN": [f"{a}:{b}" for a, b in lines],
    }


# Writing


@dataclass
class _Turn:
    """A turn's decisions, and the position that it began from."""

    before: State
    side: int
    placed: list[int] = field(default_factory=list)
    collapsed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def node(self, after: State) -> str:
        points = game_of(after).points
        parts = [
            f"{MOVES[self.side]}[{':'.join(write_points(points, self.placed))}]",
            property_text("QC", self.collapsed),
            property_text("QK", self.kept),
        ]
        parts += [property_text(name, v) for name, v in beside(self.before, after).items()]
        return ";" + "".join(parts)


def write_turns(state: State) -> list[str]:
    """One node for each turn that led to ``state``, the last perhaps unfinished."""
    game, now = game_of(state), state.start
    nodes: list[str] = []
    turn: _Turn | None = None
    for action in state.actions:
        step = game.step(now.row)
        if begins_turn(now) or turn is None:
            if turn is not None:
                nodes.append(turn.node(now))
            turn = _Turn(now, game.mover(now.row))
        if step == law.PLACE:
            turn.placed += placed_by(now, action)
        else:
            left = ":".join(write_points(game.points, left_by(now, action)))
            group = ":".join(write_points(game.points, game.asked(now.row)))
            if step == law.NEW_GROUP:
                turn.kept.append(left)
            else:
                turn.collapsed.append(f"{group}={left}")
        now = now.apply(action)
    if turn is not None:
        nodes.append(turn.node(now))
    return nodes


# Reading


def is_for_viewers(nodes: list[Node]) -> bool:
    """Whether a file shows its turns with properties of Go, as it should throughout."""
    return any(node.values(name) for node in nodes for name in _BESIDE)


def read_turn(document: Document, node: Node, state: State, *, shown: bool) -> State:
    """The position after the turn of a node; what it shows to viewers is checked if any does."""
    key = next(name for name in MOVES if node.values(name))
    value = document.only(node, key)
    assert value is not None
    game, side = game_of(state), MOVES.index(key)
    if state.is_terminal:
        raise document.error(value.at, "the game is over: no turn may follow")
    if not begins_turn(state):
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
    if shown:
        _check_beside(document, node, before, state)
    return state


def _place(document: Document, value: Value, state: State) -> State:
    game = game_of(state)
    if not value.raw.strip():
        return _apply(document, value.at, state, game.pass_action)
    points = read_joined(document, game.points, value.raw, value.at)
    if game.variant.symmetric:
        if placed_by(state, points[0]) != tuple(sorted(points)):
            wanted = ":".join(write_points(game.points, placed_by(state, points[0])))
            raise document.error(value.at, f"here the symmetric game places [{wanted}]")
        return _apply(document, value.at, state, points[0])
    for number, point in enumerate(points):
        placing = game.step(state.row) == law.PLACE and not (number and begins_turn(state))
        if not placing:
            raise document.error(
                value.at, f"[{value.text[:40]}] are more stones than a turn places"
            )
        state = _apply(document, value.at, state, point)
    return state


def _collapse(document: Document, value: Value, name: str, state: State) -> State:
    """One decision about a group, as QC or QK tells it."""
    game = game_of(state)
    step, group = game.step(state.row), game.asked(state.row)
    if not group or (name == "QK") != (step == law.NEW_GROUP):
        asked = "nothing collapses now" if state.is_terminal else game.question(state)
        raise document.error(
            value.at, f"{name}[{value.text[:40]}] comes at the wrong time: {asked}"
        )
    text = value.raw
    if name == "QC":
        which, equals, text = text.partition("=")
        named = set(read_joined(document, game.points, which, value.at))
        if not equals or named != set(group):
            wanted = ":".join(write_points(game.points, group))
            raise document.error(value.at, f"the next group to collapse is [{wanted}=...]")
    left = tuple(sorted(read_joined(document, game.points, text, value.at)))
    for action in state.legal_actions():
        if left_by(state, action) == left:
            return _apply(document, value.at, state, action)
    choices = [
        ":".join(write_points(game.points, left_by(state, a))) for a in state.legal_actions()
    ]
    raise document.error(
        value.at, f"[{text[:40]}] cannot be left here: want {' or '.join(choices)}"
    )


def _apply(document: Document, at: int, state: State, action: int) -> State:
    try:
        return state.apply(action)
    except PlayproofError as error:
        raise document.error(at, error) from None


def _check_beside(document: Document, node: Node, before: State, after: State) -> None:
    """What a viewer would show must be the position."""
    wanted = beside(before, after)
    game = game_of(after)
    for name in _BESIDE:
        values = node.values(name)
        at = values[0].at if values else node.at
        if name in ("AB", "AW", "AE"):
            same = (
                write_points(game.points, read_points(document, game.points, node, name))
                == wanted[name]
            )
        else:
            found = [value.raw.strip() for value in values]
            same = sorted(map(_unordered, found)) == sorted(map(_unordered, wanted[name]))
        if not same:
            right = property_text(name, wanted[name]) or f"no {name}"
            raise document.error(at, f"{name} does not fit the turn: want {right}")


def _unordered(text: str) -> str:
    """A line has no direction."""
    return ":".join(sorted(text.split(":")))


def is_quantum(nodes: list[Node]) -> bool:
    return any(node.values(name) for node in nodes for name in MOVES)
