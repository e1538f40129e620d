"""The lemma on occupied squares, shown step by step.

A placed disc turns another one over, so in some direction the next two squares were
occupied before (``proofs.othello.constructible``).  Hence the squares of every
position of a game can be filled from the centre, one by one.  The frames fill them
on the board; if some squares cannot be filled, they show which.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from playproof.core.errors import UsageError, one_of
from playproof.core.registry import make
from playproof.core.state import State
from playproof.web.pages.proofs.frames import read_othello, record, still

Json = dict[str, Any]
Square = tuple[int, int]  # column and row, from 0

UNFILLABLE = "--XO-X---O----O--OO--OO--XXOOXX--O-OOXO--OX-XX---OXOOOO--------- X"
STUBBORN = "---------OOOOXO--OXX-XO----XO-O--OOOXXX--OXXOOO--OO-O-O--------- X"

_DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
_EXAMPLES = {
    "move": ("What a move needs", "One move, looked at closely."),
    "black": (
        "33 moves for Black: all squares can be filled",
        "The position of the paper's game. It passes the test, as every position of a game does.",
    ),
    "unfillable": (
        "34 moves: three squares cannot be filled",
        "These discs were put on the board by hand. Black would have 34 moves, more than any "
        "game allows.",
    ),
    "stubborn": (
        "34 moves: the test alone is not enough",
        "Here every square can be filled, and still no game leads there. Showing that takes a "
        "search backwards.",
    ),
}


def examples() -> list[Json]:
    """The name, title and description of each example of the lemma."""
    return [
        {"name": name, "title": title, "about": about} for name, (title, about) in _EXAMPLES.items()
    ]


def lemma(name: str) -> Json:
    """An example of the lemma, frame by frame."""
    if name not in _EXAMPLES:
        raise UsageError(f"no example {name[:40]!r}: want {one_of(list(_EXAMPLES))}")
    title, about = _EXAMPLES[name]
    if name == "move":
        result = {"frames": _one_move(), "stuck": [], "constructible": True}
    else:
        game = make("othello")
        state = (
            game.start().play(record("black"))
            if name == "black"
            else game.position(UNFILLABLE if name == "unfillable" else STUBBORN)
        )
        result = filling(state)
    return {"name": name, "title": title, "about": about, **result}


def own_lemma(text: str) -> Json:
    """The lemma on a position that a person entered."""
    state = read_othello(text)
    about = f"{still(state)['say']} Can its squares have been filled in a game?"
    return {"name": "own", "title": "Your position", "about": about, **filling(state)}


def _one_move() -> list[Json]:
    before = make("othello").start()
    after = before.apply("f5")
    base = {**still(before), "marks": []}
    rings = [{"at": at, "k": "ring"} for at in ("e5", "d5")]
    steps = [
        (base, "The start: four discs in the centre. Black moves first."),
        (
            {**base, "marks": [{"at": "f5", "k": "num", "t": 1}]},
            "Black wants to play on f5. A move is legal only if it turns over at least one disc.",
        ),
        (
            {**base, "marks": [{"at": "f5", "k": "num", "t": 1}, *rings]},
            "It does: next to f5 is e5, with a white disc, and right behind it d5, with a black "
            "one. So both squares were occupied before a disc was placed on f5.",
        ),
        (
            {**still(after), "marks": rings},
            "e5 is turned over. It is always like this: wherever a disc is placed, in some "
            "direction the next two squares were occupied before. That is the whole lemma.",
        ),
        (
            {**still(after), "marks": []},
            "Colours do not matter for it, and discs never leave the board. So the occupied "
            "squares of any game can be filled one by one from the centre, each next to two in a "
            "line. A set of squares that can be filled in this way is called constructible.",
        ),
    ]
    return [{"view": {**view, "say": text}, "text": text} for view, text in steps]


def filling(state: State) -> Json:
    """Fill the squares of a position from the centre; ``stuck`` are those that cannot be filled."""
    size = int(state.game.options["size"])
    occupied = _occupied(state)
    centre = {(x, y) for x in (size // 2 - 1, size // 2) for y in (size // 2 - 1, size // 2)}
    filled = set(centre)
    base = still(state)
    first = (
        f"{len(occupied)} squares are occupied. Four of them are filled at the start; the "
        f"{len(occupied) - 4} tinted ones must be filled one after the other."
    )
    frames = [_frame(base, filled, occupied, first)]
    for square, near, far in _order(occupied, filled):
        text = f"{_name(square)}: next to it is {_name(near)}, behind it {_name(far)}. Filled."
        frames.append(_frame(base, filled, occupied, text, new=square, line=(near, far)))
    stuck = sorted(occupied - filled, key=lambda at: (at[1], at[0]))
    names = [_name(square) for square in stuck]
    if stuck:
        text = f"Nothing more can be filled. {_list(names)} cannot have been reached by any move."
        frames.append(_frame(base, filled, occupied, text, stuck=stuck))
        for square in stuck:
            text = f"{_name(square)}: {_why(square, occupied, filled, size)}"
            frames.append(_frame(base, filled, occupied, text, stuck=[square]))
        text = "So no game leads to this position, whatever the colours."
        frames.append(_frame(base, filled, occupied, text, stuck=stuck))
    else:
        text = (
            f"All {len(occupied)} squares are filled: the set is constructible. The position may "
            "occur in a game. Only a search backwards can tell whether it does."
        )
        frames.append(_frame(base, filled, occupied, text))
    return {"frames": frames, "stuck": names, "constructible": not stuck}


def _name(square: Square) -> str:
    return f"{'abcdefgh'[square[0]]}{square[1] + 1}"


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _occupied(state: State) -> set[Square]:
    stones = int(state.row[0]) | int(state.row[1])
    return {(bit % 8, bit // 8) for bit in range(64) if stones >> bit & 1}


def _order(occupied: set[Square], filled: set[Square]) -> Iterator[tuple[Square, Square, Square]]:
    """Yield the squares in an order in which they can be filled, each with the two squares in a
    line that it needs; each is added to ``filled``."""
    while True:
        fillable = []
        for x, y in sorted(occupied - filled, key=lambda at: (at[1], at[0])):
            for dx, dy in _DIRECTIONS:
                near, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if near in filled and far in filled:
                    fillable.append(((x, y), near, far))
                    break
        if not fillable:
            return
        for square, near, far in fillable:
            filled.add(square)
            yield square, near, far


def _why(square: Square, occupied: set[Square], filled: set[Square], size: int) -> str:
    """Why a square cannot be filled, for each direction with an occupied neighbour."""
    x, y = square
    reasons = []
    for dx, dy in _DIRECTIONS:
        near, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
        if near not in occupied:
            continue
        if not (0 <= far[0] < size and 0 <= far[1] < size):
            reasons.append(f"next to it is {_name(near)}, but behind that the board ends")
        elif far not in occupied:
            reasons.append(f"next to it is {_name(near)}, but {_name(far)} behind that is empty")
        else:
            unfilled = near if near not in filled else far
            reasons.append(
                f"next to it {_name(near)} and behind that {_name(far)} are occupied, but "
                f"{_name(unfilled)} cannot be filled itself"
            )
    if not reasons:
        return "no occupied square is next to it."
    return "; ".join(reasons) + "."


def _frame(
    base: Json,
    filled: set[Square],
    occupied: set[Square],
    text: str,
    *,
    new: Square | None = None,
    line: tuple[Square, ...] = (),
    stuck: list[Square] | None = None,
) -> Json:
    """The board with the discs on filled squares; squares still to be filled are tinted."""
    filled_names = {_name(square) for square in filled}
    view = {
        **base,
        "pieces": [piece for piece in base["pieces"] if piece["at"] in filled_names],
        "heat": {_name(square): 0.55 for square in sorted(occupied - filled)},
        "marks": [{"at": _name(at), "k": "ring"} for at in line]
        + [{"at": _name(at), "k": "cross"} for at in stuck or ()],
        "last": [] if new is None else [_name(new)],
        "score": {},
        "say": text,
    }
    return {"view": view, "text": text}
