"""From a position of the game to its quantum state. Rows are written down, nothing is compiled."""

from __future__ import annotations

import math

import pytest

from playproof.core.errors import UsageError
from playproof.core.state import State
from playproof.games.othello.game import Othello
from playproof.games.quantum_go import text as quantum_go_text
from playproof.games.quantum_go.game import QuantumGo
from playproof.games.quantum_go.state.quantum_state import Group, QuantumState, quantum_of
from playproof.rules import quantum_go as law

FIGURE_7 = "3/x1O/1x1 w 0 - 0 0 B1+A2 -"


@pytest.fixture(autouse=True)
def _no_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading a position checks it with compiled code; these positions are known to be sound."""
    monkeypatch.setattr(QuantumGo, "fill_derived", lambda self, row: row)


def at(text: str, new: str = "", step: int = 0, **options) -> QuantumState:
    game = QuantumGo(**options)
    row = game.read_position(text)
    numbers = tuple(game.points.numbers[name] for name in new.split())
    row[game.ledger] |= step << 3
    row[game.ledger + 1] = quantum_go_text.pack(numbers)
    return quantum_of(State(game, row))


def test_figure_7_from_a_position() -> None:
    state = at(FIGURE_7, board="3x3")
    assert state.plain() == (
        "(|0>_{A1,A3,B2,B3,C1,C3})(|1>_{C2})_W(a1|0>_{A2}|1>_{B1} - b1|1>_{A2}|0>_{B1})_B"
    )
    assert state.entropy("A2") == 1


def test_a_pairs_amplitudes_are_the_games() -> None:
    state = at(FIGURE_7, board="3x3", alpha=0.8, collapse="born")
    # The game's alpha belongs to the point that is later by column, then row, as in Figure 7.
    assert state.probability("A2") == pytest.approx(0.36)
    assert state.probability("B1") == pytest.approx(0.64)
    assert state.groups[0].points == ("A2", "B1")


def test_groups_of_three() -> None:
    text = "o1o/3/1o1 b 0 - 0 0 B1+A3+C3 -"
    assert at(text, board="3x3", k=3).groups == (Group(1, ("A3", "B1", "C3"), "ghz"),)
    assert at(text, board="3x3", k=3, group="w").groups == (Group(1, ("A3", "B1", "C3"), "w"),)
    shrunk = at("o1o/3/3 b 0 - 0 0 A3+C3 -", board="3x3", k=3, group="w", alpha=0.8)
    assert shrunk.groups == (Group(1, ("A3", "C3"), "w"),)
    assert shrunk.probability("A3") == 0.5


def test_the_middle_of_a_turn() -> None:
    # One stone of two placed: not yet a pair. Both: White's, the younger of two.
    assert at(FIGURE_7, "A1", board="3x3").colour("A1") is None
    state = at(FIGURE_7, "A1 C3", law.OPPONENTS, board="3x3")
    assert [(group.owner, group.points) for group in state.groups] == [
        (0, ("A2", "B1")),
        (1, ("A1", "C3")),
    ]
    # In the semi-quantum game White's stone is single at once.
    state = at(FIGURE_7, "A1", law.OPPONENTS, board="3x3", variant="semi-black")
    assert state.singles == {"C2": 1, "A1": 1}


def test_oldest_first() -> None:
    state = at("1x1x/4/x1x1/4 w 0 - 0 0 A2+B4,C2+D4 -", board="4x4")
    assert [group.points for group in state.groups] == [("A2", "B4"), ("C2", "D4")]
    assert math.isclose(sum(state.probabilities().values()), 2)


def test_other_games_have_none() -> None:
    with pytest.raises(UsageError, match="Othello has no quantum state"):
        quantum_of(Othello().start())
