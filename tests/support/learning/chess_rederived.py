"""Packed positions derived again by python-chess, by nothing but its boards."""

from __future__ import annotations

from typing import Any

import chess
import chess.pgn
import numpy as np

_UNDER = {chess.KNIGHT: 0, chess.BISHOP: 1, chess.ROOK: 2}
_COMPASS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
_LEAPS = [(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)]


def action_of(board: chess.Board, move: chess.Move) -> int:
    """The number of a move, from the definition in docs/games/chess.md."""
    turned = 56 if board.turn == chess.BLACK else 0
    origin, goal = move.from_square ^ turned, move.to_square ^ turned
    ranks, files = goal // 8 - origin // 8, goal % 8 - origin % 8
    if move.promotion in _UNDER:
        plane = 64 + 3 * _UNDER[move.promotion] + files + 1
    elif (ranks, files) in _LEAPS:
        plane = 56 + _LEAPS.index((ranks, files))
    else:
        distance = max(abs(ranks), abs(files))
        direction = _COMPASS.index((ranks // distance, files // distance))
        plane = 7 * direction + distance - 1
    return 64 * plane + origin


def planes(board: chess.Board) -> np.ndarray[Any, Any]:
    """``paper-13`` of a board whose mover is White."""
    out = np.zeros((13, 8, 8), np.float32)
    out[12] = 1
    for square, piece in board.piece_map().items():
        plane = piece.piece_type - 1 + (0 if piece.color == chess.WHITE else 6)
        out[plane, square // 8, square % 8] = 1
        out[12, square // 8, square % 8] = 0
    return out


def tuples(game: chess.pgn.Game) -> list[dict[str, Any]]:
    """For each ply of a game: state, action and value, and what ``full`` adds."""
    result = {"1-0": 1, "1/2-1/2": 0, "0-1": -1}[game.headers["Result"]]
    board, found = game.board(), []
    for move in game.mainline_moves():
        white = board.turn == chess.WHITE
        seen = board if white else board.mirror()
        rights = [
            seen.has_kingside_castling_rights(True), seen.has_queenside_castling_rights(True),
            seen.has_kingside_castling_rights(False), seen.has_queenside_castling_rights(False),
        ]  # fmt: skip
        passant = seen.ep_square if seen.has_legal_en_passant() else None
        times = 3 if board.is_repetition(3) else 2 if board.is_repetition(2) else 1
        found.append(
            {
                "planes": planes(seen),
                "action": action_of(board, move),
                "value": result if white else -result,
                "rights": [bool(right) for right in rights],
                "passant": passant,
                "clock": min(board.halfmove_clock, 255),
                "times": times,
                "black": not white,
                "ply": board.ply(),
            }
        )
        board.push(move)
    return found


def difference(kept: Any, expected: dict[str, Any], observed: Any) -> str:
    """What is not the same of a packed position; "" if nothing."""
    rights = int(kept["rights"])
    found = {
        "action": int(kept["action"]),
        "value": int(kept["value"]),
        "rights": [bool(rights >> i & 1) for i in range(4)],
        "passant": 40 + (rights >> 5) if rights & 16 else None,
        "clock": int(kept["clock"]),
        "times": int(kept["times"]),
        "black": bool(kept["flags"] & 1),
        "ply": int(kept["ply"]),
    }
    wrong = [name for name, value in found.items() if value != expected[name]]
    return " ".join([*wrong, *([] if np.array_equal(observed, expected["planes"]) else ["planes"])])


def valid_proposals(board: chess.Board) -> dict[int, bool]:
    """Algorithm 3 on every pseudo-legal move: whether the board it leads to is among the
    successors of its parent; by action."""
    successors = set()
    for move in board.legal_moves:
        board.push(move)
        successors.add(board.board_fen())
        board.pop()
    found = {}
    for move in board.pseudo_legal_moves:
        board.push(move)
        proposed = board.board_fen()
        board.pop()
        found[action_of(board, move)] = proposed in successors
    return found
