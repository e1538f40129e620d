"""Proofs about games: statements as words, CNF, solvers, and certificates that are checked."""
