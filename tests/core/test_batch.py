"""Batch: what thousands of games at once have beyond what the conformance suite asks of each."""

from __future__ import annotations

import numpy as np
import pytest

from playproof import Batch, Game, IllegalAction, State, UsageError, make
from tests.support.core.ring_game import Ring

ONGOING = 2


def snapshot(batch: Batch) -> list[np.ndarray]:
    arrays = (batch.rows, batch.plies, batch.history_lengths, batch.histories)
    return [array.copy() for array in arrays]


def assert_unchanged(batch: Batch, before: list[np.ndarray]) -> None:
    for now, then in zip(snapshot(batch), before, strict=True):
        assert np.array_equal(now, then)


# Many games


def test_five_thousand_games_of_choko_one_after_another() -> None:
    batch = Batch.start(make("choko"), 5_000, seed=11)
    results: list[int] = []
    lengths: list[int] = []
    for _ in range(130):
        chosen = batch.random_actions()
        assert chosen.min() >= 0  # every game goes on, because the finished ones were reset
        batch.apply(chosen, check=False)
        outcome = batch.outcome()
        done = np.flatnonzero(outcome != ONGOING)
        results += outcome[done].tolist()
        lengths += batch.plies[done].tolist()
        assert np.array_equal(batch.reset_finished(), done)
        assert not batch.plies[done].any()
    # Some 130 / 72 games a row end in this time.  The bounds are wide because long games, which
    # are drawn more often, are cut off more often too: see the next test for exact figures.
    games = len(results)
    assert 6_000 < games < 10_000
    assert max(lengths) == 100
    assert 0.08 < results.count(0) / games < 0.2
    assert set(results) == {1, 0, -1}


def test_the_first_games_of_a_batch_are_as_random_as_any() -> None:
    """Play every row once to its end: 72.2 actions a game and 14.9 % draws are published."""
    batch = Batch.start(make("choko"), 5_000, seed=12)
    while not batch.finished().all():
        batch.apply(batch.random_actions())  # -1 for the finished, which stay as they are
    n, lengths = len(batch), batch.plies
    assert abs(lengths.mean() - 72.2) < 0.05 + 5 * lengths.std() / n**0.5
    drawn = float(np.mean(batch.outcome() == 0))
    assert abs(drawn - 0.149) < 0.0005 + 5 * (0.149 * 0.851 / n) ** 0.5
    assert len(np.unique(batch.rows, axis=0)) > 0.9 * n  # not one game five thousand times


def test_a_row_plays_another_game_after_a_reset() -> None:
    batch = Batch.start(make("othello", size=4), 50, seed=1)
    lines: list[list[list[int]]] = [[[]] for _ in range(len(batch))]
    for _ in range(40):
        chosen = batch.random_actions()
        for games, action in zip(lines, chosen.tolist(), strict=True):
            games[-1].append(action)
        batch.apply(chosen)
        for row in batch.reset_finished():
            lines[row].append([])
    repeated = sum(games[0] == games[1] for games in lines)
    assert repeated < 5


# Random actions


def test_the_same_seed_gives_the_same_actions_and_another_gives_others() -> None:
    game = make("choko")
    drawn = [Batch.start(game, 500, seed=seed).random_actions() for seed in (3, 3, 4)]
    assert np.array_equal(drawn[0], drawn[1])
    assert np.mean(drawn[0] == drawn[2]) < 0.15  # of 25 placements one in 25 agrees by chance
    batch = Batch.start(game, 500, seed=3)
    assert np.array_equal(batch.random_actions(), drawn[0])
    assert np.mean(batch.random_actions(salt=1) == drawn[0]) < 0.15
    batch.apply(drawn[0])
    assert np.mean(batch.random_actions() == drawn[0]) < 0.15  # the ply enters the draw


@pytest.mark.parametrize("spec", ["go:board=5x5", "quantum-go:board=3x3,collapse=born", "choko"])
def test_actions_drawn_from_a_mask_are_those_drawn_from_the_lists(spec: str) -> None:
    batch = Batch.start(make(spec), 200, seed=9)
    for _ in range(60):
        chosen = batch.random_actions(mask=batch.legal_mask())
        # Go lists its actions in rising order, the others do not; chance goes by odds in all.
        alike = (batch.players() < 0) | spec.startswith("go")
        assert np.array_equal(chosen[alike], batch.random_actions()[alike])
        batch.apply(chosen)  # checked: a finished row, and only one, has none
    assert batch.finished().any() or spec == "choko"
    with pytest.raises(UsageError, match="contiguous"):
        batch.random_actions(mask=batch.legal_mask()[1:])


def test_neither_rows_nor_seeds_next_to_each_other_share_their_games() -> None:
    # Were a row's number added to the seed, seed 2 would replay seed 1 shifted by a row.
    one, two = (Batch.start(make("choko"), 500, seed=seed).random_actions() for seed in (1, 2))
    for shift in (0, 1, 2):
        assert np.mean(one[shift:] == two[: len(two) - shift]) < 0.15
        assert np.mean(two[shift:] == one[: len(one) - shift]) < 0.15
    assert np.mean(one[1:] == one[:-1]) < 0.15


