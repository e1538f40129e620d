"""``playproof.analyse``: an agent's evaluation of a position, in one call."""

from __future__ import annotations

from collections.abc import Callable

from playproof.agents.base import Decision
from playproof.agents.limits import Limits
from playproof.agents.registry import make_agent
from playproof.core.errors import DataError
from playproof.core.game import Game
from playproof.core.registry import resolve_state
from playproof.core.state import State
from playproof.core.stopping import StopFlag


def analyse(
    position: Game | State | str,
    agent: str = "alphabeta",
    *,
    lines: int = 3,
    limits: Limits | None = None,
    seed: int = 0,
    stop: StopFlag | None = None,
    on_progress: Callable[[Decision], None] | None = None,
) -> Decision:
    """An agent's decision, with its best ``lines`` moves in ``moves``, each with its value and
    expected continuation.  Values are from the first player's side.

    ``limits`` set the time, nodes, simulations or depth in place of the agent's defaults, and also
    the number of lines.  ``on_progress`` is called with the decision as it stands so far.

    >>> import playproof
    >>> state = playproof.make("othello").start().play("f5d6c3")
    >>> decision = playproof.analyse(state, "alphabeta:depth=4", lines=2)
    >>> [state.names_of(move.line)[0] for move in decision.moves]
    ['f4', 'd3']
    """
    state = resolve_state(position)
    if state.is_terminal:
        raise DataError(f"the game is over ({state.view().over}): there is nothing to analyse")
    if state.is_chance:
        raise DataError("chance is to move here: play its outcome first")
    return make_agent(agent, state.game, seed=seed).decide(
        state, seed=seed, limits=limits or Limits(lines=lines), stop=stop, on_progress=on_progress
    )
