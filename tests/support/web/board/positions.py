"""Random positions of every game, and everything a View can carry put upon them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import playproof
from playproof.core.state import State
from playproof.core.view import Arrow, Flag, Hand, Link, Mark, View

# Every game with every variant and the sizes that look different.
GAMES = (
    "othello:size=4", "othello:size=6", "othello",
    "choko", "choko:lone_jump=true",
    "chess", "chess:draws=claimed",
    "go:board=5x5", "go:board=9x9", "go:board=13x13", "go:board=19x19", "go:board=7x4",
    "quantum-go:board=5x5", "quantum-go:board=9x9", "quantum-go:board=19x19",
    "quantum-go:board=7x7,variant=weak", "quantum-go:board=7x7,variant=symmetric",
    "quantum-go:board=9x9,variant=semi-black", "quantum-go:board=9x9,variant=semi-white",
    "quantum-go:board=7x7,group=w,k=3", "quantum-go:board=7x7,k=4",
    "quantum-go:board=6x6,collapse=born,alpha=0.6",
)  # fmt: skip
FENS = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/PPP4k/8/8/8/8/4Kppp/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 99 80",
)
_WORDS = (
    "plain", "a <b> & \"c\" 'd'", "日本の碁盤", "😀 emoji", "żółć", "tab\tnew\nline", "\x1b[31m",
    "W" * 60, "|ψ⟩ = 1/√2 (|a4⟩ \N{MINUS SIGN} |d6⟩)", "", "  spaces   inside  ",
    "A long sentence that does not fit into one line of the card and so has to be broken twice, "
    "with a_word_that_is_far_too_long_to_fit_into_a_line_even_when_it_stands_there_all_alone.",
)  # fmt: skip


def walk(name: str, seed: int) -> Iterator[State]:
    """States of random games, one after another, without end."""
    rng = random.Random(f"{name} {seed}")
    game = playproof.make(name)
    while True:
        state = game.start()
        if game.name == "chess" and rng.random() < 0.6:
            state = game.position(rng.choice(FENS))
        # Long games would fill the sample with full boards.
        for _ in range(rng.choice((3, 12, 40, 400))):
            yield state
            if state.is_terminal:
                break
            state = state.apply(rng.choice(state.legal_actions()))


def sample(name: str, count: int, seed: int = 0) -> Iterator[State]:
    """``count`` states, a few plies apart."""
    rng = random.Random(f"skip {name} {seed}")
    states = walk(name, seed)
    for _ in range(count):
        for _ in range(rng.randrange(4)):
            next(states)
        yield next(states)


def dressed(view: View, rng: random.Random) -> View:
    """The View with marks, arrows, heat and words that no game puts there."""
    names = [column + row for column in view.board.columns for row in view.board.rows]

    def some(most: int) -> list[str]:
        return rng.sample(names, rng.randrange(most + 1))

    kinds = ("dot", "num", "cross", "ring")
    changes: dict[str, Any] = {
        "marks": tuple(
            Mark(at, rng.choice(kinds), rng.choice((None, 3, 14, 250, "x", "12345", "żó")))
            for at in some(6)
        ),
        "arrows": tuple(
            Arrow(
                rng.choice((a, "hand:b")),
                rng.choice(names),
                rng.random(),
                rng.random() < 0.3,
                rng.choice(("", "46%", "\N{MINUS SIGN}1.25 points")),
            )
            for a in some(5)
        ),
        "heat": {at: rng.choice((0.0, rng.random(), 1.0, 3.5, -1.0)) for at in some(9)},
        "last": tuple(some(2)),
        "links": tuple(Link(a, rng.choice(names), rng.choice("bw"), "7") for a in some(4)),
        "hands": tuple(
            Hand(c, rng.randrange(25), rng.randrange(25))
            for c in rng.choice(("", "b", "bw", "rbw"))
        ),
        "sides": rng.choice(({"b": "Schwarz", "w": "<Weiß>"}, {"y": "Gelb", "b": "Blau"})),
        "flag": rng.choice((None, Flag("b", rng.choice(_WORDS)), Flag("r", "drop initiative"))),
        "score": rng.choice(({}, {"b": 2.5, "w": -0.125}, {"w": 7, "b": 1e9, "r": 0.005})),
        "over": rng.choice((None, view.say, *_WORDS)),
        "formula": rng.choice((None, *_WORDS)),
        "say": rng.choice((view.say, *_WORDS)),
        "title": rng.choice((view.title, *_WORDS)),
        "turn": replace(view.turn, name=rng.choice((view.turn.name, *_WORDS))),
        "pieces": tuple(
            replace(piece, weight=rng.random(), text=rng.choice(("", "5", "123")))
            if rng.random() < 0.2
            else piece
            for piece in view.pieces
        ),
    }  # fmt: skip
    chosen = rng.sample(sorted(changes), rng.randrange(1, len(changes) + 1))
    return replace(view, **{field: changes[field] for field in chosen})


def options(rng: random.Random) -> dict[str, Any]:
    """What a picture is asked for beside its View."""
    return {
        "theme": rng.choice(("light", "dark")),
        "size": rng.choice((480, 333, 1000)),
    }
