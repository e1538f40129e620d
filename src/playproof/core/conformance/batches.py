"""Laws of many games at once: batches, random games and perft agree with State."""

from __future__ import annotations

import pickle

import numba
import numpy as np

from playproof.core import perft as counting
from playproof.core.batch import Batch
from playproof.core.bits import advance, below, mix
from playproof.core.conformance.laws import Law, holds, law, refusal, same
from playproof.core.conformance.random_games import Sampler, in_kernel_order, snapshot
from playproof.core.errors import IllegalAction, PlayproofError
from playproof.core.game import Game
from playproof.core.kernels import ONGOING
from playproof.core.playouts import Playouts, playouts
from playproof.core.state import State


def _batch(game: Game, sampler: Sampler) -> tuple[list[State], Batch]:
    states = [*sampler.states(game, 8), game.start()]
    return states, Batch.of(states)


@law(2)
def batch_rows(game: Game, sampler: Sampler) -> None:
    """A batch gives the same results for every row as the row's state."""
    states, batch = _batch(game, sampler)
    lists, masks = batch.legal_lists(), batch.legal_mask()
    used = np.full((len(states), game.num_actions), 255, np.uint8)
    same(batch.legal_mask(out=used), masks, "legal_mask() in used memory")
    ends = [ONGOING if state.outcome is None else state.outcome for state in states]
    same(batch.outcome().tolist(), ends, "outcome()")
    same(batch.finished().tolist(), [state.is_terminal for state in states], "finished()")
    same(batch.score().tolist(), [state.score for state in states], "score()")
    players = batch.players().tolist()
    for i, state in enumerate(sampler.track(states)):
        same(lists.of(i).tolist(), in_kernel_order(state), "its list of legal actions")
        same(masks[i], state.legal_mask(), "its mask")
        holds(
            state.is_terminal or players[i] == state.current_player,
            f"players() is {players[i]}, expected {state.current_player}",
        )
        same(batch.plies[i], len(state.actions), "its ply")
        same(batch[i], state, "the row as a state")
        same(batch[i].outcome, state.outcome, "the outcome of the row as a state")
        same(batch[i].history.tolist(), state.history.tolist(), "its history")
    for kind, shape in game.observations.items():
        planes = np.full((len(states), *shape), np.nan, np.float32)
        expected = np.stack([state.observation(kind) for state in states])
        same(batch.observe(kind), expected, f"observe({kind!r})")
        same(batch.observe(kind, out=planes), expected, f"observe({kind!r}) in used memory")


@law(2)
def large_batches(game: Game, sampler: Sampler) -> None:
    """A large batch, which is split into tasks, gives the same results as small ones."""
    states, small = _batch(game, sampler)
    times = 20
    large = Batch.of(states * times)
    n = len(states)
    same(large.legal_mask(), np.tile(small.legal_mask(), (times, 1)), "legal_mask()")
    same(large.legal_lists().actions, np.tile(small.legal_lists().actions, times), "legal_lists()")
    same(large.outcome(), np.tile(small.outcome(), times), "outcome()")
    same(large.score(), np.tile(small.score(), times), "score()")
    same(large.players(), np.tile(small.players(), times), "players()")
    observation = large.observe().reshape(times, -1)
    holds(
        (observation == small.observe().reshape(1, -1)).all(), "observe() differs in a large batch"
    )
    chosen = small.random_actions()
    wrong = np.tile(chosen, times)
    wrong[[7 * n, 15 * n]] = -2
    line = refusal(IllegalAction, lambda: large.apply(wrong), "an illegal action")
    holds(line.startswith(f"row {7 * n}:"), f"the refusal names another row than {7 * n}: {line}")
    small.apply(chosen)
    large.apply(np.tile(chosen, times))
    same(large.rows, np.tile(small.rows, (times, 1)), "the rows after apply()")
    same(
        large.history_lengths,
        np.tile(small.history_lengths, times),
        "the length of the histories after apply()",
    )


