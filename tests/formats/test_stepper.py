"""A game as a page to step through: every ply is there, drawn as it would be alone."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from random import Random

import pytest

import playproof
from playproof.core.errors import DataError
from playproof.core.state import State
from playproof.formats.record import Record
from playproof.formats.stepper import stepper
from playproof.formats.svg.drawing import render


def played(spec: str, plies: int, seed: int = 1) -> State:
    state, chooser = playproof.make(spec).start(), Random(seed)
    while len(state.actions) < plies and not state.is_terminal:
        state = state.apply(chooser.choice(state.legal_actions()))
    return state


def frames(page: str) -> list[str]:
    """The pictures of a page, with what they refer to put back in its place."""
    shared = dict(re.findall(r'<g id="(pp\w+)">(.*?)</g>(?=<g id="pp|</defs>)', page))
    figures = re.findall(r'<figure class="f\d+">(<svg.*?</svg>)', page, re.DOTALL)
    return [re.sub(r'<use href="#(\w+)"/>', lambda m: shared[m[1]], frame) for frame in figures]


@pytest.mark.parametrize("spec", ["othello", "choko", "chess", "quantum-go:board=5x5", "go"])
def test_every_ply_is_drawn_as_it_would_be_alone(spec: str) -> None:
    last = played(spec, 12)
    page = stepper(last)
    expected = [render(last.before(12 - ply).view()).rstrip("\n") for ply in range(13)]
    assert frames(page) == expected
    assert len(page) < sum(map(len, expected))
    assert 'id="{}-12" aria-label="ply 12: {}" checked'.format(
        re.findall(r'class="(pp\w+)"', page)[0], last.moves[-1]
    ) in page.replace("&#x27;", "'")


def test_it_is_well_formed_and_has_no_script() -> None:
    page = stepper(played("choko", 20))
    ET.fromstring(re.sub(r"<(input[^>]*?)( checked)?>", r"<\1/>", page))  # else it is XML as well
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize(("at", "checked"), [(None, 5), (0, 0), (2, 2), (99, 5), (-3, 0)])
def test_it_opens_where_asked(at: int | None, checked: int) -> None:
    page = stepper(played("othello", 5), at=at)
    assert re.findall(r'id="pp\w+-(\d+)" aria-label="[^"]*" checked', page) == [str(checked)]


def test_the_same_game_gives_the_same_page() -> None:
    assert stepper(played("othello", 9)) == stepper(played("othello", 9))
    one, two = stepper(played("othello", 9)), stepper(played("othello", 9, seed=2))
    # Two games on one page must not answer to each other's buttons.
    assert re.findall(r'name="(\w+)"', one)[0] != re.findall(r'name="(\w+)"', two)[0]


def test_a_record_shows_itself() -> None:
    state = played("othello", 4)
    assert Record.of(state)._repr_html_() == stepper(state)
    with pytest.raises(DataError):
        Record("othello", {}, ("?", "?"), ("z9",))._repr_html_()
