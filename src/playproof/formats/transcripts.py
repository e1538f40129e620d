"""Moves one after the other, as people publish them, and which game such a text is of.

A transcript names moves and nothing else, so it may read as several games.  A game is
taken only where the text leaves no real doubt: many points of Othello would also do for Go.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from playproof.core.errors import DataError, IllegalAction, PlayproofError, one_of
from playproof.core.game import Game
from playproof.core.registry import make
from playproof.core.state import State

_SURE = 4  # moves that are legal by accident in no game with few choices
_FEW_CHOICES = 40  # legal moves at the start: Go has hundreds, and almost any point will do
_LONGEST_POSITION = 100  # characters of one that an error quotes


class AmbiguousText(DataError):
    """A text that may be of several games: ``games`` are their names."""

    def __init__(self, message: str, games: Sequence[str]) -> None:
        super().__init__(message)
        self.games = tuple(games)


def play(start: State, text: str) -> State:
    """The state after the moves of ``text``; passes that are forced may be left out.

    An error names the number of the move, and the position that it cannot be played in.
    """
    state, error = _follow(start, text)
    if error is not None:
        raise error
    return state


def _follow(start: State, text: str) -> tuple[State, PlayproofError | None]:
    """The moves as far as they can be played, and what is wrong with the next one."""
    state = start
    for number, name in enumerate(start.game.split_moves(text), 1):
        try:
            action = state.find(name)
            if _passes_first(state, action):
                state = state.apply(state.game.skipped_action)
            state = state.apply(action)
        except PlayproofError as error:
            return state, type(error)(f"move {number}: {error}{_where(state, error)}")
    return state, None


def _passes_first(state: State, action: int) -> bool:
    skipped = state.game.skipped_action
    return skipped >= 0 and action != skipped and state.legal_actions() == [skipped]


def _where(state: State, error: PlayproofError) -> str:
    if not isinstance(error, IllegalAction) or len(state.position) > _LONGEST_POSITION:
        return ""
    return f"; the position is {state.position}"


# Which game


@dataclass(frozen=True)
class _Attempt:
    """A text, read as a transcript of one game."""

    game: Game
    text: str
    state: State
    error: PlayproofError | None
    fits: bool  # every name is a move of the game, legal or not; or many could be played

    @property
    def moves(self) -> int:
        """Those that could be played."""
        return len(self.state.actions)

    @property
    def has_few_choices(self) -> bool:
        return _choices(self.game) <= _FEW_CHOICES

    @property
    def is_spelled_right(self) -> bool:
        """Whether moves are written as the game writes them: e4 is chess, E4 is Choko."""
        spelled = {*self.state.moves, *self.state.start.said(*self.state.actions)}
        plain = {name.rstrip("+#") for name in spelled}
        return all(name.rstrip("+#!?") in plain for name in self.game.split_moves(self.text))

    @property
    def words(self) -> str:
        if self.error is None:
            return self.game.title
        why = str(self.error).partition(";")[0].replace(f": {self.game.title}: ", ": ")
        return f"{self.game.title} ({why})"


def game_of(text: str, games: Sequence[str]) -> State:
    """The end of a transcript of the one game that it is of, an AmbiguousText if there may
    be several, a DataError if it is of none."""
    attempts = [_attempt(make(name), text) for name in games]
    right = [one for one in attempts if one.error is None and one.moves]
    sure = [one for one in right if one.has_few_choices and one.moves >= _SURE]
    if all(one.has_few_choices for one in right):
        sure = sure or right
    if len(sure) > 1:
        sure = [one for one in sure if one.is_spelled_right] or sure
    broken = [one for one in attempts if one.error is not None and one.fits]
    # What goes wrong late was meant as that game.
    longest = max((one.moves for one in broken), default=0)
    nearest = [one for one in broken if one.moves == longest]
    for certain in (sure, right):
        if len(certain) == 1 and (certain[0].has_few_choices or not broken):
            return certain[0].state
    if right:
        raise _ambiguous([*right, *(one for one in nearest if one.has_few_choices)])
    if len(nearest) == 1 and nearest[0].error is not None:
        raise nearest[0].error
    if nearest:
        raise _ambiguous(nearest)
    raise DataError(
        f"this is no record, transcript or position of {one_of(list(games))}; name the game "
        "to learn what is wrong with it"
    )


def _ambiguous(attempts: Sequence[_Attempt]) -> AmbiguousText:
    names = [one.game.name for one in attempts]
    words = one_of([one.words for one in attempts])
    return AmbiguousText(f"this text may be a game of {words}: choose the game", names)


def _attempt(game: Game, text: str) -> _Attempt:
    start = game.start()
    state, error = _follow(start, text)
    fits = all(_is_move(start, name) for name in dict.fromkeys(game.split_moves(text)))
    far = _choices(game) <= _FEW_CHOICES and len(state.actions) >= _SURE
    return _Attempt(game, text, state, error, fits or far)


def _is_move(start: State, name: str) -> bool:
    try:
        start.find(name)
    except IllegalAction:
        return True
    except PlayproofError:
        return False
    return True


@functools.cache
def _choices(game: Game) -> int:
    return len(game.start().legal_actions())
