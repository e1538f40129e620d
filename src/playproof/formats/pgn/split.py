"""PGN as bytes, compiled: where games begin and end, and the tags that replaying needs.

A game ends with its result, or before a line of the next game that begins with
``[`` outside a comment.  A comment that is never closed ends before the next
``[Event "``, so that one broken game does not swallow those after it.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from numba import boolean, int64, types
from numba.extending import register_jitable

from playproof.core.compiling import kernel
from playproof.formats.pgn.san import BYTES

# Columns of a table of games.  Offsets are in bytes from the beginning of the text.
BEGIN, END, LINE = 0, 1, 2  # LINE is that of BEGIN, counted from 0
MOVES = 3  # where the moves begin
FEN, FEN_END = 4, 5  # the value of the tag; equal if there is none
TAG_RESULT = 6  # the result in the tags, one of those below
START = 7  # index of the start row
FIRST, PLIES = 8, 9  # where the game's moves begin in the list of all moves, and how many
RESULT = 10  # the result of the game, one of those below
FAULT, FAULT_AT = 11, 12  # one of the faults below, and its offset
FIELDS = 13

# Results.
NO_RESULT, WHITE, BLACK, DRAW, UNFINISHED = 0, 1, 2, 3, 4

# Faults.
(
    NO_FAULT, BAD_TAG, VARIANT, BAD_FEN, ILLEGAL_MOVE, AMBIGUOUS_MOVE, NOT_A_MOVE, OPEN_COMMENT,
    OPEN_VARIATION, STRAY, NULL_MOVE, RESULTS_DIFFER, CONTRADICTED,
) = range(13)  # fmt: skip

TABLE = types.Array(int64, 2, "C")
_NEWLINE = 10


@register_jitable
def is_blank(c):
    return c == 32 or (9 <= c <= 13)


@register_jitable
def is_symbol(c):
    """Whether a byte may be part of a move, a number or a result."""
    if 97 <= c <= 122 or 65 <= c <= 90 or 47 <= c <= 58:  # a-z A-Z, / 0-9 :
        return True
    return c == 43 or c == 35 or c == 61 or c == 45 or c == 95  # + # = - _


@register_jitable
def _is_letter(c):
    """Whether a byte may be part of the name of a tag: letters, digits, the underscore."""
    return 97 <= c <= 122 or 65 <= c <= 90 or 48 <= c <= 57 or c == 95


@register_jitable
def line_end(data, i, size):
    while i < size and data[i] != _NEWLINE:
        i += 1
    return i


@register_jitable
def symbol_end(data, i, size):
    while i < size and is_symbol(data[i]):
        i += 1
    return i


@register_jitable
def _is_name(data, start, end, name):
    """Whether ``data[start:end]`` is the bytes ``name``."""
    same = end - start == len(name)
    k = 0
    while same and k < len(name):
        same = data[start + k] == name[k]
        k += 1
    return same


@register_jitable
def read_result(data, i, end):
    """The result that ``data[i:end]`` spells; NO_RESULT if it is none."""
    size = end - i
    if size == 3 and data[i + 1] == 45:
        if data[i] == 49 and data[i + 2] == 48:
            return WHITE
        if data[i] == 48 and data[i + 2] == 49:
            return BLACK
    if size == 7 and _is_name(data, i, end, (49, 47, 50, 45, 49, 47, 50)):
        return DRAW
    if size == 1 and data[i] == 42:
        return UNFINISHED
    return NO_RESULT


@register_jitable
def _is_event(data, i, size):
    """1 if ``[Event "`` begins at ``i``, 0 if not, -1 if the text ends too early to know."""
    word = (91, 69, 118, 101, 110, 116, 32, 34)
    for k in range(8):
        if i + k >= size:
            return -1
        if data[i + k] != word[k]:
            return 0
    return 1


@register_jitable
def _game_end(data, i, size):
    """Where the game that begins at ``i`` ends; -1 if it does not end before ``size``."""
    depth, in_tags, tags = 0, True, 0
    line_start = True
    while i < size:
        c = data[i]
        if is_blank(c):
            line_start = c == _NEWLINE
            i += 1
            continue
        if line_start and c == 91:  # [
            if not in_tags:
                return i
            if tags:
                event = _is_event(data, i, size)
                if event:
                    return i if event == 1 else -1
            tags += 1
            i = line_end(data, i, size)
            continue
        if line_start and c == 37:  # %
            i = line_end(data, i, size)
            continue
        line_start = False
        in_tags = False
        if c == 123:  # {
            i += 1
            while i < size and data[i] != 125:
                if data[i] == 91 and data[i - 1] == _NEWLINE:
                    event = _is_event(data, i, size)
                    if event:
                        return i if event == 1 else -1
                i += 1
            i += 1
        elif c == 59:  # ;
            i = line_end(data, i, size)
        elif c == 40:
            depth += 1
            i += 1
        elif c == 41:
            depth = max(0, depth - 1)
            i += 1
        elif is_symbol(c):
            end = symbol_end(data, i, size)
            if end == size:
                return -1
            if depth == 0 and c < 58 and read_result(data, i, end):
                return end
            i = end
        elif c == 42 and depth == 0:
            return i + 1
        else:
            i += 1
    return -1


@kernel(types.UniTuple(int64, 3)(BYTES, int64, boolean, TABLE), counted=False)
def split(data, size, last, games):
    """Find the games in ``data[:size]``, which begins between two games.

    Writes BEGIN, END and LINE to as many rows of ``games`` as there are.  Returns their
    number, and the offset and line where the rest of the text begins.  ``last`` says that
    no text follows, so that the last game ends with the text.
    """
    n, i, line = 0, 0, 0
    while n < games.shape[0]:
        while i < size:
            c = data[i]
            outside = is_blank(c)
            if not outside and (c == 37 or c == 59) and (i == 0 or data[i - 1] == _NEWLINE):
                end = line_end(data, i, size)  # an escape or a comment, not a game
                if end == size and not last:
                    return n, i, line
                i = end
                continue
            if not outside:
                break
            if c == _NEWLINE:
                line += 1
            i += 1
        if i >= size:
            return n, size, line
        end = _game_end(data, i, size)
        if end < 0:
            if not last:
                return n, i, line
            end = size
        games[n, BEGIN], games[n, END], games[n, LINE] = i, end, line
        n += 1
        while i < end:
            if data[i] == _NEWLINE:
                line += 1
            i += 1
    return n, i, line


@register_jitable
def _is_standard(data, start, end):
    """Whether the value of a Variant tag means chess."""
    c = data[start] | 32 if end > start else 0
    # Standard, Chess, Normal, From Position; not Chess960.
    return c == 115 or (c == 99 and end - start == 5) or c == 110 or c == 102 or end == start


@kernel(types.void(BYTES, TABLE, int64), counted=False)
def read_tags(data, games, count):
    """Fill in MOVES, FEN, FEN_END, TAG_RESULT and FAULT of the first ``count`` games."""
    for n in range(count):
        i, end = games[n, BEGIN], games[n, END]
        games[n, FAULT] = NO_FAULT
        games[n, FEN], games[n, FEN_END], games[n, TAG_RESULT] = 0, 0, NO_RESULT
        while i < end:
            if is_blank(data[i]):
                i += 1
                continue
            line_start = i == games[n, BEGIN] or data[i - 1] == _NEWLINE
            if line_start and data[i] == 37:
                i = line_end(data, i, end)
                continue
            if data[i] != 91:
                break
            stop = line_end(data, i, end)
            name, at = i + 1, i + 1
            while at < stop and _is_letter(data[at]):
                at += 1
            name_end = at
            while at < stop and is_blank(data[at]):
                at += 1
            close = stop - 1
            while close > at and is_blank(data[close]):
                close -= 1
            quote = close - 1
            while quote > at and is_blank(data[quote]):
                quote -= 1
            if name_end == name or at >= quote or data[at] != 34 or data[close] != 93 or (
                data[quote] != 34
            ):  # fmt: skip
                if games[n, FAULT] == NO_FAULT:
                    games[n, FAULT], games[n, FAULT_AT] = BAD_TAG, i
                i = stop
                continue
            value = at + 1
            if _is_name(data, name, name_end, (82, 101, 115, 117, 108, 116)):
                games[n, TAG_RESULT] = read_result(data, value, quote)
            elif _is_name(data, name, name_end, (70, 69, 78)):
                games[n, FEN], games[n, FEN_END] = value, quote
            elif _is_name(data, name, name_end, (86, 97, 114, 105, 97, 110, 116)) and (
                not _is_standard(data, value, quote) and games[n, FAULT] == NO_FAULT
            ):
                games[n, FAULT], games[n, FAULT_AT] = VARIANT, i
            i = stop
        games[n, MOVES] = i
