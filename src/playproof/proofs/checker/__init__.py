"""A checker of DRUP and DRAT proofs, independent of every solver.

``check`` is the checker that other packages call; ``external`` runs third-party checkers if they
are installed.
"""

__all__ = ["check", "external"]
