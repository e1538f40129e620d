"""z3's own encodings of unrolled games and of the paper's figures."""

from __future__ import annotations

import pytest

import playproof
from playproof import UsageError
from playproof.proofs.othello import takizawa_functions
from playproof.proofs.othello.equivalence import Equivalence
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.othello.unrolled_game import OthelloUnroll
from playproof.proofs.sat import smt
from playproof.proofs.sat.solvers import SAT, UNSAT
from playproof.proofs.statements import decide
from playproof.rules import othello


def test_z3_reads_an_unrolled_game_as_we_do() -> None:
    """After as many plies as z3 can take: every game's first moves are 4, then 3 at most."""
    for at_least, plies, status in ((4, 0, SAT), (5, 0, UNSAT), (4, 1, SAT), (5, 1, UNSAT)):
        statement = OthelloUnroll(at_least, plies, 4)
        answer = smt.decide(statement)
        assert answer.status == status == decide(statement).answer.status, statement
    statement = OthelloUnroll(3, 1, 4, "white")
    answer = smt.decide(statement)
    assert answer.status == SAT
    assert answer.witness is not None
    game = statement.moves_of(answer.witness)
    state = playproof.make("othello", size=4).start().play(game)
    assert len(game) == 1
    assert len(state.legal_actions()) == 3
    assert smt.decide(OthelloUnroll(4, 1, 4, "white")).status == UNSAT
    proof = playproof.prove(
        "othello-reachable", size=4, at_least=3, plies=1, mover="white", method="unroll",
        solver="z3",
    )  # fmt: skip
    assert proof.record


def test_z3_finds_the_paper_s_figures_equal_and_a_mistake_in_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert smt.decide(Equivalence(2)).status == UNSAT
    assert smt.decide(Equivalence(4)).status == UNSAT
    monkeypatch.setattr(takizawa_functions, "_INNER", 0x7E7E7E7E7E7E7EFE)
    answer = smt.decide(Equivalence(2))
    assert answer.position is not None
    own, opponent = answer.position
    theirs = takizawa_functions.prefix_moves(own, opponent)
    assert theirs != othello.moves(own, opponent, othello.board(8))


def test_what_z3_has_no_encoding_of_is_refused() -> None:
    assert not smt.is_supported(OthelloMobility(8, 4, fixed=(1, 2, 4)))
    assert smt.is_supported(OthelloMobility(8, 4))
    with pytest.raises(UsageError, match="z3 can only decide moves of Othello"):
        playproof.prove("othello-reachable", size=4, at_least=7, solver="z3")
