"""The search for a reachable position that satisfies a statement.

A solver proposes positions that satisfy it (models), and the backward search of
``retrograde`` decides each: either play leads there, with a record, or the model and its
images are blocked, and the solver proposes another.  If none is left, no reachable position
satisfies the statement.

The solver proposes only positions that come after some last placements.  The more
placements, the larger the formula, and the fewer of its models are unreachable.  So the
search starts with none and adds some whenever many models were unreachable.  Models are
proposed with all numbers of stones in turn, because a number may have very many.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from playproof.core.registry import make
from playproof.core.stopping import StopFlag, stop_flag
from playproof.proofs.othello.boards import (
    Position,
    canonical,
    position_images,
    position_text,
)
from playproof.proofs.othello.census.search import ReachablePosition
from playproof.proofs.othello.positions import OthelloPosition
from playproof.proofs.othello.retrograde.forward import (
    START_STONES,
    UNCACHED_STONES,
    forward_table,
)
from playproof.proofs.othello.retrograde.path import split
from playproof.proofs.othello.retrograde.search import (
    DeadPositions,
    Reachable,
    ReachResult,
    Unreachable,
    reach,
    retreat,
)
from playproof.proofs.sat.cnf import Cnf
from playproof.proofs.sat.solvers import UNSAT, IncrementalSolver, SolverAnswer
from playproof.proofs.sat.words import FALSE, Word, unary_count

# Placements, and how many models are tried with them before the next row.
_SCHEDULE = ((0, 16), (4, 64), (8, 256), (12, 1024), (16, None))
_MODELS = 2  # of one number of stones, before it is the turn of the next
_STRIDE = 3  # numbers of stones are visited in this many passes
_NODES = 300_000  # of the backward search for a model at first; half a second at most
_RETREAT = 2_000_000  # positions of a level, to find how many placements a certificate needs

OnModels = Callable[[int, int, float], None]  # unreachable, undecided, seconds


@dataclass(frozen=True)
class ModelSearch:
    """The result of ``search``."""

    statement: OthelloPosition
    """The statement with the placements that the solver proposed positions with last."""
    reachable: ReachablePosition | None
    """A position that satisfies the statement, with a game that leads there."""
    unreachable: tuple[Position, ...]
    """The models that were proved unreachable."""
    exists: bool | None
    """Whether a reachable position satisfies the statement; None if the search was ended."""
    undecided: int
    """Models that the backward search has not decided."""
    seconds: float

    def certifiable(self, stop: StopFlag | None = None) -> OthelloPosition | None:
        """For a refuted statement, the same with so many placements that its formula has no
        model: a certificate can say so.  None if that number cannot be found."""
        if not self.unreachable:
            return self.statement
        size = self.statement.size
        back = retreat(list(self.unreachable), size=size, stop=stop, most=_RETREAT)
        if not back.finished:
            return None
        # Positions with four stones may be left: one placement more, and they are too late.
        steps = len(back.counts) + (1 if len(back.levels[-1]) else 0)
        steps = min(size**2 - 4, max(steps, self.statement.placements or 0))
        return replace(self.statement, placements=steps)


def search(
    statement: OthelloPosition,
    *,
    seconds: float | None = None,
    stop: StopFlag | None = None,
    on_progress: OnModels | None = None,
    on_placements: Callable[[int], None] | None = None,
) -> ModelSearch:
    """Look for a reachable position that satisfies the statement.

    With ``placements`` the statement decides how many last placements the solver looks at;
    by default their number grows.  ``on_progress`` is called after each model, and
    ``on_placements`` whenever the number of placements is set.
    """
    models = _Search(statement, seconds, stop, on_progress)
    schedule = _SCHEDULE if statement.placements is None else ((statement.placements, None),)
    most = statement.size**2 - 4
    rows = [row for row in schedule if row[0] <= most] or [schedule[0]]
    if rows[-1][1] is not None:
        rows[-1] = rows[-1][0], None
    for placements, budget in rows:
        if on_placements is not None:
            on_placements(placements)
        models.run(replace(statement, placements=placements), budget)
        if models.exists is not None or models.over():
            break
    return models.result()


class _Search:
    """The models tried so far, each with its images."""

    def __init__(
        self,
        statement: OthelloPosition,
        seconds: float | None,
        stop: StopFlag | None,
        on_progress: OnModels | None,
    ) -> None:
        self.statement = statement
        self.size = statement.size
        self.game = make("othello", size=self.size)
        self.start = time.perf_counter()
        self.limit = seconds
        self.stop = stop_flag() if stop is None else stop
        self.on_progress = on_progress
        self.anywhere = replace(statement, placements=None)
        self.unreachable: list[Position] = []
        self.undecided: list[Position] = []
        self.nodes = _NODES
        self.reachable: ReachablePosition | None = None
        self.exists: bool | None = None
        self.table = forward_table(UNCACHED_STONES, self.size)
        self.dead = {True: DeadPositions(), False: DeadPositions()}  # by "up to symmetry"

    def elapsed(self) -> float:
        return time.perf_counter() - self.start

    def remaining(self) -> float | None:
        return None if self.limit is None else max(0.0, self.limit - self.elapsed())

    def over(self) -> bool:
        return bool(self.stop[0]) or self.remaining() == 0.0

    def result(self) -> ModelSearch:
        return ModelSearch(
            self.statement, self.reachable, tuple(self.unreachable), self.exists,
            len(self.undecided), self.elapsed(),
        )  # fmt: skip

    def run(self, statement: OthelloPosition, budget: int | None) -> None:
        """Try up to ``budget`` models of the statement, until one is reachable or none is left."""
        self.statement = statement
        cnf, most = _with_stones(statement)
        tried = 0
        with IncrementalSolver(cnf) as solver:
            for position in (*self.unreachable, *self.undecided):
                self._block(solver, cnf, position)
            for answer in self._propose(solver, cnf, most):
                if answer.model is None:
                    self._decide_rest()
                    return
                values = cnf.decode(answer.model)
                position = canonical((values["own"], values["opponent"]), self.size)
                self._decide(position)
                tried += 1
                if self.exists or self.over() or tried == budget:
                    return
                self._block(solver, cnf, position)

    def _propose(self, solver: IncrementalSolver, cnf: Cnf, most: int) -> Iterator[SolverAnswer]:
        """Propose models with each number of stones up to ``most`` in turn, until there is none;
        the last answer is then ``unsat``.

        A call of the solver may take only so many conflicts; the calls of the next round may
        take twice as many.
        """
        stones = range(START_STONES, most + 1)
        left = [None, *(number for first in range(_STRIDE) for number in stones[first::_STRIDE])]
        for patience in (2**number for number in itertools.count()):
            for number in tuple(left):
                for _ in range(_MODELS):
                    answer = self._solve(solver, _count_is(cnf, number), patience)
                    if self.over():
                        return
                    if answer.model is not None or (answer.status == UNSAT and number is None):
                        yield answer
                    if answer.status == UNSAT:
                        left.remove(number)
                    if answer.model is None or number is None:
                        break
                if None not in left:
                    return

    def _solve(self, solver: IncrementalSolver, assumed: list[int], patience: int) -> SolverAnswer:
        chunks = iter(range(patience))  # the solver asks after each chunk of conflicts
        return solver.solve(
            assumed, seconds=self.remaining(),
            should_stop=lambda: self.over() or next(chunks, None) is None,
        )  # fmt: skip

    def _block(self, solver: IncrementalSolver, cnf: Cnf, position: Position) -> None:
        """Exclude a position and its images."""
        for own, opponent in dict.fromkeys(position_images(position, self.size)):
            clause = cnf.differs(own=own, opponent=opponent)
            if clause is not None:
                solver.add(clause)

    def _decide_rest(self) -> None:
        """Decide the models that are undecided, with more and more nodes."""
        while self.undecided and not self.over():
            self.nodes *= 8
            pending, self.undecided = self.undecided, []
            for number, position in enumerate(pending):
                if self.exists or self.over():
                    self.undecided += pending[number:]
                    return
                self._decide(position)
        if self.exists is None and not self.undecided:
            self.exists = False

    def _decide(self, position: Position) -> None:
        """Decide whether the position, or an image that satisfies the statement, is reachable."""
        result = self._reach(position, symmetric=True)
        results = [result]
        if isinstance(result, Reachable):
            # Some image is reachable.  If the statement has the symmetries of the board, as
            # most have, that image satisfies it too.
            own, opponent, _ = split(result.state)
            if not self._satisfies((own, opponent)):
                results = self._exactly(position)
        for one in results:
            if isinstance(one, Reachable):
                self.exists = True
                self.reachable = ReachablePosition(one.state.position, one.record)
                return
        if all(isinstance(one, Unreachable) for one in results):
            self.unreachable.append(position)
        else:
            self.undecided.append(position)
        if self.on_progress is not None:
            self.on_progress(len(self.unreachable), len(self.undecided), self.elapsed())

    def _exactly(self, position: Position) -> list[ReachResult]:
        """The answers for those images that satisfy the statement, with either side as Black."""
        images = dict.fromkeys(position_images(position, self.size))
        return [
            self._reach(image, symmetric=False, colour=colour)
            for image in images
            if self._satisfies(image)
            for colour in "XO"
        ]

    def _reach(self, position: Position, *, symmetric: bool, colour: str = "X") -> ReachResult:
        text = position_text(position, self.size)
        if colour == "O":
            text = text.translate(str.maketrans("XO", "OX"))
        return reach(
            self.game.position(text), symmetric=symmetric, forward=self.table,
            memory=self.dead[symmetric], nodes=self.nodes, seconds=self.remaining(),
            stop=self.stop,
        )  # fmt: skip

    def _satisfies(self, position: Position) -> bool:
        """Whether a position satisfies the statement, reachable or not."""
        own, opponent = position
        cnf = self.anywhere.cnf
        with IncrementalSolver(cnf) as solver:
            return solver.solve(cnf.fix(own=own, opponent=opponent)).model is not None


def _with_stones(statement: OthelloPosition) -> tuple[Cnf, int]:
    """The formula with a word that counts the stones in unary, and how many there can be."""
    position = statement.words()
    problem = position.problem
    squares = [bit for bit in position.occupied.literals if int(bit) != FALSE]
    count = unary_count(problem.graph, squares)
    names = [f"at least {number}" for number in range(1, len(count) + 1)]
    problem.name("stones", Word(problem.graph, count), names)
    return problem.encode(), statement.size**2 - position.min_empties


def _count_is(cnf: Cnf, stones: int | None) -> list[int]:
    """The literals that there are so many stones; None for any number."""
    if stones is None:
        return []
    at_least = cnf.words["stones"]
    return [at_least[stones - 1], *(-literal for literal in at_least[stones : stones + 1])]
