"""The laws that every game keeps, whatever its rules; a new game is held to them unasked."""

from __future__ import annotations

import pytest

from playproof import Game
from playproof.core.conformance import play, text, views
from playproof.core.conformance.laws import Law
from playproof.core.conformance.safety import play_games
from tests.support.conformance.playing import GAMES, every_game, hold, laws
from tests.support.longer import longer


def _first_of_each() -> list[object]:
    """Uncompiled kernels are slow: of each game one variant in `make test`, all in `make slow`."""
    first = {game.name: game for game in reversed(GAMES)}.values()
    return [
        pytest.param(game, id=game.spec, marks=() if game in first else pytest.mark.slow)
        for game in GAMES
    ]


@pytest.mark.parametrize("game", _first_of_each())
def test_kernels_keep_to_their_memory(game: Game) -> None:
    """Kernels write unchecked, so one action too many would be somebody else's memory."""
    play_games(game, longer(3, 60), seed=1)


@every_game
@laws(*play.LAWS)
def test_playing(game: Game, law: Law) -> None:
    hold(game, law)


@every_game
@laws(*text.LAWS)
def test_text(game: Game, law: Law) -> None:
    hold(game, law)


@every_game
@laws(*views.LAWS)
def test_what_networks_and_people_see(game: Game, law: Law) -> None:
    hold(game, law)
