"""SVG pictures: sound XML, nothing lost, nothing smuggled in, the same bytes every time."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from playproof.core.view import Board, Hand, Mark, Piece, Turn, View
from playproof.formats import svg
from playproof.formats.svg import writer as svg_write
from playproof.formats.svg.theme import AMBER, BLUE, RED, tone
from tests.support.formats.made_views import (
    HAND_MADE,
    HOSTILE,
    chess,
    choko,
    every_look,
    hostile,
    othello,
    quantum_go,
    views,
)

SVG = "{http://www.w3.org/2000/svg}"
NUMERIC = ("x", "y", "width", "height", "cx", "cy", "r", "rx", "font-size", "stroke-width")
# Letters of path commands, and numbers as `num` writes them.
PATH = re.compile(r"([MLHVAQChvlqz]|-?\d*\.?\d+| )*")


def parsed(view: View, **settings: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg.render(view, **settings))  # type: ignore[arg-type]


def texts(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter(SVG + "text")]


def count(root: ElementTree.Element, name: str, **attributes: str) -> int:
    return sum(
        all(element.get(key.replace("_", "-")) == value for key, value in attributes.items())
        for element in root.iter(SVG + name)
    )


def check_sound(picture: str) -> ElementTree.Element:
    """What every picture must be: parsed, self-contained, with plain numbers alone."""
    root = ElementTree.fromstring(picture)
    assert root.tag == SVG + "svg"
    assert root.get("role") == "img"
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in {
            "svg", "title", "desc", "g", "rect", "circle", "path", "text"
        }  # fmt: skip
        for key, value in element.attrib.items():
            assert not key.startswith("on")
            assert "href" not in key
            assert "url(" not in value
            if key in NUMERIC:
                assert re.fullmatch(r"-?\d+(\.\d{1,2})?", value), (key, value)
            if key == "d":
                assert PATH.fullmatch(value), value
        if element.tag == SVG + "circle":
            assert float(element.get("r", "")) > 0
    return root


@every_look
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_are_sound_and_the_same_every_time(view: View, theme: str) -> None:
    picture = svg.render(view, theme=theme)  # type: ignore[arg-type]
    assert picture == svg.render(view, theme=theme)  # type: ignore[arg-type]
    check_sound(picture)


@every_look
def test_size_scales_and_changes_nothing_else(view: View) -> None:
    small, large = svg.render(view, size=240), svg.render(view, size=960)
    assert small.splitlines()[1:] == large.splitlines()[1:]
    assert 'width="240"' in small
    assert 'width="960"' in large


def test_themes_change_the_card_and_keep_the_board() -> None:
    light, dark = svg.render(othello()), svg.render(othello(), theme="dark")
    assert light != dark
    assert light.count("#2f7f5c") == dark.count("#2f7f5c") == 1


@every_look
def test_title_and_description_are_accessible(view: View) -> None:
    root = parsed(view)
    assert root.findtext(SVG + "title") == view.title
    assert root.findtext(SVG + "desc") == view.say


@every_look
def test_coordinates_title_turn_and_words_are_written(view: View) -> None:
    written = texts(parsed(view))
    for label in (*view.board.columns, *view.board.rows, view.title):
        assert label in written
    assert f"{view.turn.name} to move" in written
    assert " ".join(written).endswith(view.say)


def test_othello_discs_numbers_score_heat_and_last_move() -> None:
    root = parsed(othello())
    assert count(root, "circle", r=svg_write.num(0.41 * 50)) == 4
    assert count(root, "circle", r=svg_write.num(0.31 * 50), fill="none") == 4  # inner rings
    assert {"9", "10", "11", "12", "2", "2.5"} <= set(texts(root))
    assert count(root, "circle", stroke=BLUE) == 4
    assert count(root, "path", stroke=AMBER) == 1
    opacities = [e.get("fill-opacity") for e in root.iter() if e.get("fill-opacity")]
    assert opacities == ["0.45", "0.28"]  # in reading order: d3 before f5


def test_choko_pegs_trays_flag_and_marks() -> None:
    root = parsed(choko())
    assert {"Blue: 6 in hand", "Red: 4 in hand", "drop initiative"} <= set(texts(root))
    blue, red = tone("b", pegs=True), tone("r", pegs=True)
    # On the board, in the turn's and the hand's swatch, and in the tray.
    assert count(root, "circle", fill=blue.fill) == 3 + 2 + 6
    assert count(root, "circle", fill=red.fill) == 2 + 1 + 4
    # Not by colour alone: Blue's pegs hold a ring and Red's a dot.
    assert count(root, "circle", stroke=blue.detail, fill="none") == 3 + 2 + 6
    assert count(root, "circle", fill=red.detail) == 2 + 1 + 4
    assert count(root, "circle", fill="none", stroke_dasharray="1.5 1.2") == 6 + 8
    assert count(root, "path", stroke=RED) == 1
    assert count(root, "circle", fill=BLUE) == 1
    assert count(root, "circle", stroke=BLUE) == 1


def test_sides_are_apart_in_greyscale() -> None:
    def luma(colour: str) -> float:
        red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        return 0.299 * red + 0.587 * green + 0.114 * blue

    blue, red = tone("b", pegs=True), tone("r", pegs=True)
    assert abs(luma(blue.fill) - luma(red.fill)) > 25
    assert blue.core != red.core


def test_names_of_the_sides() -> None:
    assert "Azure: 6 in hand" in texts(ElementTree.fromstring(_named(choko(), b="Azure")))
    go_hands = replace(choko(), board=Board("cells", "felt", "abcde", tuple("54321")), pieces=(),
                       marks=(), last=(), turn=Turn("r", "Rot"))  # fmt: skip
    assert {"Black: 6 in hand", "Rot: 4 in hand"} <= set(texts(parsed(go_hands)))


def _named(view: View, **names: str) -> str:
    return svg.render(replace(view, sides=names))


def test_first_hand_lies_below_the_board() -> None:
    root = parsed(choko())
    heights = {e.text: float(e.get("y", "")) for e in root.iter(SVG + "text")}
    assert heights["Red: 4 in hand"] < heights["5"] < heights["1"] < heights["Blue: 6 in hand"]
    assert abs(heights["drop initiative"] - heights["Blue: 6 in hand"]) < 2


def test_large_hands_are_told_in_words() -> None:
    root = parsed(replace(choko(), hands=(Hand("b", 180, 181),)))
    assert "Blue: 180 in hand" in texts(root)
    assert count(root, "circle", stroke_dasharray="1.5 1.2") == 0


def test_quantum_go_ghosts_links_and_stars() -> None:
    root = parsed(quantum_go())
    written = texts(root)
    assert written.count("5") == 3
    assert written.count("6") == 3
    ghosts = [e for e in root.iter(SVG + "circle") if e.get("fill-opacity")]
    assert [e.get("fill-opacity") for e in ghosts] == ["0.5", "0.5", "0.4", "0.6"]
    assert all(e.get("stroke-dasharray") for e in ghosts)
    links = [e.findtext(SVG + "title") for e in root.iter(SVG + "g")]
    assert links == ["5: a4 - d6", "6: b2 - e1"]
    assert count(root, "circle", fill="#6b5027") == 2  # stars
    assert "ψ" in " ".join(written)


def test_chess_pieces_squares_arrows_and_tints() -> None:
    root = parsed(chess())
    written = texts(root)
    assert not {"K", "Q", "N", "P"} & set(written), "they are drawn, not written"
    drawn = [e.get("transform") for e in root.iter(SVG + "g") if e.get("transform")]
    assert len(drawn) == len(set(drawn)) == len(chess().pieces)
    assert len({fill for fill in _fills(root) if fill in ("#fdfbf4", "#2d2b2e")}) == 2
    assert {"46%", "28%"} <= set(written)
    assert written.index("28%") < written.index("46%")  # the best one on top
    dark = next(e.get("d", "") for e in root.iter(SVG + "path") if e.get("fill") == "#b48d67")
    assert dark.count("M") == 32
    # Of the last move e7 is a dark square and g8 a light one.
    assert count(root, "path", fill="#c8943d") == 1
    assert count(root, "path", fill="#ebc77a") == 1


def _fills(root: ElementTree.Element) -> list[str]:
    return [e.get("fill", "") for e in root.iter(SVG + "path")]


def test_every_chess_piece_has_its_own_shape() -> None:
    shapes = set()
    for kind in "PNBRQK":
        view = replace(chess(), pieces=(Piece("e4", "e4", kind, "w", 0.5, "7"),))
        man = next(e for e in parsed(view).iter(SVG + "g") if e.get("transform"))
        assert man.get("opacity") == "0.5", "in superposition it is faint"
        assert "7" in texts(parsed(view))
        shapes.add("".join(e.get("d", "") for e in man.iter(SVG + "path")))
    assert len(shapes) == 6
    other = replace(chess(), pieces=(Piece("e4", "e4", "X", "w"),))
    assert "X" in texts(parsed(other)), "a kind without a drawing is a letter on a disc"


def test_arrow_width_grows_with_its_share() -> None:
    def spread(share: float) -> float:
        root = parsed(replace(chess(), arrows=(replace(chess().arrows[0], share=share),)))
        path = next(
            e.get("d", "") for e in root.iter(SVG + "path") if e.get("fill-opacity") == "0.95"
        )
        corners = path[1:-1].split("L")
        return abs(float(corners[0].split()[0]) - float(corners[-1].split()[0]))

    assert spread(0.05) < spread(0.4) < spread(0.9)


def test_game_over_is_said_in_place_of_the_turn() -> None:
    root = parsed(replace(othello(), over="White wins 40 to 24.", turn=Turn("", "")))
    assert {"Game over", "White wins 40 to 24."} <= set(texts(root))
    assert root.findtext(SVG + "desc", "").startswith("White wins 40 to 24.")


def test_hostile_text_stays_text() -> None:
    picture = svg.render(replace(hostile(), sides={"b": HOSTILE}))
    root = check_sound(picture)
    assert "<script" not in picture
    assert "\x1b" not in picture
    picture.encode()  # no lone surrogates
    assert "<script>" in root.findtext(SVG + "title", "")
    assert "<script>" in root.findtext(SVG + "desc", "")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"board": Board("graph", "wood", "", ())}, "graph boards"),
        ({"board": Board("cells", "felt", "", ())}, "at least one column"),
        ({"last": ("z9",)}, "no place 'z9' on this board: names run a1 to h8"),
        ({"score": {"b": math.nan}}, "finite"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_line(
    changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message) as error:
        svg.render(replace(othello(), **changes))  # type: ignore[arg-type]
    assert "\n" not in str(error.value)


def test_unknown_theme_and_size_are_refused() -> None:
    with pytest.raises(ValueError, match="choose light or dark"):
        svg.render(othello(), theme="sepia")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 1 pixel"):
        svg.render(othello(), size=0)


@pytest.mark.parametrize(
    ("value", "written"),
    [(0, "0"), (-0.001, "0"), (1.005, "1"), (0.125, "0.13"), (-0.125, "-0.12"), (50, "50"),
     (12.5, "12.5"), (1e-9, "0"), (123456.789, "123456.79"), (-3.1, "-3.1"), (100, "100")],
)  # fmt: skip
def test_numbers_are_compact(value: float, written: str) -> None:
    assert svg_write.num(value) == written


def test_wrapping_keeps_every_word_and_breaks_long_ones() -> None:
    words = "a picture of " + "x" * 300 + " words"
    lines = svg_write.wrap(words, 12, 200)
    assert "".join(lines).replace(" ", "") == words.replace(" ", "")
    assert all(svg_write.width(line, 12) <= 200 for line in lines)
    assert svg_write.wrap("", 12, 200) == []


def test_long_titles_are_cut() -> None:
    root = parsed(replace(othello(), title="long " * 100))
    assert any(line.endswith("…") for line in texts(root))


def test_scores_for_which_there_is_no_room_are_left_away() -> None:
    many = dict.fromkeys("bwrg", 10.25)
    root = parsed(replace(othello(), score=many, turn=Turn("b", "somebody else")))
    assert texts(root).count("10.25") == 3
    assert all(float(c.get("cx", "")) > 0 for c in root.iter(SVG + "circle"))


def test_marks_with_text_keep_it() -> None:
    view = replace(othello(), marks=(Mark("a1", "dot", "why"), Mark("b1", "ring", 7)))
    assert {"why", "7"} <= set(texts(parsed(view)))


def test_unknown_kinds_show_their_name() -> None:
    view = replace(othello(), pieces=(Piece("1", "a1", "Z", "g", 1.0, "3"),))
    assert {"Z", "3"} <= set(texts(parsed(view)))


@settings(max_examples=25, deadline=None)
@given(views())
def test_any_view_can_be_drawn(view: View) -> None:
    picture = svg.render(view)
    root = check_sound(picture)
    assert picture == svg.render(view)
    picture.encode()
    for element in root.iter(SVG + "circle"):
        assert 0 <= float(element.get("cx", "")) <= svg.WIDTH


def test_every_look_is_tried() -> None:
    boards = [make().board for make in HAND_MADE.values()]
    assert {b.kind for b in boards} == {"cells", "points", "pits"}
    assert {b.style for b in boards} == {"felt", "check", "wood", "sand"}
