"""Many games at once: batches, random games and perft play by the same rules as a State."""

from __future__ import annotations

import pytest

from playproof import Game, State, perft
from playproof.core import perft as perft_module
from playproof.core.conformance import batches
from playproof.core.conformance.laws import Law
from tests.support.conformance.playing import every_game, hold, laws
from tests.support.toys.coin import Coin


@every_game
@laws(*batches.LAWS)
def test_many_games_at_once(game: Game, law: Law) -> None:
    hold(game, law)


def _leaves(state: State, depth: int) -> int:
    if depth == 0:
        return 1
    if state.is_terminal:
        return int(state.game.perft_counts_finished)
    return sum(_leaves(state.apply(action), depth - 1) for action in state.legal_actions())


@pytest.mark.parametrize("depth", [0, 1, 5, 8, 9, 12])
def test_perft_minds_the_past(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deep enough for positions to occur again."""
    start = Coin(cells=7).start().play("toss tails")
    expected = _leaves(start, depth)
    assert perft(start, depth) == expected
    monkeypatch.setattr(perft_module, "_LEAST_SUBTREES", 1)
    assert perft(start, depth) == expected
