"""Takizawa (2023), on the most legal moves of Othello in reachable positions, run again.

Times are from the paper's own logs, on a Ryzen 5950X: z3 for positions regardless of
reachability, kissat on a game unrolled over 42 plies for the others.

The lab lists the claims without compiling anything, so modules with kernels are imported
by the functions that need them.
"""

from __future__ import annotations

from functools import partial

from playproof.core.parallel import executor as jobs
from playproof.core.registry import make
from playproof.papers.claims import Claim
from playproof.proofs.othello.boards import position_text
from playproof.proofs.othello.census.candidates import candidates, default_file
from playproof.proofs.othello.equivalence import FIGURES, Equivalence
from playproof.proofs.othello.mobility import OthelloMobility, enumerate_positions
from playproof.proofs.statements import decide
from playproof.proofs.theorems import ByCubes

TITLE = "The maximum number of legal moves of Othello in reachable positions is 33"

RECORDS = {
    "Black": "F5D6C4F3C5B4B3E6C6G5F6C7C3D2C2B2F4G4G3G7G6E7D3G2H3B6",
    "White": "F5F6E6F4G7C6G3E7D6F3E3D3B7D7C2G2G1C3B2B3B4F7G5C4C7C8E2",
}
POSITIONS = 19_785_690  # with 15 stones, up to symmetry
GENERATED = 1_000
POSITIONS_WITH_33 = 915  # reachable, up to symmetry and colours
PASSES, OPENING = 2, 17  # at most so many passes before the next stone after so many
PLIES = 42  # of the paper's unrolled game
CORES_FOR_CUBES = 4  # 34-38: 268 s of solving in 231 parts, 44 s as one formula


def _impossible(at_least: int, empties: int) -> tuple[str, bool]:
    result = decide(OthelloMobility(at_least, 8, empties))
    return result.answer.status.upper(), result.answer.status == "unsat"


def _impossible_by_the_faster_way(at_least: int, empties: int) -> tuple[str, bool]:
    """As one formula, or in parts if there are enough cores: all parts together take more than
    three times as long as the whole."""
    if jobs.cores() < CORES_FOR_CUBES:
        summary, holds = _impossible(at_least, empties)
        return f"{summary} as one formula", holds
    return _impossible_by_cubes(at_least, empties)


def _impossible_by_cubes(at_least: int, empties: int) -> tuple[str, bool]:
    from playproof.proofs.certificates.write import refute

    result = refute(ByCubes(at_least, 8, empties), workers=jobs.cores())
    summary = f"{result[-1].answer.status.upper()} in {len(result)} parts"
    return summary, result[-1].answer.status == "unsat"


def _witness(at_least: int, empties: int) -> tuple[str, bool]:
    result = decide(OthelloMobility(at_least, 8, empties))
    if result.witness is None:
        return result.answer.status.upper(), False
    text = position_text((result.witness["own"], result.witness["opponent"]), 8)
    state = make("othello").position(text)
    moves, free = len(state.legal_actions()), text.count("-")
    return f"{moves} moves, {free} empty: {text}", moves >= at_least and free >= empties


def _generated() -> tuple[str, bool]:
    """Whether any of many generated positions with 33 moves is reachable."""
    from playproof.proofs.othello.retrograde.forward import UNCACHED_STONES, forward_table
    from playproof.proofs.othello.retrograde.search import DeadPositions, Reachable, reach

    game = make("othello")
    generated = enumerate_positions(OthelloMobility(33), GENERATED)
    table, memory = forward_table(UNCACHED_STONES, 8), DeadPositions()
    reached = 0
    for position in generated.positions:
        state = game.position(position_text(position, 8))
        answer = reach(state, symmetric=True, forward=table, memory=memory)
        reached += isinstance(answer, Reachable)
    return f"{reached} of {len(generated.positions):,} reachable", reached == 0


def _replay(side: str) -> tuple[str, bool]:
    state = make("othello").start().play(RECORDS[side])
    moves = len(state.legal_actions())
    mover = state.game.players[state.current_player or 0]
    summary = f"{moves} moves for {mover} after {len(state.actions)} plies"
    return summary, moves == 33 and mover == side


def _unreachable() -> tuple[str, bool]:
    from playproof.proofs.othello.pipeline import search

    result = search(34)
    assert result.colourings is not None
    levels = [] if result.retreat is None else result.retreat.counts
    summary = (
        f"{len(result.sets.sets)} sets, {result.colourings.total} colourings, "
        f"levels {', '.join(map(str, levels))}"
    )
    return summary, result.exists is False


def _passes() -> tuple[str, bool]:
    """At most two passes before the 18th stone, so 42 plies are enough to reach 34 moves."""
    from playproof.proofs.othello.passes import plies_for, search

    more = search(PASSES + 1, OPENING)
    stones = next(n for n in range(4, OPENING + 1) if search(PASSES, n).record is not None)
    example = search(PASSES, stones).record
    plies = plies_for(34, PASSES, OPENING)
    summary = (
        f"{PASSES} with {stones} stones ({example}), never {PASSES + 1} before stone "
        f"{OPENING + 1}; {plies} plies for 34 moves"
    )
    return summary, more.record is None and plies <= PLIES


def _six_any() -> tuple[str, bool]:
    twenty, more = decide(OthelloMobility(20, 6)), decide(OthelloMobility(21, 6))
    if twenty.witness is None:
        return twenty.answer.status.upper(), False
    text = position_text((twenty.witness["own"], twenty.witness["opponent"]), 6)
    moves = len(make("othello:size=6").position(text).legal_actions())
    summary = f"{moves} moves: {text}; 21: {more.answer.status.upper()}"
    return summary, moves == 20 and more.answer.status == "unsat"


