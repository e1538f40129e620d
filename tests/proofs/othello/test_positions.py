"""Statements about positions of Othello, compared with all positions that play reaches on 4x4."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

import playproof
from playproof.core.errors import UsageError
from playproof.core.stopping import stop_flag
from playproof.proofs.othello import reachable_models
from playproof.proofs.othello.boards import position_images
from playproof.proofs.othello.last_placements import OthelloChain
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.othello.positions import OthelloPosition, PositionWords
from playproof.proofs.sat.bracketing import maximum
from playproof.proofs.sat.solvers import SAT, UNSAT, IncrementalSolver
from playproof.proofs.statements import Statement, decide
from tests.support.longer import longer
from tests.support.proofs.reachable_4x4 import START, Counted, reachable


@dataclass(frozen=True)
class Counts(OthelloPosition):
    """A position with these numbers of moves and empty squares; None: any number."""

    family: ClassVar[str] = "test-counts"

    own: int | None = None
    opponent: int | None = None
    total: int = 0  # moves of both sides together, at least
    empties: int | None = None
    corners: tuple[int, ...] = ()  # squares with stones of the side to move: not symmetric

    def condition(self) -> str:
        return "with such numbers"

    def requirements(self, position: PositionWords) -> None:
        if self.own is not None:
            position.exactly(self.own, position.own_moves)
        if self.opponent is not None:
            position.exactly(self.opponent, position.opponent_moves)
        if self.empties is not None:
            position.exactly(self.empties, position.empties)
        position.at_least(self.total, position.own_moves, position.opponent_moves)
        for square in self.corners:
            position.problem.require(position.own[8 * (square // 4) + square % 4])

    def holds(self, position: Counted) -> bool:
        """The same of a position of the naive board."""
        return (
            self.own in (None, position.own_moves)
            and self.opponent in (None, position.opponent_moves)
            and self.empties in (None, position.empties)
            and position.own_moves + position.opponent_moves >= self.total
            and all(position.board[square] == position.mover for square in self.corners)
        )


def counted(text: str) -> Counted:
    """The position of the naive board that is written so."""
    board, mover = text.split()
    return next(p for p in reachable() if (p.board, p.mover) == (board, mover))


def compare(statement: Counts) -> None:
    """The search must agree with the walk through all games."""
    result = reachable_models.search(statement)
    exists = any(statement.holds(position) for position in reachable())
    assert result.exists == exists, statement
    assert result.undecided == 0
    if result.reachable is not None:
        state = playproof.make("othello", size=4).start().play(result.reachable.record)
        assert state.position == result.reachable.position
        assert statement.holds(counted(state.position))
    else:
        # The formula with enough placements says the same, without the backward search.
        certifiable = result.certifiable()
        assert certifiable is not None
        assert decide(certifiable).answer.status == UNSAT


def test_the_naive_board_is_the_game() -> None:
    assert playproof.make("othello", size=4).start().position == f"{START} X"
    by_empties = {(p.board, p.mover) for p in reachable() if p.empties >= 8}
    states, again = [playproof.make("othello", size=4).start()], set()
    while states:
        state = states.pop()
        board, mover = state.position.split()
        if board.count("-") >= 8 and (board, mover) not in again:
            again.add((board, mover))
            states += [state.apply(action) for action in state.legal_actions()]
    assert again == by_empties


CLOSE = [  # pairs around the largest numbers, and statements that are not symmetric
    Counts(own=5, opponent=0, size=4),
    Counts(own=6, opponent=0, size=4),
    Counts(own=0, opponent=5, size=4),
    Counts(total=10, size=4),
    Counts(total=11, size=4),
    Counts(own=6, empties=6, size=4),
    Counts(own=0, opponent=0, empties=5, size=4),
    Counts(own=0, empties=11, corners=(5,), size=4),
    Counts(own=3, empties=11, corners=(5,), size=4),
    Counts(own=3, empties=11, corners=(5, 6), size=4),
]


@pytest.mark.parametrize("statement", CLOSE, ids=str)
def test_the_search_agrees_with_all_games(statement: Counts) -> None:
    compare(statement)


@pytest.mark.slow
def test_the_search_agrees_with_all_games_on_any_statement() -> None:
    rng = random.Random(1)
    answers = set()
    for _ in range(longer(24, 600)):
        statement = Counts(
            own=rng.choice([None, 0, 2, 4, 5, 6, 7]),
            opponent=rng.choice([None, 0, 2, 4, 5, 6, 7]),
            total=rng.choice([0, 0, 9, 10]),
            empties=rng.choice([None, *range(12)]),
            corners=tuple(rng.sample(range(16), rng.choice([0, 0, 1, 2]))),
            size=4,
        )
        compare(statement)
        answers.add(any(statement.holds(position) for position in reachable()))
    assert answers == {False, True}


@pytest.mark.parametrize("placements", [0, 1, 5])
def test_every_reachable_position_comes_after_placements(placements: int) -> None:
    """Else a refutation would not be about all reachable positions."""
    statement = Counts(size=4, placements=placements)
    cnf = statement.cnf
    rng = random.Random(placements)
    with IncrementalSolver(cnf) as solver:
        for position in [*reachable()[:20], *rng.sample(reachable(), longer(150, 2000))]:
            own, opponent = pair(position)
            assert solver.solve(cnf.fix(own=own, opponent=opponent)).status == SAT, position


def test_all_placements_of_a_game_lead_to_reachable_positions_only() -> None:
    # Up to nine stones these are all placements; before them there is only the start.
    cnf = Counts(size=4, placements=6).cnf
    exact = {pair(position) for position in reachable()}
    rng, answers = random.Random(1), set()
    with IncrementalSolver(cnf) as solver:
        for position in rng.sample([p for p in reachable() if p.empties > 6], longer(30, 1000)):
            for own, opponent in position_images(pair(position), 4):
                status = solver.solve(cnf.fix(own=own, opponent=opponent)).status
                assert (status == SAT) == ((own, opponent) in exact)
                answers.add(status)
    assert answers == {SAT, UNSAT}


def pair(position: Counted) -> tuple[int, int]:
    """The stones of the side to move and the other's, as words."""
    own, opponent = (
        sum(1 << (8 * (i // 4) + i % 4) for i, disc in enumerate(position.board) if disc == side)
        for side in (position.mover, "XO".replace(position.mover, ""))
    )
    return own, opponent


@pytest.mark.slow
def test_the_largest_total_mobility_is_that_of_all_positions() -> None:
    largest = maximum(
        lambda bound: Counts(total=bound, size=4, placements=8),
        lambda witness: witness["own_moves"].bit_count() + witness["opponent_moves"].bit_count(),
        above=25,
    )
    assert largest.value == max(p.own_moves + p.opponent_moves for p in reachable()) == 10


def test_time_and_a_stop_leave_it_undecided() -> None:
    hard = Counts(own=20, opponent=0)
    result = reachable_models.search(hard, seconds=0.2)
    assert result.exists is None
    assert result.seconds < 20
    flag = stop_flag()
    flag[0] = 1
    assert reachable_models.search(hard, stop=flag).exists is None


def test_progress_counts_the_models() -> None:
    calls: list[tuple[int, int]] = []
    rows: list[int] = []
    result = reachable_models.search(
        Counts(own=6, opponent=0, size=4),
        on_progress=lambda unreachable, undecided, _: calls.append((unreachable, undecided)),
        on_placements=rows.append,
    )
    assert calls == [(number, 0) for number in range(1, len(result.unreachable) + 1)]
    assert rows == [0, 4]
    only = reachable_models.search(replace(Counts(own=6, opponent=0, size=4), placements=7))
    assert only.exists is False
    assert only.unreachable == ()


# The words


def test_sentences() -> None:
    statement = Counts(size=6)
    assert statement.sentence() == "an Othello position on 6x6 with such numbers"
    assert replace(statement, placements=0).sentence().endswith("squares that grow from the centre")
    one, four = (replace(statement, placements=n).sentence() for n in (1, 4))
    assert "after the last 1 placement of a game" in one
    assert "after the last 4 placements of a game" in four


def test_bad_sizes_and_bounds_are_one_line() -> None:
    with pytest.raises(UsageError, match="no board of size 5: want 4, 6 or 8"):
        Counts(size=5)
    with pytest.raises(UsageError, match="13 placements: want 0 to 12"):
        Counts(size=4, placements=13)
    words = Counts(size=4).words()
    with pytest.raises(UsageError, match=r"want at_least\(20, own_moves\)"):
        words.at_least(words.own, 3)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"want at_least\(20, own_moves\)"):
        words.exactly(3)


def test_bounds_imply_empty_squares() -> None:
    words = Counts(size=4).words()
    words.at_least(5, words.own_moves, words.opponent_moves)
    assert words.min_empties == 3
    words.at_least(4, words.own_moves)
    assert words.min_empties == 4
    words.at_least(9, words.own)
    words.at_most(9, words.empties)
    assert words.min_empties == 4
    words.exactly(7, words.empties)
    assert words.min_empties == 7


def test_a_witness_is_shown_as_a_board() -> None:
    decision = decide(Counts(own=2, opponent=0, size=4))
    assert decision.witness is not None
    text = decision.statement.describe(decision.witness)
    assert "moves     2, of the other side 0;" in text


@pytest.mark.parametrize(
    ("statement", "digest"),
    [
        (OthelloMobility(9, 4, cardinality="mtotalizer"), "481b5e139cd996a9"),
        (OthelloMobility(33, 8, 39, cardinality="mtotalizer"), "9fd9e45a23a6f1da"),
        (OthelloMobility(34, 8, 37, True, cardinality="mtotalizer"), "4a1c24527b8296d7"),
        (OthelloChain(0x3C3C3C3C, 8, 4, 6, cardinality="totalizer"), "22f2c565b8746402"),
    ],
    ids=str,
)
def test_earlier_formulas_are_what_they_were(statement: Statement, digest: str) -> None:
    assert hashlib.sha256(statement.dimacs()).hexdigest().startswith(digest)
