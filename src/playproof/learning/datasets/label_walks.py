"""Positions of our choosing, judged by an engine as they come: games with blunders in them.

Games between engines never show how a blunder is punished.  A walk begins at
some position, asks the engine, and then plays one of the engine's moves by their
policy, or now and then any legal move; so the blunder, its punishment and the
won or lost game after it are all seen and judged.

An engine that tells of a move also tells what it expects after it.  Its answers
to the moves that a walk does not follow are further positions with a move and a
score, and cost no search (``replies``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from playproof.agents.engines.uci.client import EngineLine, UciEngine
from playproof.core.bits import derive_seed
from playproof.core.errors import DataError, PlayproofError
from playproof.core.state import State
from playproof.games.chess.move_names import read_uci
from playproof.learning.datasets import labels

_SECONDS = 60.0  # until an engine has hung

Asked = Callable[[str], list[EngineLine]]  # of a position as text


@dataclass(frozen=True)
class Manner:
    """How walks are made."""

    lines: int = 4  # moves that the engine tells of
    nodes: int = 2000  # that it looks at
    blunders: float = 0.15  # share of moves that are any legal one
    temperature: float = 0.3  # pawns: of the policy by which the others are drawn
    longest: int = 80  # positions of a walk
    opening: int = 10  # at most so many random moves before a walk from the start
    replies: int = 0  # of a position's moves, so many with the answer that the engine expects


@dataclass
class Walk:
    """What was met: rows, labels, how often each position had been there, and an end."""

    rows: list[Any] = field(default_factory=list)  # (8,) uint64 each
    actions: list[list[int]] = field(default_factory=list)  # by the engine, best first
    scores: list[list[int]] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    result: int = 0  # 1, 0, -1: who stands to win at the end, White's view
    judged: int = 0  # those before are the walk's own, those after are replies

    def add(self, row: Any, actions: list[int], scores: list[int], times: int) -> None:
        self.rows.append(np.array(row, np.uint64))
        self.actions.append(actions)
        self.scores.append(scores)
        self.times.append(times)


def opening(start: State, most: int, chooser: np.random.Generator) -> State:
    """A few random moves from the start."""
    state = start
    for _ in range(int(chooser.integers(0, most + 1))):
        legal = state.legal_actions()
        state = state.apply(int(chooser.choice(legal)))
        if state.is_terminal:
            return start
    return state


def walk(start: State, ask: Asked, manner: Manner, seed: int, number: int) -> Walk:
    """One walk; what it draws depends on the seed and its number."""
    chooser = np.random.default_rng(derive_seed(seed, number))
    found, state, seen = Walk(), start, dict[str, int]()
    aside: list[tuple[State, int, int]] = []
    while not state.is_terminal and len(found.rows) < manner.longest:
        text = state.position
        lines = ask(text)
        actions, scores = read_lines(state, lines)
        key = text.rsplit(" ", 2)[0]
        seen[key] = seen.get(key, 0) + 1
        found.add(state.row, actions, scores, min(seen[key], 3))
        if chooser.random() < manner.blunders:
            chosen = int(chooser.choice(state.legal_actions()))
        else:
            shares = labels.policies(np.array([scores], np.int16), manner.temperature)[0]
            chosen = actions[int(np.searchsorted(np.cumsum(shares[:-1]), chooser.random()))]
        if manner.replies:
            aside += replies_of(state, lines, chosen, manner.replies, chooser)
        state = state.apply(chosen)
    found.judged = len(found.rows)
    if state.is_terminal:
        found.result = int(state.outcome or 0)
    elif found.scores:
        value = float(labels.values(np.array(found.scores[-1:], np.int16))[0])
        sign = 1 if state.current_player == 1 else -1  # the last judged move was the other's
        found.result = sign * round(value) if abs(value) > 0.5 else 0
    for after, action, score in aside:
        found.add(after.row, [action], [score], 1)
    return found


def replies_of(
    state: State, lines: list[EngineLine], chosen: int, most: int, chooser: np.random.Generator
) -> list[tuple[State, int, int]]:
    """Up to ``most`` positions after moves that are not ``chosen``, drawn at random: each with
    the engine's answer to the move, and its score for the side that answers."""
    out: list[tuple[State, int, int]] = []
    for place in chooser.permutation(len(lines)).tolist():
        line, action = lines[place], read_uci(state.row, lines[place].move)
        if len(out) == most:
            break
        if len(line.line) < 2 or action is None or action == chosen:
            continue
        after = state.apply(action)
        answer = None if after.is_terminal else read_uci(after.row, line.line[1])
        if answer is not None and answer in after.legal_actions():
            out.append((after, answer, -labels.score_of(line.centipawns, line.mate)))
    return out


def read_lines(state: State, lines: list[EngineLine]) -> tuple[list[int], list[int]]:
    """The engine's moves as actions, and their scores; one that comes twice counts once."""
    actions: list[int] = []
    scores: list[int] = []
    for line in lines:
        action = read_uci(state.row, line.move)
        if action is None or action not in state.legal_actions():
            raise DataError(f"the engine answered {line.move}, which is no move here")
        if action not in actions:
            actions.append(action)
            scores.append(labels.score_of(line.centipawns, line.mate))
    if not actions:
        raise DataError(f"the engine told of no line in {state.position}")
    return actions, scores


def asker(engine: UciEngine, manner: Manner) -> Asked:
    """Ask an engine that has been set up by ``set_up``."""

    def ask(position: str) -> list[EngineLine]:
        return engine.best_lines(f"position fen {position}", f"nodes {manner.nodes}", _SECONDS)

    return ask


def set_up(command: tuple[str, ...], manner: Manner) -> UciEngine:
    """An engine that tells of several lines; little memory, which is soon cleared."""
    engine = UciEngine(command, name=f"uci:{command[0].rsplit('/', 1)[-1]}", limit=_SECONDS)
    try:
        for name, value in (("Threads", 1), ("Hash", 4), ("MultiPV", manner.lines)):
            engine.set(name, str(value))
        engine.wait_until_ready()
    except PlayproofError:
        engine.close()
        raise
    return engine
