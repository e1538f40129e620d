"""From statements to satisfiability: circuits, clauses and solvers.

``words`` reads a game's rules as a circuit, ``cnf`` turns it into clauses, ``solvers`` runs
whichever SAT solver is installed, ``smt`` asks z3 instead.
"""

__all__ = ["bracketing", "cnf", "smt", "solvers", "words"]
