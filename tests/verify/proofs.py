"""Claims of the Othello paper and on Choko, proved with certificates; counts beyond the paper."""

from __future__ import annotations

import runpy
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import playproof
from playproof.core.parallel import executor as jobs

Pieces = dict[str, Callable[[], str]]


def _certified(theorem: str) -> str:
    """Prove a theorem with certificates in a temporary folder, and check them."""
    from playproof.proofs.certificates.check import check_bundle
    from playproof.proofs.certificates.write import write_bundle, write_chain
    from playproof.proofs.othello.mobility import OthelloMobility
    from playproof.proofs.othello.pipeline import search
    from playproof.proofs.theorems import ChokoAtMost, SameRules

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "certificate"
        began = time.perf_counter()
        if theorem == "35 moves":
            decisions = [write_bundle(home, OthelloMobility(35))]
        elif theorem == "34 moves reachable":
            decisions = write_chain(home, search(34).theorem(), workers=jobs.cores())
        else:
            theorems = {"177 actions of Choko": ChokoAtMost(177), "same rules": SameRules()}
            decisions = write_chain(home, theorems[theorem], workers=jobs.cores())
        assert decisions[-1].answer.status == "unsat", decisions[-1].statement.sentence()
        solved = time.perf_counter() - began
        report = check_bundle(home)
        assert report.verified, [c for part in report.parts for c in part.checks if not c.passed]
        size = sum(file.stat().st_size for file in home.rglob("*") if file.is_file())
    checked = time.perf_counter() - began - solved
    proofs = f"{len(decisions)} proofs in {solved:.0f} s, {size / 1e6:.0f} MB"
    return f"{proofs}, checked in {checked:.0f} s"


def _hinted() -> str:
    """All parts as LRAT for both checkers, and changes of one of them."""
    import io
    import random

    from playproof.proofs.certificates.write import write_chain
    from playproof.proofs.checker import lrat, plain
    from playproof.proofs.checker.check import check
    from playproof.proofs.othello.pipeline import search
    from tests.support.proofs.naive_lrat import CHANGES

    seconds = {"DRAT": 0.0, "fast": 0.0, "plain": 0.0}
    size = lines = 0
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "certificate"
        parts = len(write_chain(home, search(34).theorem(), workers=jobs.cores()))
        for part in sorted(home.glob("[0-9]*")):
            formula, hinted = (part / "formula.cnf").read_bytes(), io.BytesIO()
            start = time.perf_counter()
            assert check(formula, part / "proof.drat", lrat=hinted).verified, part.name
            checked = time.perf_counter()
            verdict = lrat.check(formula, hinted.getvalue())
            assert verdict.verified, (part.name, verdict.reason)
            followed = time.perf_counter()
            proof = hinted.getvalue().decode().splitlines()
            clauses = formula.decode().splitlines()
            assert plain.refute(clauses, proof) == len(proof)
            seconds["DRAT"] += checked - start
            seconds["fast"] += followed - checked
            seconds["plain"] += time.perf_counter() - followed
            size, lines = size + len(hinted.getvalue()), lines + len(proof)
    # The last part is the one that is changed.
    rng, refused = random.Random(1), 0
    given = [[int(word) for word in line.split()[:-1]] for line in clauses if line[0] not in "cp"]
    names = list(CHANGES)
    for number in range(200):
        changed = CHANGES[names[number % len(names)]](rng, given, proof)
        assert changed is not None
        plain_accepts, fast_accepts = _judged(*changed)
        assert plain_accepts == fast_accepts, (number, names[number % len(names)])
        refused += not plain_accepts
    assert refused > 50, refused
    times = ", ".join(f"{name} {spent:.0f} s" for name, spent in seconds.items())
    return (
        f"{parts} parts, {lines:,} lines, {size / 1e6:.0f} MB: {times}; "
        f"{refused} of 200 changes refused, by both"
    )


def _judged(formula: list[list[int]], lines: list[str]) -> tuple[bool, bool]:
    """Whether the plain and the fast LRAT checker accept a proof."""
    from tests.support.proofs.naive_lrat import fast_objection, plain_objection

    return not plain_objection(formula, lines), not fast_objection(formula, lines)


