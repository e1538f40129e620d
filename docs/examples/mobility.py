"""``mobility``: an agent that leaves the other side as few replies as it can.

It knows nothing about any game, so it plays all of them.

    python docs/examples/mobility.py

plays Othello with it against random moves.  CONTRIBUTING.md explains each part.
"""

from __future__ import annotations

import numpy as np

import playproof
from playproof.agents.base import Agent, Decision
from playproof.agents.registry import make_agent
from playproof.core.batch import Batch
from playproof.core.spec import Option
from playproof.core.state import State


class Mobility(Agent):
    name = "mobility"
    summary = "the move that leaves the fewest replies"
    option_fields = (Option("most", False, "leave the most replies instead"),)

    def choose(self, batch: Batch) -> list[Decision]:
        # A random word for each row, from the batch's seeds and ours: ties are broken in the same
        # way in every run, whatever else is in the batch.
        words = batch.words(self.seed)
        return [self._best(batch[row], int(words[row])) for row in range(len(batch))]

    def _best(self, state: State, word: int) -> Decision:
        legal = state.legal_actions()
        children = [state.apply(action) for action in legal]
        replies = np.diff(Batch.of(children).legal_lists().offsets)
        values = (1.0 if self.options["most"] else -1.0) * replies
        for i, child in enumerate(children):
            if child.is_terminal:  # prefer a win to everything, and everything to another end
                won = child.returns()[state.current_player or 0] > 0
                values[i] = np.inf if won else -np.inf
        best = np.flatnonzero(values == values.max())
        chosen = int(best[word % len(best)])
        return Decision(legal[chosen], statistics={"replies": int(replies[chosen])})


def main() -> None:
    game = playproof.make("othello")
    ours, other = Mobility(game, seed=1), make_agent("random", game, seed=2)
    won = 0
    for number in range(20):
        state, side = game.start(), number % 2  # Black in every other game
        while not state.is_terminal:
            agent = ours if state.current_player == side else other
            state = state.apply(agent.decide(state, seed=number).action)
        won += state.returns()[side] > 0
    print(f"{ours.spec} won {won} of 20 games of {game.title} against {other.spec}")


if __name__ == "__main__":
    main()
