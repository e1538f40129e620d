"""The board that a GTP controller sees.

A controller may play either colour at any time, also after two passes, and take moves back.  Our
games have turns and an end, so the board adapts their positions.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from playproof.core.errors import PlayproofError
from playproof.core.registry import make
from playproof.core.state import State
from playproof.games.go.game import Go
from playproof.games.go.text import COLUMNS, handicap_points
from playproof.games.quantum_go.game import QuantumGo
from playproof.rules import quantum_go as law


class CommandRefused(Exception):
    """A command cannot be carried out; the message is the response."""


class GtpBoard:
    """A game with its past positions.  ``state`` is the position on the board."""

    def __init__(self, game: Go | QuantumGo, seed: int = 0) -> None:
        self._options = dict(game.options)
        self._name = game.name
        self._rng = random.Random(seed)
        self._past: list[State] = [game.start()]

    @property
    def state(self) -> State:
        return self._past[-1]

    @property
    def game(self) -> Go | QuantumGo:
        game = self.state.game
        assert isinstance(game, Go | QuantumGo)
        return game

    @property
    def is_empty(self) -> bool:
        return not any(self.game.stones(self.state.row)) and len(self._past) == 1

    def new_game(self, **options: object) -> None:
        """Start a game with an empty board and changed options."""
        self._past = [make(self._name, **{**self._options, **options}).start()]
        self._options |= options

    def set_komi(self, komi: float) -> None:
        """Change the komi of the game in progress."""
        game = make(self._name, **{**self.game.options, "komi": komi})
        self._past = [State(game, s.row, history=s.history, set_up=True) for s in self._past]
        self._options["komi"] = komi

    def load(self, state: State) -> None:
        """Put the game that led to ``state`` on the board."""
        if state.game.name != self._name:
            raise CommandRefused(
                f"cannot load file: a record of {state.game.name}, not of {self._name}"
            )
        past = [state.start]
        for action in state.actions:
            past.append(past[-1].apply(action))
        self._past = past
        self._options = dict(state.game.options)

    def undo(self) -> None:
        if len(self._past) == 1:
            raise CommandRefused("cannot undo")
        self._past.pop()

    # Handicap

    def fixed_handicap(self, stones: int) -> list[str]:
        """The names of the points of a fixed handicap, as GTP defines them."""
        game = self.game
        try:
            points = handicap_points(game.name, game.width, game.height, stones)
        except PlayproofError:
            points = []
        if not 2 <= stones == len(points):
            raise CommandRefused("invalid number of stones")
        return [game.points.names[point] for point in points]

    def set_handicap(self, names: Sequence[str]) -> None:
        """Place black stones on the empty board; White moves next."""
        if not self.is_empty:
            raise CommandRefused("board not empty")
        points = [self.game.points.numbers.get(name.upper(), -1) for name in names]
        if len(points) < 2 or len(set(points)) != len(points) or min(points) < 0:
            raise CommandRefused("bad vertex list")
        board = self.game.points.write(dict.fromkeys(points, "X"))
        try:
            self._past.append(self._set_up(f"{board} w"))
        except PlayproofError as error:
            raise CommandRefused(f"bad vertex list: {error}") from None

    def _set_up(self, board_and_side: str) -> State:
        rest = " 0 - 0 0 - -" if isinstance(self.game, QuantumGo) else " 0 - 0 0"
        return self.game.position(board_and_side + rest)

    # Moves

    def with_turn_of(self, side: int) -> State:
        """The position with ``side`` to move, even if it is not its turn or the game is over."""
        state = self.state
        if state.current_player == side and self.begins_turn(state):
            return state
        if not self.begins_turn(state):
            if state.current_player == side:
                return state
            raise CommandRefused(f"illegal move: first, {self.question(state)}")
        parts = state.position.split()
        parts[1:4] = ["bw"[side], "0", "-"]
        if isinstance(self.game, QuantumGo):
            parts[7] = "-"
        row = self.game.read_position(" ".join(parts))
        return State(self.game, row, history=state.history, set_up=True)

    def begins_turn(self, state: State) -> bool:
        """Whether no turn is half done: a new turn may begin, or the game is over."""
        game = self.game
        if isinstance(game, Go):
            return True
        step = game.step(state.row)
        return step == law.OVER or (step == law.PLACE and not game.new_group(state.row))

    def question(self, state: State) -> str:
        """The next decision as a sentence: who decides, and what."""
        if isinstance(self.game, QuantumGo):
            return self.game.question(state)
        if state.is_terminal:
            return "The game is over"
        return f"{self.game.players[state.current_player or 0]} places a stone, or passes"

    def play(self, state: State, names: Sequence[str]) -> State:
        """The position after some decisions, and after any draws of chance that follow them."""
        for name in names:
            state = self._apply(state, name)
        while state.is_chance:
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state = state.apply(self._rng.choices(actions, weights)[0])
        return state

    def _apply(self, state: State, name: str) -> State:
        points = self.game.points
        is_vertex = name.upper() in points.numbers or name.lower() == "pass"
        if not is_vertex:
            last = f"{COLUMNS[points.width - 1]}{points.height}"
            raise CommandRefused(
                f"invalid vertex {name[:20]}: want A1 to {last} (no column I) or pass"
            )
        try:
            return state.apply(name)
        except PlayproofError as error:
            raise CommandRefused(f"illegal move: {error}") from None

    def push(self, state: State) -> None:
        self._past.append(state)

    # Text

    def turn_text(self, before: State, after: State) -> str:
        """The decisions between two positions as text: ``C4``, ``C4+D5``, ``C4+D5>C4``."""
        game, text, now = self.game, "", before
        for action in after.actions[len(before.actions) :]:
            placing = isinstance(game, Go) or game.step(now.row) == law.PLACE
            joint = "+" if placing else ">"
            text += (joint if text else "") + now.name(action)
            now = now.apply(action)
        return text

    def stone_names(self) -> list[list[str]]:
        """The names of the points with Black's stones, and with White's, without entangled ones."""
        names = self.game.points.names
        return [[names[p] for p in stones] for stones in self.game.stones(self.state.row)]

    def pairs(self) -> list[str]:
        """The entangled groups as text (``B C2 D3``), oldest first."""
        game, row = self.game, self.state.row
        if isinstance(game, Go):
            return []
        names = game.points.names
        groups = [*game.groups(row), (game.mover(row), game.new_group(row))]
        return [" ".join(["BW"[o], *(names[p] for p in group)]) for o, group in groups if group]
