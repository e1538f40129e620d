"""Reachable positions with many moves: chains, unrolled games and the pipeline agree with play."""

from __future__ import annotations

import functools

import pytest

import playproof
from playproof import UsageError
from playproof.proofs.othello.boards import PLACES, canonical, images, position_text
from playproof.proofs.othello.constructible import is_constructible
from playproof.proofs.othello.last_placements import OthelloChain
from playproof.proofs.othello.pipeline import ReachabilityResult, search
from playproof.proofs.othello.unrolled_game import OthelloUnroll, plies_that_suffice
from playproof.proofs.registry import read_statement
from playproof.proofs.statements import decide
from playproof.rules import othello

RECORD = "F5D6C4F3C5B4B3E6C6G5F6C7C3D2C2B2F4G4G3G7G6E7D3G2H3B6"  # 33 moves for Black


@functools.cache
def most_moves_on_4x4(plies: int = 20) -> dict[int | None, int]:
    """The most legal moves within so many plies, by who has them: every position is visited."""
    level = {playproof.make("othello:size=4").start()}
    most: dict[int | None, int] = {0: 0, 1: 0}
    for _ in range(plies + 1):
        after = set()
        for state in level:
            legal = state.legal_actions()
            most[state.current_player] = max(most.get(state.current_player, 0), len(legal))
            after |= {state.apply(action) for action in legal}
        level = after
    return most


@pytest.fixture(scope="module")
def settled() -> tuple[ReachabilityResult, list[str]]:
    """The search for 34 moves, with the lines it told."""
    lines: list[str] = []
    return search(34, on_finding=lines.append), lines


# Unrolled games


@pytest.mark.slow
def test_an_unrolled_4x4_finds_what_play_finds() -> None:
    most = max(most_moves_on_4x4().values())
    for at_least in (most, most + 1):
        statement = OthelloUnroll(at_least, plies_that_suffice(4, at_least), 4)
        found = decide(statement)
        assert found.answer.status == ("sat" if at_least == most else "unsat")
        if found.witness is not None:
            state = playproof.make("othello:size=4").start().play(statement.moves_of(found.witness))
            assert len(state.legal_actions()) >= at_least


@pytest.mark.parametrize("mover", ["black", "white"])
def test_an_unrolled_4x4_tells_the_sides_apart(mover: str) -> None:
    most = most_moves_on_4x4(8)[("black", "white").index(mover)]
    assert decide(OthelloUnroll(most, 8, 4, mover)).answer.status == "sat"
    assert decide(OthelloUnroll(most + 1, 8, 4, mover)).answer.status == "unsat"


def test_too_few_plies_find_nothing() -> None:
    assert decide(OthelloUnroll(6, 6, 4)).answer.status == "sat"
    assert decide(OthelloUnroll(6, 3, 4)).answer.status == "unsat"


def test_a_record_of_6x6_replays() -> None:
    statement = OthelloUnroll(11, 12, 6)
    found = decide(statement)
    assert found.witness is not None
    state = playproof.make("othello:size=6").start().play(statement.moves_of(found.witness))
    assert len(state.legal_actions()) >= 11


# Chains of last placements


@functools.cache
def record_state() -> playproof.State:
    return playproof.make("othello").start().play(RECORD)


def stones(state: playproof.State) -> int:
    text = state.position
    return sum(1 << i for i, letter in enumerate(text[:64]) if letter in "XO")


def test_a_chain_to_a_reachable_position_exists_and_can_be_played() -> None:
    end = record_state()
    statement = OthelloChain(stones(end), 33, 4)
    found = decide(statement)
    assert found.witness is not None
    game = playproof.make("othello")
    state = game.position(position_text((found.witness["own"], found.witness["opponent"]), 8))
    assert is_constructible(found.witness["own"] | found.witness["opponent"], 8)
    for step in range(1, 5):
        move = found.witness[f"move {step}"]
        assert move.bit_count() == 1
        state = state.apply(PLACES[move.bit_length() - 1])
        if state.legal_names() == ["pass"]:
            state = state.apply("pass")
    assert stones(state) == statement.occupied
    assert len(state.legal_actions()) >= 33


