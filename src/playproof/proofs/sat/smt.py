"""Statements about Othello by z3 (de Moura and Bjørner, 2008), as in the paper.

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
from playproof.proofs.othello import takizawa_functions as takizawa
from playproof.proofs.othello.boards import Position
from playproof.proofs.othello.constructible import centre
from playproof.proofs.othello.equivalence import Equivalence
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.othello.unrolled_game import OthelloUnroll
from playproof.proofs.sat.solvers import SAT, UNKNOWN, UNSAT, ShouldStop
from playproof.rules import othello as rules

SmtStatement = OthelloMobility | OthelloUnroll | Equivalence

_POLL_SECONDS = 0.1  # how often ``should_stop`` is called


@dataclass(frozen=True)
class SmtAnswer:
    """The answer of z3, with a witness if there is one."""

    status: SolverStatus
    witness: dict[str, int] | None  # the value of each word
    seconds: float
    version: str

    @property
    def position(self) -> Position | None:
        """The position of a witness; None without one, and where the witness is a game."""
        if self.witness is None or "own" not in self.witness or "opponent" not in self.witness:
            return None
        return self.witness["own"], self.witness["opponent"]


def _z3() -> Any:
    try:
        import z3  # type: ignore[import-untyped]
    except ImportError:
        raise PlayproofError("z3 is not installed: pip install 'playproof[prove]'") from None
    return z3


def is_supported(statement: object) -> bool:
    """Whether z3 has an encoding of the statement."""
    if isinstance(statement, OthelloMobility):
        return not (
            statement.constructible
            or statement.blocked
            or statement.blocked_positions
            or any(statement.fixed)
        )
    return isinstance(statement, OthelloUnroll | Equivalence)


def decide(
    statement: SmtStatement, seconds: float | None = None, should_stop: ShouldStop | None = None
) -> SmtAnswer:
    """Decide a statement: moves of a position, an unrolled game, or a figure of the paper.

    Constructible, blocked and fixed squares are not supported.
    """
    if not is_supported(statement):
        raise PlayproofError("z3 can only decide bounds on moves and empty squares: want SAT")
    z3 = _z3()
    solver = z3.SolverFor("QF_BV")
    if seconds is not None:
        solver.set("timeout", max(1, int(1000 * seconds)))
    start = time.perf_counter()
    if isinstance(statement, OthelloMobility):
        words = _require_mobility(solver, statement)
    elif isinstance(statement, OthelloUnroll):
        words = _require_game(solver, statement)
    else:
        words = _require_difference(solver, statement.figure)
    with _interrupting(solver, should_stop):
        answer = str(solver.check())
    status: SolverStatus = SAT if answer == "sat" else UNSAT if answer == "unsat" else UNKNOWN
    witness = None
    if status == SAT:
        model = solver.model()
        witness = {
            name: model.eval(word, model_completion=True).as_long() for name, word in words.items()
        }
    return SmtAnswer(status, witness, time.perf_counter() - start, z3.get_version_string())


def _require_mobility(solver: Any, statement: OthelloMobility) -> dict[str, Any]:
    """Require a position with so many moves; returns its words."""
    z3 = _z3()
    own, opponent = z3.BitVec("own", 64), z3.BitVec("opponent", 64)
    board, middle = rules.board(statement.size), centre(statement.size)
    occupied = own | opponent
    solver.add(own & opponent == 0, occupied & ~board == 0, occupied & middle == middle)
    moves = takizawa.multiplied_count(rules.moves(own, opponent, board))
    solver.add(z3.UGE(moves, statement.at_least))
    solver.add(z3.UGE(takizawa.multiplied_count(board & ~occupied), statement.empties_at_least))
    return {"own": own, "opponent": opponent}


def _require_game(solver: Any, statement: OthelloUnroll) -> dict[str, Any]:
    """Require a game that reaches so many moves, ply by ply; returns its placements."""
    z3 = _z3()
    board, (black, white) = rules.board(statement.size), rules.start(statement.size)
    own, opponent = z3.BitVecVal(black, 64), z3.BitVecVal(white, 64)
    words, enough = {}, []
    for ply in range(statement.plies + 1):
        legal = rules.moves(own, opponent, board)
        if statement.mover == "any" or (statement.mover == "black") == (ply % 2 == 0):
            enough.append(z3.UGE(takizawa.multiplied_count(legal), statement.at_least))
        if ply == statement.plies:
            break
        move = words[f"ply {ply + 1}"] = z3.BitVec(f"ply {ply + 1}", 64)
        # One bit of the legal moves or none; a pass, which has none, is legal without them only.
        solver.add(move & ~legal == 0, move & (move - 1) == 0, z3.Implies(move == 0, legal == 0))
        flips = rules.flips(own, opponent, move)
        own, opponent = opponent & ~flips, own | move | flips
    solver.add(z3.Or(enough))
    return words


def _require_difference(solver: Any, figure: int) -> dict[str, Any]:
    """Require an input on which a figure of the paper differs from our rules; returns it."""
    z3 = _z3()
    own, opponent, square = z3.BitVecs("own opponent square", 64)
    if figure == 3:
        bits = [z3.ZeroExt(63, z3.Extract(i, i, own)) for i in range(64)]
        solver.add(z3.Sum(bits) != takizawa.multiplied_count(_Unsigned(own)).word)
        return {"own": own}
    solver.add(own & opponent == 0)
    if figure == 2:
        theirs = takizawa.prefix_moves(_Unsigned(own), _Unsigned(opponent)).word
        solver.add(rules.moves(own, opponent, rules.board(8)) != theirs)
        return {"own": own, "opponent": opponent}
    move = z3.BitVecVal(1, 64) << square
    solver.add(z3.ULT(square, 64), move & (own | opponent) == 0)
    below, above = takizawa.rays(_Unsigned(square))
    theirs = takizawa.carried_flips(_Unsigned(own), _Unsigned(opponent), below, above).word
    solver.add(rules.flips(own, opponent, move) != theirs)
    return {"own": own, "opponent": opponent, "square": square}


class _Unsigned:
    """A bit vector whose ``>>`` shifts in zeros, as the paper's functions expect; z3's own ``>>``
    repeats the sign."""

    def __init__(self, word: Any) -> None:
        self.word = word

    def __and__(self, other: Any) -> _Unsigned:
        return _Unsigned(self.word & _word(other))

    def __or__(self, other: Any) -> _Unsigned:
        return _Unsigned(self.word | _word(other))

    def __add__(self, other: Any) -> _Unsigned:
        return _Unsigned(self.word + _word(other))

    def __sub__(self, other: Any) -> _Unsigned:
        return _Unsigned(self.word - _word(other))

    def __mul__(self, other: Any) -> _Unsigned:
        return _Unsigned(self.word * _word(other))

    def __lshift__(self, other: Any) -> _Unsigned:
        return _Unsigned(self.word << _word(other))

    def __rshift__(self, other: Any) -> _Unsigned:
        return _Unsigned(_z3().LShR(self.word, _word(other)))

    def __invert__(self) -> _Unsigned:
        return _Unsigned(~self.word)

    def __neg__(self) -> _Unsigned:
        return _Unsigned(-self.word)

    # With a number on the left; the order matters for differences and shifts alone.
    __rand__, __ror__, __radd__ = __and__, __or__, __add__

    def __rsub__(self, number: int) -> _Unsigned:
        return _Unsigned(number - self.word)

    def __rlshift__(self, number: int) -> _Unsigned:
        return _Unsigned(_z3().BitVecVal(number, 64) << self.word)

    def __rrshift__(self, number: int) -> _Unsigned:
        return _Unsigned(_z3().LShR(_z3().BitVecVal(number, 64), self.word))


def _word(value: Any) -> Any:
    return value.word if isinstance(value, _Unsigned) else value


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
