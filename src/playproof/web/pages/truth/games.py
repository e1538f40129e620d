"""A review of a game of Choko: each move's value, and where a win was given away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from playproof.core.state import State
from playproof.papers.choko_solved.truth import kind_of_move
from playproof.web.pages.truth.evaluate import ChokoValue, Oracle, SolvedPosition
from playproof.web.pages.truth.parse_text import MoveSequence

_MOST_BEST = 3  # better moves that are named


@dataclass(frozen=True)
class MoveReview:
    """A move, with the values before and after it from Blue's side.

    ``better`` are moves that would have kept what this one gave away.
    """

    name: str
    mover: int
    before: ChokoValue | None
    after: ChokoValue | None
    better: tuple[str, ...]

    @property
    def threw(self) -> bool:
        if self.before is None or self.after is None:
            return False
        sign = 1 if self.mover == 0 else -1
        return sign * self.after.who < sign * self.before.who

    def to_json(self) -> dict[str, Any]:
        return {
            "n": self.name,
            "mover": self.mover,
            "before": None if self.before is None else self.before.to_json(),
            "after": None if self.after is None else self.after.to_json(),
            "threw": self.threw,
            "kind": kind_of_move(self.name),
            "better": list(self.better),
        }


def review_game(oracle: Oracle, sequence: MoveSequence) -> list[MoveReview]:
    """A review of every move of a game, as far as its values are known."""
    solved = [oracle.look_up(state) for state in sequence.states]
    reviews = []
    for i, name in enumerate(sequence.names):
        here, position = sequence.states[i], solved[i]
        before = None if position is None else position.value
        after = _after(here.find(name), position, solved[i + 1])
        review = MoveReview(name, here.current_player or 0, before, after, ())
        if review.threw and position is not None:
            review = replace(review, better=_better(here, position))
        reviews.append(review)
    return reviews


def _after(
    action: int, before: SolvedPosition | None, then: SolvedPosition | None
) -> ChokoValue | None:
    """The value of a move: from the list of moves, or from the position that follows."""
    if before is not None:
        value = dict(before.moves).get(action)
        if value is not None:
            return value
    if then is None:
        return None
    value = then.value
    if value.who == 0 or value.actions is None:
        return value
    return ChokoValue(value.who, value.actions + 1)


def _better(state: State, position: SolvedPosition) -> tuple[str, ...]:
    best = [action for action, value in position.moves if value == position.value]
    return tuple(state.name(action) for action in best[:_MOST_BEST])


def summary(sequence: MoveSequence, reviews: list[MoveReview]) -> str:
    """The game in a sentence or two; it claims nothing about moves whose value is unknown."""
    if not reviews:
        return ""
    players = sequence.base.game.players
    thrown = [(number, one) for number, one in enumerate(reviews, 1) if one.threw]
    evaluated = sum(one.before is not None and one.after is not None for one in reviews)
    if not evaluated:
        return (
            "None of these positions is in the tables that were built here: no move could be "
            "judged."
        )
    whole = evaluated == len(reviews)
    part = f"{evaluated} of {len(reviews)} moves could be judged here"
    if not thrown:
        if whole:
            return "Nobody gave anything away."
        none = "it gave nothing away" if evaluated == 1 else "none of these gave anything away"
        return f"{part}; {none}."
    number, first = thrown[0]
    assert first.before is not None
    assert first.after is not None
    who = players[first.mover]
    what = "the win" if first.before.who == (1 if first.mover == 0 else -1) else "the draw"
    first_mistake = (
        f"{who} gave {what} away with move {number}, {first.name}: "
        f"{first.before.words} before it, {first.after.words} after it."
    )
    counts = [sum(one.mover == side for _, one in thrown) for side in (0, 1)]
    mistakes = f"{players[0]} {counts[0]}, {players[1]} {counts[1]}."
    if whole:
        return f"{first_mistake} Mistakes in all: {mistakes}"
    return f"{first_mistake} {part}; mistakes among these: {mistakes}"
