"""The paper's way: the rules as bit-vector arithmetic for z3 (de Moura and Bjørner, 2008).

The same rule functions, called on z3's bit vectors; moves are counted by one
multiplication, as in the paper.  It is a second opinion, from an encoding and
a solver that share nothing with ours but the rules.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from playproof.core.errors import PlayproofError
from playproof.proofs.figures import multiplied_count
from playproof.proofs.othello_boards import Position
from playproof.proofs.othello_constructible import centre
from playproof.proofs.othello_mobility import OthelloMobility
from playproof.proofs.solvers import SAT, UNKNOWN, UNSAT
from playproof.rules import othello as rules


@dataclass(frozen=True)
class SmtAnswer:
    """What z3 said, with the position if there is one."""

    status: str  # sat, unsat or unknown
    position: Position | None
    seconds: float
    version: str


def _z3() -> Any:
    try:
        import z3  # type: ignore[import-untyped]
    except ImportError:
        raise PlayproofError("z3 is not installed: pip install 'playproof[prove]'") from None
    return z3


def othello_mobility(statement: OthelloMobility, seconds: float | None = None) -> SmtAnswer:
    """Decide a statement about mobility; constructible and blocked sets are left to SAT."""
    if statement.constructible or statement.blocked or statement.blocked_positions:
        raise PlayproofError("z3 is asked about moves and empty squares alone")
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
    status = {"sat": SAT, "unsat": UNSAT}.get(str(solver.check()), UNKNOWN)
    position = None
    if status == SAT:
        model = solver.model()
        values = [model.eval(word, model_completion=True).as_long() for word in (own, opponent)]
        position = (values[0], values[1])
    return SmtAnswer(status, position, time.perf_counter() - start, z3.get_version_string())