@law(2)
def parts_of_batches(game: Game, sampler: Sampler) -> None:
    """Rows taken out of a batch are an independent batch."""
    states, batch = _batch(game, sampler)
    part = batch.take([8, 2, 3])
    same([part[i] for i in range(3)], [states[8], states[2], states[3]], "take([8, 2, 3])")
    same(part.random_actions(), batch.random_actions()[[8, 2, 3]], "what its rows draw")
    same(part.outcome(), batch.outcome()[[8, 2, 3]], "its outcome()")
    same(part.plies, batch.plies[[8, 2, 3]], "its plies")
    before = [state.row.tobytes() for state in states]
    for own in (part, batch.copy()):
        own.apply(own.random_actions())
        own.reset_finished()
    same([row.tobytes() for row in batch.rows], before, "the batch after its part was played")


@law(2)
def rows_as_states(game: Game, sampler: Sampler) -> None:
    """A row of a batch is a state like any other, without the moves that led to it."""
    _, batch = _batch(game, sampler)
    for state in sampler.track(batch[i] for i in range(len(batch))):
        same(snapshot(pickle.loads(pickle.dumps(state))), snapshot(state), "the row pickled")
        for action in sampler.actions(state, 2):
            same(snapshot(state.apply(action).before()), snapshot(state), "the row before")


@law(2)
def batch_play(game: Game, sampler: Sampler) -> None:
    """A batch plays every row as its state would be played."""
    states, batch = _batch(game, sampler)
    while not batch.finished().all():
        chosen = batch.random_actions()
        same(chosen == -1, batch.finished(), "where random_actions() are -1")
        batch.apply(chosen)
        states = [s if a < 0 else s.apply(int(a)) for s, a in zip(states, chosen, strict=True)]
        for i, state in enumerate(sampler.track(states)):
            same(batch.rows[i], state.row, "the row")
            same(batch.history_lengths[i], len(state.history), "the length of its history")
            same(batch.histories[i, : batch.history_lengths[i]], state.history, "its history")
            same(batch.plies[i], len(state.actions), "its ply")


@law(2)
def drawing(game: Game, sampler: Sampler) -> None:
    """What a row draws depends on its seed and its ply, not on its place or on other rows."""
    states, batch = _batch(game, sampler)
    drawn = batch.random_actions()
    backwards = Batch.of(states[::-1])
    backwards.seeds[:] = batch.seeds[::-1]
    same(backwards.random_actions(), drawn[::-1], "what rows draw in another order")
    same(len(set(batch.seeds.tolist())), len(batch), "the number of different seeds")
    holds((batch.words() != batch.words(salt=1)).all(), "another salt gives the same words")
    holds((batch.words() != Batch.of(states, seed=1).words()).all(), "another seed, the same words")


@law(2)
def illegal_in_batches(game: Game, sampler: Sampler) -> None:
    """A batch refuses an illegal action in one line that names the row, and changes no row."""
    states, batch = _batch(game, sampler)
    good = batch.random_actions()
    parts = (batch.rows, batch.plies, batch.history_lengths, batch.histories)
    before = [part.copy() for part in parts]
    for i, state in enumerate(sampler.track(states)):
        wrong = sorted({0, game.num_actions - 1} - set(state.legal_actions()))
        for action in [*wrong, -2, game.num_actions, 2**40]:
            chosen = good.copy()
            chosen[i] = action
            line = refusal(IllegalAction, lambda c=chosen: batch.apply(c), f"action {action}")  # type: ignore[misc]
            holds(line.startswith(f"row {i}:"), f"the refusal names another row than {i}: {line}")
    refusal(PlayproofError, lambda: batch.apply(good[:-1]), "one action too few")
    after = (batch.rows, batch.plies, batch.history_lengths, batch.histories)
    for old, new in zip(before, after, strict=True):
        same(new, old, "the batch after illegal actions")


@law(2)
def new_games(game: Game, sampler: Sampler) -> None:
    """Finished rows restart with new seeds, and the others go on."""
    states, batch = _batch(game, sampler)
    over = [i for i, state in enumerate(states) if state.is_terminal]
    seeds = batch.seeds.copy()
    same(batch.reset_finished().tolist(), over, "reset_finished()")
    same(np.flatnonzero(batch.seeds != seeds).tolist(), over, "the rows with new seeds")
    for i, state in enumerate(sampler.track(states)):
        expected = game.start() if i in over else state
        same(batch.rows[i], expected.row, "the row")
        same(batch[i].history.tolist(), expected.history.tolist(), "its history")
        same(batch.plies[i], len(expected.actions), "its ply")
    holds(not batch.finished().any(), "a game is over at its start")
    same(batch.reset_finished().tolist(), [], "reset_finished() once more")


