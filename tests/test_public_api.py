"""The public names: all exist, are documented and are listed by ``dir``.

Functions take a game as an object or as a spec string.
"""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module

import numpy as np
import pytest

import playproof
from playproof import Batch, UsageError, make, make_agent
from playproof.core.registry import resolve_game, resolve_state
from playproof.formats.any_text import read_state
from playproof.search.alphabeta.search import AlphaBeta, AlphaBetaConfig
from playproof.tables.small_boards import solve
from tests.support.core.processes import python


@pytest.mark.parametrize("name", playproof.__all__)
def test_every_name_is_there_and_says_what_it_is(name: str) -> None:
    value = getattr(playproof, name)
    if not isinstance(value, str | int):
        assert (value.__doc__ or "").strip()
        # What a class inherits is about something else.
        assert not isinstance(value, type) or "__doc__" in vars(value)


def test_dir_lists_the_public_names_and_nothing_private() -> None:
    names = dir(playproof)
    assert set(playproof.__all__) <= set(names)
    assert {name for name in names if not name.startswith("__")} <= set(playproof.__all__)


def test_public_names_are_listed_before_anything_is_imported() -> None:
    output = python(
        "-c",
        "import sys, playproof; d = dir(playproof); "
        "print('Batch' in d, 'make_agent' in d, 'numba' in sys.modules)",
    )
    assert output.split() == ["True", "True", "False"]


EXAMPLES = doctest.DocTestFinder(recurse=False)
# An engine, people's own classes and constants are shown in the docs.
WITHOUT = {"elo", "CHANCE", "names", "__version__"}


@pytest.fixture
def own_registries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples do not see games of other tests, and leave nothing registered."""
    for module in ("core.registry", "agents.registry", "learning.registry", "learning.rewards",
                   "proofs.registry"):  # fmt: skip
        registry = import_module(f"playproof.{module}")
        monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    monkeypatch.setattr("playproof.core.registry._registered", {})


@pytest.mark.parametrize("name", sorted(set(playproof.__all__) - WITHOUT))
def test_every_name_has_an_example_that_runs(own_registries: None, name: str) -> None:
    value = getattr(playproof, name)
    (example,) = EXAMPLES.find(value, name, globs={})
    assert example.examples, f"{name} has no example"
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example)
    assert result.failed == 0


def test_what_users_need_is_public() -> None:
    names = """make list_games register Game State Batch make_agent register_agent Agent Limits
        analyse solve match tournament elo prove check train load_net perft playouts
        enumerate_positions Record PlayproofError UsageError DataError IllegalAction"""
    assert set(names.split()) <= set(playproof.__all__)


def test_no_public_signature_has_any() -> None:
    for name in playproof.__all__:
        value = getattr(playproof, name)
        if inspect.isfunction(value):
            signature = str(inspect.signature(value))
            assert "dict[str, Any]" not in signature, name
            assert ": Any" not in signature, name


# Games by name


def test_a_game_is_itself_or_its_spec() -> None:
    game = make("othello", size=6)
    assert resolve_game(game) is resolve_game("othello:size=6") is game
    assert resolve_state("othello:size=6") == resolve_state(game) == game.start()
    assert resolve_state(game.start()) == game.start()


@pytest.mark.parametrize("wrong", [3, None, ["othello"], type(make("othello"))])
def test_what_is_not_a_game_is_refused_in_one_line(wrong: object) -> None:
    for take in (resolve_game, resolve_state):
        with pytest.raises(UsageError, match=r"want .*'othello:size=6', not ") as error:
            take(wrong)  # type: ignore[arg-type]
        assert "\n" not in str(error.value)


def test_a_state_is_not_a_game() -> None:
    with pytest.raises(UsageError, match="want a game"):
        Batch.start(make("othello").start(), 2)  # type: ignore[arg-type]


def test_functions_take_specs_and_objects_alike() -> None:
    spec = "othello:size=4"
    game = make(spec)
    assert playproof.perft(spec, 5) == playproof.perft(game, 5) == playproof.perft(game.start(), 5)
    from_spec, from_game = (playproof.playouts(g, 50, seed=1).results for g in (spec, game))
    assert np.array_equal(from_spec, from_game)
    assert np.array_equal(Batch.start(spec, 3, seed=2).rows, Batch.start(game, 3, seed=2).rows)
    assert Batch(spec, game.start_row()[None]).game is game
    levels = [[level.count for level in playproof.enumerate_positions(g, 3)] for g in (spec, game)]
    assert levels[0] == levels[1]
    assert make_agent("greedy", spec).game is game
    assert AlphaBeta(spec, AlphaBetaConfig(depth=2)).search(game.start()).depth == 2
    assert read_state(spec, "d3") == game.start().play("d3")
    small = "go:board=2x2,ko=simple"
    assert solve(small).lower == solve(make(small)).lower


def test_an_unknown_spec_suggests_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean choko"):
        Batch.start("chokko", 1000, seed=1)
