"""Syzygy tables of chess endings (de Man, 2013), read through python-chess.

A table tells who wins and how many plies it is, with best play, to the next
capture, pawn move or mate (``dtz``).  A win counts only if it comes before the
fifty-move rule makes it a draw; the clock of the position is counted in.
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


class Verdict(NamedTuple):
    """From the side of the player who moves.  Verdicts compare: more is better."""

    grade: int  # 2 won, 1 and -1 won or lost but for the fifty-move rule, 0 drawn, -2 lost
    nearness: int  # a win's is larger the nearer, a loss's the farther
    dtz: int  # plies to the next capture, pawn move or mate; 0 for a draw

    @property
    def outcome(self) -> int:
        """1, 0 or -1: what it comes to under the rules."""
        return self.grade // 2 if self.grade > 0 else -(-self.grade // 2)

    @property
    def words(self) -> str:
        name = _NAMES[self.grade]
        return f"{name} (dtz {self.dtz})" if self.dtz else name


def _verdict(grade: int, dtz: int, then: int = 0) -> Verdict:
    """``then`` tells moves apart that are equally near to a capture or a pawn's move."""
    near = 1_000 * dtz + then
    return Verdict(grade, -near if grade > 0 else near if grade < 0 else 0, dtz if grade else 0)


class Syzygy:
    """The tables in a folder, open."""

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

    def moves(self, state: State) -> list[tuple[int, Verdict]] | None:
        """Every legal action with what it comes to, best first; None where the tables end."""
        if not self._may_reach(state.position):
            return None
        found = []
        for action in state.legal_actions():
            verdict = self._after(state.apply(action))
            if verdict is None:
                return None
            found.append((action, verdict))
        return sorted(found, key=lambda pair: pair[1], reverse=True)

    def _may_reach(self, fen: str) -> bool:
        """Whether few enough pieces are left, and none of them may castle."""
        board, _, castling, *_ = fen.split()
        return castling == "-" and sum(map(str.isalpha, board)) <= self.pieces

    def _after(self, state: State) -> Verdict | None:
        """What a position comes to for the side that has just moved."""
        import chess
        import chess.syzygy

        if state.outcome is not None:
            return _verdict(2, 1, -1) if state.outcome else _verdict(0, 0)
        board = chess.Board(state.position)
        try:
            grade, dtz = -self._tables.probe_wdl(board), abs(self._tables.probe_dtz(board))
        except KeyError:  # chess.syzygy.MissingTableError is one
            return None
        except Exception as error:  # python-chess trusts its files: damage shows in many ways
            raise DataError(
                f"the Syzygy tables in {self.folder} are damaged: {one_line(error)}"
            ) from None
        begun = board.halfmove_clock
        if abs(grade) == 2 and begun and dtz + begun >= _LAST_PLY:
            grade //= 2
        # A capture or a pawn's move starts the count anew: it was itself the next one.
        return _verdict(grade, dtz + 1 if begun else 1, 0 if begun else dtz)
