"""Mobility of Othello by z3 (de Moura and Bjørner, 2008), as in the paper.

The same rule functions are called on z3's bit vectors, and moves are counted by
one multiplication, as in the paper.  It is a second opinion, by an encoding and
a solver that share nothing with ours but the rules.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playproof.core.errors import PlayproofError
from playproof.proofs.events import SolverStatus
from playproof.proofs.othello.boards import Position
from playproof.proofs.othello.constructible import centre
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.othello.takizawa_functions import multiplied_count
from playproof.proofs.sat.solvers import SAT, UNKNOWN, UNSAT, ShouldStop
from playproof.rules import othello as rules

_POLL_SECONDS = 0.1  # how often ``should_stop`` is called


@dataclass(frozen=True)
class SmtAnswer:
    """The answer of z3, with a position if there is one."""

    status: SolverStatus
    position: Position | None
    seconds: float
    version: str


def _z3() -> Any:
    try:
        import z3  # type: ignore[import-untyped]
    except ImportError:
        raise PlayproofError("z3 is not installed: pip install 'playproof[prove]'") from None
    return z3


def othello_mobility(
    statement: OthelloMobility, seconds: float | None = None, should_stop: ShouldStop | None = None
) -> SmtAnswer:
    """Decide a statement about mobility; constructible and blocked sets are not supported."""
    if statement.constructible or statement.blocked or statement.blocked_positions:
        raise PlayproofError("z3 can only decide bounds on moves and empty squares: want SAT")
    z3 = _z3()
    own, opponent = z3.BitVec("own", 64), z3.BitVec("opponent", 64)
    board, middle = rules.board(statement.size), centre(statement.size)
    occupied = own | opponent
    solver = z3.SolverFor("QF_BV")
    if seconds is not None:
        solver.set("timeout", max(1, int(1000 * seconds)))
    solver.add(own & opponent == 0, occupied & ~board == 0, occupied & middle == middle)
    moves = multiplied_count(rules.moves(own, opponent, board))
    solver.add(z3.UGE(moves, statement.at_least))
    solver.add(z3.UGE(multiplied_count(board & ~occupied), statement.empties_at_least))
    start = time.perf_counter()
    with _interrupting(solver, should_stop):
        answer = str(solver.check())
    status: SolverStatus = SAT if answer == "sat" else UNSAT if answer == "unsat" else UNKNOWN
    position = None
    if status == SAT:
        model = solver.model()
        values = [model.eval(word, model_completion=True).as_long() for word in (own, opponent)]
        position = (values[0], values[1])
    return SmtAnswer(status, position, time.perf_counter() - start, z3.get_version_string())


@contextmanager
def _interrupting(solver: Any, should_stop: ShouldStop | None) -> Iterator[None]:
    """Interrupt the solver from a thread when ``should_stop()``, since z3 has no callback."""
    if should_stop is None:
        yield
        return
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_POLL_SECONDS):
            if should_stop():
                solver.interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
