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
        str,
        typer.Argument(
            metavar="RECORD|POSITION",
            help="Where the games start; the start of the game if not given.",
        ),
    ] = "",
    games: Annotated[int, typer.Option(min=1, max=10**8, help="How many games.")] = 10_000,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play random games and show how long, how wide and how fair they are."""
    refuse_option(position)
    chosen_game = make(game)
    state = read_state(chosen_game, position) if position else chosen_game.start()
    chosen_game = state.game  # a record brings its own options
    seed = settle_seed(seed)
    random_play.playouts(state, 1, seed=seed)  # compiled or loaded before the clock starts
    began = time.perf_counter()
    results = random_play.playouts(state, games, seed=seed)
    seconds = time.perf_counter() - began
    shares = {
        "first_wins": results.share(1),
        "draws": results.share(0),
        "second_wins": results.share(-1),
        "unfinished": results.share(2),
        "mean_length": results.steps / games,
        "longest": int(results.lengths.max()),
        "mean_legal_actions": int(results.choices.sum()) / max(results.steps, 1),
        "most_legal_actions": int(results.widest.max()),
    }
    if as_json:
        emit(
            {
                "game": chosen_game.spec,
                "games": games,
                "seed": seed,
                **shares,
                "seconds": seconds,
            }
        )
        return
    first, second = chosen_game.players
    print(f"{first} wins   {shares['first_wins']:.2%}")
    print(f"draws   {shares['draws']:.2%}")
    print(f"{second} wins   {shares['second_wins']:.2%}")
    if shares["unfinished"]:
        print(f"unfinished   {shares['unfinished']:.2%}")
    print(f"actions a game   {shares['mean_length']:.2f} (longest {shares['longest']})")
    print(
        f"legal actions   {shares['mean_legal_actions']:.2f} (most {shares['most_legal_actions']})"
    )
    note(f"{games:,} games, {results.steps / max(seconds, 1e-9) / 1e6:,.1f} M steps/s, seed {seed}")
