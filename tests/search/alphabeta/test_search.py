"""Alpha-beta: equal to the textbook's minimax, and well behaved at its limits."""

from __future__ import annotations

import random
import threading
import time

import numpy as np
import pytest

import playproof
from playproof import UsageError
from playproof.core.stopping import StopFlag, stop_flag
from playproof.search.alphabeta.search import (
    PROVEN,
    WIN,
    AlphaBeta,
    AlphaBetaConfig,
    AlphaBetaResult,
    minimax,
)
from tests.support.search.agreement import alphabeta_equals_minimax
from tests.support.search.plain import minimax as plain
from tests.support.search.positions import random_position, random_positions
from tests.support.toys import reference
from tests.support.toys.coin import Coin


@pytest.mark.parametrize(("spec", "plies"), [("othello", (1, 56)), ("choko", (1, 98))])
@pytest.mark.parametrize("depth", [1, 2])
def test_with_its_parts_off_it_is_the_textbook(
    spec: str, plies: tuple[int, int], depth: int
) -> None:
    game = playproof.make(spec)
    search = AlphaBeta(game, minimax(depth))
    for state in random_positions(game, 12, depth, plies):
        assert search.search(state).value == plain(state, depth)


@pytest.mark.parametrize("spec", ["othello", "othello:size=6", "choko", "choko:lone_jump,cap=30"])
@pytest.mark.parametrize(("depth", "count"), [(1, 40), (2, 40), (3, 40), (4, 12)])
def test_pruning_changes_no_value(spec: str, depth: int, count: int) -> None:
    assert alphabeta_equals_minimax(spec, depth, count, seed=depth) == count


@pytest.mark.parametrize("depth", [1, 2])
def test_quiescence_is_minimax_with_that_quiescence(depth: int) -> None:
    game = playproof.make("choko")
    settings = AlphaBetaConfig(depth=depth, equal_depth=True, table_mb=1, quiescence=True)
    search = AlphaBeta(game, settings)
    for state in random_positions(game, 10 if depth == 1 else 2, depth, (6, 12)):
        assert search.search(state).value == plain(state, depth, quiescence=True)


def test_it_solves_the_game_with_double_turns_a_coin_and_repetition() -> None:
    game = Coin()
    exact = 256 * reference.value(game.start())
    for settings in (
        AlphaBetaConfig(depth=30),
        AlphaBetaConfig(depth=30, table=False),
        AlphaBetaConfig(depth=30, equal_depth=True, scout=False),
        minimax(14),
    ):
        result = AlphaBeta(game, settings).search(game.start())
        assert result.exhausted
        # The game's points are small beside a win: the share of wins is what is left.
        assert round(256 * result.value / WIN) == round(exact)
        assert game.action_name(result.action) == "toss"


@pytest.mark.parametrize("empties_to_winner", [False, True])
def test_it_solves_othello_on_the_smallest_board(empties_to_winner: bool) -> None:
    game = playproof.make("othello", size=4, empties_to_winner=empties_to_winner)
    result = AlphaBeta(game, AlphaBetaConfig(depth=20)).search(game.start())
    assert result.value == -WIN - (10 if empties_to_winner else 8)
    assert result.proven


def test_the_line_is_legal_and_as_long_as_the_depth() -> None:
    game = playproof.make("choko")
    state = random_position(game, 12, random.Random(3))
    result = AlphaBeta(game, AlphaBetaConfig(depth=5)).search(state)
    assert len(result.line) == 5
    for action in result.line:
        state = state.apply(action)


def test_a_win_is_taken_at_once() -> None:
    game = playproof.make("choko")
    # Blue jumps either of Red's last two pieces and removes the other with it.
    state = game.position("5/5/5/r4/br3 b 0 0 - 60")
    result = AlphaBeta(game, AlphaBetaConfig(depth=6)).search(state)
    assert game.action_name(result.action) in ("A1xC1,A2", "A1xA3,B1")
    assert result.value > PROVEN
    assert result.depth == 1


def test_the_same_search_twice_is_the_same() -> None:
    game = playproof.make("othello")
    state = random_position(game, 20, random.Random(5))
    first, second = (AlphaBeta(game, AlphaBetaConfig(depth=6)).search(state) for _ in range(2))
    assert (first.value, first.line, first.nodes) == (second.value, second.line, second.nodes)


def test_what_is_remembered_is_not_taken_for_the_end_of_the_game() -> None:
    game = playproof.make("othello")
    search = AlphaBeta(game, AlphaBetaConfig(nodes=20_000))
    for _ in range(2):
        assert not search.search(game.start()).proven


def test_near_the_cap_a_known_position_is_not_taken_for_its_earlier_self() -> None:
    game = playproof.make("choko", cap=22)
    search = AlphaBeta(game, AlphaBetaConfig(depth=4, table_mb=1))
    fresh = [AlphaBeta(game, AlphaBetaConfig(depth=4, table_mb=1)) for _ in range(6)]
    state = random_position(game, 14, random.Random(8))
    for other in fresh:
        assert search.search(state).value == other.search(state).value
        state = state.apply(state.legal_actions()[0])
        if state.is_terminal:
            break


