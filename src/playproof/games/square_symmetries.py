"""The eight symmetries of a square board, on square numbers.

A symmetry is a number from 0 to 7: bit 2 transposes first (swaps row and column),
then bit 1 mirrors the rows, then bit 0 mirrors the columns; 0 is the identity.
"""

from numba.extending import register_jitable


@register_jitable
def image(size, row, column, symmetry):  # type: ignore[no-untyped-def]
    """The image of a square under ``symmetry``, as ``size * row + column``."""
    if symmetry & 4:
        row, column = column, row
    if symmetry & 2:
        row = size - 1 - row
    if symmetry & 1:
        column = size - 1 - column
    return size * row + column


def inverse(symmetry: int) -> int:
    """The symmetry that undoes ``symmetry``."""
    if symmetry & 4:  # the inverse of a transposition has the two mirrors swapped
        return 4 | (symmetry & 2) >> 1 | (symmetry & 1) << 1
    return symmetry
