"""Walks: games with blunders in them, whose positions an engine evaluates.

Games between engines never show how a blunder is punished.  A walk starts in some position, has the
engine evaluate it, and plays one of the engine's best moves, drawn by their policy, or sometimes a
random legal move.  So it contains blunders, their punishment, and the won or lost games after them,
all evaluated.

An engine's line also contains the reply that it expects.  The replies to moves that a walk does not
play are further positions with a move and a score, without any search (``replies``).
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

_SECONDS = 60.0  # after which an engine counts as hung

Analyse = Callable[[str], list[EngineLine]]  # position as text -> the engine's lines, best first


@dataclass(frozen=True)
class WalkConfig:
    """The settings of walks."""

    lines: int = 4  # moves that the engine evaluates in a position
    nodes: int = 2000  # that it searches for a position
    blunders: float = 0.15  # share of moves that are random
    temperature: float = 0.3  # in pawns, of the policy by which the other moves are drawn
    longest: int = 80  # the most positions of a walk
    opening: int = 10  # the most random moves before a walk that starts from the start
    replies: int = 0  # moves of a position whose expected reply is kept as a position of its own


@dataclass
class LabelledWalk:
    """The positions of a walk with their labels; replies come after the walk's own positions."""

    rows: list[Any] = field(default_factory=list)  # (8,) uint64 each
    actions: list[list[int]] = field(default_factory=list)  # the engine's moves, best first
    scores: list[list[int]] = field(default_factory=list)
    times: list[int] = field(default_factory=list)  # how often each position has occurred
    result: int = 0  # of the game, or expected at its end: 1, 0, -1 for White
    evaluated: int = 0  # the number of the walk's own positions, which the engine evaluated

    def add(self, row: Any, actions: list[int], scores: list[int], times: int) -> None:
        self.rows.append(np.array(row, np.uint64))
        self.actions.append(actions)
        self.scores.append(scores)
        self.times.append(times)


def opening(start: State, most: int, rng: np.random.Generator) -> State:
    """Up to ``most`` random moves from the start; the start itself if they end the game."""
    state = start
    for _ in range(int(rng.integers(0, most + 1))):
        legal = state.legal_actions()
        state = state.apply(int(rng.choice(legal)))
        if state.is_terminal:
            return start
    return state


def walk(
    start: State, analyse: Analyse, config: WalkConfig, seed: int, number: int
) -> LabelledWalk:
    """Do one walk, whose random numbers depend on the seed and the number of the walk."""
    rng = np.random.default_rng(derive_seed(seed, number))
    steps, state, seen = LabelledWalk(), start, dict[str, int]()
    replies: list[tuple[State, int, int]] = []
    while not state.is_terminal and len(steps.rows) < config.longest:
        text = state.position
        lines = analyse(text)
        actions, scores = read_lines(state, lines)
        key = text.rsplit(" ", 2)[0]
        seen[key] = seen.get(key, 0) + 1
        steps.add(state.row, actions, scores, min(seen[key], 3))
        if rng.random() < config.blunders:
            chosen = int(rng.choice(state.legal_actions()))
        else:
            shares = labels.policies(np.array([scores], np.int16), config.temperature)[0]
            chosen = actions[int(np.searchsorted(np.cumsum(shares[:-1]), rng.random()))]
        if config.replies:
            replies += replies_of(state, lines, chosen, config.replies, rng)
        state = state.apply(chosen)
    steps.evaluated = len(steps.rows)
    if state.is_terminal:
        steps.result = int(state.outcome or 0)
    elif steps.scores:
        value = float(labels.values(np.array(steps.scores[-1:], np.int16))[0])
        sign = 1 if state.current_player == 1 else -1  # the last score is the other side's
        steps.result = sign * round(value) if abs(value) > 0.5 else 0
    for after, action, score in replies:
        steps.add(after.row, [action], [score], 1)
    return steps


def replies_of(
    state: State, lines: list[EngineLine], chosen: int, most: int, rng: np.random.Generator
) -> list[tuple[State, int, int]]:
    """Up to ``most`` positions after moves other than ``chosen``, drawn at random.

    Each comes with the engine's reply to the move, and its score for the side that replies."""
    out: list[tuple[State, int, int]] = []
    for place in rng.permutation(len(lines)).tolist():
        line, action = lines[place], read_uci(state.row, lines[place].move)
        if len(out) == most:
            break
        if len(line.pv) < 2 or action is None or action == chosen:
            continue
        after = state.apply(action)
        answer = None if after.is_terminal else read_uci(after.row, line.pv[1])
        if answer is not None and answer in after.legal_actions():
            out.append((after, answer, -labels.score_of(line.centipawns, line.mate)))
    return out


def read_lines(state: State, lines: list[EngineLine]) -> tuple[list[int], list[int]]:
    """The engine's moves as actions, and their scores, without duplicates."""
    actions: list[int] = []
    scores: list[int] = []
    for line in lines:
        action = read_uci(state.row, line.move)
        if action is None or action not in state.legal_actions():
            raise DataError(
                f"the engine answered {line.move}, which is illegal in {state.position}: "
                "want an engine that plays standard chess"
            )
        if action not in actions:
            actions.append(action)
            scores.append(labels.score_of(line.centipawns, line.mate))
    if not actions:
        raise DataError(f"the engine gave no line for {state.position}")
    return actions, scores


def engine_query(engine: UciEngine, config: WalkConfig) -> Analyse:
    """A function that has an engine from ``start_engine`` evaluate a position."""

    def analyse(position: str) -> list[EngineLine]:
        return engine.last_lines(f"position fen {position}", f"nodes {config.nodes}", _SECONDS)

    return analyse


def start_engine(command: tuple[str, ...], config: WalkConfig) -> UciEngine:
    """Start an engine that gives several lines, with a small hash table, which clears quickly."""
    engine = UciEngine(command, name=f"uci:{command[0].rsplit('/', 1)[-1]}", limit=_SECONDS)
    try:
        for name, value in (("Threads", 1), ("Hash", 4), ("MultiPV", config.lines)):
            engine.set(name, str(value))
        engine.wait_until_ready()
    except PlayproofError:
        engine.close()
        raise
    return engine