def _by_cubes(at_least: int, empties: int) -> str:
    from playproof.proofs.certificates.write import refute
    from playproof.proofs.theorems import ByCubes

    result = refute(ByCubes(at_least, 8, empties), workers=jobs.cores())
    assert result[-1].answer.status == "unsat", result[-1].statement.sentence()
    seconds = sum(one.answer.seconds for one in result)
    return f"UNSAT in {len(result)} parts, {seconds:,.0f} s of solving"


GROUPS = 21  # of 11 parts each, a few minutes of one core with their check


def parts_of_group(group: int, parts: int) -> range:
    """The numbers of every 21st part, so that easy and hard ones are in each group."""
    return range(group, parts, GROUPS)


def _certified_cubes(at_least: int, empties: int, group: int) -> str:
    """Certify and check a group of the parts of a bound.  What is checked is deleted, since all
    certificates together take gigabytes."""
    from playproof.proofs.certificates.check import check_bundle
    from playproof.proofs.certificates.write import write_bundle
    from playproof.proofs.theorems import ByCubes

    statements = ByCubes(at_least, 8, empties).statements()
    numbers = parts_of_group(group, len(statements))
    solving = checking = 0.0
    size = 0
    for number in numbers:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder) / "certificate"
            began = time.perf_counter()
            decision = write_bundle(home, statements[number])
            assert decision.answer.status == "unsat", decision.statement.sentence()
            solved = time.perf_counter()
            report = check_bundle(home)
            assert report.verified, number
            checking += time.perf_counter() - solved
            solving += solved - began
            size += sum(file.stat().st_size for file in home.rglob("*") if file.is_file())
    return (
        f"{len(numbers)} of {len(statements)} parts certified in {solving:,.0f} s, "
        f"{size / 1e6:,.0f} MB, checked in {checking:,.0f} s"
    )


def _census(stones: int) -> str:
    """Run a census, which resumes from its file in the cache, and compare the shipped records."""
    from playproof.proofs.othello.boards import canonical
    from playproof.proofs.othello.census.candidates import candidates, default_file
    from playproof.proofs.othello.census.records import CANDIDATES, CensusRecord, census_records
    from playproof.proofs.othello.census.search import census

    result = census(candidates(33, stones), file=default_file(33, stones, 8), workers=jobs.cores())
    assert result.finished
    assert result.unknown == 0
    assert result.total == CANDIDATES[stones]
    start = playproof.make("othello").start()
    reached = {
        canonical(CensusRecord(one.record, start.play(one.record)).position, 8)
        for one in result.reachable
    }
    shipped = {canonical(one.position, 8) for one in census_records() if one.stones == stones}
    assert reached == shipped, f"{len(reached)} reached, {len(shipped)} shipped"
    return f"{len(reached)} of {result.total:,} candidates, {result.seconds:,.0f} s of search"


def _earliest_enumerated() -> str:
    """The earliest plies up to 22 moves, from the most moves with each number of stones."""
    from playproof.proofs.othello.census.earliest import earliest_games, most_moves

    most = {one.stones: one.moves for one in most_moves(16)}
    games = [game for game in earliest_games() if game.enumerated]
    fewer = 4  # at the start
    for stones, moves in most.items():
        here = [(game.at_least, game.moves) for game in games if game.stones == stones]
        assert here == ([(fewer + 1, moves)] if moves > fewer else []), stones
        fewer = max(fewer, moves)
    # Nothing is claimed of all positions with 17 stones, only that 22 moves are reached with them.
    assert [(game.stones, game.at_least) for game in games if game.stones > 16] == [(17, fewer + 1)]
    return f"up to {fewer} moves: " + ", ".join(f"{m} with {n} stones" for n, m in most.items())


def _earliest_by_search(moves: int) -> str:
    from playproof.proofs.othello.census.earliest import prove_earliest

    proof = prove_earliest(moves)
    assert proof.holds is True
    return f"ply {proof.game.plies}; {'; '.join(proof.findings)}; {proof.seconds:,.0f} s"


