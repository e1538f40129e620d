"""Sides are called and coloured as their game says, in every picture."""

from __future__ import annotations

import functools
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import playproof
from playproof import PlayproofError, UsageError
from playproof.core import registry
from playproof.core.view import COLOURS, NEUTRAL, Board, Piece, Turn, View
from playproof.formats import svg, terminal
from playproof.formats.svg.theme import GROUNDS, tone
from tests.support.core.ring_game import Ring

STYLE = Path(playproof.__file__).parent / "web" / "static" / "style.css"


class Discs(Ring):
    """A game whose picture is two discs: all that is asked of it here."""

    name = "discs"
    players = ("Yellow", "Red")
    colours = ("y", "r")

    def view(self, state: playproof.State) -> View:
        pieces = (Piece("1", "a1", "disc", self.colours[0]), Piece("2", "b1", "disc", "r"))
        turn = Turn(self.colours[0], self.players[0])
        board = Board("cells", "wood", "abc", ("1",))
        return View(self.name, "Discs", board, pieces, turn, "Yellow to move.")


class East(Discs):
    """The names of its players are no colours."""

    name = "east"
    players = ("East", "West")


@functools.cache
def view(game: type[Discs] = Discs) -> View:
    return game().start().view()


def test_a_state_names_the_sides_as_its_game_does() -> None:
    assert view().sides == {"y": "Yellow", "r": "Red"}
    assert view(East).to_json()["sides"] == {"y": "East", "r": "West"}
    black = playproof.make("chess").start().view()
    assert list(black.sides.items()) == [("w", "White"), ("b", "Black")]


def test_the_terminal_names_both_sides() -> None:
    lines = terminal.render(view(), colour=False).split("\n")
    assert lines[0] == "Discs   ● Yellow to move"
    assert "●  ○  ·" in lines[2]
    assert "● Yellow  ○ Red" in lines
    assert "● East  ○ West" in terminal.render(view(East), colour=False).split("\n")


def test_the_terminal_colours_them() -> None:
    coloured = terminal.render(view(), colour=True)
    yellow, red = (re.search(rf"38;5;(\d+)m{sign}", coloured) for sign in "●○")
    assert yellow is not None
    assert red is not None
    assert yellow[1] != red[1]


def test_black_stays_dark_and_white_light_whoever_begins() -> None:
    for sides in ({"w": "White", "r": "Red"}, {"r": "Red", "w": "White"}):
        seen = replace(view(), sides=sides, pieces=(), turn=Turn("w", "White"))
        assert "○ White" in terminal.render(seen, colour=False)
        assert "● Red" in terminal.render(seen, colour=False)


def test_letters_are_small_for_the_second_side() -> None:
    men = (Piece("1", "a1", "K", "y"), Piece("2", "b1", "K", "r"))
    picture = terminal.render(replace(view(), pieces=men), colour=False)
    assert "K  k  ·" in picture
    assert "A-Z Yellow  a-z Red" in picture


def test_the_picture_is_yellow_and_red() -> None:
    picture = svg.render(view())
    assert picture.count(f'fill="{tone("y", False).fill}"') >= 2  # the disc, and the turn's
    assert f'fill="{tone("r", False).fill}"' in picture
    assert tone(NEUTRAL, False).fill not in picture


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"colours": ("yellow", "r")}, "discs: no piece is coloured 'yellow': want b (black)"),
        ({"colours": ("y", "n")}, "discs: 'n' is the colour of pieces of neither side"),
        ({"colours": ("y", "y")}, "discs: colours = ('y', 'y') is not two different texts"),
        ({"players": ("Yellow",)}, "discs: players = ('Yellow',) is not two different texts"),
        ({"players": ("Yellow", "")}, "discs: players = ('Yellow', '') is not two different texts"),
    ],
)
def test_what_cannot_be_drawn_is_not_registered(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], message: str
) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    with pytest.raises(UsageError, match=re.escape(message)) as error:
        playproof.register(type("Wrong", (Discs,), changes))
    assert "\n" not in str(error.value)


def test_a_piece_of_an_unknown_colour_is_an_error_and_not_grey() -> None:
    wrong = type("Wrong", (Discs,), {"colours": ("pink", "r")})
    with pytest.raises(PlayproofError, match=r"^discs: no piece is coloured 'pink': want b \(bl"):
        wrong().start().view()


# The palette


def _light(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    dark, light = sorted((_light(one), _light(two)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("style", GROUNDS)
@pytest.mark.parametrize("colour", [c for c in COLOURS if c != "w"])
def test_a_piece_shows_on_every_board(colour: str, style: str) -> None:
    of, ground = tone(colour, False), GROUNDS[style]
    for under in (ground.fill, ground.second):
        assert max(contrast(of.fill, under), contrast(of.edge, under)) >= 3


@pytest.mark.parametrize("colour", COLOURS)
def test_letters_on_a_piece_can_be_read(colour: str) -> None:
    of = tone(colour, False)
    assert contrast(of.fill, of.ink) >= 4.5


@pytest.mark.parametrize(
    ("one", "two"), list(combinations([c for c in COLOURS if c != NEUTRAL], 2))
)
def test_two_sides_stay_apart_without_colour(one: str, two: str) -> None:
    """By a dot instead of a ring, or by how bright they are."""
    first, second = tone(one, False), tone(two, False)
    assert first.core != second.core or contrast(first.fill, second.fill) >= 1.75


@pytest.mark.parametrize(
    ("rule", "colour", "pegs"),
    [
        *((f".dot-{c}", c, False) for c in COLOURS if c != NEUTRAL),
        (".pegs .dot-b", "b", True),
        (".pegs .dot-r", "r", True),
    ],
)
def test_the_page_has_the_same_colours(rule: str, colour: str, pegs: bool) -> None:
    of = tone(colour, pegs)
    rule_text = f"\n{rule} {{\n  background: {of.fill};\n  border-color: {of.edge};\n}}"
    assert rule_text in STYLE.read_text("utf-8")
