"""A checker of DRUP and DRAT proofs, independent of every solver.

``check`` is what others call; ``external`` runs other people's checkers where they are installed.
"""

__all__ = ["check", "external"]
