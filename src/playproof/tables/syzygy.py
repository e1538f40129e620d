"""Syzygy tables of chess endings (de Man, 2013), read with python-chess.

A table knows who wins (``wdl``) and how many plies remain, with best play, to the next capture,
pawn move or mate (``dtz``). A win counts only if it comes before the fifty-move rule makes the game
a draw, and the halfmove clock of the position is taken into account.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from playproof.core.errors import DataError, UsageError, one_line

if TYPE_CHECKING:
    import chess.syzygy

    from playproof.core.state import State

_LAST_PLY = 100  # of the fifty-move rule
_NAMES = {2: "won", 1: "won but for the fifty-move rule", 0: "drawn",
          -1: "lost but for the fifty-move rule", -2: "lost"}  # fmt: skip


class SyzygyValue(NamedTuple):
    """The value of a move for the player who makes it; larger values are better."""

    wdl: int  # 2 won, 1 and -1 won or lost but for the fifty-move rule, 0 drawn, -2 lost
    nearness: int  # larger for nearer wins and for farther losses
    dtz: int  # plies to the next capture, pawn move or mate; 0 for a draw

    @property
    def outcome(self) -> int:
        """The result under the rules, fifty-move rule included: 1, 0 or -1."""
        return self.wdl // 2 if self.wdl > 0 else -(-self.wdl // 2)

    @property
    def text(self) -> str:
        name = _NAMES[self.wdl]
        return f"{name} (dtz {self.dtz})" if self.dtz else name


def _value(wdl: int, dtz: int, then: int = 0) -> SyzygyValue:
    """``then`` is a second distance, which orders moves with the same ``dtz``."""
    near = 1_000 * dtz + then
    return SyzygyValue(wdl, -near if wdl > 0 else near if wdl < 0 else 0, dtz if wdl else 0)


class Syzygy:
    """The open tables of a folder."""

    def __init__(self, folder: Path) -> None:
        try:
            import chess.syzygy
        except ImportError:
            raise UsageError(
                "Syzygy tables are read by python-chess: pip install 'playproof[interop]'"
            ) from None
        if not folder.is_dir():
            raise UsageError(f"there is no folder {folder}: want one with Syzygy tables (.rtbw)")
        self.folder = folder
        names = [file.stem for file in folder.glob("*.rtbw") if file.stem.count("v") == 1]
        if not names:
            raise UsageError(
                f"there are no Syzygy tables in {folder}: want files such as KQvK.rtbw"
            )
        self.pieces = max(len(name) - 1 for name in names)  # on the board, kings included
        try:
            self._tables: chess.syzygy.Tablebase = chess.syzygy.open_tablebase(str(folder))
        except (OSError, ValueError) as error:
            raise DataError(f"the Syzygy tables in {folder} cannot be read: {error}") from None

    def moves(self, state: State) -> list[tuple[int, SyzygyValue]] | None:
        """Every legal action with its value, best first; None if the tables do not cover them."""
        if not self._may_cover(state.position):
            return None
        moves = []
        for action in state.legal_actions():
            value = self._after(state.apply(action))
            if value is None:
                return None
            moves.append((action, value))
        return sorted(moves, key=lambda move: move[1], reverse=True)

    def _may_cover(self, fen: str) -> bool:
        """Whether few enough pieces are left and castling is no longer possible."""
        board, _, castling, *_ = fen.split()
        return castling == "-" and sum(map(str.isalpha, board)) <= self.pieces

    def _after(self, state: State) -> SyzygyValue | None:
        """The value of a position for the player who has just moved."""
        import chess
        import chess.syzygy

        if state.outcome is not None:
            return _value(2, 1, -1) if state.outcome else _value(0, 0)
        board = chess.Board(state.position)
        try:
            wdl, dtz = -self._tables.probe_wdl(board), abs(self._tables.probe_dtz(board))
        except KeyError:  # chess.syzygy.MissingTableError is one
            return None
        except Exception as error:  # python-chess trusts its files: damage shows in many ways
            raise DataError(
                f"the Syzygy tables in {self.folder} are damaged ({one_line(error)}): "
                "download them again"
            ) from None
        clock = board.halfmove_clock
        if abs(wdl) == 2 and clock and dtz + clock >= _LAST_PLY:
            wdl //= 2
        # A capture or pawn move resets the clock: then the move itself was the next zeroing move.
        return _value(wdl, dtz + 1 if clock else 1, 0 if clock else dtz)
