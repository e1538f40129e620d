"""Laws of observations and of the View: what networks and people see."""

from __future__ import annotations

import numpy as np

from playproof.core.conformance import view_contract
from playproof.core.conformance.laws import Law, holds, law, refusal, same
from playproof.core.conformance.random_games import Sampler
from playproof.core.errors import PlayproofError
from playproof.core.game import Game


@law(3)
def observations(game: Game, sampler: Sampler) -> None:
    """An observation has the declared shape, contains numbers and fills all of its memory."""
    state = game.start()
    for state in sampler.track(sampler.states(game, 4)):
        for number, (kind, shape) in enumerate(game.observations.items()):
            planes = state.observation(kind)
            same(planes.shape, shape, f"the shape of {kind!r}")
            same(planes.dtype, np.dtype(np.float32), f"the type of {kind!r}")
            holds(np.isfinite(planes).all(), f"{kind!r} holds what is no number")
            holds((state.observation(kind) == planes).all(), f"{kind!r} differs the second time")
            # A batch passes used memory: every entry must be written.
            out = np.full(planes.size, np.nan, np.float32)
            row = state.row.copy()
            game.kernels.observe(game.option_words, game.tables, row, state.history, number, out)
            holds((out.reshape(shape) == planes).all(), f"{kind!r} leaves used memory unwritten")
        first = next(iter(game.observations))
        holds(
            (state.observation() == state.observation(first)).all(), "the first is not the default"
        )
    line = refusal(
        PlayproofError, lambda: state.observation("no such thing"), "an observation 'no such thing'"
    )
    holds("no such thing" in line, f"the refusal does not name it: {line}")


@law(3)
def views(game: Game, sampler: Sampler) -> None:
    """A View keeps the page's contract, has every legal move, and says whose turn it is."""
    for state in sampler.track(sampler.states(game, 6)):
        view = state.view()
        data = view.to_json()
        view_contract.check(data, game.colours)
        same((data["game"], data["title"]), (game.name, game.title), "game and title of the View")
        names = [move["n"] for move in data["legal"]] + [b["id"] for b in data["actions"]]
        if data["lazy"]:
            few = len(state.legal_actions()) <= view_contract.LIST_LIMIT
            holds(not few, "a View with few legal moves is lazy")
        else:
            # A move may have several clicks, such as any cell of a column.
            moves = sorted(set(map(state.find, names)))
            same(moves, state.legal_actions(), "the moves of the View")
        # A click is played by its action: it must be the one that its name means.
        for name, action in [
            *((move.name, move.action) for move in view.legal),
            *((button.id, button.action) for button in view.actions),
        ]:
            same(action, state.find(name), f"the action of {name} in the View")
        same(data["over"] is not None, state.is_terminal, "whether the View says that it is over")
        mover = state.current_player
        colour = game.colours[mover] if mover in (0, 1) else ""  # type: ignore[index]
        same(data["turn"]["c"], colour, "the colour to move in the View")


LAWS: tuple[Law, ...] = (observations, views)
