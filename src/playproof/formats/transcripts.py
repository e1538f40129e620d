"""Transcripts: moves in a row as people publish them, and which game they belong to.

A transcript is only names of moves, so it may be readable as several games: most moves of
Othello are also points of Go.  A game is recognised only where there is no real doubt.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from playproof.core.errors import DataError, IllegalAction, PlayproofError, one_of
from playproof.core.game import Game
from playproof.core.registry import make
from playproof.core.state import State

# So many moves in a row are not legal by accident in a game with few choices.
_SURE_MOVES = 4
# Legal moves at the start of such a game, at most.  Go has hundreds, and nearly any point is one.
_FEW_CHOICES = 40
_LONGEST_POSITION = 100  # characters; an error does not quote a longer one


class AmbiguousText(DataError):
    """The error for a text that may belong to several games, whose names are ``games``."""

    def __init__(self, message: str, games: Sequence[str]) -> None:
        super().__init__(message)
        self.games = tuple(games)


def play(start: State, text: str) -> State:
    """The state after the moves of ``text``, which may leave out forced passes.

    An error names the number of the move, and the position in which it cannot be played.
    """
    state, error = _play_moves(start, text)
    if error is not None:
        raise error
    return state


def _play_moves(start: State, text: str) -> tuple[State, PlayproofError | None]:
    """The state after the moves that can be played, and the error of the next move, if any."""
    state = start
    for number, name in enumerate(start.game.split_moves(text), 1):
        try:
            action = state.find(name)
            if _is_pass_left_out(state, action):
                state = state.apply(state.game.skipped_action)
            state = state.apply(action)
        except PlayproofError as error:
            return state, type(error)(f"move {number}: {error}{_where(state, error)}")
    return state, None


def _is_pass_left_out(state: State, action: int) -> bool:
    """Whether the only legal move is a pass, and ``action`` is another move."""
    skipped = state.game.skipped_action
    return skipped >= 0 and action != skipped and state.legal_actions() == [skipped]


def _where(state: State, error: PlayproofError) -> str:
    if not isinstance(error, IllegalAction) or len(state.position) > _LONGEST_POSITION:
        return ""
    return f"; the position is {state.position}"


# Recognising the game


@dataclass(frozen=True)
class _Attempt:
    """A text read as a transcript of one game."""

    game: Game
    text: str
    state: State  # after the moves that could be played
    error: PlayproofError | None  # of the next move
    # Every name is a move of the game, legal or not, or several moves could be played.
    is_plausible: bool

    @property
    def move_count(self) -> int:
        """How many moves could be played."""
        return len(self.state.actions)

    @property
    def has_few_choices(self) -> bool:
        return _choices(self.game) <= _FEW_CHOICES

    @property
    def has_usual_spelling(self) -> bool:
        """Whether the moves are spelled as the game writes them: e4 is chess, E4 is Choko."""
        spellings = {*self.state.moves, *self.state.start.display_names(*self.state.actions)}
        plain = {name.rstrip("+#") for name in spellings}
        return all(name.rstrip("+#!?") in plain for name in self.game.split_moves(self.text))

    @property
    def description(self) -> str:
        """The title of the game, and why the text is not a game of it."""
        if self.error is None:
            return self.game.title
        why = str(self.error).partition(";")[0].replace(f": {self.game.title}: ", ": ")
        return f"{self.game.title} ({why})"


def recognise(text: str, games: Sequence[str]) -> State:
    """The state after a transcript of one of ``games``, which are names.

    The error is an AmbiguousText if the text may belong to several of them, and a DataError
    if it belongs to none."""
    attempts = [_attempt(make(name), text) for name in games]
    complete = [one for one in attempts if one.error is None and one.move_count]
    sure = [one for one in complete if one.has_few_choices and one.move_count >= _SURE_MOVES]
    if all(one.has_few_choices for one in complete):
        sure = sure or complete
    if len(sure) > 1:
        sure = [one for one in sure if one.has_usual_spelling] or sure
    broken = [one for one in attempts if one.error is not None and one.is_plausible]
    # The text was meant as the game in which the error comes last.
    longest = max((one.move_count for one in broken), default=0)
    nearest = [one for one in broken if one.move_count == longest]
    for candidates in (sure, complete):
        if len(candidates) == 1 and (candidates[0].has_few_choices or not broken):
            return candidates[0].state
    if complete:
        raise _ambiguous([*complete, *(one for one in nearest if one.has_few_choices)])
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
    descriptions = one_of([one.description for one in attempts])
    return AmbiguousText(f"this text may be a game of {descriptions}: choose the game", names)


def _attempt(game: Game, text: str) -> _Attempt:
    start = game.start()
    state, error = _play_moves(start, text)
    all_names = all(_is_move(start, name) for name in dict.fromkeys(game.split_moves(text)))
    goes_far = _choices(game) <= _FEW_CHOICES and len(state.actions) >= _SURE_MOVES
    return _Attempt(game, text, state, error, all_names or goes_far)


def _is_move(start: State, name: str) -> bool:
    """Whether a name is that of a move of the game, legal or not."""
    try:
        start.find(name)
    except IllegalAction:
        return True
    except PlayproofError:
        return False
    return True


@functools.cache
def _choices(game: Game) -> int:
    """How many moves are legal at the start."""
    return len(game.start().legal_actions())
