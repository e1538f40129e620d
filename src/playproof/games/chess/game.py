"""Chess, with actions on AlphaZero's 73 planes and the draws of engine matches.

Threefold repetition and fifty moves without a capture or a pawn move end the game
at once, unless the option ``draws`` says otherwise.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.core.game import Game
from playproof.core.spec import Option
from playproof.games.chess import fen as chess_fen
from playproof.games.chess import move_names as chess_names

if TYPE_CHECKING:
    from playproof.core.kernels import Kernels, Words
    from playproof.core.state import State
    from playproof.core.view import View

_NUMBERS = re.compile(r"\d+\s*\.+")
_RESULTS = {"1-0", "0-1", "1/2-1/2", "*"}
_CLAIM_SUFFIX = " draw"  # ends the text of a position in which a draw was claimed


class Chess(Game):
    name = "chess"
    title = "Chess"
    summary = "mate the king; FIDE's rules, draws as in engine matches"
    players = ("White", "Black")
    colours = ("w", "b")
    option_fields = (
        Option(
            "draws",
            "automatic",
            "repetition and fifty moves: end the game, may be claimed, or do not count",
            choices=("automatic", "claimed", "none"),
        ),
    )
    words = 8
    max_actions = 256  # at most 218 are legal (Petrović, 1964); lists are written in blocks of six
    colour_symmetry = True
    history_binds = False  # repetition draws the game, but makes no move illegal

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        draws = self.options["draws"]
        self.uses_history = draws != "none"
        self.num_actions = chess_names.CLAIM + (draws == "claimed")
        self.observations = {"paper-13": (13, 8, 8), "full": (21, 8, 8)}
        rights = 0x8100_FF00_0000_0081  # corners, and rank 6 for en passant
        self.position_mask = np.array([*[2**64 - 1] * 6, rights, 3], np.uint64)

    @functools.cached_property
    def kernels(self) -> Kernels:
        from playproof.games.chess.kernels import KERNELS

        return KERNELS

    @functools.cached_property
    def option_words(self) -> Words:
        from playproof.games.chess.kernels import OPTIONS

        return np.array(OPTIONS[self.options["draws"]], np.uint64)

    @functools.cached_property
    def tables(self) -> Words:
        from playproof.games.chess.evaluation import tables

        return tables()

    @functools.cached_property
    def _start(self) -> Words:
        return self.read_position(chess_fen.START)

    def start_row(self) -> Words:
        return self._start.copy()

    def ply(self, state: State) -> int:
        from playproof.games.chess.rows import LEDGER, PLY

        return int(state.row[LEDGER]) >> PLY

    def perft_root(self, state: State) -> State:
        from playproof.core.registry import make
        from playproof.core.state import State as Root

        return Root(make(self.name, draws="none"), state.row, set_up=True)

    # Names: moves are written as in UCI and depend on the position; SAN can be read as well

    def action_name(self, action: int) -> str:
        """The action's name for White in the start position; ``name_move`` is for any other."""
        return chess_names.uci(self._start, action)

    def parse_action(self, text: str) -> int:
        """The action that a name means in the start position; ``find_move`` is for any other."""
        return self.find_move(self.start(), text)

    def name_move(self, state: State, action: int) -> str:
        return chess_names.uci(state.row, action)

    def find_move(self, state: State, text: str) -> int:
        text = text.strip()
        if text.lower() == chess_names.DRAW and self.options["draws"] == "claimed":
            return chess_names.CLAIM
        action = chess_names.read_uci(state.row, text)
        if action is None:
            action = chess_names.LegalMoveNames(state).find(text)
        if action is None:
            raise state.illegal(text)
        return action

    def name_line(self, state: State, actions: Sequence[int]) -> list[str]:
        row, past, names = state.row.copy(), np.zeros(0, np.uint64), []
        for action in actions:
            names.append(chess_names.uci(row, action))
            self.kernels.apply(self.option_words, self.tables, row, past, action)
        return names

    def display_line(self, state: State, actions: Sequence[int]) -> list[str]:
        names = []
        for action in actions:
            names.append(self.san(state, action))
            state = state.apply(action)
        return names

    def san(self, state: State, action: int) -> str:
        """A legal move in standard algebraic notation: Nf3, exd8=Q+."""
        return chess_names.LegalMoveNames(state).san(action)

    def split_moves(self, text: str) -> list[str]:
        """The moves, separated by spaces; move numbers and a result are skipped."""
        return [word for word in _NUMBERS.sub(" ", text).split() if word not in _RESULTS]

    def looks_like_position(self, text: str) -> bool:
        return text.split()[0].count("/") == 7

    # Positions: FEN

    def write_position(self, row: Words) -> str:
        from playproof.games.chess.rows import LEDGER, fen_of, is_claimed

        return chess_fen.write(fen_of(row)) + _CLAIM_SUFFIX * bool(is_claimed(row[LEDGER]))

    def read_position(self, text: str) -> Words:
        from playproof.games.chess.rows import CLAIMED, LEDGER, row_of

        claimed = self.options["draws"] == "claimed" and text.endswith(_CLAIM_SUFFIX)
        row = row_of(
            chess_fen.read(text.removesuffix(_CLAIM_SUFFIX) if claimed else text), self.tables
        )
        row[LEDGER] |= np.uint64(int(claimed) << CLAIMED)
        return row

    def view(self, state: State) -> View:
        from playproof.games.chess.view import view

        return view(state)