def test_what_is_drawn_for_a_game_does_not_depend_on_its_neighbours() -> None:
    batch = Batch.start(make("choko"), 300, seed=5)
    order = np.random.default_rng(0).permutation(300)[:100]
    fewer = Batch.start(make("choko"), 100)
    fewer.seeds[:] = batch.seeds[order]
    for _ in range(30):
        chosen = batch.random_actions()
        assert np.array_equal(fewer.random_actions(), chosen[order])
        batch.apply(chosen)
        fewer.apply(chosen[order])
    assert np.array_equal(fewer.rows, batch.rows[order])


def test_random_actions_are_uniform() -> None:
    drawn = Batch.start(make("choko"), 50_000, seed=0).random_actions()
    counts = np.bincount(drawn, minlength=25)
    assert len(counts) == 25
    assert np.all(np.abs(counts - 2_000) < 5 * (50_000 * 0.04 * 0.96) ** 0.5)


# States and rows


@pytest.mark.parametrize("spec", ["othello", "choko"])
def test_a_batch_of_states_is_those_states(spec: str) -> None:
    state, states = make(spec).start(), []
    for ply in range(150):  # over the edge of a block of 64 rows
        states.append(state)
        legal = state.legal_actions()
        state = state.apply(legal[(5 * ply + 1) % len(legal)]) if legal else make(spec).start()
    batch = Batch.of(states)
    lists, mask = batch.legal_lists(), batch.legal_mask()
    assert lists.offsets[-1] == len(lists.actions) == mask.sum()
    for row, state in enumerate(states):
        assert batch[row] == state
        assert sorted(lists.of(row).tolist()) == state.legal_actions()
        assert np.array_equal(mask[row], state.legal_mask())
        assert batch.plies[row] == len(state.actions)
        assert np.array_equal(batch.observe()[row], state.observation())
    assert batch.score().tolist() == [state.score for state in states]
    assert batch.outcome().tolist() == [
        ONGOING if state.outcome is None else state.outcome for state in states
    ]


def test_the_caller_may_bring_the_memory() -> None:
    batch = Batch.start(make("choko"), 70)
    mask = np.full((70, 2625), 9, np.uint8)
    planes = np.full((70, 6, 5, 5), 9, np.float32)
    assert np.shares_memory(batch.legal_mask(out=mask), mask)
    assert np.array_equal(mask, batch.legal_mask())
    assert batch.observe("planes", out=planes) is planes
    assert np.array_equal(planes, batch.observe("planes"))


# Mistakes


@pytest.mark.parametrize(
    "out",
    [
        np.zeros((4, 65), np.uint8),
        np.zeros((3, 66), np.uint8),
        np.zeros((3, 65), np.float32),
        np.zeros((3, 130), np.uint8)[:, ::2],
    ],
    ids=["rows", "columns", "type", "gaps"],
)
def test_memory_that_does_not_fit_a_mask_is_refused(out: np.ndarray) -> None:
    # Compiled code checks no bounds: too little memory would be written past its end.
    with pytest.raises(UsageError):
        Batch.start(make("othello"), 3).legal_mask(out=out)


@pytest.mark.parametrize(
    "out",
    [
        np.zeros((4, 3, 8, 8), np.float32),
        np.zeros((3, 4, 8, 8), np.float32),
        np.zeros((3, 3, 8, 8), np.float64),
        np.zeros((3, 3, 8, 16), np.float32)[..., ::2],
    ],
    ids=["rows", "planes", "type", "gaps"],
)
def test_memory_that_does_not_fit_an_observation_is_refused(out: np.ndarray) -> None:
    with pytest.raises(UsageError):
        Batch.start(make("othello"), 3).observe(out=out)


@pytest.mark.parametrize("shape", [(4,), (2, 3), (2, 5), (1, 2, 4)])
def test_rows_of_the_wrong_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(UsageError, match=r"^a batch of othello is a matrix of 4 words a row, not"):
        Batch(make("othello"), np.zeros(shape, np.uint64))


@pytest.mark.parametrize("actions", [[19], [19] * 4, [[19] * 3], 19, []])
def test_every_row_wants_one_action(actions: object) -> None:
    batch = Batch.start(make("othello"), 3)
    before = snapshot(batch)
    with pytest.raises(UsageError, match=r"^want one action for each of 3 rows, got \("):
        batch.apply(actions)
    assert_unchanged(batch, before)


@pytest.mark.parametrize(
    "states",
    [
        [],
        ["othello", "choko"],
        ["othello", "othello:size=6"],
        ["choko", "choko", "choko:lone_jump"],
    ],
)
def test_a_batch_is_of_one_game(states: list[str]) -> None:
    with pytest.raises(UsageError, match=r"^(the states of a batch must be|a batch needs)"):
        Batch.of([make(spec).start() for spec in states])


