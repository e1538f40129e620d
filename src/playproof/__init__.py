"""Playproof: write the rules of a board game once, then play them, learn them
and prove things about them.

    import playproof
    state = playproof.make("othello").start().play("f5d6c4")
    print(state)

What is listed here is the public door; everything is imported on first use.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Threads that wait must not spin: on a busy machine they would hold up the very work they wait
# for.  OpenMP reads this when Numba or PyTorch loads it, whichever is first.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

_PUBLIC = {
    "Agent": "playproof.agents.base",
    "CertificateReport": "playproof.proofs.certificate_report",
    "Decision": "playproof.agents.base",
    "Proof": "playproof.proofs.proof",
    "Record": "playproof.formats.record",
    "make_agent": "playproof.agents.registry",
    "register_agent": "playproof.agents.registry",
    "register_algorithm": "playproof.learning.registry",
    "register_reward": "playproof.learning.rewards",
    "Batch": "playproof.core.batch",
    "Game": "playproof.core.game",
    "State": "playproof.core.state",
    "CHANCE": "playproof.core.kernels",
    "PlayproofError": "playproof.core.errors",
    "UsageError": "playproof.core.errors",
    "DataError": "playproof.core.errors",
    "IllegalAction": "playproof.core.errors",
    "check": "playproof.proofs.api",
    "conform": "playproof.core.conformance.run",
    "enumerate_positions": "playproof.core.enumeration",
    "make": "playproof.core.registry",
    "match": "playproof.arena.tournament",
    "names": "playproof.core.registry",
    "network_evaluator": "playproof.nets.evaluator",
    "perft": "playproof.core.perft",
    "playouts": "playproof.core.playouts",
    "prove": "playproof.proofs.api",
    "register": "playproof.core.registry",
    "register_statement": "playproof.proofs.registry",
    "tournament": "playproof.arena.tournament",
}
__all__ = [
    "CHANCE",
    "Agent",
    "Batch",
    "CertificateReport",
    "DataError",
    "Decision",
    "Game",
    "IllegalAction",
    "PlayproofError",
    "Proof",
    "Record",
    "State",
    "UsageError",
    "__version__",
    "check",
    "conform",
    "enumerate_positions",
    "make",
    "make_agent",
    "match",
    "names",
    "network_evaluator",
    "perft",
    "playouts",
    "prove",
    "register",
    "register_agent",
    "register_algorithm",
    "register_reward",
    "register_statement",
    "tournament",
]

if TYPE_CHECKING:
    from playproof.agents.base import Agent, Decision
    from playproof.agents.registry import make_agent, register_agent
    from playproof.arena.tournament import match, tournament
    from playproof.core.batch import Batch
    from playproof.core.conformance.run import conform
    from playproof.core.enumeration import enumerate_positions
    from playproof.core.errors import DataError, IllegalAction, PlayproofError, UsageError
    from playproof.core.game import Game
    from playproof.core.kernels import CHANCE
    from playproof.core.perft import perft
    from playproof.core.playouts import playouts
    from playproof.core.registry import make, names, register
    from playproof.core.state import State
    from playproof.formats.record import Record
    from playproof.learning.registry import register_algorithm
    from playproof.learning.rewards import register_reward
    from playproof.nets.evaluator import network_evaluator
    from playproof.proofs.api import check, prove
    from playproof.proofs.certificate_report import CertificateReport
    from playproof.proofs.proof import Proof
    from playproof.proofs.registry import register_statement


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'playproof' has no attribute '{name}'")
    value = getattr(import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def _lend_pictures() -> None:
    """Give ``core`` the drawings of ``formats``, which it may not import itself."""
    from playproof.core import pictures

    def svg(view: Any) -> str:
        from playproof.formats import svg

        return svg.render(view)

    def text(view: Any) -> str:
        from playproof.formats import terminal

        return terminal.render(view, colour=False)

    pictures.svg, pictures.text = svg, text


_lend_pictures()
