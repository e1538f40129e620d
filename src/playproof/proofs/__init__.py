"""Proofs about games: statements as words, CNF, solvers, and certificates that are checked.

``prove`` settles a statement and ``check`` checks a certificate, as the commands of these names
do; ``events`` tells what they do meanwhile.  A statement of one's own is a frozen dataclass
derived from ``Statement`` that gives a ``Problem``, made known by ``register_statement``.
Below that, ``decide`` asks a solver for a witness, ``write_bundle`` leaves a certificate where
there is none, ``check_bundle`` checks it.
"""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
