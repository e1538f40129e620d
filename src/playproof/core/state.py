"""State: one position.  It is immutable; playing a move gives a new State."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from playproof.core import picture_hook as pictures
from playproof.core.errors import DataError, IllegalAction, PlayproofError
from playproof.core.kernels import CHANCE, ONGOING
from playproof.core.view import NO_ACTION, View, colour_problem, piece_colours

if TYPE_CHECKING:
    from playproof.core.game import Game
    from playproof.core.kernels import Words

_MOST_NAMED = 12  # legal moves listed in an error line


class State:
    """A position, and the moves that led to it.

    Two states are equal, and have the same hash, if the game with its options, the position and
    the side to move are equal.  ``ply``, ``actions`` and ``history`` do not count: a position is
    the same however and whenever it is reached.

    >>> import playproof
    >>> state = playproof.make("othello").start().play("f5d6c3")
    >>> state.ply, state.current_player, state.legal_names()[:3]
    (3, 1, ['d3', 'f3', 'f4'])
    >>> state.apply("f4").score
    0.0
    """

    __slots__ = ("_row", "_set_up", "_start", "actions", "game", "history")

    def __init__(
        self,
        game: Game,
        row: Words,
        *,
        history: Words | None = None,
        actions: tuple[int, ...] = (),
        start: Words | None = None,
        set_up: bool = False,
    ) -> None:
        game.ensure_safe()
        self.game = game
        self._row: Words = np.array(row, dtype=np.uint64)  # never modified
        # Hashes of earlier positions, oldest first; empty unless the game uses them.
        self.history: Words = np.zeros(0, np.uint64) if history is None else history
        self.actions = actions
        self._start = self._row if start is None else start
        self._set_up = set_up

    @property
    def row(self) -> Words:
        """(words,) uint64, the state as the kernels hold it; read-only."""
        # Kernels are compiled for writable arrays, so the array itself must stay writable.
        view = self._row.view()
        view.flags.writeable = False
        return view

    # The rules

    @property
    def current_player(self) -> int | None:
        """Whose decision it is: 0, 1 or CHANCE (-1); None when the game is over."""
        if self.is_terminal:
            return None
        return int(self.game.kernels.player(self.game.option_words, self._row))

    @property
    def is_chance(self) -> bool:
        return self.current_player == CHANCE

    @property
    def outcome(self) -> int | None:
        """1 if the first player won, 0 for a draw, -1 if the second won; None before the end."""
        value = int(self.game.kernels.outcome(*self._arguments))
        return None if value == ONGOING else value

    @property
    def is_terminal(self) -> bool:
        return self.outcome is not None

    def returns(self) -> tuple[float, float]:
        """What each player gets: +1, 0 or -1; (0, 0) before the end."""
        value = float(self.outcome or 0)
        return value, 0.0 - value

    @property
    def score(self) -> float:
        """The first player's lead in the game's own points (discs, captures ...)."""
        return float(self.game.kernels.score(*self._arguments))

    def legal_actions(self) -> list[int]:
        """The legal actions, sorted; none if and only if the game is over."""
        out = np.empty(self.game.action_room, np.int32)
        n = self.game.kernels.actions(*self._arguments, out)
        if n > self.game.max_actions:
            raise self.game.too_many_actions(n)
        return sorted(out[:n].tolist())

    def legal_mask(self) -> npt.NDArray[np.bool_]:
        """(num_actions,) a flag for each action of the game."""
        mask = np.zeros(self.game.num_actions, np.bool_)
        mask[self.legal_actions()] = True
        return mask

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """(action, probability) for each outcome if chance is to move; otherwise empty."""
        if not self.is_chance:
            return []
        actions = np.empty(self.game.action_room, np.int32)
        probabilities = np.empty(self.game.action_room, np.float64)
        n = self.game.kernels.chance(*self._arguments, actions, probabilities)
        return sorted(zip(actions[:n].tolist(), probabilities[:n].tolist(), strict=True))

    def apply(self, action: int | str) -> State:
        """The state after an action, given by number or by name."""
        if isinstance(action, str):
            action = self.find(action)
        if action not in self.legal_actions():
            raise self._illegal(int(action))
        row = self._row.copy()
        self.game.kernels.apply(*self._arguments[:2], row, self.history, int(action))
        history = self.history
        if self.game.uses_history:
            here = self.game.kernels.hash(self.game.option_words, self._row)
            history = np.append(history, np.uint64(here))
        return State(
            self.game,
            row,
            history=history,
            actions=(*self.actions, int(action)),
            start=self._start,
            set_up=self._set_up,
        )

    def play(self, moves: str | list[str] | tuple[str, ...]) -> State:
        """The state after several moves: a transcript, or a list of names."""
        names = self.game.split_moves(moves) if isinstance(moves, str) else moves
        state = self
        for number, name in enumerate(names, 1):
            try:
                state = state.apply(name)
            except PlayproofError as error:
                raise type(error)(f"move {number}: {error}") from None
        return state

    @property
    def ply(self) -> int:
        return self.game.ply(self)

    @property
    def start(self) -> State:
        """The state that ``actions`` were played from."""
        return State(self.game, self._start, history=self._first_history, set_up=self._set_up)

    @property
    def _first_history(self) -> Words:
        """The history before ``actions``, for a position that was set up."""
        earlier = len(self.history) - len(self.actions)
        return self.history[: max(0, earlier)] if self.game.uses_history else self.history

    def before(self, plies: int = 1) -> State:
        """The state some plies ago, from replaying all but the last actions."""
        state = self.start
        for action in self.actions[: max(0, len(self.actions) - plies)]:
            state = state.apply(action)
        return state

    # Observations and symmetries

    def observation(self, kind: str | None = None) -> npt.NDArray[np.float32]:
        """The named observation from the side of the player to move."""
        number = self.game.observation_kind(kind)
        shape = list(self.game.observations.values())[number]
        out = np.zeros(int(np.prod(shape)), np.float32)
        self.game.kernels.observe(*self._arguments, number, out)
        return out.reshape(shape)

    def transformed(self, symmetry: int) -> State:
        """The image under one of the game's symmetries, without the history."""
        out = np.empty_like(self._row)
        self.game.kernels.transform(self.game.option_words, self._row, symmetry, out)
        return State(self.game, out, set_up=True)

    def canonical(self) -> State:
        """The least of the position's images; it is the same for symmetric positions."""
        images = [self.transformed(k) for k in range(self.game.symmetries)]
        return min(images, key=lambda image: image.position_words)

    @property
    def position_words(self) -> tuple[int, ...]:
        """The row, with only the bits that are the position."""
        return tuple((self._row & self.game.position_mask).tolist())

    def quantum(self) -> Any:
        """The quantum state of the board, where the game has one."""
        return self.game.quantum(self)

    # Text and pictures

    def name(self, action: int) -> str:
        """The name of an action in this position."""
        return self.game.name_move(self, action)

    def find(self, text: str) -> int:
        """The action that ``text`` names here, legal or not; a DataError if it names none."""
        if self.is_terminal:
            raise self.illegal(text)
        return self.game.find_move(self, text)

    def legal_names(self) -> list[str]:
        """The names of the legal actions, in the order of their numbers."""
        return [self.name(action) for action in self.legal_actions()]

    def names_of(self, line: Sequence[int]) -> list[str]:
        """The names of actions played one after the other from here."""
        return self.game.name_line(self, line)

    def display_names(self, *line: int) -> list[str]:
        """The same names as people like to read them (see ``Game.display_line``)."""
        return self.game.display_line(self, line)

    said = display_names  # its former name

    @property
    def moves(self) -> list[str]:
        """The names of the actions that led here."""
        return self.start.names_of(self.actions)

    def view(self) -> View:
        """A description of the position for drawing, with the sides as the game names them."""
        view = self.game.view(self)
        if not view.sides:
            sides = dict(zip(self.game.colours, self.game.players, strict=True))
            view = replace(view, sides=sides)
        actions = {move.action for move in view.legal} | {button.action for button in view.actions}
        if NO_ACTION in actions:
            view = self._with_actions(view)
        problem = colour_problem(piece_colours(view))
        if problem:
            raise DataError(f"{self.game.name}: {problem}")
        return view

    def _with_actions(self, view: View) -> View:
        """The view with an action for every move, by its name where the game left it out."""
        legal = tuple(
            replace(move, action=self.find(move.name)) if move.action == NO_ACTION else move
            for move in view.legal
        )
        buttons = tuple(
            replace(button, action=self.find(button.id)) if button.action == NO_ACTION else button
            for button in view.actions
        )
        return replace(view, legal=legal, actions=buttons)

    @property
    def position(self) -> str:
        """The position as one line of text, which ``Game.position`` reads."""
        return self.game.write_position(self._row)

    def serialize(self) -> str:
        """One line of JSON from which :meth:`parse` restores this state."""
        data: dict[str, Any] = {"game": self.game.name, "options": self.game.options}
        if self._set_up:
            data["start"] = self.game.write_position(self._start)
            if len(self._first_history):
                data["history"] = [f"{int(h):016x}" for h in self._first_history]
        data["moves"] = self.moves
        data["position"] = self.position
        return json.dumps(data)

    @classmethod
    def parse(cls, text: str) -> State:
        """The state that :meth:`serialize` wrote."""
        from playproof.core.registry import make

        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DataError(f"not a serialised state: broken JSON ({error})") from None
        if not isinstance(data, dict) or not isinstance(data.get("game"), str):
            raise DataError('not a serialised state: want {"game": ..., "moves": [...], ...}')
        options, moves = data.get("options", {}), data.get("moves", [])
        if not isinstance(options, dict) or not isinstance(moves, list):
            raise DataError("not a serialised state: options must be an object, moves a list")
        game = make(data["game"], **options)
        start = game.position(str(data["start"])) if "start" in data else game.start()
        if "history" in data:
            start = State(game, start.row, history=_read_history(data["history"]), set_up=True)
        state = start.play([str(move) for move in moves])
        if "position" in data and data["position"] != state.position:
            raise DataError(
                f"the moves lead to {state.position}, not to the position given: {data['position']}"
            )
        return state

    def __str__(self) -> str:
        if pictures.text is None:
            return self.position
        return pictures.text(self.view())

    def _repr_svg_(self) -> str | None:
        return pictures.svg(self.view()) if pictures.svg else None

    def __repr__(self) -> str:
        return f"<State {self.game.spec} {self.position!r}>"

    # Identity

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.game == other.game and self.position_words == other.position_words

    def __hash__(self) -> int:
        return hash((self.game, self.position_words))

    def __reduce__(self) -> tuple[Any, ...]:
        return State.parse, (self.serialize(),)

    @property
    def _arguments(self) -> tuple[Words, Words, Words, Words]:
        return self.game.option_words, self.game.tables, self._row, self.history

    def _illegal(self, action: int) -> IllegalAction:
        game = self.game
        if 0 <= action < game.num_actions:
            return self.illegal(self.name(action))
        if self.is_terminal:
            return self.illegal(str(action))
        return IllegalAction(
            f"{game.title}: action {action} does not exist (0 to {game.num_actions - 1})"
        )

    def illegal(self, name: str) -> IllegalAction:
        """The error for a move that is illegal here."""
        game = self.game
        if self.is_terminal:
            return IllegalAction(f"{game.title}: the game is over, no move can be played")
        names = self.legal_names()
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        legal = ", ".join(names[:_MOST_NAMED]) + more
        return IllegalAction(f"{game.title}: {name} is not legal here; legal: {legal}")


def _read_history(words: object) -> Words:
    try:
        assert isinstance(words, list)
        return np.array([int(word, 16) for word in words], np.uint64)
    except (AssertionError, TypeError, ValueError, OverflowError):
        raise DataError(
            "not a serialised state: history must be a list of hexadecimal words"
        ) from None
