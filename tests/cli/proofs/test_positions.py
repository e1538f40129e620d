"""``playproof prove NAME --reachable`` and ``--enumerate`` for statements about positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from playproof.core.errors import UsageError
from playproof.core.registry import make
from playproof.proofs import (
    OthelloPosition,
    PositionWords,
    prove_reachable,
    register_statement,
    registry,
)
from tests.support.cli.running import Answer
from tests.support.paths import EXAMPLES

Playproof = Callable[..., Answer]
WORDS = ("prove", "othello-one-sided", "--size", "4", "--moves")


@pytest.fixture(autouse=True)
def _one_sided(monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of the documentation, registered for one test."""
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import othello_one_sided

    registry.register_statement(othello_one_sided.OneSided)


def test_a_reachable_position_comes_with_its_game(playproof: Playproof) -> None:
    answer = playproof(*WORDS, "5", "--reachable")
    assert answer.code == 0, answer.err
    assert "moves     5, of the other side 0;" in answer.out
    assert "\nREACHED  a reachable Othello position on 4x4 in which" in answer.out
    data = playproof(*WORDS, "5", "--reachable", "--json").json()
    assert (data["reachable"], data["status"]) == (True, "sat")
    state = make("othello", size=4).start().play(data["record"])
    assert state.position == data["position"]


@pytest.mark.slow
def test_a_refutation_says_what_it_rests_on(playproof: Playproof, tmp_path: Path) -> None:
    answer = playproof(*WORDS, "6", "--reachable")
    assert answer.code == 0, answer.err
    assert "REFUTED  a reachable Othello position on 4x4" in answer.out
    assert "by search: " in answer.out
    assert "--certificate DIR asks for a proof without the search" in answer.out
    alone = playproof(*WORDS, "12", "--reachable")
    assert "by a formula alone; --certificate DIR writes a certificate" in alone.out
    folder = tmp_path / "no-6"
    data = playproof(
        *WORDS, "6", "--reachable", "--certificate", str(folder), "--check", "--json"
    ).json()
    assert (data["reachable"], data["verified"]) == (False, True)
    assert data["certificate"] == str(folder)
    assert '"placements": 7' in (folder / "statement.json").read_text()


def test_positions_are_listed(playproof: Playproof) -> None:
    data = playproof(*WORDS, "7", "--enumerate", "3", "--json").json()
    game = make("othello", size=4)
    assert len(data["positions"]) in (1, 2, 3)
    for text in data["positions"]:
        assert len(game.position(text).legal_actions()) == 7


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (("--reachable", "--dimacs", "x.cnf"), "--dimacs and --reachable do not go together"),
        (("--reachable", "--enumerate", "3"), "--enumerate and --reachable do not go together"),
        (("--enumerate", "3", "--certificate", "x"), "--enumerate and --certificate do not go"),
        (("--reachable", "--check"), "--check needs something to check"),
        (("--reachable", "--seconds", "0"), "not decided in"),
        (("--placements", "13"), "13 placements: want 0 to 12"),
    ],
)
def test_bad_options_are_one_line(
    options: tuple[str, ...], wanted: str, playproof: Playproof
) -> None:
    answer = playproof(*WORDS, "5", *options)
    assert answer.code != 0
    assert wanted in answer.err


def test_a_class_that_lacks_something_is_refused() -> None:
    @dataclass(frozen=True)
    class Lacking(OthelloPosition):
        family: ClassVar[str] = "othello-lacking"

        def condition(self) -> str:
            return "x"

    with pytest.raises(UsageError, match=r"Lacking has no requirements\(\)"):
        register_statement(Lacking)

    @dataclass(frozen=True)
    class Reserved(OthelloPosition):
        family: ClassVar[str] = "othello-reserved"
        reachable: bool = True

        def condition(self) -> str:
            return "x"

        def requirements(self, position: PositionWords) -> None:
            pass

    with pytest.raises(UsageError, match=r"Reserved\.reachable is an option of prove"):
        register_statement(Reserved)


def test_only_positions_can_be_reached() -> None:
    with pytest.raises(UsageError, match="othello-mobility is no OthelloPosition: want one"):
        prove_reachable("othello-mobility", at_least=5)
    with pytest.raises(UsageError, match="check=True needs something to check"):
        prove_reachable("othello-one-sided", moves=5, size=4, check=True)
