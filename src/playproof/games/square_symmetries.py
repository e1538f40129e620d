"""The eight symmetries of a square board, on words and on square numbers.

Symmetry ``s`` of 0 ... 7: bit 2 first transposes (swaps row and column), bit 1
then mirrors the rows, bit 0 mirrors the columns; 0 is the identity.
"""

from numba.extending import register_jitable


@register_jitable
def image(size, row, column, symmetry):  # type: ignore[no-untyped-def]
    """Where ``symmetry`` takes a square, as ``size * row + column``."""
    if symmetry & 4:
        row, column = column, row
    if symmetry & 2:
        row = size - 1 - row
    if symmetry & 1:
        column = size - 1 - column
    return size * row + column


def inverse(symmetry: int) -> int:
    """The symmetry that undoes ``symmetry``."""
    if symmetry & 4:  # a transposition swaps the two mirrors on its way back
        return 4 | (symmetry & 2) >> 1 | (symmetry & 1) << 1
    return symmetry
