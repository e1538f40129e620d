"""Answers of the tables as text: values as whole numbers, and reports as JSON.

A value is a signed number of actions: ``59`` is won in 59 for the player to
move, ``-4`` lost in 4, ``0`` drawn.  Where distances are not known, ``1`` and
``-1`` say who wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from playproof.core.errors import PlayproofError, one_line
from playproof.core.game import Game
from playproof.core.state import State
from playproof.rules.choko import PIECES
from playproof.tables.choko.build import Built, Line
from playproof.tables.choko.probe import Probe, Value
from playproof.tables.choko.store import DISTANCE
from playproof.tables.choko.value_codes import distance, outcome

_TOGETHER = 2000  # positions asked for at a time


def number(value: Value) -> int:
    return value.outcome * (1 if value.distance is None else value.distance)


def answers(probe: Probe, game: Game, lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """One answer for each line that holds a position; an error for one that does not."""
    waiting: list[tuple[str, State | None, str]] = []
    for line in lines:
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            state = game.position(text)
            waiting.append((text, None if state.is_terminal else state, "the game is over"))
        except PlayproofError as error:
            waiting.append((text, None, one_line(error)))
        if len(waiting) == _TOGETHER:
            yield from _answered(probe, waiting)
            waiting = []
    yield from _answered(probe, waiting)


def _answered(
    probe: Probe, waiting: list[tuple[str, State | None, str]]
) -> Iterator[dict[str, Any]]:
    states = [state for _, state, _ in waiting if state is not None]
    codes = iter(probe.codes_of(states) if states else [])
    exact = probe.store.kind == DISTANCE
    for text, state, error in waiting:
        if state is None:
            yield {"position": text, "error": error}
            continue
        moves = {
            state.name(action): outcome(code) * (distance(code) if exact else 1)
            for action, code in sorted(next(codes).items(), key=lambda item: (-item[1], item[0]))
        }
        yield {"position": text, "value": next(iter(moves.values())), "moves": moves}


def summary(lines: list[Line]) -> dict[str, Any]:
    """Counts and longest wins: each slice, each size of hand, and all."""
    by_hands = {}
    for hands in range(PIECES + 1):
        chosen = [line for line in lines if line.slice.hands == hands]
        if chosen:
            by_hands[str(hands)] = _total(chosen)
    return {
        "slices": {line.slice.name: _total([line]) for line in lines},
        "hands": by_hands,
        "all": _total(lines),
    }


def _total(lines: list[Line]) -> dict[str, int]:
    wrong = [line.wrong for line in lines if line.wrong is not None]
    return {
        "positions": sum(line.slice.raw for line in lines),
        "cells": sum(line.slice.cells for line in lines),
        "wins": sum(line.wins for line in lines),
        "draws": sum(line.draws for line in lines),
        "losses": sum(line.losses for line in lines),
        "longest_win": max(line.longest_win for line in lines),
        "longest_loss": max(line.longest_loss for line in lines),
    } | ({"wrong": sum(wrong)} if len(wrong) == len(lines) else {})


def from_the_start(probe: Probe, *, line: bool) -> dict[str, Any]:
    """The value of the empty board, of each first placement, and the best line."""
    start = probe.game.start()
    moves = {start.name(action): number(value) for action, value in probe.moves(start)}
    found: dict[str, Any] = {"value": number(probe.value(start)), "moves": moves}
    if line:
        state, names = start, []
        for action in probe.line(start):
            names.append(state.name(action))
            state = state.apply(action)
        found["line"] = names
    return found


def timing(built: Built) -> dict[str, Any]:
    return {
        "solved_cells": built.solved,
        "solving_seconds": round(built.solving, 1),
        "checking_seconds": round(built.checking, 1),
    }