@pytest.mark.parametrize("bad", [0, 64, -2, 2**40])
@pytest.mark.parametrize("row", [0, 63, 64, 199])
def test_one_illegal_action_leaves_all_rows_as_they_were(bad: int, row: int) -> None:
    batch = Batch.start(make("othello"), 200)
    chosen = batch.random_actions()
    chosen[[row, min(row + 1, 199), 199]] = bad  # the first of them is named
    before = snapshot(batch)
    with pytest.raises(IllegalAction, match=f"^row {row}: action {bad} of Othello is illegal$"):
        batch.apply(chosen)
    assert_unchanged(batch, before)


def test_a_finished_game_takes_no_action_but_none() -> None:
    full = make("othello", size=4).position("XXXXXXXXXXXXXXXX X")
    batch = Batch.of([full, full])
    assert batch.random_actions().tolist() == [-1, -1]
    before = snapshot(batch)
    batch.apply([-1, -1])
    assert_unchanged(batch, before)
    with pytest.raises(IllegalAction, match=r"^row 1: action 0 "):
        batch.apply([-1, 0])


def test_without_the_check_legal_play_is_the_same() -> None:
    checked, unchecked = (Batch.start(make("choko"), 200, seed=7) for _ in range(2))
    for ply in range(100):
        chosen = checked.random_actions()
        chosen[ply % 7 :: 7] = -1
        checked.apply(chosen)
        unchecked.apply(chosen, check=False)
        assert np.array_equal(checked.rows, unchecked.rows)
        assert np.array_equal(checked.plies, unchecked.plies)


@pytest.mark.parametrize("spec", ["othello", "choko"])
def test_a_batch_of_nobody_answers_with_nothing(spec: str) -> None:
    game = make(spec)
    batch = Batch.start(game, 0)
    batch.apply([])
    assert len(batch) == len(batch.random_actions()) == len(batch.reset_finished()) == 0
    assert batch.legal_mask().shape == (0, game.num_actions)
    assert batch.legal_lists().offsets.tolist() == [0]
    assert batch.observe().shape == (0, *next(iter(game.observations.values())))


# Histories


def by_states(game: Game, lines: list[list[int]]) -> list[State]:
    states = []
    for line in lines:
        state = game.start()
        for action in line:
            state = state.apply(action)
        states.append(state)
    return states


def test_the_history_of_each_row_grows_as_long_as_its_game() -> None:
    game = Ring(places=40)
    batch = Batch.start(game, 100, seed=2)
    lines: list[list[int]] = [[] for _ in range(100)]
    while not batch.finished().all():
        chosen = batch.random_actions()
        for line, action in zip(lines, chosen.tolist(), strict=True):
            if action >= 0:
                line.append(action)
        batch.apply(chosen)
    # Twice over the room that a batch begins with, and not all equally long.
    assert batch.history_lengths.max() > 2 * 16
    assert batch.history_lengths.min() < batch.history_lengths.max() <= batch.histories.shape[1]
    for row, state in enumerate(by_states(game, lines)):
        assert np.array_equal(batch[row].history, state.history)
        assert batch[row].outcome == state.outcome is not None
    assert batch.history_lengths.tolist() == batch.plies.tolist() == [len(line) for line in lines]


def test_a_batch_of_states_has_their_histories() -> None:
    game = Ring(places=5)
    lines = [[], [0], [0, 1, 0], [1, 1, 1, 1], [0, 1, 0, 0], [1, 0, 0, 0]]
    states = by_states(game, lines)
    batch = Batch.of(states)
    assert batch.history_lengths.tolist() == [len(line) for line in lines]
    assert batch.outcome().tolist() == [
        ONGOING if state.outcome is None else state.outcome for state in states
    ]
    going = [row for row, state in enumerate(states) if not state.is_terminal]
    chosen = np.full(len(lines), -1)
    chosen[going] = 1
    batch.apply(chosen)
    for row in going:
        after = states[row].apply(1)
        assert batch[row] == after
        assert batch[row].outcome == after.outcome
        assert np.array_equal(batch[row].history, after.history)


def test_a_new_game_has_no_history() -> None:
    batch = Batch.start(Ring(places=5), 30, seed=4)
    for _ in range(60):
        batch.apply(batch.random_actions())
        rows = batch.reset_finished()
        assert not batch.history_lengths[rows].any()
        assert not batch.finished().any()
    assert batch.history_lengths.max() <= 10  # ten positions are all there are


@pytest.mark.parametrize("spec", ["choko", "othello"])
def test_rows_are_transformed_as_states_are(spec: str) -> None:
    game = make(spec)
    batch = Batch.start(game, 40, seed=3)
    for _ in range(20):
        batch.apply(batch.random_actions())
    states = [batch[row] for row in range(len(batch))]
    images = np.arange(40) % game.symmetries
    batch.transform(images)
    assert len({state.position for state in states}) > 20
    for row, state in enumerate(states):
        assert (batch.rows[row] == state.transformed(int(images[row])).row).all()
    for wrong in (np.full(40, game.symmetries), np.zeros(39)):
        with pytest.raises(UsageError, match=f"below {game.symmetries}"):
            batch.transform(wrong)
    with pytest.raises(UsageError, match="which has no image under a symmetry"):
        Batch.start(make("go:board=5x5"), 2).transform([0, 1])
