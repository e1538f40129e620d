"""Views made by hand, one of each look, and a strategy that makes any."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from playproof.core.view import (
    COLOURS,
    Arrow,
    Board,
    Button,
    Flag,
    Hand,
    Link,
    Mark,
    Piece,
    Turn,
    View,
)

HOSTILE = "<script>alert(\"1\")</script> & ]]> 'quoted' \x1b[31m\x00\ud800 日本 \u202e"
EIGHT = "abcdefgh"


def othello() -> View:
    discs = {"d4": "w", "e5": "w", "e4": "b", "d5": "b"}
    return View(
        game="othello",
        title="Othello",
        board=Board("cells", "felt", EIGHT, tuple("12345678")),
        pieces=tuple(Piece(at, at, "disc", colour) for at, colour in discs.items()),
        turn=Turn("b", "Black"),
        say="Black to move. 4 legal moves.",
        marks=tuple(Mark(at, "num", 9 + n) for n, at in enumerate(("d3", "c4", "f5", "e6"))),
        heat={"f5": 0.25, "d3": 0.5},
        last=("e5",),
        score={"b": 2, "w": 2.5},
    )


def choko() -> View:
    pegs = {"a4": "b", "b4": "b", "c1": "b", "d5": "r", "c4": "r"}
    return View(
        game="choko",
        title="Choko",
        board=Board("pits", "sand", "abcde", tuple("54321")),
        pieces=tuple(Piece(at, at, "peg", colour) for at, colour in pegs.items()),
        turn=Turn("b", "Blue"),
        say="Blue to move.",
        marks=(Mark("b4", "ring"), Mark("c4", "cross"), Mark("d4", "dot")),
        last=("c1",),
        hands=(Hand("b", 6, 12), Hand("r", 4, 12)),
        flag=Flag("b", "drop initiative"),
    )


def quantum_go() -> View:
    return View(
        game="quantum_go",
        title="Quantum Go",
        board=Board("points", "wood", "abcdef", tuple("654321"), ("b2", "e5")),
        pieces=(
            Piece("q5a", "a4", "stone", "b", 0.5, "5"),
            Piece("q5b", "d6", "stone", "b", 0.5, "5"),
            Piece("q6a", "b2", "stone", "w", 0.25, "6"),
            Piece("q6b", "e1", "stone", "w", 0.75, "6"),
            Piece("s1", "c3", "stone", "b"),
            Piece("s2", "d3", "stone", "w"),
        ),
        turn=Turn("w", "White"),
        say="Dashed stones are in two places at once.",
        links=(Link("a4", "d6", "b", "5"), Link("b2", "e1", "w", "6")),
        actions=(Button("pass", "Pass"),),
        formula="|ψ⟩ = 1/√2 (|a4⟩ + |d6⟩)",
    )


def chess() -> View:
    men = {"e1": "K", "d1": "Q", "f3": "N", "d2": "P"}
    white = [Piece(at, at, kind, "w") for at, kind in men.items()]
    return View(
        game="chess",
        title="Chess",
        board=Board("cells", "check", EIGHT, tuple("87654321")),
        pieces=(*white, Piece("k", "e8", "K", "b"), Piece("p", "e7", "P", "b")),
        turn=Turn("w", "White"),
        say="White to move.",
        arrows=(
            Arrow("d2", "d3", 0.46, True, "46%"),
            Arrow("f3", "g5", 0.28, False, "28%"),
            Arrow("hand:w", "h8", 0.1),
        ),
        last=("g8", "e7"),
    )


def hostile() -> View:
    """Every text that a View can hold, unfriendly."""
    return View(
        game="othello",
        title=HOSTILE,
        board=Board("cells", "felt", "a<&", ("1", '"', "\x1b")),
        pieces=(
            Piece(HOSTILE, "a1", HOSTILE, "b", 0.5, HOSTILE),
            Piece("2", "<1", "disc", HOSTILE, 1.0, HOSTILE),
        ),
        turn=Turn("b", HOSTILE),
        say=HOSTILE,
        links=(Link("a1", "<1", HOSTILE, HOSTILE),),
        marks=(Mark("&1", "num", HOSTILE), Mark('a"', "dot", HOSTILE)),
        arrows=(Arrow("a\x1b", "&1", 0.5, True, HOSTILE),),
        heat={"a\x1b": 0.5},
        hands=(Hand(HOSTILE, 3, 5),),
        flag=Flag(HOSTILE, HOSTILE),
        score={HOSTILE: 1},
        over=HOSTILE,
        actions=(Button(HOSTILE, HOSTILE),),
        formula=HOSTILE,
    )


HAND_MADE = {"othello": othello, "choko": choko, "quantum_go": quantum_go, "chess": chess}
every_look = pytest.mark.parametrize(
    "view", [make() for make in HAND_MADE.values()], ids=list(HAND_MADE)
)


_texts = st.text(max_size=12)
_shares = st.floats(allow_nan=True, allow_infinity=True) | st.floats(0, 1)
_colours = st.sampled_from(tuple(COLOURS))


@st.composite
def views(draw: st.DrawFn) -> View:
    columns = EIGHT[: draw(st.integers(1, 8))]
    rows = tuple(str(n) for n in range(draw(st.integers(1, 12)), 0, -1))
    kind, style = draw(
        st.sampled_from(
            (("cells", "felt"), ("cells", "check"), ("points", "wood"), ("pits", "sand"))
        )
    )
    at = st.sampled_from([column + row for column in columns for row in rows])
    kinds = st.sampled_from(("disc", "stone", "peg", "P", "K", "?"))
    pieces = st.builds(Piece, _texts, at, kinds, _colours, _shares, _texts)
    marks = st.builds(
        Mark,
        at,
        st.sampled_from(("dot", "num", "cross", "ring")),
        st.none() | st.integers(0, 999) | _texts,
    )

    def some(strategy: st.SearchStrategy[object]) -> tuple[object, ...]:
        return tuple(draw(st.lists(strategy, max_size=4)))

    return View(
        game="any",
        title=draw(_texts),
        board=Board(kind, style, columns, rows, some(at)),
        pieces=some(pieces),
        turn=draw(st.builds(Turn, _colours | st.just(""), _texts)),
        say=draw(st.text(max_size=200)),
        links=some(st.builds(Link, at, at, _colours, _texts)),
        marks=some(marks),
        arrows=some(st.builds(Arrow, at | st.just("hand:b"), at, _shares, st.booleans(), _texts)),
        heat=draw(st.dictionaries(at, _shares, max_size=4)),
        last=some(at),
        hands=some(st.builds(Hand, _colours, st.integers(0, 30), st.integers(0, 30))),
        flag=draw(st.none() | st.builds(Flag, _colours, _texts)),
        score=draw(st.dictionaries(_colours, st.integers(-99, 99) | st.floats(-99, 99))),
        over=draw(st.none() | _texts),
        formula=draw(st.none() | _texts),
        sides=draw(st.dictionaries(_colours, _texts, max_size=3)),
    )
