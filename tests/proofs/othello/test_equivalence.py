"""The paper's functions and the rules: equal on all inputs, and no vacuous proof of it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from playproof.core.errors import UsageError
from playproof.proofs.certificates.check import check_bundle
from playproof.proofs.certificates.write import write_bundle
from playproof.proofs.othello import takizawa_functions as figures
from playproof.proofs.othello.equivalence import FIGURES, Equivalence
from playproof.proofs.othello.takizawa_functions import (
    ALL,
    carried_flips,
    multiplied_count,
    prefix_moves,
    rays,
)
from playproof.proofs.registry import read_statement
from playproof.proofs.sat.solvers import UNSAT
from playproof.proofs.statements import decide
from playproof.rules import othello
from tests.support.proofs.circuits import othello_positions


def test_the_figures_agree_with_the_rules_on_random_positions() -> None:
    random = Random(11)
    flipping = 0
    for own, opponent in othello_positions(3000, seed=12):
        assert prefix_moves(own, opponent) == othello.moves(own, opponent, ALL)
        assert multiplied_count(own) == own.bit_count()
        square = random.randrange(64)
        if not (own | opponent) >> square & 1:
            flips = othello.flips(own, opponent, 1 << square)
            assert carried_flips(own, opponent, *rays(square)) == flips
            flipping += flips != 0
    assert flipping > 100


@pytest.mark.parametrize(
    "figure", [pytest.param(one, marks=pytest.mark.slow if one == 4 else ()) for one in FIGURES]
)
def test_a_figure_equals_the_rules_on_all_inputs(figure: int, tmp_path: Path) -> None:
    statement = Equivalence(figure)
    assert read_statement(statement.json()) == statement
    assert write_bundle(tmp_path / "bundle", statement).answer.status == UNSAT
    assert check_bundle(tmp_path / "bundle").verified


def _one_less(shift: Any, stones: Any, opponent: Any) -> Any:
    r = opponent & shift(stones)
    for _ in range(4):
        r = opponent & shift(stones | r)
    return r


@pytest.mark.parametrize("figure", [2, 4])
def test_a_run_too_short_in_the_rules_is_found(
    monkeypatch: pytest.MonkeyPatch, figure: int
) -> None:
    monkeypatch.setattr(othello, "run", _one_less)
    witness = decide(Equivalence(figure)).witness
    assert witness is not None
    own, opponent = witness["own"], witness["opponent"]
    if figure == 2:
        assert prefix_moves(own, opponent) != othello.moves(own, opponent, ALL)
    else:
        square = witness["square"]
        flips = carried_flips(own, opponent, *rays(square))
        assert flips != othello.flips(own, opponent, 1 << square)


@pytest.mark.parametrize(
    ("figure", "name", "wrong"),
    [(2, "_INNER", ALL), (4, "_INNER", ALL), (3, "_EVERY_BYTE", 0x0101010101010001)],
)
def test_a_wrong_constant_in_a_figure_is_found(
    monkeypatch: pytest.MonkeyPatch, figure: int, name: str, wrong: int
) -> None:
    monkeypatch.setattr(figures, name, wrong)
    assert decide(Equivalence(figure)).witness is not None


def test_there_are_three_figures() -> None:
    with pytest.raises(UsageError, match="want 2, 3 or 4"):
        Equivalence(5)
