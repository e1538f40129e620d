"""Chains: a theorem is as good as its parts, and what it needs is counted."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from playproof.core.errors import DataError
from playproof.proofs.certificates.check import check_bundle
from playproof.proofs.certificates.write import refute, write_chain
from playproof.proofs.othello.boards import position_images
from playproof.proofs.othello.constructible import centre
from playproof.proofs.sat.solvers import SAT, UNKNOWN, UNSAT
from playproof.proofs.theorems import (
    ByCubes,
    ChokoAtMost,
    SameRules,
    Theorem,
    UnreachableBound,
    cubes,
    read_theorem,
)
from tests.support.proofs.certificates import edit, small_theorem


def test_a_chain_has_numbered_parts(chain: Path) -> None:
    told: list[tuple[str, str, float]] = []
    report = check_bundle(chain, on_progress=lambda *what: told.append(what))
    theorem = small_theorem()
    assert report.verified
    assert report.whole is not None
    assert report.whole.passed is True
    assert report.title == "no reachable position of Othello on 4x4 has at least 8 legal moves"
    assert [part.part for part in report.parts][:2] == ["001", "002"]
    assert [part.statement for part in report.parts] == theorem.statements()
    assert len(report.parts) == 1 + len(theorem.sets)
    assert ("002", "proof", 0.0) in told


def test_a_chain_is_as_good_as_its_worst_part(chain: Path) -> None:
    # Cut short; a formula that is refuted without a proof would not notice.
    edit(chain / "001" / "proof.drat", lambda data: data[:1])
    report = check_bundle(chain)
    assert [part.verified for part in report.parts][:2] == [False, True]
    assert not report.verified


def test_a_part_cannot_be_left_out(chain: Path) -> None:
    index = json.loads((chain / "index.json").read_text())
    for parts in (index["parts"][:1], [], index["parts"][::-1], [{"part": "../chain/001"}]):
        (chain / "index.json").write_text(json.dumps({**index, "parts": parts}))
        with pytest.raises(DataError):
            check_bundle(chain)


def retitled(chain: Path, **changes: object) -> str:
    """The theorem's check after a forger has changed what it is said to prove."""
    index = json.loads((chain / "index.json").read_text())
    index["theorem"] |= changes
    (chain / "index.json").write_text(json.dumps(index))
    report = check_bundle(chain)
    assert not report.verified
    assert all(part.verified for part in report.parts)
    assert report.whole is not None
    return report.whole.detail


def test_a_chain_proves_its_own_theorem_and_no_other(chain: Path) -> None:
    assert (
        retitled(chain, at_least=6) == "part 001 is not the statement that the theorem needs there"
    )


def test_a_blocked_set_without_a_chain_of_its_own_is_noticed(chain: Path) -> None:
    sets = [f"{word:#x}" for word in small_theorem().sets]
    assert "the theorem needs" in retitled(chain, sets=sets[:-1])


def test_parts_in_another_order_are_noticed(chain: Path) -> None:
    (chain / "001").rename(chain / "aside")
    (chain / "002").rename(chain / "001")
    (chain / "aside").rename(chain / "002")
    report = check_bundle(chain)
    assert not report.verified
    assert all(part.verified for part in report.parts)


@pytest.mark.parametrize(
    "theorem",
    [None, {}, {"format": 1, "theorem": "fermat"}, {"format": 1, "theorem": "equivalence", "n": 3}],
)
def test_a_theorem_that_cannot_be_read_is_one_line(chain: Path, theorem: object) -> None:
    index = json.loads((chain / "index.json").read_text())
    (chain / "index.json").write_text(json.dumps({**index, "theorem": theorem}))
    with pytest.raises(DataError) as broken:
        check_bundle(chain)
    assert "\n" not in str(broken.value)


def test_a_chain_stops_at_what_is_not_refuted(tmp_path: Path) -> None:
    # Without its sets blocked, the first part has a witness.
    theorem = UnreachableBound(7, (), 1, 4)
    decisions = write_chain(tmp_path / "chain", theorem)
    assert [decision.answer.status for decision in decisions] == [SAT]
    assert not (tmp_path / "chain").exists()


def test_a_part_that_takes_too_long_leaves_nothing(tmp_path: Path) -> None:
    decisions = write_chain(tmp_path / "chain", ByCubes(33, 8, 37), seconds=0.2, workers=2)
    assert decisions[-1].answer.status == UNKNOWN
    assert not (tmp_path / "chain").exists()


# Theorems


@pytest.mark.parametrize("size", [4, 6, 8])
def test_cubes_cover_every_position_once(size: int) -> None:
    ways = list(cubes(size))
    assert len(ways) == 231
    # Burnside's count of fillings up to the eight symmetries: none is missing, none twice.
    kinds = {min(position_images((own, other), size)) for own, other, _ in ways}
    assert len(kinds) == 231
    squares = {own | other | empty for own, other, empty in ways}
    assert [word.bit_count() for word in squares] == [8]
    chooser = random.Random(size)
    places = [1 << i for i in range(64) if next(iter(squares)) >> i & 1]
    for _ in range(200):
        own = other = 0
        for place in places:
            content = chooser.choice((1, 2) if place & centre(size) else (0, 1, 2))
            own, other = own | place * (content == 1), other | place * (content == 2)
        images = set(position_images((own, other), size))
        assert sum((a, b) in images for a, b, _ in ways) == 1


@pytest.mark.slow
def test_cubes_agree_with_the_whole_question() -> None:
    # 6 moves are possible on 4x4, so some cube has a witness.  (That 9 are not, in
    # 231 parts, is tried at the command line.)
    decided = refute(ByCubes(6, 4), workers=1)
    assert decided[-1].answer.status == SAT
    assert {one.answer.status for one in decided[:-1]} <= {UNSAT}


@pytest.mark.parametrize(
    "theorem", [ByCubes(9, 4), UnreachableBound(7, (0x1818,), 2, 4), ChokoAtMost(177), SameRules()]
)
def test_theorems_come_back_from_json(theorem: Theorem) -> None:
    assert read_theorem(theorem.json()) == theorem
    assert "\n" not in theorem.sentence()