# Random games


@law(1)
def repeatable_playouts(game: Game, sampler: Sampler) -> None:
    """Random games depend on their seed alone, and not on the number of threads."""
    threads = numba.get_num_threads()
    runs = []
    try:
        for number in (1, min(2, numba.config.NUMBA_NUM_THREADS)):  # type: ignore[attr-defined]
            numba.set_num_threads(number)
            runs.append(_arrays(playouts(game, 200, seed=5)))
    finally:
        numba.set_num_threads(threads)
    same(runs[1], runs[0], "what one thread plays, with two")
    same(_arrays(playouts(game, 50, seed=5, first=150)), runs[0][:, 150:], "the last 50 of 200")


@law(1)
def other_playouts(game: Game, sampler: Sampler) -> None:
    """Another seed gives other random games if there is any choice."""
    one, other = (playouts(game, 200, seed=seed) for seed in (5, 6))
    if one.widest.max() > 1 and len({*one.lengths.tolist(), *one.choices.tolist()}) > 2:
        holds((_arrays(one) != _arrays(other)).any(), "seeds 5 and 6 give the same 200 games")


def _arrays(games: Playouts) -> np.ndarray:
    return np.array([games.results, games.lengths, games.choices, games.widest])


@law(2)
def playouts_by_the_rules(game: Game, sampler: Sampler) -> None:
    """A random game is the one that its random numbers give when they choose a state's moves."""
    start = sampler.unfinished_state(game)
    arrays = _arrays(playouts(start, 3, seed=sampler.seed))
    for number in range(3):
        word = mix(int(mix(sampler.seed)) + number & 2**64 - 1)
        state, widths = start, [0]
        while not state.is_terminal:
            sampler.current = state
            word = advance(word)
            if state.is_chance:
                state = state.apply(_select_outcome(state, int(mix(word))))
            else:
                legal = in_kernel_order(state)
                widths.append(len(legal))
                state = state.apply(legal[below(mix(word), len(legal))])
        sampler.current = state
        length = len(state.actions) - len(start.actions)
        same(
            arrays[:, number].tolist(),
            [state.outcome, length, sum(widths), max(widths)],
            f"outcome, length, choices and widest of random game {number}",
        )


def _select_outcome(state: State, word: int) -> int:
    """The outcome that a random word selects, with the probabilities laid end to end."""
    actions, odds = zip(*state.chance_outcomes(), strict=True)
    point = (word >> 11) * 2.0**-53
    place = min(int(np.searchsorted(np.cumsum(odds), point, "right")), len(actions) - 1)
    return int(actions[place])


@law(1)
def short_playouts(game: Game, sampler: Sampler) -> None:
    """A random game that is cut short has no result."""
    games = playouts(game, 20, seed=1, limit=1)
    holds((games.lengths == 1).all(), f"with limit=1 the lengths are {games.lengths.tolist()}")
    first = [game.start().apply(action).outcome for action in game.start().legal_actions()]
    possible = {ONGOING if outcome is None else outcome for outcome in first}
    results = set(games.results.tolist())
    holds(results <= possible, f"the results are {results}")


# Counting move sequences


@law(2)
def perft(game: Game, sampler: Sampler) -> None:
    """perft gives the same count as playing every move."""
    for state in sampler.track(sampler.states(game, 2)):
        expected = _leaves(state, 2)
        same(counting.perft(state, 2), expected, "perft(2)")
        root = Batch.of([game.perft_root(state)])
        same(counting._count(root, 2), expected, "perft(2), compiled from the first ply on")


def _leaves(state: State, depth: int) -> int:
    state = state.game.perft_root(state)
    if depth == 0:
        return 1
    if state.is_terminal:
        return int(state.game.perft_counts_finished)
    return sum(_leaves(state.apply(action), depth - 1) for action in state.legal_actions())


LAWS: tuple[Law, ...] = (
    batch_rows, large_batches, parts_of_batches, rows_as_states, batch_play, drawing,
    illegal_in_batches, new_games, repeatable_playouts, other_playouts, playouts_by_the_rules,
    short_playouts, perft,
)  # fmt: skip
