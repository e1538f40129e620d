"""The moves of games in PGN, replayed by the rules; compiled.

Comments, variations, signs and numbers are skipped.  Everything else in a game
must be a legal move or the result.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from numba import int64, types, uint16
from numba.extending import register_jitable

from playproof.core.compiling import kernel
from playproof.core.kernels import LIST, ROWS, WORDS
from playproof.formats.pgn.san import AMBIGUOUS, BYTES, ILLEGAL, find_san
from playproof.formats.pgn.split import (
    AMBIGUOUS_MOVE,
    BLACK,
    CONTRADICTED,
    DRAW,
    END,
    FAULT,
    FAULT_AT,
    FIRST,
    ILLEGAL_MOVE,
    MOVES,
    NO_FAULT,
    NO_RESULT,
    NOT_A_MOVE,
    NULL_MOVE,
    OPEN_COMMENT,
    OPEN_VARIATION,
    PLIES,
    RESULT,
    RESULTS_DIFFER,
    START,
    STRAY,
    TABLE,
    TAG_RESULT,
    UNFINISHED,
    WHITE,
    is_blank,
    is_symbol,
    line_end,
    read_result,
    symbol_end,
)
from playproof.games.chess.rows import LEDGER
from playproof.rules.bits import lowest
from playproof.rules.chess.attacks import threats
from playproof.rules.chess.board import NOTHING, load
from playproof.rules.chess.count_moves import can_move
from playproof.rules.chess.make_move import make_move

_NEWLINE = 10
MOVE_LIST = types.Array(uint16, 1, "C")


@register_jitable
def _is_not_a_move(data, i, end):
    """Whether a symbol is a number or a sign such as ``+-``, ``=`` or ``N``."""
    digits, letters = 0, 0
    for k in range(i, end):
        c = data[k]
        digits += 48 <= c <= 57
        letters += c >= 65
    if letters == 0:
        # A number, or signs only.  Something like 1/2 is a result or an error.
        return digits == 0 or digits == end - i
    if end - i == 1:
        return data[i] == 78 or data[i] == 68  # N marks a novelty, D a diagram
    return False


@register_jitable
def _en_passant_note_end(data, i, end, stop):
    """Where the note ``e.p.`` at ``i`` ends; ``i`` if there is none."""
    if end - i != 1 or end + 1 >= stop or data[i] != 101:
        return i
    if data[end] != 46 or data[end + 1] != 112:  # .p
        return i
    after = end + 2
    return after + 1 if after < stop and data[after] == 46 else after


@register_jitable
def _comment_end(data, i, stop):
    """The offset after the ``}`` of the comment at ``i``; -1 if there is none."""
    while i < stop and data[i] != 125:
        i += 1
    return i + 1 if i < stop else -1


@register_jitable
def _allows_result(t, p, black, result):
    """Whether the last position allows the result: mate and stalemate have only one."""
    if can_move(t, p):
        return True
    checkers, _ = threats(t, p, lowest(p.kings & p.own))
    if checkers == NOTHING:
        return result == DRAW
    return result == (WHITE if black else BLACK)


@register_jitable
def _decide_result(t, p, black, token, tag_result):
    """The result of a game, and the fault if its tag, its moves and its last position disagree.

    ``token`` is the result after the moves, ``p`` the last position."""
    has_token = token != NO_RESULT and token != UNFINISHED
    has_tag = tag_result != NO_RESULT and tag_result != UNFINISHED
    result = token if has_token else tag_result
    if result == NO_RESULT:
        result = token
    if has_token and has_tag and tag_result != token:
        return result, RESULTS_DIFFER
    if result in (WHITE, BLACK, DRAW) and not _allows_result(t, p, black, result):
        return result, CONTRADICTED
    return result, NO_FAULT


@kernel(int64(WORDS, BYTES, TABLE, int64, ROWS, LIST, MOVE_LIST), counted=False)
def replay(t, data, games, count, starts, legal, moves):
    """Replay ``count`` games, write their actions to ``moves``, and return how many there are.

    A game begins at row START of ``starts``.  Fills in FIRST, PLIES, RESULT, FAULT and
    FAULT_AT.  A game with a fault keeps the moves before it.  ``legal`` is scratch space
    for a list of moves.
    """
    n = 0
    for g in range(count):
        i, stop = games[g, MOVES], games[g, END]
        games[g, FIRST], games[g, PLIES], games[g, RESULT] = n, 0, NO_RESULT
        if games[g, FAULT] != NO_FAULT:
            continue
        p = load(starts[games[g, START]])
        black = int64(starts[games[g, START], LEDGER]) & 1
        depth, opened, fault, at, token = 0, i, NO_FAULT, i, NO_RESULT
        while i < stop and fault == NO_FAULT:
            c, at = data[i], i
            if is_blank(c) or c == 46 or c == 33 or c == 63:  # . ! ?
                i += 1
            elif c == 123:
                i = _comment_end(data, i, stop)
                if i < 0:
                    fault = OPEN_COMMENT
            elif c == 59 or (c == 37 and data[i - 1] == _NEWLINE):
                i = line_end(data, i, stop)
            elif c == 36:  # $
                i = symbol_end(data, i + 1, stop)
            elif c == 40:
                if depth == 0:
                    opened = i
                depth += 1
                i += 1
            elif c == 41:
                depth -= 1
                i += 1
                if depth < 0:
                    fault = STRAY
            elif is_symbol(c):
                end = symbol_end(data, i, stop)
                if depth > 0:
                    i = end
                    continue
                token = read_result(data, i, end)
                if token != NO_RESULT:
                    break
                after = _en_passant_note_end(data, i, end, stop)
                if after > i or _is_not_a_move(data, i, end):
                    if end - i == 2 and c == 45 and data[i + 1] == 45:
                        fault = NULL_MOVE
                    i = max(after, end)
                    continue
                action = find_san(t, p, 56 if black else 0, data, i, end, legal)
                if action < 0:
                    fault = NOT_A_MOVE
                    if action == ILLEGAL:
                        fault = ILLEGAL_MOVE
                    elif action == AMBIGUOUS:
                        fault = AMBIGUOUS_MOVE
                    break
                p, _ = make_move(t, p, action)
                black ^= 1
                moves[n] = action
                n += 1
                i = end
            elif c == 42 and depth == 0:
                token = UNFINISHED
                break
            elif depth > 0:
                i += 1
            else:
                fault = STRAY
        if fault == NO_FAULT and depth > 0:
            fault, at = OPEN_VARIATION, opened
        result, contradiction = _decide_result(t, p, black, token, games[g, TAG_RESULT])
        if fault == NO_FAULT:
            fault = contradiction
        games[g, PLIES] = n - games[g, FIRST]
        games[g, RESULT] = result
        games[g, FAULT], games[g, FAULT_AT] = fault, at
    return n
