"""A game as lines: the main one, and in an analysis the variations that leave it.

A line is its own moves and where it leaves its parent; the whole way to a
position is the parent's up to there and then its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from playproof.core.errors import PlayproofError
from playproof.core.state import State
from playproof.web.game.positions import Positions
from playproof.web.protocol.refusal import Refusal

MOST_PLIES = 2_000  # of one line
MOST_LINES = 200  # of one game
_KEPT = 8  # lines whose positions are remembered


class Move(NamedTuple):
    """A move that was played: its action, and its name as people read it."""

    action: int
    name: str


@dataclass
class Line:
    id: int
    parent: int | None
    begin: int  # the ply at which it leaves its parent
    actions: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


class Lines:
    """All lines of a game that begins at ``start``; number 0 is the main one."""

    def __init__(self, start: State) -> None:
        self.start = start
        self.all: dict[int, Line] = {0: Line(0, None, 0)}
        self._states: dict[int, Positions] = {}

    def line(self, number: int) -> Line:
        if number not in self.all:
            raise Refusal("bad", f"there is no line {number}")
        return self.all[number]

    def length(self, number: int) -> int:
        line = self.line(number)
        return line.begin + len(line.actions)

    def names(self, number: int) -> list[str]:
        """The moves from the start to the end of a line."""
        line = self.line(number)
        before = [] if line.parent is None else self.names(line.parent)[: line.begin]
        return before + line.names

    def states(self, number: int) -> Positions:
        """Every position of a line, the start first."""
        return self._keep(number, self.replay(number)())

    def replay(self, number: int) -> Callable[[], Positions]:
        """What gives the positions of a line as it is now, in any thread."""
        if number in self._states:
            known = self._states[number]
            return lambda: known
        line = self.line(number)
        start, begin, actions = self.start, line.begin, tuple(line.actions)
        parent = None if line.parent is None else self.replay(line.parent)

        def positions() -> Positions:
            found = Positions(start)
            if parent is not None:
                before = parent()
                found = Positions(before[begin], before, begin)
            for action in actions:
                found.append(found[-1].apply(action))
            return found

        return positions

    def remember(self, number: int, states: Positions) -> None:
        """Keep positions that were played again, unless they are known or no longer right."""
        line = self.all.get(number)
        if number not in self._states and line and len(states) == self.length(number) + 1:
            self._keep(number, states)

    def _keep(self, number: int, states: Positions) -> Positions:
        self._states.pop(number, None)
        self._states[number] = states  # the newest stands last
        while len(self._states) > _KEPT:
            del self._states[next(iter(self._states))]
        return states

    def state(self, number: int, ply: int | None = None) -> State:
        """The position after ``ply`` moves of a line; the last one if not told."""
        states = self.states(number)
        if ply is not None and ply >= len(states):
            raise Refusal("bad", f"the game has {len(states) - 1} moves: there is no ply {ply}")
        return states[-1 if ply is None else ply]

    def play(self, number: int, ply: int, action: int) -> tuple[int, int]:
        """Play after ``ply`` moves of a line; (line, ply) of what follows.

        A move that is there already is only walked to; one that is not begins a new
        line, or goes on with this one where it ends.
        """
        state = self.state(number, ply)
        if self._action(number, ply) == action:
            return number, ply + 1
        if ply == self.length(number):
            return number, self._append(number, state, action)
        line = self.line(number)
        while line.parent is not None and ply <= line.begin:
            line = self.line(line.parent)
        for other in self.all.values():
            if other.parent == line.id and other.begin == ply and other.actions[:1] == [action]:
                return other.id, ply + 1
        if self._action(line.id, ply) == action:
            return line.id, ply + 1
        if len(self.all) >= MOST_LINES:
            raise Refusal("limit", f"an analysis has at most {MOST_LINES} lines")
        new = Line(max(self.all) + 1, line.id, ply)
        self.all[new.id] = new
        return new.id, self._append(new.id, state, action)

    def follow(self, actions: Sequence[int]) -> bool:
        """Walk from the start, beginning a line where none goes on so; whether all of it could
        be played."""
        line = ply = 0
        for action in actions:
            if action not in self.state(line, ply).legal_actions():
                return False
            line, ply = self.play(line, ply, action)
        return True

    def _action(self, number: int, ply: int) -> int | None:
        """What was played after ``ply`` moves of a line; None at its end."""
        line = self.line(number)
        while line.parent is not None and ply < line.begin:
            line = self.line(line.parent)
        here = ply - line.begin
        return line.actions[here] if here < len(line.actions) else None

    def _append(self, number: int, state: State, action: int) -> int:
        line = self.all[number]
        ply = line.begin + len(line.actions)
        if ply >= MOST_PLIES:
            raise Refusal("limit", f"a game here has at most {MOST_PLIES} moves")
        states = self.states(number)
        name = state.said(action)[0]
        states.append(state.apply(action))
        line.actions.append(action)
        line.names.append(name)
        return ply + 1

    def cut(self, number: int, ply: int) -> list[Move]:
        """Take back all moves of a line after ``ply``, and say which they were.

        Lines that leave it later go too, and a line that has no move left.
        """
        line = self.line(number)
        kept = max(0, ply - line.begin)
        gone = list(map(Move, line.actions[kept:], line.names[kept:]))
        del line.actions[kept:], line.names[kept:]
        if number in self._states:  # other lines leave what is left of it
            self._states[number] = self._states[number].first(line.begin + kept + 1)
        for other in [o for o in self.all.values() if o.parent == number and o.begin > ply]:
            self._drop(other.id)
        if line.parent is not None and not line.actions:
            self._drop(number)
        return gone

    def _drop(self, number: int) -> None:
        for other in [o.id for o in self.all.values() if o.parent == number]:
            self._drop(other)
        del self.all[number]
        self._states.pop(number, None)

    # For the store: names, which outlive a change of the actions' numbers

    def to_json(self) -> list[dict[str, Any]]:
        return [
            {"id": x.id, "parent": x.parent, "from": x.begin, "moves": x.names}
            for x in self.all.values()
        ]

    @classmethod
    def from_json(cls, start: State, data: list[dict[str, Any]]) -> Lines:
        lines = cls(start)
        for item in data:
            line = Line(item["id"], item["parent"], item["from"])
            lines.all[line.id] = line
            state = start if line.parent is None else lines.state(line.parent, line.begin)
            for name in item["moves"]:
                action = state.find(name)
                state = state.apply(action)
                line.actions.append(action)
                line.names.append(name)
        return lines

    def main(self) -> Lines:
        """The main line alone."""
        return Lines.of_game(self.state(0))

    @classmethod
    def of_game(cls, end: State) -> Lines:
        """The main line that led to ``end``."""
        lines = cls(end.start)
        if len(end.actions) > MOST_PLIES:
            raise Refusal("limit", f"a game here has at most {MOST_PLIES} moves")
        names = end.start.said(*end.actions)
        try:
            states = Positions(lines.start)
            for action in end.actions:
                states.append(states[-1].apply(action))
        except PlayproofError as error:  # pragma: no cover - the reader has played it already
            raise Refusal("bad", str(error)) from None
        lines.all[0] = Line(0, None, 0, list(end.actions), names)
        lines._states[0] = states
        return lines
