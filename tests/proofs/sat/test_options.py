"""Options of solvers: what they do, which there are, and portfolios as text."""

from __future__ import annotations

import pytest

from playproof.core.errors import UsageError
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.sat import cadical, options, solvers
from playproof.proofs.sat.options import (
    default_portfolio,
    ranges,
    read_options,
    split_options,
    split_portfolio,
)

STATEMENT = OthelloMobility(25)


@pytest.mark.parametrize(
    ("solver", "settings"),
    [
        ("kissat", {"seed": 7, "phase": 0}),
        ("kissat", {"stable": 2}),
        ("cadical", {"shuffle": 1, "shufflerandom": 1, "seed": 5, "phase": 0}),
        ("cadical", {"phase": 0}),
    ],
)
def test_options_change_the_search_and_are_recorded(solver: str, settings: dict[str, int]) -> None:
    plain = solvers.solve(STATEMENT.cnf, solver=solver)
    answer = solvers.solve(STATEMENT.cnf, solver=solver, options=settings)
    assert answer.status == plain.status == "sat"
    assert answer.model is not None
    assert plain.model is not None
    assert set(answer.model) != set(plain.model)
    assert (dict(plain.options), dict(answer.options)) == ({}, settings)
    assert answer.label.startswith(f"{solver} {solvers.version(solver)} ")
    assert answer.label.endswith(" ".join(f"{k}={v}" for k, v in settings.items()))


def test_a_seed_is_an_option() -> None:
    first, again = (solvers.solve(STATEMENT.cnf, solver="kissat", seed=3) for _ in range(2))
    assert first.model == again.model
    assert dict(first.options) == {"seed": 3}


def test_the_table_is_of_the_cadical_that_is_installed() -> None:
    assert cadical.VERSION == "1.9.5"
    assert {"seed", "phase", "target", "restartint", "stabilizefactor"} <= set(ranges("cadical"))
    # These would change what is printed or the form of the proof.
    assert not {"binary", "lrat", "quiet", "verbose", "frat"} & set(ranges("cadical"))
    assert all(least < most for least, most in ranges("cadical").values())


def test_kissat_names_its_own() -> None:
    assert ranges("kissat")["target"] == (0, 2)
    assert len(ranges("kissat")) > 100


@pytest.mark.parametrize(
    ("solver", "values", "says"),
    [
        ("kissat", {"targt": 2}, "kissat has no option 'targt': want target"),
        ("cadical", {"sed": 2}, "cadical has no option 'sed': want seed"),
        ("cadical", {"tier1": 2}, "cadical has no option 'tier1': want"),
        ("kissat", {"zzzz": 1}, "want seed, target or another"),
        ("kissat", {"target": 3}, "target=3 is no whole number from 0 to 2"),
        ("kissat", {"target": "two"}, "target=two is no whole number"),
        ("cadical", {"seed": -1}, "seed=-1 is no whole number from 0 to 2000000000"),
        ("cadical", {"seed": 1.5}, "seed=1.5 is no whole number"),
        ("kissat", {"seed": "9" * 5000}, "is no whole number"),
    ],
)
def test_what_a_solver_does_not_have_is_refused(
    solver: str, values: dict[str, object], says: str
) -> None:
    with pytest.raises(UsageError) as error:
        read_options(solver, values)
    assert says in str(error.value)
    assert len(str(error.value)) < 200


def test_values_are_numbers_or_true_or_false() -> None:
    assert read_options("kissat", {"stable": "true", "target": "2"}) == {"stable": 1, "target": 2}
    assert read_options("cadical", {"phase": False, "seed": 7}) == {"phase": 0, "seed": 7}


def test_pairs_of_name_and_value() -> None:
    assert split_options(["seed=7", " target = 2"]) == {"seed": "7", "target": "2"}
    for wrong, says in [
        (["seed"], "want NAME=VALUE"), (["=7"], "want NAME=VALUE"), (["seed="], "want NAME=VALUE"),
        (["seed=1", "seed=2"], "seed is set twice"),
    ]:  # fmt: skip
        with pytest.raises(UsageError, match=says):
            split_options(wrong)


def test_a_portfolio_as_text() -> None:
    text = "kissat,cadical, kissat:target=2,seed=3,cadical:phase=0"
    assert split_portfolio(text) == [
        "kissat", "cadical", "kissat:target=2,seed=3", "cadical:phase=0",
    ]  # fmt: skip


def test_the_default_portfolio_is_always_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_portfolio(2) == ["kissat", "cadical"]
    many = default_portfolio(12)
    assert len(set(many)) == 12
    assert many[:5] == default_portfolio(5)
    assert many[-1] == "kissat:seed=7"
    monkeypatch.setattr(options, "available", lambda: ["cadical"])
    monkeypatch.setattr(options, "choose_solver", lambda name: "cadical")
    assert default_portfolio(3) == ["cadical", "cadical:stabilize=0", "cadical:seed=1"]
