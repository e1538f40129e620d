"""The table as a picture: sound XML that holds everybody and survives every score."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import pytest

from playproof.arena.standings import Standings
from playproof.arena.standings_picture import render
from playproof.arena.statistics.score import Score
from playproof.formats.svg.theme import PAPERS

SVG = "{http://www.w3.org/2000/svg}"
WON, LOST, NONE = Score((0, 0, 0, 0, 0, 9)), Score((9, 0, 0, 0, 0, 0)), Score()
MIXED = Score((1, 2, 3, 4, 5, 6))


def standings(*players: str, scores: list[Score] | None = None, game: str = "choko") -> Standings:
    pairings = list(combinations(range(len(players)), 2))
    given = scores or [MIXED] * len(pairings)
    return Standings(
        game=game,
        players=list(players),
        seed=7,
        openings="random",
        scores=dict(zip(pairings, given, strict=True)),
        statistics={pairing: {"mean_plies": None, "reasons": {}} for pairing in pairings},
    )


def drawn(found: Standings, theme: str = "light") -> ElementTree.Element:
    """The picture parsed; nothing in it may lie outside of it."""
    root = ElementTree.fromstring(render(found, theme=theme))
    assert root.tag == SVG + "svg"
    _, _, wide, high = map(float, root.attrib["viewBox"].split())
    for element in root.iter():
        for key in ("x", "cx", "x1", "x2"):
            assert 0 <= float(element.get(key, 0)) <= wide
        for key in ("y", "cy", "y1", "y2"):
            assert 0 <= float(element.get(key, 0)) <= high
    return root


def texts(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter(SVG + "text")]


@pytest.mark.parametrize("theme", list(PAPERS))
def test_it_names_everybody_with_every_score(theme: str) -> None:
    found = standings("random", "greedy", "mcts:simulations=50")
    shown = texts(drawn(found, theme))
    for place, i in enumerate(found.order):
        assert f"{place + 1} {found.players[i]}" in shown
        assert str(found.ratings.players[i]) in shown
    assert shown.count("65.5 %") == shown.count("34.5 %") == 3
    assert "42 games in a pairing, in pairs with sides swapped; draws count one half" in shown


def test_light_and_dark_differ_in_paper_only() -> None:
    found = standings("random", "greedy")
    light, dark = drawn(found, "light"), drawn(found, "dark")
    assert texts(light) == texts(dark)
    assert render(found, theme="light") != render(found, theme="dark")


def test_the_best_stands_on_top() -> None:
    found = standings("weak", "strong", scores=[LOST + MIXED])
    shown = texts(drawn(found))
    assert shown.index("1 strong") < shown.index("2 weak")


def test_those_who_cannot_see_it_are_told() -> None:
    root = drawn(standings("random", "greedy"))
    assert root.get("role") == "img"
    assert root.attrib["aria-label"].startswith(
        "Tournament of choko. 1. random +56 [+8, +104]; 2. greedy"
    )


@pytest.mark.parametrize("score", [WON, LOST, NONE], ids=["won", "lost", "none"])
def test_scores_without_a_number_are_drawn_too(score: Score) -> None:
    for players in (2, 4):
        names = [f"player {n}" for n in range(players)]
        pairings = len(list(combinations(names, 2)))
        shown = texts(drawn(standings(*names, scores=[score] * pairings)))
        assert sum(name in text for name in names for text in shown) == players


def test_an_open_interval_ends_in_an_arrow() -> None:
    everything = drawn(standings("a", "b", "c", scores=[WON, WON, MIXED]))
    assert len(list(everything.iter(SVG + "polygon"))) == 1
    assert not list(drawn(standings("a", "b", "c")).iter(SVG + "polygon"))


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        '"/><script/>',
        "&lt;&amp;]]>",
        "\x00\x1b[2J\ud800",
        "囲碁 ♞ Ω",
        "",
        "x" * 5000,
    ],
)
def test_a_hostile_name_stays_a_name(name: str) -> None:
    root = drawn(standings(name, "greedy", game=name))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "rect", "text", "line", "circle", "polygon"
    }  # fmt: skip
    assert "2 greedy" in texts(root)
