"""Proofs about games: statements as words, CNF, solvers, and certificates that are checked.

``prove`` settles a statement and ``check`` checks a certificate, as the commands of these names
do; ``events`` tells what they do meanwhile.  A statement of one's own is a frozen dataclass
derived from ``Statement`` that gives a ``Problem``, made known by ``register_statement``.
Below that, ``decide`` asks a solver for a witness, ``write_bundle`` leaves a certificate where
there is none, ``check_bundle`` checks it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_PUBLIC = {
    "CertificateReport": "playproof.proofs.certificate_report",
    "Decision": "playproof.proofs.statements",
    "Problem": "playproof.proofs.cnf",
    "Proof": "playproof.proofs.proof",
    "ProofEvent": "playproof.proofs.events",
    "Statement": "playproof.proofs.statements",
    "Word": "playproof.proofs.words",
    "check": "playproof.proofs.api",
    "check_bundle": "playproof.proofs.certificates",
    "decide": "playproof.proofs.statements",
    "export_dimacs": "playproof.proofs.api",
    "find_positions": "playproof.proofs.api",
    "prove": "playproof.proofs.api",
    "register_statement": "playproof.proofs.registry",
    "word_field": "playproof.proofs.fields",
    "write_bundle": "playproof.proofs.certificates",
}
__all__ = [
    "CertificateReport",
    "Decision",
    "Problem",
    "Proof",
    "ProofEvent",
    "Statement",
    "Word",
    "check",
    "check_bundle",
    "decide",
    "export_dimacs",
    "find_positions",
    "prove",
    "register_statement",
    "word_field",
    "write_bundle",
]

if TYPE_CHECKING:
    from playproof.proofs.api import check, export_dimacs, find_positions, prove
    from playproof.proofs.certificate_report import CertificateReport
    from playproof.proofs.certificates import check_bundle, write_bundle
    from playproof.proofs.cnf import Problem
    from playproof.proofs.events import ProofEvent
    from playproof.proofs.fields import word_field
    from playproof.proofs.proof import Proof
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
