"""Proofs about games: statements as words, CNF, solvers, and certificates that are checked.

A statement of one's own is a frozen dataclass derived from ``Statement`` that gives a
``Problem``, made known by ``register_statement``.  ``decide`` asks a solver for a witness,
``write_bundle`` leaves a certificate where there is none, ``check_bundle`` checks it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_PUBLIC = {
    "Decision": "playproof.proofs.statements",
    "Problem": "playproof.proofs.cnf",
    "Statement": "playproof.proofs.statements",
    "Word": "playproof.proofs.words",
    "check_bundle": "playproof.proofs.certificates",
    "decide": "playproof.proofs.statements",
    "register_statement": "playproof.proofs.registry",
    "word_field": "playproof.proofs.fields",
    "write_bundle": "playproof.proofs.certificates",
}
__all__ = [
    "Decision",
    "Problem",
    "Statement",
    "Word",
    "check_bundle",
    "decide",
    "register_statement",
    "word_field",
    "write_bundle",
]

if TYPE_CHECKING:
    from playproof.proofs.certificates import check_bundle, write_bundle
    from playproof.proofs.cnf import Problem
    from playproof.proofs.fields import word_field
    from playproof.proofs.registry import register_statement
    from playproof.proofs.statements import Decision, Statement, decide
    from playproof.proofs.words import Word


def __getattr__(name: str) -> Any:
    # Imported on first use: the checker brings Numba, and most commands need none of it.
    if name not in _PUBLIC:
        raise AttributeError(f"module 'playproof.proofs' has no attribute '{name}'")
    value = getattr(import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
