"""Symmetry and identity: which positions are the same, for every game."""

from __future__ import annotations

from playproof import Game
from playproof.core.conformance import symmetry
from playproof.core.conformance.laws import Law
from tests.support.conformance.playing import GAMES, every_game, hold, laws


@every_game
@laws(*symmetry.LAWS)
def test_symmetry(game: Game, law: Law) -> None:
    hold(game, law)


@every_game
def test_games_with_other_rules_have_no_state_in_common(game: Game) -> None:
    others = [other for other in GAMES if other != game]
    assert len(others) == len(GAMES) - 1
    assert all(other.start() != game.start() for other in others)