def test_the_record_itself_is_such_a_chain() -> None:
    # With the last moves fixed to the record's, the circuit must still be satisfiable.
    end, before = record_state(), record_state().before(4)
    statement = OthelloChain(stones(end), 33, 4)
    text = before.position
    mover = text[65]
    own = sum(1 << i for i, c in enumerate(text[:64]) if c == mover)
    other = stones(before) & ~own
    cnf = statement.cnf
    fixed = cnf.fix(own=own, opponent=other)
    from playproof.proofs.sat.solvers import IncrementalSolver

    with IncrementalSolver(cnf) as solver:
        answer = solver.solve(fixed)
        assert answer.model is not None
        assert cnf.decode(answer.model)["moves"].bit_count() >= 33
        # Another start that play does not lead from is refuted.
        assert solver.solve(cnf.fix(own=other, opponent=own)).status == "unsat"


@pytest.mark.slow
def test_no_chain_leads_to_34_moves_on_a_smallest_set(
    settled: tuple[ReachabilityResult, list[str]],
) -> None:
    occupied = settled[0].sets.sets[0]  # all 31 sets: `make verify proofs`
    assert occupied.bit_count() == 28
    assert decide(OthelloChain(occupied, 34, 8)).answer.status == "unsat"
    # A short chain does exist: the length is what refutes.
    assert decide(OthelloChain(occupied, 34, 1)).answer.status == "sat"


def test_statements_come_back_from_json() -> None:
    for statement in (OthelloChain(stones(record_state()), 33, 4), OthelloUnroll(9, 4, 6, "black")):
        again = read_statement(statement.json())
        assert again == statement
        assert again.dimacs() == statement.dimacs()


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: OthelloChain(0b1, 33, 2), "must hold the centre"),
        (lambda: OthelloChain(stones(record_state()), 33, 40), "cannot lead to these squares"),
        (lambda: OthelloUnroll(3, 500), "cannot be unrolled"),
        (lambda: OthelloUnroll(3, 5, 8, "red"), "no side 'red'"),
        (lambda: OthelloUnroll(3, 5, 5), "no board of size 5"),
    ],
)
def test_wrong_statements_are_refused(make: object, complaint: str) -> None:
    assert callable(make)
    with pytest.raises(UsageError, match=complaint):
        make()


# The pipeline


@pytest.mark.slow
def test_the_pipeline_on_4x4_agrees_with_play() -> None:
    most = max(most_moves_on_4x4().values())
    found = search(most, size=4)
    assert found.exists is True
    for one in found.reachable:
        state = playproof.make("othello:size=4").start().play(one.record)
        assert len(state.legal_actions()) >= most
    assert search(most + 1, size=4).exists is False


@pytest.mark.slow
def test_the_pipeline_settles_the_papers_main_claim(
    settled: tuple[ReachabilityResult, list[str]],
) -> None:
    found, lines = settled
    assert found.exists is False
    assert found.sets.by_stones() == {28: 2, 29: 11, 30: 18}
    assert found.colourings is not None
    assert (found.colourings.total, len(found.colourings.positions)) == (815, 695)
    assert found.retreat is not None
    assert found.retreat.counts == [532, 1028, 474, 302, 86, 29, 4, 0]
    statements = found.theorem().statements()
    assert len(statements) == 32
    assert {s.steps for s in statements[1:]} == {8}  # type: ignore[attr-defined]
    assert lines[-1] == "retrograde levels: 532, 1,028, 474, 302, 86, 29, 4, 0"


@pytest.mark.slow
def test_31_sets_with_815_colourings(settled: tuple[ReachabilityResult, list[str]]) -> None:
    sets, coloured = settled[0].sets, settled[0].colourings
    assert sets.complete
    assert len(sets.sets) == 31
    assert all(is_constructible(occupied, 8) for occupied in sets.sets)
    assert all(min(images(occupied, 8)) == occupied for occupied in sets.sets)
    assert sets.statement.blocked == sets.sets
    assert coloured is not None
    assert coloured.complete
    for position in coloured.positions:
        assert int(othello.moves(*position, othello.board(8))).bit_count() >= 34
        assert canonical(position, 8) == position


def test_a_time_limit_leaves_it_open() -> None:
    assert search(33, seconds=0.2).exists is None
