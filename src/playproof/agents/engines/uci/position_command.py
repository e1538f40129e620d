"""UCI's ``position`` command for a chess position: the start of its game, and the moves since.

A row of a batch does not hold its moves, but it has the hashes of its past positions.  The moves
are reconstructed from those, so that the engine sees repetitions.  If the start of the game is
unknown, the first position that was met takes its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.core.state import State

if TYPE_CHECKING:
    from playproof.core.game import Game

_MAX_STATES = 4096  # positions whose moves are remembered


class PositionCommands:
    """``position`` commands for positions of one game, with as much of their past as is known."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._states: dict[bytes, State] = {}  # by all hashes up to the position

    def command(self, state: State) -> str:
        """``position startpos moves e2e4 ...``, or with a FEN for a set-up game."""
        retraced = self._retrace(state)
        start = retraced.start
        is_standard = bool((start.row == self.game.start_row()).all())
        origin = "startpos" if is_standard else f"fen {start.position}"
        moves = " ".join(retraced.moves)
        return f"position {origin} moves {moves}" if moves else f"position {origin}"

    def _retrace(self, state: State) -> State:
        """The same position with the moves that led to it, as far back as they are known."""
        import numpy as np

        past = np.append(state.history, np.uint64(self._hash(state)))
        reached, place = self._latest_known(state, past)
        for target in past[place + 1 :]:
            after = self._step(reached, int(target))
            if after is None:
                break
            reached = after
        if not (reached.row == state.row).all():
            reached = State(self.game, state.row, set_up=True)
        if len(self._states) >= _MAX_STATES:
            self._states.clear()
        self._states[past.tobytes()] = reached
        return reached

    def _latest_known(self, state: State, past: object) -> tuple[State, int]:
        """The latest past position whose moves are known, and its place in the past."""
        import numpy as np

        hashes = np.asarray(past, np.uint64)
        for length in range(len(hashes) - 1, -1, -1):
            known = self._states.get(hashes[: length + 1].tobytes())
            if known is not None:
                return known, length
        start = self.game.start()
        if int(hashes[0]) == self._hash(start):
            return start, 0
        return State(self.game, state.row, set_up=True), len(hashes) - 1

    def _step(self, state: State, target: int) -> State | None:
        """The position one move later that has the hash ``target``, if there is one."""
        game = self.game
        for action in state.legal_actions():
            row = state.row.copy()
            game.kernels.apply(game.option_words, game.tables, row, state.history, action)
            if int(game.kernels.hash(game.option_words, row)) == target:
                return state.apply(action)
        return None

    def _hash(self, state: State) -> int:
        return int(self.game.kernels.hash(self.game.option_words, state.row.copy()))
