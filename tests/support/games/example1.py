"""Example 1 of the paper, replayed on the engine with every choice and capture checked.

    NUMBA_DISABLE_JIT=1 python tests/support/games/example1.py CLAUSE ...

replays it uncompiled with a clause of the rules inverted, each in turn, and says where that breaks.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

import playproof  # noqa: E402
from playproof import PlayproofError, State  # noqa: E402
from playproof.rules import quantum_go as law  # noqa: E402
from tests.support.oracles.quantum_go_naive_board import Point, label  # noqa: E402
from tests.support.oracles.quantum_go_record import Turn, read_record  # noqa: E402

RECORD = read_record(ROOT / "tests/support/oracles/quantum_go_example1.txt")


class Broken(AssertionError):
    """The record and the rules part here."""


def replay(**options: Any) -> State:
    """The end of the game; Broken with the number of the turn that does not fit."""
    state = playproof.make("quantum-go", board="6x6", **options).start()
    for turn in RECORD.turns:
        try:
            state = _turn(state, turn)
        except (PlayproofError, AssertionError) as error:
            raise Broken(f"move {turn.number}: {error}") from None
    return state


def _turn(state: State, turn: Turn) -> State:
    game: Any = state.game
    assert state.current_player == turn.side
    if not turn.points:
        return state.apply("pass")
    for point in turn.points:
        state = state.apply(label(point))
    kept = {label(point) for point in turn.older.values()}
    while game.step(state.row) in (law.OWN_OLDER, law.OPPONENTS):
        names = {state.name(p) for p in game.collapsing_group(state.row)}
        (choice,) = names & kept
        kept.remove(choice)
        state = state.apply(choice)
    assert not kept, f"{kept} should have collapsed"
    enemies = set(game.stones(state.row)[1 - turn.side])
    if turn.kept is not None:
        assert game.step(state.row) == law.NEW_GROUP, "the new pair should collapse"
        _choices(state.legal_names(), turn)
        state = state.apply(label(turn.kept))
    assert game.step(state.row) == law.PLACE, "the turn should be over"
    taken = enemies - set(game.stones(state.row)[1 - turn.side])
    assert {state.name(p) for p in taken} == {label(p) for p in turn.captured}
    return state


def _choices(legal: list[str], turn: Turn) -> None:
    """What the paper says of the last choice."""
    both = sorted(label(p) for p in turn.points)
    if turn.note == "free":
        assert sorted(legal) == both, "the choice should be free"
    if turn.note in ("forced", "ko"):
        assert legal == [label(_kept(turn))], f"{turn.note}: there should be no choice"


def _kept(turn: Turn) -> Point:
    assert turn.kept is not None
    return turn.kept


# Clauses inverted, for the uncompiled engine


def nobody_is_bound() -> None:
    law.bound_by = lambda group, survivors, g, weak: 0


def single_stones_bind_too() -> None:
    from playproof.games.go.rows import NARROW, ground_of
    from playproof.games.quantum_go import rows as q
    from playproof.games.quantum_go import turn

    whole = turn._list_decisions

    def options(like: Any, options: Any, state: Any, out: Any) -> int:
        at = q.ledger_at(options)
        ledger = state[at]
        if q.step_of(ledger) == law.NEW_GROUP and q.bound_of(ledger) == 0:
            stones = turn.all_stones(NARROW, state)
            bound = law.bound_by_plain(state[at + q.NEW], stones, ground_of(NARROW, options), False)
            state[at] = q.with_field(ledger, q.BOUND, 7, bound)
        return int(whole(like, options, state, out))

    law.bound_by_plain = law.bound_by
    turn._list_decisions = options


def captures_before_the_collapse() -> None:
    from playproof.games.go.rows import NARROW, count, ground_of, load, store
    from playproof.games.quantum_go import rows as q
    from playproof.games.quantum_go import turn
    from playproof.games.quantum_go import turn_end as endings
    from playproof.rules import go
    from playproof.rules.go_board import either, without

    def keep_single(like: Any, options: Any, state: Any, point: int) -> tuple[int, int, int, bool]:
        at, g = q.ledger_at(options), ground_of(NARROW, options)
        side = q.side_of(state[at])
        mine = either(load(NARROW, state, 2 * side), law.points_of(NARROW, state[at + q.NEW]))
        theirs = load(NARROW, state, 2 - 2 * side)
        gone = go.dead(theirs, without(g.whole, either(mine, theirs)), g)
        store(state, 2 - 2 * side, without(theirs, gone))
        endings.update_atari(NARROW, options, state)
        taken, lost, ko, barred = plain(like, options, state, point)
        return taken + count(gone), lost, ko, barred

    plain, turn.keep_single = turn.keep_single, keep_single


def own_chains_leave_first() -> None:
    from playproof.rules import go
    from playproof.rules.go_board import around, both, either, flood, has, one, some, without

    plain = go.play

    def play(own: Any, opponent: Any, atari: Any, point: int, g: Any) -> Any:
        stone = one(own, point)
        mine = either(own, stone)
        empty = without(g.whole, either(mine, opponent))
        chain = flood(stone, mine, g)
        if some(both(around(chain, g), empty)) or has(own, point):
            return plain(own, opponent, atari, point, g)
        own = without(mine, chain)
        empty = without(g.whole, either(own, opponent))
        return own, opponent, go.all_atari(own, opponent, empty, g), (*stone[:0], 0, 0), chain

    go.play = play


def nobody_looks_ahead() -> None:
    from playproof.games.quantum_go import kernels, turn

    def legal_collapses(
        like: Any, options: Any, state: Any, history: Any, step: int, out: Any
    ) -> int:
        return int(turn.decisions(options, state, out))

    kernels.legal_collapses = legal_collapses


def every_completion_must_be_legal() -> None:
    from playproof.games.quantum_go import kernels, legal

    plain = kernels.legal_placements

    def legal_placements(
        like: Any, options: Any, state: Any, history: Any, now: Any, out: Any
    ) -> int:
        n, kept = int(plain(like, options, state, history, now, out)), 0
        for i in range(n):
            child = state.copy()
            result = legal.move(options, child, history, now, int(out[i]), True)
            if result == legal.CONTINUES and not _all_legal(options, child, history, now):
                continue
            out[kept] = out[i]
            kept += 1
        return kept

    kernels.legal_placements = legal_placements


def _all_legal(options: Any, state: Any, history: Any, now: Any) -> bool:
    """Whether every way to end a turn, once its stones are placed, is legal."""
    import numpy as np

    from playproof.games.quantum_go import rows as q
    from playproof.games.quantum_go import turn

    if q.step_of(state[q.ledger_at(options)]) == law.PLACE:
        return True
    out = np.empty(40, np.int32)
    for i in range(turn.decisions(options, state, out)):
        child = state.copy()
        result = turn.move(options, child, history, now, int(out[i]), True)
        if result == turn.ILLEGAL or (
            result == turn.CONTINUES and not _all_legal(options, child, history, now)
        ):
            return False
    return True


# The clause inverted, and the move of the record that it spoils.
INVERSIONS = {
    nobody_is_bound: 16,
    single_stones_bind_too: 8,
    captures_before_the_collapse: 24,
    own_chains_leave_first: 23,
    nobody_looks_ahead: 24,
    every_completion_must_be_legal: 24,
}


def main() -> None:
    chosen = {function.__name__: function for function in INVERSIONS}
    for name in sys.argv[1:]:
        # A clause stays inverted for good, so each has a copy of this process.
        if child := os.fork():
            os.waitpid(child, 0)
            continue
        if name != "none":
            chosen[name]()
        try:
            print(name, "whole", replay().score)
        except Broken as broken:
            print(name, broken)
        return


if __name__ == "__main__":
    main()
