"""Proofs about games: statements as words, CNF, solvers, and certificates that are checked.

``prove`` settles a statement and ``check`` checks a certificate, like the commands of the same
names; both report their progress as ``events``.  To add a statement, derive a frozen dataclass
from ``Statement`` that returns a ``Problem``, and register it with ``register_statement``.
One level down, ``decide`` asks a solver for a witness, ``write_bundle`` writes a certificate if
there is none, and ``check_bundle`` checks a certificate.
"""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