def test_another_thread_stops_it() -> None:
    game = playproof.make("othello")
    flag = stop_flag()
    stopped = []

    def stop_it() -> None:
        time.sleep(0.2)
        stopped.append(time.perf_counter())
        flag[0] = 1

    threading.Thread(target=stop_it).start()
    result = AlphaBeta(game, AlphaBetaConfig(depth=60)).search(game.start(), stop=flag)
    late = time.perf_counter() - stopped[0]
    assert result.action in game.start().legal_actions()
    assert late < 2.0  # generous for a loaded machine; some milliseconds on a quiet one


def test_stopped_between_two_depths_it_keeps_its_move() -> None:
    state = playproof.make("choko").start()
    for depth in (1, 2, 4):
        flag = stop_flag()

        def stop_it(result: AlphaBetaResult, flag: StopFlag = flag, depth: int = depth) -> None:
            flag[0] = result.depth == depth

        result = AlphaBeta(state.game, AlphaBetaConfig(depth=8)).search(
            state, stop=flag, on_progress=stop_it
        )
        assert result.depth == depth
        assert result.action in state.legal_actions()


def test_no_time_at_all_still_gives_a_legal_move() -> None:
    for spec in ("othello", "choko"):
        game = playproof.make(spec)
        result = AlphaBeta(game, AlphaBetaConfig(seconds=0.0)).search(game.start())
        assert result.action in game.start().legal_actions()


def test_a_node_limit_holds() -> None:
    game = playproof.make("choko")
    result = AlphaBeta(game, AlphaBetaConfig(nodes=5000)).search(game.start())
    assert result.nodes <= 5001
    assert result.action in game.start().legal_actions()


def test_a_finished_game_has_its_result_and_no_move() -> None:
    game = playproof.make("othello", size=4)
    state = game.start()
    while not state.is_terminal:
        state = state.apply(state.legal_actions()[0])
    result = AlphaBeta(game).search(state)
    assert result.action is None
    assert result.value == (state.outcome or 0) * WIN + state.score


def test_one_legal_move_is_found_a_pass_too() -> None:
    game = playproof.make("othello")
    single = [s for s in random_positions(game, 600, 2, (30, 58)) if len(s.legal_actions()) == 1]
    assert any(s.legal_names() == ["pass"] for s in single)
    for state in single:
        result = AlphaBeta(game, AlphaBetaConfig(depth=2, table_mb=1)).search(state)
        assert [result.action] == state.legal_actions()


@pytest.mark.parametrize("spec", ["othello:size=6", "choko", "chess", "go:board=3x3"])
@pytest.mark.parametrize("plain", [False, True])
def test_lines_are_the_best_moves_in_their_order(spec: str, plain: bool) -> None:
    """Each with the value that a search of nothing but this move has."""
    game, chooser = playproof.make(spec), random.Random(3)
    for _ in range(4):
        state = random_position(game, 12, chooser)
        settings = minimax(2) if plain else AlphaBetaConfig(depth=2, table=False)
        every = AlphaBeta(game, settings).search_lines(state, 1000)
        assert sorted(line.action for line in every if line.action is not None) == (
            state.legal_actions()
        )
        values = [line.value for line in every]
        assert values == sorted(values, reverse=state.current_player == 0)
        for line in every:
            alone = AlphaBeta(game, settings).search_lines(state, 5, actions=[line.action or 0])
            assert [(one.action, one.value) for one in alone] == [(line.action, line.value)]
            assert line.line[0] == line.action
        some = AlphaBeta(game, settings).search_lines(state, 3)
        assert [line.value for line in some] == values[:3]


def test_lines_do_not_spoil_the_memory() -> None:
    game, chooser = playproof.make("othello:size=6"), random.Random(5)
    for _ in range(6):
        state = random_position(game, 14, chooser)
        search = AlphaBeta(game, AlphaBetaConfig(depth=5))
        lines = search.search_lines(state, 4)
        fresh = AlphaBeta(game, AlphaBetaConfig(depth=5)).search(state)
        again = search.search(state)
        assert again.value == fresh.value == lines[0].value
        assert len({line.action for line in lines}) == len(lines)


def test_lines_that_are_proven_are_not_searched_again() -> None:
    game = playproof.make("othello", size=4)
    state = random_position(game, 7, random.Random(2))
    lines = AlphaBeta(game, AlphaBetaConfig(depth=30)).search_lines(state, 100)
    assert all(line.proven for line in lines)
    for line in lines:
        assert line.action is not None
        assert np.sign(line.value) == reference.value(state.apply(line.action))


def test_of_some_moves_the_best() -> None:
    game = playproof.make("othello")
    state = random_position(game, 20, random.Random(4))
    legal = state.legal_actions()
    some = legal[1:3]
    result = AlphaBeta(game, AlphaBetaConfig(depth=3)).search_lines(state, 1, actions=some)[0]
    assert result.action in some
    timeless = AlphaBetaConfig(seconds=0.0)
    assert AlphaBeta(game, timeless).search_lines(state, 2, actions=some)[0].action in some
    with pytest.raises(UsageError, match="none of the moves to search is legal here"):
        AlphaBeta(game).search_lines(state, 1, actions=[63 if 63 not in legal else 0])


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(UsageError, match="depth 0"):
        AlphaBetaConfig(depth=0)
    with pytest.raises(UsageError, match="a table of 0 MB: want 1 or more"):
        AlphaBetaConfig(table_mb=0)
    with pytest.raises(UsageError, match="is for choko"):
        AlphaBeta(playproof.make("choko")).search(playproof.make("othello").start())
