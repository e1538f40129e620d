"""Example 1 of Ranchin (2016), a whole game on 6x6, replayed with every choice of its record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playproof.core.errors import PlayproofError
from playproof.core.registry import make
from playproof.core.state import State
from playproof.rules import quantum_go as law

# A turn: points placed | points that older pairs keep, in the order of their collapse | the point
# that the new pair keeps, - if it stays entangled | captures | what the paper says about the last
# choice: free, forced by a stone that has just collapsed, or ko.
RECORD = """
D3 C2 |       | -
C4 D5 |       | -
D4 C3 | D3 C4 | D4 |          | free
C3 D5 |       | C3
D2 D5 |       | D2
C5 D5 |       | C5
B2 E5 |       | -
D5 A3 | B2    | D5 |          | free
B3 E5 |       | B3
C2 E4 |       | C2
C1 E5 |       | C1
E4 E5 |       | E4
E3 B4 |       | E3
F4 E5 |       | F4
E6 A5 |       | -
E5 B4 | E6    | E5 |          | forced
B4 A5 |       | B4
B5 F3 |       | B5
A5 F3 |       | A5
B6 F3 |       | B6
D6 F3 |       | D6
F6 B1 |       | F6
F5 F3 |       | F5 | F6
C6 F6 |       | C6 |          | ko
F3 A4 |       | F3
F6 A4 |       | F6 | F5 D6 E6
A4 A6 |       | A4
A6 A1 |       | A6
pass
pass
"""


@dataclass(frozen=True)
class Turn:
    """One line of the record."""

    number: int
    placed: tuple[str, ...]
    older: tuple[str, ...] = ()
    kept: str | None = None  # None: it stays entangled
    captured: tuple[str, ...] = ()
    choice: str = ""

    @property
    def side(self) -> int:
        return (self.number + 1) % 2

    @property
    def head(self) -> str:
        return f"{self.number}{'BW'[self.side]} {' '.join(self.placed)}"

    def __str__(self) -> str:
        parts = [self.head]
        if self.kept:
            parts.append(f"keeps {self.kept}{f' ({self.choice})' if self.choice else ''}")
        elif len(self.placed) > 1:
            parts.append("stays entangled")
        if self.captured:
            parts.append(f"captures {', '.join(self.captured)}")
        return ", ".join(parts)


def _turn(number: int, line: str) -> Turn:
    fields = [field.split() for field in line.split("|")]
    fields += [[]] * (5 - len(fields))
    placed, older, kept, captured, choice = fields
    return Turn(
        number, tuple(placed), tuple(older), None if kept in ([], ["-"]) else kept[0],
        tuple(captured), " ".join(choice),
    )  # fmt: skip


TURNS = tuple(_turn(i, line) for i, line in enumerate(RECORD.strip().splitlines(), 1))


class RecordMismatch(PlayproofError):
    """The record disagrees with the rules."""


OnPosition = Callable[[str, State], None]


def replay(scoring: str = "area", on_position: OnPosition = lambda caption, state: None) -> State:
    """The final state of the game.

    ``on_position`` gets a caption and the board after every turn, and before and after each
    collapse of an older pair.  Raises RecordMismatch, with the number of the turn, if a
    collapse, a choice or a capture differs from the record.
    """
    state = make("quantum-go", board="6x6", scoring=scoring).start()
    for turn in TURNS:
        try:
            state = _play(state, turn, on_position)
        except PlayproofError as error:
            raise RecordMismatch(f"move {turn.number}: {error}") from None
    return state


def _play(state: State, turn: Turn, on_position: OnPosition) -> State:
    game: Any = state.game
    side = turn.side
    _require(state.current_player == side, "it is the other side's turn")
    enemies = set(game.stones(state.row)[1 - side])
    for point in turn.placed:
        state = state.apply(point)
    if turn.older:
        on_position(f"{turn.head}, before the collapse", state)
    for point in turn.older:
        _require(game.step(state.row) in (law.OWN_OLDER, law.OPPONENTS), "too few pairs collapse")
        number, who = game.parse_action(point), state.current_player or 0
        _require(number in game.collapsing_group(state.row), f"{point} is not asked about")
        enemies |= {number} if who != side else set()
        state = state.apply(point)
        on_position(f"{turn.head}, {game.players[who]} keeps {point} of an older pair", state)
    if turn.kept:
        _require(game.step(state.row) == law.NEW_GROUP, "the new pair should collapse now")
        _require(_choice(state, turn), f"the choice should be {turn.choice}")
        state = state.apply(turn.kept)
    if turn.placed != ("pass",):
        over = game.step(state.row) == law.PLACE and not game.new_group(state.row)
        _require(over, "a pair collapses that should not")
    gone = enemies - set(game.stones(state.row)[1 - side])
    _require({state.name(p) for p in gone} == set(turn.captured), "other captures")
    on_position(str(turn), state)
    return state


def _choice(state: State, turn: Turn) -> bool:
    """Whether the last choice is as free as the paper says."""
    legal = set(state.legal_names())
    if turn.choice == "free":
        return legal == set(turn.placed)
    return not turn.choice or legal == {turn.kept}


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise RecordMismatch(message)
