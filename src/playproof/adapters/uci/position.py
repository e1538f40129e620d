"""The board that a UCI controller sets up.

It accepts any legal game, even one that goes on after a third repetition, fifty moves or with too
few pieces: only a referee declares such draws.
"""

from __future__ import annotations

from playproof.adapters.uci.clock import MalformedCommand
from playproof.core.errors import PlayproofError, one_line
from playproof.core.game import Game
from playproof.core.registry import make
from playproof.core.state import State


class UciBoard:
    """The present position.  ``free`` is without draws; ``state`` is the position for the agent."""

    def __init__(self) -> None:
        self.game: Game = make("chess")
        self._lawless = make("chess", draws="none")
        self.free: State = self._lawless.start()
        self.state: State | None = self.game.start()

    def set(self, words: list[str]) -> None:
        """Set the position by ``startpos`` or ``fen FEN``, with ``moves`` or without."""
        split = words.index("moves") if "moves" in words else len(words)
        before, names = words[:split], words[split + 1 :]
        if before == ["startpos"]:
            state = self._lawless.start()
        elif before[:1] == ["fen"]:
            try:
                state = self._lawless.position(" ".join(before[1:]))
            except PlayproofError as error:
                raise MalformedCommand(f"position: {one_line(error)}") from None
        else:
            raise MalformedCommand("position: want startpos or fen, then perhaps moves")
        past = []
        for number, name in enumerate(names, 1):
            past.append(self._hash(state))
            try:
                state = state.apply(name.lower())
            except PlayproofError as error:
                raise MalformedCommand(f"position: move {number}: {one_line(error)}") from None
        self.free, self.state = state, self._playable(state, past)

    def legal(self, names: tuple[str, ...]) -> list[int]:
        """The actions of those of the named moves that are legal."""
        by_name = {self.free.name(action): action for action in self.free.legal_actions()}
        return [by_name[name.lower()] for name in names if name.lower() in by_name]

    def _playable(self, free: State, past: list[int]) -> State | None:
        """The position under the usual draw rules; None if there is no move or no chance to win.

        If it is drawn already, it is taken without its past, and if need be without its count of
        moves to the fifty-move rule.
        """
        import numpy as np

        if not free.legal_actions():
            return None
        state = State(self.game, free.row, history=np.array(past, np.uint64), set_up=True)
        if state.is_terminal:
            state = State(self.game, free.row, set_up=True)
        if state.is_terminal:
            board, side, castling, passant, _, number = free.position.split()
            state = self.game.position(f"{board} {side} {castling} {passant} 0 {number}")
        return None if state.is_terminal else state

    def _hash(self, state: State) -> int:
        return int(self.game.kernels.hash(self.game.option_words, state.row.copy()))
