"""``playproof match``: two agents, many games, and what they prove."""

from __future__ import annotations

from typing import Annotated

import typer

from playproof.cli.arena import (
    BatchOption,
    ClusterOption,
    FileOption,
    LimitOption,
    OpeningsOption,
    WorkersOption,
    percent,
    play_through,
    results,
    seconds_a_move,
    tell_failures,
    tell_reuse,
    with_reuse,
)
from playproof.cli.output import GameArgument, JsonOption, SeedOption, emit


def match(
    game: GameArgument,
    one: Annotated[str, typer.Argument(metavar="A", help="An agent: mcts:simulations=800")],
    two: Annotated[str, typer.Argument(metavar="B", help="Another, or the same again.")],
    games: Annotated[
        int, typer.Option(min=2, max=10**7, help="How many, at most if there is a test.")
    ] = 100,
    sprt: Annotated[
        str | None,
        typer.Option(metavar="ELO0,ELO1", help="Stop as soon as a sequential test decides."),
    ] = None,
    openings: OpeningsOption = "random",
    limit: LimitOption = 60.0,
    workers: WorkersOption = None,
    batch: BatchOption = 64,
    cluster: ClusterOption = None,
    file: FileOption = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play two agents against each other: pairs of games with sides swapped."""
    from playproof.arena.sprt import Sprt
    from playproof.arena.statistics import format_elo
    from playproof.arena.store import Store
    from playproof.arena.tournament import Tournament, Wishes, pairs_of

    wishes = Wishes(
        pairs=pairs_of(games),
        openings=openings,
        seed=seed,
        limit=limit,
        workers=workers,
        batch=batch,
        cluster=cluster,
        sprt=None if sprt is None else Sprt.parse(sprt),
    )
    with Store(file) as store:
        found = play_through(Tournament.prepare(game, [one, two], wishes, store))
    score, facts = found.scores[0, 1], found.facts[0, 1]
    if as_json:
        emit(with_reuse(found))
        return
    a, b = found.players
    print(f"{a} against {b}, {score.games} games of {found.game}")
    print(f"score   {percent(score)}  ({results(score)})")
    print(f"Elo     {format_elo(score)}")
    print(f"pairs   {' '.join(map(str, score.pentanomial))}  (0, ½, 1, 1½ and 2 points)")
    print(f"likelihood of superiority   {score.superiority or 0.0:.1%}")
    times = " and ".join(f"{1000 * t:.2f} ms" for t in seconds_a_move(facts))
    print(f"plies a game   {facts['mean_plies']:.1f}, time a move {times}")
    if found.sprt is not None:
        low, high = found.sprt.bounds
        test = f"{found.sprt.elo0:g}, {found.sprt.elo1:g}"
        print(
            f"SPRT [{test}]   {found.verdict}, "
            f"log-likelihood ratio {found.sprt.llr(score):+.2f} of [{low:.2f}, {high:.2f}]"
        )
    tell_reuse(found.reuse)
    tell_failures(found.failures)