def _six_reachable() -> tuple[str, bool]:
    from playproof.proofs.othello.pipeline import search

    nineteen, more = search(19, size=6, max_stones=15), search(20, size=6)
    if not nineteen.reachable:
        return "no game reaches 19 moves", False
    record = nineteen.reachable[0].record
    moves = len(make("othello:size=6").start().play(record).legal_actions())
    never = "never 20" if more.exists is False else "20 are not refuted"
    return f"{moves} moves after {record}; {never}", moves == 19 and more.exists is False


def _positions() -> tuple[str, bool]:
    from playproof.core import enumeration

    count = 0
    for level in enumeration.enumerate_positions(make("othello"), 15 - 4):  # stones to add
        count = len(level.rows)
    return f"{count:,}", count == POSITIONS


def _figure(number: int) -> tuple[str, bool]:
    result = decide(Equivalence(number))
    same = result.answer.status == "unsat"
    return "equal on every input" if same else "different", same


def _census(stones: int, expected: int) -> tuple[str, bool]:
    from playproof.proofs.othello.census.search import census

    starts = candidates(33, stones)
    result = census(starts, file=default_file(33, stones, 8), workers=None)
    reached = len(result.reachable)
    summary = f"{reached} of {result.total:,} candidates reachable"
    if result.reachable:
        summary += f", such as {result.reachable[0].record}"
    return summary, result.finished and reached == expected


def _records() -> tuple[str, bool]:
    """Replay the games of the finished census."""
    from playproof.proofs.othello.census.records import census_records

    count = len(census_records())  # raises if a game does not end with 33 moves
    return f"{count} games replayed", count == POSITIONS_WITH_33


def _earliest(moves: int, ply: int) -> tuple[str, bool]:
    """A game to ``moves`` moves at that ply, and that no game has them sooner."""
    from playproof.proofs.othello.census.earliest import prove_earliest

    proof = prove_earliest(moves)
    game = proof.game
    summary = f"ply {game.plies}, {game.stones} stones, {game.colour} to move: {game.record}"
    return summary, proof.holds is True and game.plies == ply


CLAIMS = (
    Claim("34", "34 moves are possible, reachable or not", "SAT", None, partial(_witness, 34, 0)),
    Claim("35", "35 moves are impossible", "UNSAT", 55.0, partial(_impossible, 35, 0)),
    Claim(
        "33-38", "33 moves with 38 empty squares (Figure 5a)", "SAT", None,
        partial(_witness, 33, 38),
    ),
    Claim(
        "34-37", "34 moves with 37 empty squares (Figure 5b)", "SAT", None,
        partial(_witness, 34, 37),
    ),
    Claim(
        "34-38", "34 moves with 38 empty squares are impossible", "UNSAT", 722.0,
        partial(_impossible_by_the_faster_way, 34, 38),
    ),
    Claim(
        "33-39", "33 moves with 39 empty squares are impossible", "UNSAT", 18_017.0,
        partial(_impossible_by_cubes, 33, 39), long=True, our_seconds=1_035.0,
    ),
    Claim(
        "generated", "generated positions with 33 moves, none reachable", "0 of over 1,000", None,
        _generated,
    ),
    Claim(
        "black", "33 moves for Black are reachable", "33 (a record)", 55_409.0,
        partial(_replay, "Black"),
    ),
    Claim(
        "white", "33 moves for White are reachable", "33 (a record)", 23_949.0,
        partial(_replay, "White"),
    ),
    Claim("unreachable", "34 moves are not reachable", "UNSAT", 22_719.0, _unreachable),
    Claim(
        "passes", "at most two passes before the 18th stone: 42 plies suffice", "2", None,
        _passes,
    ),
    Claim(
        "positions", "positions with 15 stones, up to symmetry", f"{POSITIONS:,}", None,
        _positions,
    ),
    *(
        Claim(
            f"figure-{number}", f"our rules equal Figure {number} ({about})", "", None,
            partial(_figure, number),
        )
        for number, about in FIGURES.items()
    ),
    Claim(
        "6x6-any", "on 6x6: 20 moves are possible and 21 are not, reachable or not", "", None,
        _six_any,
    ),
    Claim(
        "6x6-reachable", "on 6x6: 19 moves are reachable and 20 are not", "", None,
        _six_reachable,
    ),
    Claim(
        "29", "33 moves after 25 plies already (29 stones), in 8 positions", "", None,
        partial(_census, 29, 8),
    ),
    Claim("27", "33 moves with 27 stones: none", "", None, partial(_census, 27, 0)),
    Claim("28", "33 moves with 28 stones: none", "", None, partial(_census, 28, 0)),
    Claim(
        "30", "33 moves with 30 stones, in 138 positions", "", None,
        partial(_census, 30, 138), long=True, our_seconds=530.0,
    ),
    Claim(
        "31", "33 moves with 31 stones, in 769 positions", "", None,
        partial(_census, 31, 769), long=True, our_seconds=3_183.0,
    ),
    Claim(
        "census", "all 915 reachable positions with 33 moves, each with a game", "", None, _records
    ),
    Claim("earliest-22", "22 moves first at ply 13", "", None, partial(_earliest, 22, 13)),
    Claim("earliest-33", "33 moves first at ply 25", "", None, partial(_earliest, 33, 25)),
)  # fmt: skip
