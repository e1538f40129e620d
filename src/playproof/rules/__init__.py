"""The law of each game and nothing else.

A rule of a bitboard game is a branch-free function over *words*, written with ``& | ^ ~ << >>``
alone.  The same function object works on Python ints, NumPy arrays of uint64, compiled words
(Numba), bit vectors (z3) and, in proofs, words of literals.  All of them give the same results as
long as a rule masks after *every* shift and never compares or branches on a word.
"""

__all__ = ["bits", "chess", "choko", "go", "go_board", "othello", "quantum_go"]
