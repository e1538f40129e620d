"""The law of each game and nothing else.

A rule of a bitboard game is a branch-free function over *words*, written with
``& | ^ ~ << >>`` alone.  The same function object is read by CPython (ints),
NumPy (uint64 arrays), Numba (machine code), z3 (bit vectors) and, in proofs,
words of literals.  Two habits keep every reading equal: mask after *every*
shift, and never compare or branch on a word.
"""

__all__ = ["bits", "chess", "choko", "go", "go_board", "othello", "quantum_go"]
