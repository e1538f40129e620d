"""What a person asks about: a position, a game, or moves from a position.

The text is whatever other commands read, or a position, a semicolon and moves from it:
``br3/rr2r/2br1/4r/5 b 0 0 - 24; C3xE3,B4``. The page keeps this text in its address, so that a
reload or a link shows the same thing.
"""

from __future__ import annotations

from dataclasses import dataclass

from playproof.core.errors import DataError, UsageError
from playproof.core.registry import make
from playproof.core.state import State
from playproof.formats import transcripts
from playproof.formats.any_text import read_game

LONGEST = 16_384  # characters
_MOST_MOVES = 1_000


@dataclass(frozen=True)
class MoveSequence:
    """Successive positions, and the names of the moves between them."""

    states: tuple[State, ...]
    names: tuple[str, ...]

    @property
    def base(self) -> State:
        return self.states[0]

    @property
    def base_text(self) -> str:
        """The first position; empty for the start of the game."""
        at_the_start = self.base == self.base.game.start() and self.base.ply == 0
        return "" if at_the_start else self.base.position

    @property
    def text(self) -> str:
        """A text from which ``read`` makes the same sequence."""
        return "; ".join(part for part in (self.base_text, " ".join(self.names)) if part)

    def at(self, ply: int | None) -> int:
        """A valid index of ``states``; None means the last."""
        if ply is None:
            return len(self.names)
        if not 0 <= ply <= len(self.names):
            raise UsageError(f"ply {ply}: want 0 to {len(self.names)}")
        return ply


def read(text: str, name: str = "choko") -> MoveSequence:
    """The sequence in a text of the game ``name``; an empty text is the start."""
    if len(text) > LONGEST:
        raise UsageError(f"a text of {len(text):,} characters: want {LONGEST:,} at most")
    game = make(name)
    if not text.strip():
        return MoveSequence((game.start(),), ())
    before, mark, after = text.partition(";")
    if mark and game.looks_like_position(before.strip()):
        state = transcripts.play(game.position(before.strip()), after)
    else:
        state, _ = read_game(game, text, files=False)
    if state.game.options.get("lone_jump"):
        raise DataError("this game has lone jumps: only games by the usual rules are known here")
    if len(state.actions) > _MOST_MOVES:
        raise DataError(f"{len(state.actions):,} moves: want {_MOST_MOVES:,} at most")
    states = [state.start]
    for action in state.actions:
        states.append(states[-1].apply(action))
    names = tuple(one.name(a) for one, a in zip(states, state.actions, strict=False))
    return MoveSequence(tuple(states), names)
