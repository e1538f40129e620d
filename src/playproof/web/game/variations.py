"""The lines of a game: the main line and, in an analysis, the variations that branch off.

A line stores its own moves and the ply at which it leaves its parent. The path to one of its
positions is the parent's path up to that ply, then its own moves.
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
_MOST_CACHED = 8  # lines whose positions are cached


class Move(NamedTuple):
    """A move that was played: its action, and its name as people read it."""

    action: int
    name: str


@dataclass
class GameLine:
    """One line: its own moves, and where it leaves its parent."""

    id: int
    parent: int | None
    branch_ply: int  # the ply at which it leaves its parent
    actions: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


class GameLines:
    """All lines of a game that starts at ``start``; number 0 is the main line."""

    def __init__(self, start: State) -> None:
        self.start = start
        self.all: dict[int, GameLine] = {0: GameLine(0, None, 0)}
        self._states: dict[int, Positions] = {}

    def line(self, number: int) -> GameLine:
        if number not in self.all:
            raise Refusal("bad", f"there is no line {number}")
        return self.all[number]

    def length(self, number: int) -> int:
        line = self.line(number)
        return line.branch_ply + len(line.actions)

    def names(self, number: int) -> list[str]:
        """The moves from the start to the end of a line."""
        line = self.line(number)
        before = [] if line.parent is None else self.names(line.parent)[: line.branch_ply]
        return before + line.names

    def states(self, number: int) -> Positions:
        """Every position of a line, the start first."""
        return self._cache(number, self.replay(number)())

    def replay(self, number: int) -> Callable[[], Positions]:
        """A function that gives the positions of a line as it is now, callable in any thread."""
        if number in self._states:
            cached = self._states[number]
            return lambda: cached
        line = self.line(number)
        start, branch_ply, actions = self.start, line.branch_ply, tuple(line.actions)
        parent = None if line.parent is None else self.replay(line.parent)

        def positions() -> Positions:
            states = Positions(start)
            if parent is not None:
                before = parent()
                states = Positions(before[branch_ply], before, branch_ply)
            for action in actions:
                states.append(states[-1].apply(action))
            return states

        return positions

    def remember(self, number: int, states: Positions) -> None:
        """Cache replayed positions, unless they are cached already or no longer fit the line."""
        line = self.all.get(number)
        if number not in self._states and line and len(states) == self.length(number) + 1:
            self._cache(number, states)

    def _cache(self, number: int, states: Positions) -> Positions:
        self._states.pop(number, None)
        self._states[number] = states  # the most recent last
        while len(self._states) > _MOST_CACHED:
            del self._states[next(iter(self._states))]
        return states

    def state(self, number: int, ply: int | None = None) -> State:
        """The position after ``ply`` moves of a line, by default the last one."""
        states = self.states(number)
        if ply is not None and ply >= len(states):
            raise Refusal("bad", f"the game has no ply {ply}: want 0 to {len(states) - 1}")
        return states[-1 if ply is None else ply]

    def play(self, number: int, ply: int, action: int) -> tuple[int, int]:
        """Play after ``ply`` moves of a line; returns the (line, ply) it leads to.

        A move that exists already is only followed. A new one extends the line at its end and
        starts a new line elsewhere.
        """
        state = self.state(number, ply)
        if self._action(number, ply) == action:
            return number, ply + 1
        if ply == self.length(number):
            return number, self._append(number, state, action)
        line = self.line(number)
        while line.parent is not None and ply <= line.branch_ply:
            line = self.line(line.parent)
        for other in self.all.values():
            if (
                other.parent == line.id
                and other.branch_ply == ply
                and other.actions[:1] == [action]
            ):
                return other.id, ply + 1
        if self._action(line.id, ply) == action:
            return line.id, ply + 1
        if len(self.all) >= MOST_LINES:
            raise Refusal("limit", f"an analysis has at most {MOST_LINES} lines")
        new = GameLine(max(self.all) + 1, line.id, ply)
        self.all[new.id] = new
        return new.id, self._append(new.id, state, action)

    def follow(self, actions: Sequence[int]) -> bool:
        """Follow moves from the start, adding a line where they leave the existing ones.

        Returns False if one of them is illegal.
        """
        line = ply = 0
        for action in actions:
            if action not in self.state(line, ply).legal_actions():
                return False
            line, ply = self.play(line, ply, action)
        return True

    def _action(self, number: int, ply: int) -> int | None:
        """What was played after ``ply`` moves of a line; None at its end."""
        line = self.line(number)
        while line.parent is not None and ply < line.branch_ply:
            line = self.line(line.parent)
        index = ply - line.branch_ply
        return line.actions[index] if index < len(line.actions) else None

    def _append(self, number: int, state: State, action: int) -> int:
        line = self.all[number]
        ply = line.branch_ply + len(line.actions)
        if ply >= MOST_PLIES:
            raise Refusal("limit", f"the lab allows at most {MOST_PLIES} moves: start a new game")
        states = self.states(number)
        name = state.display_names(action)[0]
        states.append(state.apply(action))
        line.actions.append(action)
        line.names.append(name)
        return ply + 1

    def cut(self, number: int, ply: int) -> list[Move]:
        """Take back all moves of a line after ``ply`` and return them.

        Lines that branch off later are removed too, as is a line that has no moves left.
        """
        line = self.line(number)
        index = max(0, ply - line.branch_ply)
        moves = list(map(Move, line.actions[index:], line.names[index:]))
        del line.actions[index:], line.names[index:]
        if number in self._states:  # other lines still branch off what remains
            self._states[number] = self._states[number].first(line.branch_ply + index + 1)
        for other in [o for o in self.all.values() if o.parent == number and o.branch_ply > ply]:
            self._drop(other.id)
        if line.parent is not None and not line.actions:
            self._drop(number)
        return moves

    def _drop(self, number: int) -> None:
        for other in [o.id for o in self.all.values() if o.parent == number]:
            self._drop(other)
        del self.all[number]
        self._states.pop(number, None)

    # Stored by the moves' names, which stay valid when the numbers of actions change

    def to_json(self) -> list[dict[str, Any]]:
        return [
            {"id": x.id, "parent": x.parent, "from": x.branch_ply, "moves": x.names}
            for x in self.all.values()
        ]

    @classmethod
    def from_json(cls, start: State, data: list[dict[str, Any]]) -> GameLines:
        lines = cls(start)
        for item in data:
            line = GameLine(item["id"], item["parent"], item["from"])
            lines.all[line.id] = line
            state = start if line.parent is None else lines.state(line.parent, line.branch_ply)
            for name in item["moves"]:
                action = state.find(name)
                state = state.apply(action)
                line.actions.append(action)
                line.names.append(name)
        return lines

    def main(self) -> GameLines:
        """The main line alone."""
        return GameLines.of_game(self.state(0))

    @classmethod
    def of_game(cls, end: State) -> GameLines:
        """The main line that leads to ``end``."""
        lines = cls(end.start)
        if len(end.actions) > MOST_PLIES:
            raise Refusal(
                "limit", f"the game has {len(end.actions)} moves: want at most {MOST_PLIES}"
            )
        names = end.start.display_names(*end.actions)
        try:
            states = Positions(lines.start)
            for action in end.actions:
                states.append(states[-1].apply(action))
        except PlayproofError as error:  # pragma: no cover - the reader has already played it
            raise Refusal("bad", str(error)) from None
        lines.all[0] = GameLine(0, None, 0, list(end.actions), names)
        lines._states[0] = states
        return lines
