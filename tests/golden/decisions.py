"""Golden decisions: what every agent chooses in positions of every game.

    python tests/golden/decisions.py

decides again and writes ``decisions.json`` beside this file.  A change to a search that is not
meant to change its play must not change that file.  Batches are decided one by one, so that a test
can check only the first.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import playproof
from playproof import Game, State
from playproof.core.batch import Batch

FILE = Path(__file__).with_suffix(".json")
BATCHES, ROWS = 20, 10
_SEARCHES = ("random", "greedy", "mcts:simulations=60", "mcts:simulations=40,temperature=1")
_DEEP = ("alphabeta:depth=3", "alphabeta:nodes=3000", "minimax:depth=2")
CASES: dict[str, tuple[str, ...]] = {
    "othello": (
        *_SEARCHES, *_DEEP, "alphabeta:depth=2,endgame=8", "net:othello8-zero",
        "mcts:net=othello8-zero,simulations=24", "mcts:net=othello8-zero,simulations=24,leaves=4",
    ),
    "othello:size=6": (
        "net:othello6-zero", "mcts:net=othello6-zero,simulations=48,exploration=2",
    ),
    "chess": (
        "random", *_SEARCHES[2:], *_DEEP, "net:chess-10x128",
        "mcts:net=chess-10x128,simulations=8,leaves=2",
    ),
    "choko": (
        *_SEARCHES, *_DEEP, "net:choko-ppo-v2", "net:choko-ppo-plus,temperature=1,greedy=false",
        "pgts:net=choko-ppo-v3", "mcts:net=choko-ppo-plus,simulations=48", "net:choko-dql",
    ),
    "go:board=5x5": (*_SEARCHES, "alphabeta:depth=3", "alphabeta:nodes=3000"),
    "quantum-go:board=5x5": (
        *_SEARCHES, "alphabeta:depth=2", "net:quantum-go5-zero",
        "mcts:net=quantum-go5-zero,simulations=16",
    ),
    "quantum-go:board=4x3,collapse=born": ("random", *_SEARCHES[2:], "alphabeta:depth=2"),
}  # fmt: skip


def positions(game: Game, batch: int) -> list[State]:
    """The positions of a batch, where a player is to move, each from another random game."""
    rng = Random(f"{game.spec} {batch}")
    states: list[State] = []
    while len(states) < ROWS:
        candidates = list(_random_game(game, rng))
        if candidates:
            states.append(rng.choice(candidates))
    return states


def _random_game(game: Game, rng: Random) -> Iterator[State]:
    state = game.start()
    while not state.is_terminal:
        odds = state.chance_outcomes()
        if not odds:
            yield state
            odds = [(action, 1.0) for action in state.legal_actions()]
        actions, weights = zip(*odds, strict=True)
        state = state.apply(rng.choices(actions, weights)[0])


def decide(game: Game, agent: str, batch: int) -> list[str]:
    """The names of the moves that an agent chooses in a batch."""
    states = positions(game, batch)
    chosen = playproof.make_agent(agent, game, seed=1).choose(Batch.of(states, seed=batch))
    return [state.name(decision.action) for state, decision in zip(states, chosen, strict=True)]


def read() -> dict[str, dict[str, list[str]]]:
    """game -> agent -> the moves of each batch, separated by spaces."""
    return json.loads(FILE.read_text())  # type: ignore[no-any-return]


def main() -> None:
    out: dict[str, dict[str, list[str]]] = {}
    for spec, agents in CASES.items():
        game = playproof.make(spec)
        for agent in agents:
            print(spec, agent, file=sys.stderr, flush=True)
            lines = [" ".join(decide(game, agent, batch)) for batch in range(BATCHES)]
            out.setdefault(spec, {})[agent] = lines
    FILE.write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main()