def _nineteen() -> str:
    from playproof.proofs.othello.pipeline import search

    result = search(19, size=6, max_stones=15)
    assert result.exists is True
    state = playproof.make("othello:size=6").start().play(result.reachable[0].record)
    assert len(state.legal_actions()) == 19
    assert search(20, size=6).exists is False
    return "play on 6x6 leads to 19 moves, never to 20"


def _own_positions() -> str:
    """The page on Othello positions of one's own, with its own numbers."""
    from playproof.proofs import prove_reachable, register_statement
    from playproof.rules import othello

    examples = Path(__file__).parents[2] / "docs" / "examples"
    one_sided, total, counts = (
        runpy.run_path(str(examples / f"othello_{name}.py"))
        for name in ("one_sided", "total", "counts")
    )
    reached = prove_reachable(one_sided["OneSided"](20))
    assert reached.record is not None
    row = playproof.make("othello").start().play(reached.record).row
    black, white, board = int(row[0]), int(row[1]), othello.board(8)
    sides = [othello.moves(a, b, board).bit_count() for a, b in ((black, white), (white, black))]
    assert sorted(sides) == [0, 20], sides
    register_statement(total["TotalMobility"])
    register_statement(counts["ExactCounts"])
    with tempfile.TemporaryDirectory() as folder:
        for name, proof in {
            "total": partial(playproof.prove, total["TotalMobility"](33, size=6)),
            "counts": partial(prove_reachable, counts["ExactCounts"](20, 20, size=6)),
        }.items():
            assert proof(certificate=f"{folder}/{name}", check=True).verified, name
    return f"20 moves against none: {reached.record}; two refutations on 6x6 verified"


def _formula() -> str:
    from playproof.proofs.othello.unrolled_game import OthelloUnroll

    variables = OthelloUnroll(34, 42).cnf.variables
    assert 100_000 < variables < 1_000_000, variables
    return f"{variables:,} variables (the paper's formula has 995,378)"


def _tampered(seed: int = 1, tries: int = 4000) -> str:
    """Certificates that were tampered with at random: verified as what they were, or rejected."""
    from playproof.proofs.certificates.write import write_bundle, write_chain
    from playproof.proofs.othello.mobility import OthelloMobility
    from playproof.proofs.theorems import UnreachableBound
    from tests.support.proofs.hostile import attack

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        write_bundle(home / "bundle", OthelloMobility(9, 4))
        write_chain(home / "chain", UnreachableBound(8, (0x6070A, 0x1060E05), 1, 4))
        counts = [
            attack(home / name, home, seed, number)
            for name, number in (("bundle", tries), ("chain", tries // 4))
        ]
    total = {key: sum(one[key] for one in counts) for key in counts[0]}
    return f"seed {seed}: {total['rejected']} rejected, {total['verified']} mean what they meant"


def pieces() -> Pieces:
    theorems = ("35 moves", "34 moves reachable", "177 actions of Choko", "same rules")
    return {
        **{f"certified: {theorem}": partial(_certified, theorem) for theorem in theorems},
        "34 moves reachable, with hints": _hinted,
        "certificates that were tampered with": _tampered,
        "19 moves on 6x6, never 20": _nineteen,
        "34 moves in 42 plies, as a formula": _formula,
        "Othello positions of one's own": _own_positions,
        "34 moves, 38 empty": partial(_by_cubes, 34, 38),
        "33 moves, 39 empty": partial(_by_cubes, 33, 39),
        **{
            f"certified: 33 moves, 39 empty, group {group + 1} of {GROUPS}": partial(
                _certified_cubes, 33, 39, group
            )
            for group in range(GROUPS)
        },
        **{f"census with {stones} stones": partial(_census, stones) for stones in range(26, 32)},
        "the earliest plies up to 22 moves": _earliest_enumerated,
        "the earliest ply with 33 moves": partial(_earliest_by_search, 33),
    }
