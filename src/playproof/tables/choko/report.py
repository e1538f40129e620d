"""What commands report about tables, as JSON: values of positions, and statistics of builds.

A value is a signed number of actions: ``59`` is a win in 59 for the player to move, ``-4`` a loss
in 4, and ``0`` a draw. Where distances are not known, ``1`` and ``-1`` say who wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from playproof.core.errors import PlayproofError, one_line
from playproof.core.game import Game
from playproof.core.state import State
from playproof.rules.choko import PIECES
from playproof.tables.choko.build import BuildResult, SliceSummary
from playproof.tables.choko.probe import Probe, TableValue
from playproof.tables.choko.store import DISTANCE, FileStore, MemoryStore
from playproof.tables.choko.value_codes import DRAW, distance, loss_in, outcome, win_in
from playproof.tables.choko.verify import example_position

_BATCH = 2000  # positions looked up at a time
_RARE = 1e-3  # a smaller share of a slice's positions counts as an exception


def signed_distance(value: TableValue) -> int:
    """A value as a signed number of actions."""
    return value.outcome * (1 if value.distance is None else value.distance)


def answer_positions(probe: Probe, game: Game, lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The values of the positions in some lines, or an error for a line without a position.

    Empty lines and those that start with ``#`` are skipped.
    """
    batch: list[tuple[str, State | None, str]] = []
    for line in lines:
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            state = game.position(text)
            batch.append((text, None if state.is_terminal else state, "the game is over"))
        except PlayproofError as error:
            batch.append((text, None, one_line(error)))
        if len(batch) == _BATCH:
            yield from _answer_batch(probe, batch)
            batch = []
    yield from _answer_batch(probe, batch)


def _answer_batch(
    probe: Probe, batch: list[tuple[str, State | None, str]]
) -> Iterator[dict[str, Any]]:
    states = [state for _, state, _ in batch if state is not None]
    codes = iter(probe.codes_of(states) if states else [])
    exact = probe.store.kind == DISTANCE
    for text, state, error in batch:
        if state is None:
            yield {"position": text, "error": error}
            continue
        moves = {
            state.name(action): outcome(code) * (distance(code) if exact else 1)
            for action, code in sorted(next(codes).items(), key=lambda item: (-item[1], item[0]))
        }
        yield {"position": text, "value": next(iter(moves.values())), "moves": moves}


def summary(summaries: list[SliceSummary]) -> dict[str, Any]:
    """Counts and longest wins by slice, by size of hand, and in total."""
    by_hands = {}
    for hands in range(PIECES + 1):
        chosen = [one for one in summaries if one.slice.hands == hands]
        if chosen:
            by_hands[str(hands)] = _total(chosen)
    return {
        "slices": {one.slice.name: _total([one]) for one in summaries},
        "hands": by_hands,
        "all": _total(summaries),
    }


def _total(summaries: list[SliceSummary]) -> dict[str, int]:
    wrong = [one.wrong for one in summaries if one.wrong is not None]
    return {
        "positions": sum(one.slice.raw for one in summaries),
        "cells": sum(one.slice.cells for one in summaries),
        "wins": sum(one.wins for one in summaries),
        "draws": sum(one.draws for one in summaries),
        "losses": sum(one.losses for one in summaries),
        "longest_win": max(one.longest_win for one in summaries),
        "longest_loss": max(one.longest_loss for one in summaries),
    } | ({"wrong": sum(wrong)} if len(wrong) == len(summaries) else {})


def start_values(probe: Probe, *, line: bool) -> dict[str, Any]:
    """The value of the empty board and of each first placement, and the best line if ``line``."""
    start = probe.game.start()
    moves = {start.name(action): signed_distance(value) for action, value in probe.moves(start)}
    values: dict[str, Any] = {"value": signed_distance(probe.value(start)), "moves": moves}
    if line:
        state, names = start, []
        for action in probe.line(start):
            names.append(state.name(action))
            state = state.apply(action)
        values["line"] = names
    return values


def timing(result: BuildResult) -> dict[str, Any]:
    """The cells that a build solved, and how long it took."""
    return {
        "solved_cells": result.solved,
        "solving_seconds": round(result.solving, 1),
        "checking_seconds": round(result.checking, 1),
    }


def notable_positions(
    store: FileStore | MemoryStore, game: Game, summaries: list[SliceSummary]
) -> dict[str, Any]:
    """The longest win for each size of hand, and upsets, each with an example position.

    An upset is a slice in which the side with fewer pieces wins, or the one with more loses, in a
    few rare positions.
    """
    longest: dict[int, SliceSummary] = {}
    for one in summaries:
        hands = one.slice.hands
        if one.longest_win > (longest[hands].longest_win if hands in longest else 0):
            longest[hands] = one
    upsets = []
    for one in summaries:
        slice_ = one.slice
        for count, surprising, code in (
            (one.wins, slice_.own < slice_.other, _quickest_win(one)),
            (one.losses, slice_.own > slice_.other, int(loss_in(one.longest_loss))),
        ):
            if surprising and 0 < count < _RARE * slice_.raw:
                upsets.append(
                    {
                        "slice": slice_.name, "positions": count, "of": slice_.raw,
                        "example": example_position(store, game, slice_, code),
                    }
                )  # fmt: skip
    return {
        "longest": {
            str(hands): {
                "actions": one.longest_win,
                "position": example_position(store, game, one.slice, win_in(one.longest_win)),
            }
            for hands, one in longest.items()
        },
        "upsets": upsets,
    }


def _quickest_win(summary: SliceSummary) -> int:
    """The code of the quickest win in a slice, 0 if there is none."""
    return max((code for code in range(DRAW + 1, 256) if summary.counts[code]), default=0)
