"""Terminal pictures: aligned, complete without colour, deaf to escape codes in texts."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings

from playproof.core.view import Board, Mark, Piece, Turn, View
from playproof.formats import terminal
from tests.support.formats.made_views import (
    HOSTILE,
    chess,
    choko,
    every_look,
    hostile,
    othello,
    quantum_go,
    views,
)

SGR = re.compile(r"\x1b\[[0-9;]*m")


def plain(view: View, *, unicode: bool = True) -> list[str]:
    return terminal.render(view, colour=False, unicode=unicode).split("\n")


def rows(view: View, *, unicode: bool = True) -> dict[str, str]:
    """The lines of the board by their label; the rest of the line is the row."""
    rows = {}
    for line in plain(view, unicode=unicode):
        head, _, rest = line.strip().partition(" ")
        if head in view.board.rows and head not in rows:
            rows[head] = rest
    return rows


def test_othello() -> None:
    assert plain(othello()) == [
        "Othello   ● Black to move   ● 2   ○ 2.5",
        "",
        " 1   ·   ·   ·   ·   ·   ·   ·   ·",
        " 2   ·   ·   ·   ·   ·   ·   ·   ·",
        " 3   ·   ·   ·   9   ·   ·   ·   ·",
        " 4   ·   ·  10   ○   ●   ·   ·   ·",
        " 5   ·   ·   ·   ●  [○] 11   ·   ·",
        " 6   ·   ·   ·   ·  12   ·   ·   ·",
        " 7   ·   ·   ·   ·   ·   ·   ·   ·",
        " 8   ·   ·   ·   ·   ·   ·   ·   ·",
        "     a   b   c   d   e   f   g   h",
        "",
        "● Black  ○ White  [ ] last move",
        "Heat: d3 50%, f5 25%",
        "Black to move. 4 legal moves.",
    ]


def test_choko() -> None:
    assert plain(choko()) == [
        "Choko   ● Blue to move",
        "○ Red: 4 in hand  ○○○○········",
        "",
        " 5   ·   ·   ·   ○   ·",
        " 4   ●  (●) ○x   *   ·",
        " 3   ·   ·   ·   ·   ·",
        " 2   ·   ·   ·   ·   ·",
        " 1   ·   ·  [●]  ·   ·",
        "     a   b   c   d   e",
        "",
        "● Blue: 6 in hand  ●●●●●●······",
        "⚑ Blue: drop initiative",
        "● Blue  ○ Red  [ ] last move  * legal",
        "Blue to move.",
    ]


def test_choko_in_ascii() -> None:
    picture = "\n".join(plain(choko(), unicode=False))
    assert picture.isascii()
    assert " 4   #  (#) Ox   *   ." in picture
    assert "# Blue  O Red" in picture
    assert "! Blue: drop initiative" in picture


def test_quantum_go_shows_pairs() -> None:
    picture = rows(quantum_go())
    assert "●5" in picture["4"]
    assert "●5" in picture["6"]
    assert "○6" in picture["2"]
    lines = plain(quantum_go())
    assert "Pairs: 5 a4-d6, 6 b2-e1" in lines
    assert "Also: Pass" in lines
    assert quantum_go().formula in lines
    assert any("●5 one place of pair 5" in line for line in lines)


def test_chess_letters_and_candidates() -> None:
    picture = rows(chess())
    assert picture["8"].split() == ["·", "·", "·", "·", "k", "·", "[·]", "·"]
    assert picture["7"].split()[4] == "[p]"
    assert picture["1"].split() == ["·", "·", "·", "Q", "K", "·", "·", "·"]
    lines = plain(chess())
    assert lines[0] == "Chess   White to move"
    assert "Candidates: d2-d3 46% (best), f3-g5 28%, hand:w-h8 10%" in lines
    assert "A-Z White  a-z Black  [ ] last move" in lines


def test_game_over() -> None:
    lines = plain(replace(othello(), over="White wins.", turn=Turn("", "")))
    assert "Game over" in lines[0]
    assert "White wins." in lines


@every_look
@pytest.mark.parametrize("unicode", [True, False])
def test_columns_are_aligned(view: View, unicode: bool) -> None:
    check_aligned(view, unicode)


def check_aligned(view: View, unicode: bool) -> None:
    """Every row is as wide as every other, and each label ends where its column does."""
    lines = terminal.render(view, colour=True, unicode=unicode).split("\n")
    lines = [SGR.sub("", line) for line in lines]
    first = 1 + len(view.hands[1:]) + 1
    board = lines[first : first + len(view.board.rows) + 1]
    assert len({terminal.width(line) for line in board}) == 1
    label = board[-1]
    margin = max(len(row) for row in view.board.rows) + 2
    pitch, rest = divmod(terminal.width(label) - margin, len(view.board.columns))
    assert rest == 0
    for i, column in enumerate(view.board.columns):
        assert label[margin + (i + 1) * pitch - 2] == column


@every_look
def test_colour_repeats_what_the_text_says(view: View) -> None:
    coloured = terminal.render(view, colour=True).split("\n")
    assert any("\x1b[" in line for line in coloured)
    assert [SGR.sub("", line).rstrip() for line in coloured] == plain(view)
    assert all(line.endswith("\x1b[0m") or not line.endswith("m") for line in coloured)


def test_sides_differ_without_colour() -> None:
    for unicode in (True, False):
        row = rows(choko(), unicode=unicode)
        assert row["4"].split()[0] != row["5"].split()[3]


@pytest.mark.parametrize("unicode", [True, False])
def test_texts_cannot_steer_the_terminal(unicode: bool) -> None:
    view = replace(hostile(), sides={"b": HOSTILE, HOSTILE: HOSTILE})
    picture = terminal.render(view, colour=False, unicode=unicode)
    assert "\x1b" not in picture
    assert "\x00" not in picture
    assert "\u202e" not in picture
    assert unicode or picture.isascii()
    picture.encode()
    coloured = terminal.render(hostile(), colour=True, unicode=unicode)
    assert "\x1b" not in SGR.sub("", coloured)


def test_wide_characters_take_two_columns() -> None:
    view = replace(othello(), marks=(Mark("a1", "num", "日本"), Mark("b2", "num", "e\u0301")))
    check_aligned(view, True)
    assert terminal.width("日本") == 4
    assert terminal.width("e\u0301") == 1


def test_a_third_side_shows_its_letter() -> None:
    view = replace(othello(), pieces=(Piece("1", "a1", "disc", "g"),))
    assert rows(view)["1"].split()[0] == "g"
    assert any("g Green" in line for line in plain(view))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"board": Board("graph", "wood", "", ())}, "graph boards"),
        ({"heat": {"z9": 1.0}}, "no place 'z9'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        terminal.render(replace(othello(), **changes), colour=False)  # type: ignore[arg-type]


class _Stream(io.StringIO):
    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


@pytest.mark.parametrize(
    ("is_terminal", "variables", "expected"),
    [
        (True, {"TERM": "xterm-256color"}, True),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, True),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {"TERM": "xterm-256color"}, False),
    ],
)
def test_colour_is_wanted_on_a_willing_terminal(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool, variables: dict[str, str], expected: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert terminal.supports_colour(_Stream(is_terminal)) is expected


def test_a_closed_stream_wants_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    stream = io.StringIO()
    stream.close()
    assert not terminal.supports_colour(stream)


def test_pictures_load_nothing_heavy() -> None:
    code = (
        "import sys, playproof.formats.terminal, playproof.formats.svg.drawing;"
        "print([m for m in ('rich', 'numpy', 'numba', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@settings(max_examples=25, deadline=None)
@given(views())
def test_any_view_can_be_shown(view: View) -> None:
    picture = terminal.render(view, colour=False)
    assert "\x1b" not in picture
    assert terminal.render(view, colour=False, unicode=False).isascii()
    check_aligned(view, True)
    check_aligned(view, False)
