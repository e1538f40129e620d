"""From statements to satisfiability: circuits, clauses and solvers.

``words`` turns a game's rules into a circuit, ``cnf`` encodes the circuit as clauses,
``cardinality`` counts, ``solvers`` runs an installed SAT solver (``cadical`` is CaDiCaL as a
program), and ``smt`` uses z3 instead.  ``options`` knows the solvers' options, and an oracle of
``oracles`` is a solver with options or a portfolio of them.  ``bracketing`` finds the largest
number for which a statement has a witness.
"""

__all__ = [
    "bracketing", "cadical", "cardinality", "cnf", "options", "oracles", "smt", "solvers", "words",
]  # fmt: skip
