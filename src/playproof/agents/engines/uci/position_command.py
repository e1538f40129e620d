"""How a chess game is told to an engine: where it began, and its moves.

A row of a batch does not know its moves, but it has the hashes of its past.
The moves are found again from those, so that the engine sees repetitions.
Where the beginning is unknown, the first position that was met stands for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.core.state import State

if TYPE_CHECKING:
    from playproof.core.game import Game

_KNOWN_GAMES = 4096  # positions whose moves are remembered


class PositionCommands:
    """Positions with their past, as ``position`` commands."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._met: dict[bytes, State] = {}  # by all hashes up to the position

    def position(self, state: State) -> str:
        """``position startpos moves e2e4 ...``, or with the FEN where a game was set up."""
        found = self._retrace(state)
        start = found.start
        at_first = bool((start.row == self.game.start_row()).all())
        told = "startpos" if at_first else f"fen {start.position}"
        moves = " ".join(found.moves)
        return f"position {told} moves {moves}" if moves else f"position {told}"

    def _retrace(self, state: State) -> State:
        """The same position with the moves that led to it, as far back as is known."""
        import numpy as np

        past = np.append(state.history, np.uint64(self._hash(state)))
        found, known = self._begin(state, past)
        for wanted in past[known + 1 :]:
            after = self._step(found, int(wanted))
            if after is None:
                break
            found = after
        if not (found.row == state.row).all():
            found = State(self.game, state.row, set_up=True)
        if len(self._met) >= _KNOWN_GAMES:
            self._met.clear()
        self._met[past.tobytes()] = found
        return found

    def _begin(self, state: State, past: object) -> tuple[State, int]:
        """The latest position on the way that is known, and its place in the past."""
        import numpy as np

        hashes = np.asarray(past, np.uint64)
        for length in range(len(hashes) - 1, -1, -1):
            met = self._met.get(hashes[: length + 1].tobytes())
            if met is not None:
                return met, length
        start = self.game.start()
        if int(hashes[0]) == self._hash(start):
            return start, 0
        return State(self.game, state.row, set_up=True), len(hashes) - 1

    def _step(self, state: State, wanted: int) -> State | None:
        """The position one move later that has this hash."""
        game = self.game
        for action in state.legal_actions():
            row = state.row.copy()
            game.kernels.apply(game.option_words, game.tables, row, state.history, action)
            if int(game.kernels.hash(game.option_words, row)) == wanted:
                return state.apply(action)
        return None

    def _hash(self, state: State) -> int:
        return int(self.game.kernels.hash(self.game.option_words, state.row.copy()))
