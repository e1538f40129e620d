"""Numbers that others have published, and numbers counted a second way, through the public door.

A rule that is wrong somewhere shows in perft; a wrong idea of what a position is shows in the
enumeration; a wrong die shows in the statistics of random games.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterator

import numba
import numpy as np
import pytest

from playproof import Game, State, UsageError, enumerate_positions, make, perft, playouts
from playproof.core import enumeration
from playproof.games.othello.game import Othello
from tests.support.core.ring_game import Ring
from tests.support.oracles.othello_naive import NaiveOthello

# A pass counts as a ply, and a game that ended earlier as one leaf.
OTHELLO_PERFT = (1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284)
CHOKO_PERFT = (1, 25, 600, 15640, 351596, 9266516)
LONE_JUMP_PERFT = (1, 25, 600, 15700, 353192, 9303904)

# Up to symmetry, positions with a legal move: by stones from 4 on, and by ply from 0 on.
OTHELLO_POSITIONS = [1, 1, 3, 14, 60, 322, 1773, 10649, 67245]
CHOKO_POSITIONS = [1, 6, 85, 989, 10653, 77561, 522315]


# Perft


@pytest.mark.parametrize(("depth", "leaves"), list(enumerate(OTHELLO_PERFT)))
def test_othello_perft_is_the_published_one(depth: int, leaves: int) -> None:
    assert perft(make("othello"), depth) == leaves


@pytest.mark.parametrize(("depth", "leaves"), list(enumerate(CHOKO_PERFT)))
def test_choko_perft_is_the_published_one(depth: int, leaves: int) -> None:
    assert perft(make("choko"), depth) == leaves


@pytest.mark.parametrize(("depth", "leaves"), list(enumerate(LONE_JUMP_PERFT)))
def test_choko_perft_with_lone_jumps_is_the_published_one(depth: int, leaves: int) -> None:
    assert perft(make("choko", lone_jump=True), depth) == leaves


def test_a_game_that_does_not_count_finished_games_has_fewer_leaves() -> None:
    class Strict(Othello):
        perft_counts_finished = False

    # The shortest games have nine moves, so the conventions part at depth 10.
    assert perft(Strict(), 9) == OTHELLO_PERFT[9]
    assert perft(Strict(), 10) == 24571056


@functools.cache
def oracle_children(position: NaiveOthello) -> tuple[NaiveOthello, ...]:
    return tuple(position.play(action) for action in position.legal())


def oracle_perft(size: int) -> Iterator[int]:
    """Perft 0, 1, 2 ... by the oracle, every position counted with the ways that lead to it."""
    level, finished = Counter({NaiveOthello(size=size): 1}), 0
    while True:
        yield finished + level.total()
        following: Counter[NaiveOthello] = Counter()
        for position, ways in level.items():
            for child in oracle_children(position):
                following[child] += ways
            if not oracle_children(position):
                finished += ways
        level = following


@pytest.mark.parametrize(
    ("size", "depths"), [(4, 10), pytest.param(4, 17, marks=pytest.mark.slow), (6, 6)]
)
def test_small_othello_perft_is_the_oracles(size: int, depths: int) -> None:
    # On the smallest board that is every game to its end.
    expected = list(itertools.islice(oracle_perft(size), depths + 1))
    assert [perft(make("othello", size=size), d) for d in range(depths + 1)] == expected


def middle(spec: str, plies: int = 8) -> State:
    """A position some way into a game that is always the same."""
    state = make(spec).start()
    for ply in range(plies):
        legal = state.legal_actions()
        state = state.apply(legal[(7 * ply + 3) % len(legal)])
    return state


@pytest.mark.parametrize("spec", ["othello", "othello:size=4", "choko", "choko:lone_jump"])
def test_perft_in_the_middle_of_a_game_is_the_sum_over_the_moves(spec: str) -> None:
    state = middle(spec)
    children = [state.apply(action) for action in state.legal_actions()]
    assert len(children) > 1
    for depth in range(1, 4):
        assert perft(state, depth) == sum(perft(child, depth - 1) for child in children)


@pytest.mark.parametrize("tasks", [1, 4, 512])
def test_perft_looks_back_where_the_rules_do(monkeypatch: pytest.MonkeyPatch, tasks: int) -> None:
    # So many subtrees are made one by one before compiled code goes on alone from each.
    monkeypatch.setattr("playproof.core.perft._LEAST_SUBTREES", tasks)

    def leaves(place: int, side: int, past: frozenset[tuple[int, int]], depth: int) -> int:
        if depth == 0:
            return 1
        if (place, side) in past:
            return 0
        now = past | {(place, side)}
        return sum(leaves((place + step) % 5, 1 - side, now, depth - 1) for step in (1, 2))

    game = Ring(places=5)
    for depth in range(12):  # after ten moves every position has been there
        assert perft(game, depth) == leaves(0, 0, frozenset(), depth)
    # The past before the root counts too.
    state = game.start().play("+2 +2")
    after = leaves(4, 0, frozenset({(0, 0), (2, 1)}), 6)
    assert perft(state, 6) == after != leaves(4, 0, frozenset(), 6)


@pytest.mark.parametrize("spec", ["othello", "choko"])
def test_nothing_played_is_one_leaf(spec: str) -> None:
    assert perft(make(spec), 0) == perft(middle(spec), 0) == 1


def test_a_finished_game_is_one_leaf_of_othello_and_none_of_choko() -> None:
    othello = make("othello", size=4).position("XXXXXXXXXXXXXXXX X")
    choko = make("choko").position("5/5/2b2/5/r4 b 0 0 - 100")
    assert othello.is_terminal
    assert choko.is_terminal
    for depth in (1, 2, 5):
        assert perft(othello, depth) == 1
        assert perft(choko, depth) == 0


def test_a_negative_depth_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match=r"^perft: depth -1 is negative: want 0, 1, 2 \.\.\.$"):
        perft(make("othello"), -1)


@pytest.mark.parametrize(("spec", "depth"), [("othello", 0), ("othello", 7), ("choko", 4)])
def test_progress_rises_from_nothing_to_all(spec: str, depth: int) -> None:
    reports: list[tuple[int, int]] = []
    leaves = perft(make(spec), depth, progress=lambda done, total: reports.append((done, total)))
    assert leaves == perft(make(spec), depth)
    done, totals = zip(*reports, strict=True)
    assert len(set(totals)) == 1
    assert done[0] == 0
    assert list(done) == sorted(set(done))
    assert done[-1] == totals[0]


# Enumeration


def test_othello_positions_by_stones_are_the_published_ones() -> None:
    levels = list(enumerate_positions(make("othello"), len(OTHELLO_POSITIONS) - 1))
    assert [level.count for level in levels] == OTHELLO_POSITIONS
    assert [level.number for level in levels] == list(range(len(levels)))


def test_choko_positions_by_ply_are_the_published_ones() -> None:
    # The last level has more parents than are expanded at a time.
    assert CHOKO_POSITIONS[-2] > enumeration._CHUNK
    levels = enumerate_positions(make("choko"), len(CHOKO_POSITIONS) - 1)
    assert [level.count for level in levels] == CHOKO_POSITIONS


def positions_of(game: Game, rows: np.ndarray) -> set[State]:
    return {State(game, row) for row in rows}


def following(state: State, *, skip: bool) -> set[State]:
    """The unfinished states one level on, with a lone pass played at once if asked."""
    found = set()
    for action in state.legal_actions():
        child = state.apply(action)
        while skip and child.legal_actions() == [state.game.skipped_action]:
            child = child.apply(state.game.skipped_action)
        if not child.is_terminal:
            found.add(child)
    return found


@pytest.mark.parametrize(
    ("spec", "levels", "skip"),
    [
        pytest.param("othello:size=4", 14, False, marks=pytest.mark.slow),
        ("othello:size=4", 9, True),
        ("othello:size=6", 4, False),
        ("othello", 5, False),
        ("choko", 2, False),
        ("choko:lone_jump", 2, True),
    ],
)
def test_enumeration_without_symmetry_is_a_search_over_sets(
    spec: str, levels: int, skip: bool
) -> None:
    game = make(spec)
    expected = {game.start()}
    for level in enumerate_positions(game, levels, symmetric=False, skip=skip):
        assert positions_of(game, level.rows) == expected
        assert level.count == len(expected)
        if level.number == levels:
            break
        expected = set().union(*(following(state, skip=skip) for state in expected))


def least_image(state: State) -> State:
    """The same for all that symmetry makes one; for Othello with Black to move."""
    if state.game.colour_symmetry and state.current_player == 1:
        state = state.transformed(state.game.symmetries)
    return state.canonical()


@pytest.mark.parametrize(
    ("spec", "levels"),
    [
        ("othello:size=4", 13),
        ("othello:size=6", 4),
        pytest.param("choko", 3, marks=pytest.mark.slow),
    ],
)
def test_enumeration_up_to_symmetry_is_a_search_over_sets_of_least_images(
    spec: str, levels: int
) -> None:
    game = make(spec)
    expected = {game.start()}
    for level in enumerate_positions(game, levels):
        if level.number:
            assert positions_of(game, level.rows) == expected
        assert level.count == len(expected)
        expected = {least_image(c) for s in expected for c in following(s, skip=True)}


@pytest.mark.parametrize(("chunk", "slots"), [(3, 1), (7, 4), (64, 1 << 16), (322, 2)])
def test_neither_chunks_nor_the_size_of_the_table_change_what_is_found(
    monkeypatch: pytest.MonkeyPatch, chunk: int, slots: int
) -> None:
    game, levels = make("othello"), 5
    whole = list(enumerate_positions(game, levels))
    monkeypatch.setattr(enumeration, "_CHUNK", chunk)
    monkeypatch.setattr(enumeration, "_FIRST_SLOTS", slots)
    for level, again in zip(whole, enumerate_positions(game, levels), strict=True):
        assert np.array_equal(level.rows, again.rows)


def test_what_cannot_be_enumerated_is_said_in_one_line() -> None:
    with pytest.raises(UsageError, match=r"^ring cannot be enumerated: its rules depend on"):
        next(enumerate_positions(Ring(), 1))
    with pytest.raises(UsageError, match=r"^enumerate: level -1 is negative"):
        next(enumerate_positions(make("othello"), -1))


# Random games


def assert_about(measured: float, published: float, digit: float, error: float) -> None:
    """Within the last digit of the publication and five standard errors of ours."""
    assert abs(measured - published) < digit / 2 + 5 * error


def test_random_choko_is_as_long_wide_and_drawn_as_published() -> None:
    played = playouts(make("choko"), 50_000, seed=20)
    n, lengths, choices = played.games, played.lengths, played.choices
    assert_about(lengths.mean(), 72.2, 0.1, lengths.std() / n**0.5)
    drawn = played.share(0)
    assert_about(drawn, 0.149, 0.001, (drawn * (1 - drawn) / n) ** 0.5)
    # Choices a decision: a ratio of two sums, with the error of its linear part.
    wide = choices.sum() / lengths.sum()
    error = (choices - wide * lengths).std() / lengths.mean() / n**0.5
    assert_about(wide, 17.5, 0.1, error)
    assert played.widest.max() <= 25 + 12 * 4 * 11
    assert lengths.max() == 100
    assert sum(played.share(result) for result in (1, 0, -1)) == pytest.approx(1)


@pytest.mark.slow
def test_random_othello_on_the_small_board_has_its_exact_odds() -> None:
    """The small game is small enough to average over all its games with the oracle."""

    @functools.cache
    def exact(position: NaiveOthello) -> tuple[float, float, float]:
        """The chances of Black and White, and the expected number of moves to come."""
        below = [exact(child) for child in oracle_children(position)]
        if not below:
            return float(position.winner == 1), float(position.winner == -1), 0.0
        black, white, moves = (sum(column) / len(below) for column in zip(*below, strict=True))
        return black, white, 1.0 + moves

    black, white, moves = exact(NaiveOthello(size=4))
    played = playouts(make("othello", size=4), 100_000, seed=3)
    n = played.games
    assert abs(played.share(1) - black) < 5 * (black * (1 - black) / n) ** 0.5
    assert abs(played.share(-1) - white) < 5 * (white * (1 - white) / n) ** 0.5
    assert abs(played.lengths.mean() - moves) < 5 * played.lengths.std() / n**0.5


def test_random_othello_fills_the_board() -> None:
    played = playouts(make("othello"), 5_000, seed=8)
    assert played.lengths.min() >= 9  # no game is shorter
    assert 60 <= played.lengths.mean() <= 61  # sixty squares, and now and then a pass
    assert played.widest.max() <= 33  # the most there can be in a reachable position
    assert set(played.results.tolist()) == {1, 0, -1}


@pytest.mark.parametrize("spec", ["othello", "choko"])
def test_a_random_game_depends_on_its_seed_and_number_alone(spec: str) -> None:
    game = make(spec)
    whole = playouts(game, 300, seed=5)
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        again = playouts(game, 300, seed=5)
    finally:
        numba.set_num_threads(threads)
    parts = [playouts(game, count, seed=5, first=first) for first, count in ((0, 130), (130, 170))]
    for field in ("results", "lengths", "choices", "widest"):
        assert np.array_equal(getattr(whole, field), getattr(again, field))
        joined = np.concatenate([getattr(part, field) for part in parts])
        assert np.array_equal(getattr(whole, field), joined)
    other = playouts(game, 300, seed=6)
    assert not np.array_equal(whole.choices, other.choices)


def test_seeds_in_a_row_do_not_share_their_games() -> None:
    # Were a game's number added to the seed, seed 2 would replay seed 1 shifted by one.
    games = [playouts(make("choko"), 200, seed=seed).choices.tolist() for seed in range(6)]
    for one, other in itertools.combinations(games, 2):
        assert len(set(one) & set(other)) < 150
        assert one[1:] != other[:-1]


def test_a_random_game_can_start_anywhere_and_be_cut_short() -> None:
    state = middle("choko")
    rest = playouts(state, 100, seed=1)
    assert rest.lengths.max() <= 100 - state.ply
    cut = playouts(state, 100, seed=1, limit=5)
    assert cut.lengths.max() == 5
    assert set(cut.results.tolist()) == {2}
    assert cut.steps == cut.lengths.sum() == 500


def test_random_games_look_back_where_the_rules_do() -> None:
    played = playouts(Ring(places=5), 2_000, seed=1)
    assert set(played.results.tolist()) == {1, -1}
    # Three moves cannot bring a position back; ten positions must by the tenth.
    assert played.lengths.min() == 4
    assert 9 <= played.lengths.max() <= 10
