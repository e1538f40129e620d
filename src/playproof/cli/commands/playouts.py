"""``playproof playouts``: statistics of random games."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from playproof.cli.output import (
    GameArgument,
    JsonOption,
    SeedOption,
    emit,
    note,
    refuse_option,
    settle_seed,
)
from playproof.core import playouts as random_play
from playproof.core.registry import make
from playproof.formats.any_text import read_state


def playouts(
    game: GameArgument,
    position: Annotated[
        str, typer.Argument(metavar="RECORD|POSITION", help="Where the games begin; start if none.")
    ] = "",
    games: Annotated[int, typer.Option(min=1, max=10**8, help="How many games.")] = 10_000,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play random games and say how long, how wide and how fair they are."""
    refuse_option(position)
    made = make(game)
    state = read_state(made, position) if position else made.start()
    made = state.game  # a record brings its own options
    seed = settle_seed(seed)
    random_play.playouts(state, 1, seed=seed)  # compiled or loaded before the clock starts
    began = time.perf_counter()
    found = random_play.playouts(state, games, seed=seed)
    seconds = time.perf_counter() - began
    facts = {
        "first_wins": found.share(1),
        "draws": found.share(0),
        "second_wins": found.share(-1),
        "unfinished": found.share(2),
        "mean_length": found.steps / games,
        "longest": int(found.lengths.max()),
        "mean_legal_actions": int(found.choices.sum()) / max(found.steps, 1),
        "most_legal_actions": int(found.widest.max()),
    }
    if as_json:
        emit({"game": made.spec, "games": games, "seed": seed, **facts, "seconds": seconds})
        return
    first, second = made.players
    print(f"{first} wins   {facts['first_wins']:.2%}")
    print(f"draws   {facts['draws']:.2%}")
    print(f"{second} wins   {facts['second_wins']:.2%}")
    if facts["unfinished"]:
        print(f"unfinished   {facts['unfinished']:.2%}")
    print(f"actions a game   {facts['mean_length']:.2f} (longest {facts['longest']})")
    print(f"legal actions   {facts['mean_legal_actions']:.2f} (most {facts['most_legal_actions']})")
    note(f"{games:,} games, {found.steps / max(seconds, 1e-9) / 1e6:,.1f} M steps/s, seed {seed}")
