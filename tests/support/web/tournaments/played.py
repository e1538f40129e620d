"""A games database with real games in it, played at random and recorded by the arena."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

from playproof.arena.database import GameDatabase
from playproof.arena.openings import Opening
from playproof.arena.referee import FinishedGame, GameTask
from playproof.arena.tournament import MatchConfig, Tournament
from playproof.core.registry import make
from playproof.formats.record import Record

PLAYERS = ("greedy", "mcts:simulations=20", "random")


def play(
    path: Path,
    *,
    game: str = "othello:size=4",
    players: tuple[str, ...] = PLAYERS,
    pairs: int = 6,
    only: int | None = None,
    seed: int = 3,
    done: bool = True,
    reason: str | None = None,
) -> Tournament:
    """Record a tournament, or its first ``only`` pairs; the last game is lost for ``reason``.

    Moves are random: a table counts only results."""
    with GameDatabase(path) as store:
        config = MatchConfig(pairs=pairs, seed=seed)
        made = Tournament.prepare(game, players, config, store)
        run = made.register_run()
        store.add_openings(made.event, [Opening(None, ()) for _ in range(pairs)])
        chance = random.Random(seed)
        for i, j in combinations(range(len(players)), 2):
            one, two = (made.players[k].label for k in (i, j))
            for pair in range(pairs if only is None else only):
                legs = [_game(game, (one, two), pair, leg, chance) for leg in (0, 1)]
                store.add(
                    made.event,
                    *(made.players[k].key for k in (i, j)),
                    legs,
                    {pair: f"opening {pair}"},
                )
        if reason is not None:
            with store._writing():
                store._db.execute(
                    "UPDATE games SET reason = ?1, record = json_set(record, '$.reason', ?1) "
                    "WHERE id = (SELECT max(id) FROM games)",
                    [reason],
                )
        if done:
            store.finish_run(run)
    return made


def add_pair(path: Path, made: Tournament, pairing: tuple[int, int], pair: int) -> None:
    """One more pair, as a tournament that goes on would add it."""
    one, two = (made.players[k].label for k in pairing)
    legs = [_game(made.game.spec, (one, two), pair, leg, random.Random(pair)) for leg in (0, 1)]
    with GameDatabase(path) as store:
        store.add(made.event, one, two, legs, {pair: "another"})


def _game(
    game: str, names: tuple[str, str], pair: int, leg: int, chance: random.Random
) -> FinishedGame:
    state = make(game).start()
    while not state.is_terminal:
        state = state.apply(chance.choice(state.legal_actions()))
    players = names if leg == 0 else (names[1], names[0])
    record = Record.of(state, players, seed=pair)
    task = GameTask(pair, leg, pair, None, ())
    return FinishedGame(task, players, int(state.outcome or 0), None, record, (0.1, 0.2))
