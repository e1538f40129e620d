"""A game of Choko under the eyes of who knows: each move's value, and where a win was lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from playproof.core.state import State
from playproof.papers.choko_solved.truth import kind_of_move
from playproof.web.pages.truth.evaluate import Answer, Oracle, Value
from playproof.web.pages.truth.parse_text import Course

_MOST_BEST = 3  # better moves that are named


@dataclass(frozen=True)
class Judged:
    """A move: what the position was worth before it and after it, both for Blue.

    ``better`` names moves that would have kept what this one gave away.
    """

    name: str
    mover: int
    before: Value | None
    after: Value | None
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


def judge(oracle: Oracle, course: Course) -> list[Judged]:
    """Every move of a game, as far as anything is known."""
    answers = [oracle.ask(state) for state in course.states]
    out = []
    for i, name in enumerate(course.names):
        here, answer = course.states[i], answers[i]
        before = None if answer is None else answer.value
        after = _after(here.find(name), answer, answers[i + 1])
        judged = Judged(name, here.current_player or 0, before, after, ())
        if judged.threw and answer is not None:
            judged = replace(judged, better=_better(here, answer))
        out.append(judged)
    return out


def _after(action: int, before: Answer | None, then: Answer | None) -> Value | None:
    """What a move is worth: by the list of moves, or by the position that follows."""
    if before is not None:
        known = dict(before.moves).get(action)
        if known is not None:
            return known
    if then is None:
        return None
    value = then.value
    if value.who == 0 or value.actions is None:
        return value
    return Value(value.who, value.actions + 1)


def _better(state: State, answer: Answer) -> tuple[str, ...]:
    best = [action for action, value in answer.moves if value == answer.value]
    return tuple(state.name(action) for action in best[:_MOST_BEST])


def verdict(course: Course, judged: list[Judged]) -> str:
    """The game in a sentence or two; of moves that could not be judged nothing is claimed."""
    if not judged:
        return ""
    players = course.base.game.players
    thrown = [(number, one) for number, one in enumerate(judged, 1) if one.threw]
    known = sum(one.before is not None and one.after is not None for one in judged)
    if not known:
        return (
            "None of these positions is in the tables that were built here: no move could be "
            "judged."
        )
    whole = known == len(judged)
    part = f"{known} of {len(judged)} moves could be judged here"
    if not thrown:
        if whole:
            return "Nobody gave anything away."
        none = "it gave nothing away" if known == 1 else "none of these gave anything away"
        return f"{part}; {none}."
    number, first = thrown[0]
    assert first.before is not None
    assert first.after is not None
    who = players[first.mover]
    what = "the win" if first.before.who == (1 if first.mover == 0 else -1) else "the draw"
    told = f"{who} gave {what} away with move {number}, {first.name}"
    told += f": {first.before.words} before it, {first.after.words} after it."
    counts = [sum(one.mover == side for _, one in thrown) for side in (0, 1)]
    mistakes = f"{players[0]} {counts[0]}, {players[1]} {counts[1]}."
    if whole:
        return f"{told} Mistakes in all: {mistakes}"
    return f"{told} {part}; mistakes among these: {mistakes}"
