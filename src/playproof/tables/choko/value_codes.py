"""How a value of Choko is written: one byte, in the mover's order of preference.

A win in ``d`` actions is ``255 - (d - 1) / 2`` and a loss in ``d`` is
``d / 2 + 1``: wins take an odd number of actions and losses an even one, since
the sides alternate.  So a larger code is always a better one, and the best of
several moves is their maximum.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba.extending import register_jitable

WIN_AT_ONCE = 255
DRAW = 128
CANDIDATE = 127  # while a slice is solved: perhaps a loss, to be looked at
UNKNOWN = 0  # while a slice is solved
LONGEST = 249  # actions; a longer win or loss would run into the draw


@register_jitable
def negated(code):
    """A value after one action, from the side of who made it."""
    if code < DRAW:
        return 256 - code
    if code > DRAW:
        return 257 - code
    return code


@register_jitable
def aged(code):
    """A value two actions earlier, from the same side."""
    if code < DRAW:
        return code + 1
    if code > DRAW:
        return code - 1
    return code


@register_jitable
def win_in(distance):
    return 255 - (distance >> 1)


@register_jitable
def loss_in(distance):
    return (distance >> 1) + 1


@register_jitable
def outcome(code):
    """1, 0 or -1 for the mover."""
    return 1 if code > DRAW else -1 if code < DRAW else 0


@register_jitable
def distance(code):
    """Actions to the end of the game, 0 for a draw."""
    if code > DRAW:
        return 2 * (255 - code) + 1
    if code < DRAW:
        return 2 * (code - 1)
    return 0


@register_jitable
def packed(code):
    """Two bits: 0 drawn, 1 won, 2 lost."""
    return 1 if code > DRAW else 2 if code < DRAW else 0


@register_jitable
def unpacked(bits):
    """A code for two bits, as if the game were over at once: distances are not known."""
    return WIN_AT_ONCE if bits == 1 else 1 if bits == 2 else DRAW
