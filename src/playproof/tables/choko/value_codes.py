"""The byte that encodes a value of Choko, in the mover's order of preference.

A win in ``d`` actions is ``255 - (d - 1) / 2`` and a loss in ``d`` is ``d / 2 + 1``. Wins take an
odd number of actions and losses an even one, since the sides alternate. A larger code is always
better, so the best of several moves is their maximum.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba.extending import register_jitable

WIN_AT_ONCE = 255
DRAW = 128
CANDIDATE = 127  # only while a slice is solved: may be a loss
UNKNOWN = 0  # only while a slice is solved
LONGEST = 249  # actions; codes of longer wins and losses would collide with those of draws


@register_jitable
def negated(code):
    """The value of a position after one action, for the player who made it."""
    if code < DRAW:
        return 256 - code
    if code > DRAW:
        return 257 - code
    return code


@register_jitable
def aged(code):
    """The value two actions earlier, for the same player."""
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
    """A code for two bits; as distances are not known, it says that the game ends at once."""
    return WIN_AT_ONCE if bits == 1 else 1 if bits == 2 else DRAW
