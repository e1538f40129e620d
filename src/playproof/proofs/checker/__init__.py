"""Checkers of DRUP, DRAT and LRAT proofs, independent of every solver.

``check`` checks DRAT and writes LRAT, the same proof with hints.  ``plain`` follows these hints in
plain Python and is short enough to be read; ``lrat`` does the same fast.  ``external`` runs
third-party checkers if they are installed.  ``parse`` reads formulas and proofs.
"""

__all__ = ["check", "external", "lrat", "parse", "plain"]
