"""What all pictures need to know about a View: where its places are, and the names of its sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from playproof.core.view import COLOURS, Board, View


def places(board: Board) -> dict[str, tuple[int, int]]:
    """The (column, row) of every place on a grid board, by name, from the top left."""
    if board.kind == "graph":
        raise ValueError("graph boards have no drawing yet: draw cells, points or pits")
    if not board.columns or not board.rows:
        raise ValueError("an empty board cannot be drawn: give at least one column and one row")
    return {
        column + row: (i, j)
        for j, row in enumerate(board.rows)
        for i, column in enumerate(board.columns)
    }


def place(where: Mapping[str, tuple[int, int]], name: str) -> tuple[int, int]:
    """The (column, row) of one place; ValueError if the board has no such place."""
    if name not in where:
        names = list(where)
        raise ValueError(f"no place {name!r} on this board: names run {names[0]} to {names[-1]}")
    return where[name]


def checked_places(view: View) -> dict[str, tuple[int, int]]:
    """``places`` of a View's board; ValueError if the View uses a place that is not on it."""
    where = places(view.board)
    for name in _names_used(view):
        place(where, name)
    return where


def _names_used(view: View) -> Iterator[str]:
    yield from view.board.stars
    yield from (piece.at for piece in view.pieces)
    yield from (mark.at for mark in view.marks)
    yield from view.last
    yield from view.heat
    for link in view.links:
        yield from (link.a, link.b)
    for arrow in view.arrows:
        if not is_token(arrow.a):
            yield arrow.a
        yield arrow.b


def is_token(name: str) -> bool:
    """Whether a name stands for something off the board, such as ``hand:b``."""
    return ":" in name


def has_pegs(view: View) -> bool:
    """Whether the pieces are pegs: then colour "b" is Blue, and Black in all other games."""
    return view.board.kind == "pits" or any(p.kind == "peg" for p in view.pieces)


def side_name(view: View, colour: str) -> str:
    """The name of a side: from the View's sides, else from its turn, else that of its colour."""
    if colour in view.sides:
        return view.sides[colour]
    if colour and colour == view.turn.colour and view.turn.name:
        return view.turn.name
    if colour == "b" and has_pegs(view):
        return "Blue"
    return COLOURS.get(colour, colour)


def first_side(view: View) -> str:
    """The colour of the first player's pieces."""
    return next(iter(view.sides), "b")
