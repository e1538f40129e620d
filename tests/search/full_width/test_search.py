"""Full-width search that counts points: each reading against a naive recursion."""

from __future__ import annotations

import numpy as np
import pytest

import playproof
from playproof import State, UsageError
from playproof.agents.registry import make_agent
from playproof.core.stopping import stop_flag
from playproof.search.alphabeta.search import WIN, AlphaBeta, minimax
from playproof.search.full_width.config import ENDS, TIES, FullWidthConfig
from playproof.search.full_width.search import FullWidthResult, search
from tests.support.search import readings
from tests.support.search.plain import minimax as plain
from tests.support.search.positions import random_positions
from tests.support.toys.coin import Coin
from tests.support.toys.tree import Tree

CHOKO = playproof.make("choko")
# Wins at once, in one or three plies, on the last action but one and on the last; a move that
# leaves the other side without moves; many captures close to the cap.
ENDINGS = (
    "5/5/5/1r3/br3 b 0 0 - 60",
    "5/5/1r3/3r1/b1r2 b 0 0 - 60",
    "5/5/5/1r3/br3 b 0 0 - 98",
    "5/5/5/1b3/rb3 r 0 0 - 99",
    "5/5/b4/bb3/r1b2 b 0 0 - 60",
    "bb3/rb3/5/2rb1/1r2b b 0 0 - 96",
)


def endings() -> list[State]:
    return [CHOKO.position(text) for text in ENDINGS]


def by_action(result: FullWidthResult, state: State) -> dict[int, float]:
    """The values for the side to move."""
    sign = -1.0 if state.current_player == 1 else 1.0
    return {move.action: sign * move.value for move in result.moves}


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize(("depth", "count"), [(1, 20), (2, 8), (3, 8)])
def test_every_move_has_the_value_of_the_naive_recursion(ends: str, depth: int, count: int) -> None:
    states = random_positions(CHOKO, count, depth, (4, 99))
    if depth < 3:
        states += random_positions(CHOKO, count, 7, (85, 99))
    for state in [*endings(), *states]:
        result = search(state, FullWidthConfig(depth, ends))
        want = readings.root_values(state, depth, ends)
        assert by_action(result, state) == pytest.approx(want), (state.row.tolist(), ends)


def test_the_readings_differ_where_a_game_can_be_won() -> None:
    state = endings()[0]
    values = {e: max(by_action(search(state, FullWidthConfig(1, e)), state).values()) for e in ENDS}
    win = search(state, FullWidthConfig(1)).moves[0].action
    points = state.apply(win).score
    assert values["known"] == WIN + points
    assert values["points"] == points
    assert values["published"] == pytest.approx(points + 2.2)  # on the last ply
    # Above the last ply, the published code takes it for a draw, but has two points for the win.
    deeper = by_action(search(state, FullWidthConfig(3, "published")), state)
    assert deeper[win] == pytest.approx(2.2)


def test_with_known_ends_it_is_the_search_of_alpha_beta() -> None:
    for spec in ("choko", "othello"):
        game = playproof.make(spec)
        textbook = AlphaBeta(game, minimax(3))
        for state in random_positions(game, 8, 3, (2, 50)):
            result, want = search(state, FullWidthConfig(3)), textbook.search(state)
            best = result.moves[0]
            assert (best.action, best.value, best.line) == (want.action, want.value, want.line)


def test_chance_double_turns_and_repetition() -> None:
    for depth in (1, 2, 3, 5):
        start = Coin().start()
        result = search(start, FullWidthConfig(depth))
        assert result.moves[0].value == pytest.approx(plain(start, depth))


def test_a_tree_by_hand() -> None:
    # The second player chooses at 2 and 3; what the first can reach is below.
    worth = {4: 1, 5: 5, 6: 2, 7: 3, 8: 4, 9: 0, 10: 6, 11: 1, 12: 9, 13: 7, 14: 2, 15: -8}
    game = Tree(worth, over={12: -1})
    start = game.start()
    known = search(start, FullWidthConfig(3))
    # 6 leads to a loss or 7, 7 to 2 or -8: the second player takes 7.
    assert [(m.action, m.value) for m in known.moves] == [(0, 4.0), (1, 2.0)]
    assert known.moves[0].line == (0, 0, 0)
    assert known.moves[1].line == (1, 1, 0)
    blind = search(start, FullWidthConfig(2, "points"))
    assert {m.action: m.value for m in blind.moves} == {0: 1.0, 1: 2.0}
    # At three plies 12 counts 9 if ends count points, and is avoided if it is a loss.
    six = game.position("6")
    assert search(six, FullWidthConfig(1, "points")).moves[0].action == 0
    assert search(six, FullWidthConfig(1, "known")).moves[0].action == 1


def test_ties_fall_as_the_setting_says() -> None:
    start = CHOKO.start()
    chosen = {ties: {search(start, FullWidthConfig(1, ties=ties), word=word).moves[0].action
                     for word in range(60)} for ties in TIES}  # fmt: skip
    assert chosen["first"] == chosen["lowest"] == {0}
    assert len(chosen["random"]) > 15
    # Only among the best: there is one best capture here, whatever is drawn.
    for state in random_positions(CHOKO, 30, 3, (30, 90)):
        values = by_action(search(state, FullWidthConfig(1)), state)
        best = {action for action, value in values.items() if value == max(values.values())}
        drawn = {search(state, FullWidthConfig(1, ties="random"), word=word).moves[0].action
                 for word in range(200)}  # fmt: skip
        assert drawn <= best
        assert len(drawn) > 1 or len(best) == 1
        assert search(state, FullWidthConfig(1, ties="lowest")).moves[0].action == min(best)
        out = np.empty(CHOKO.action_room, np.int32)
        n = CHOKO.kernels.actions(CHOKO.option_words, CHOKO.tables, state.row.copy(),
                                  np.zeros(0, np.uint64), out)  # fmt: skip
        first = next(int(action) for action in out[:n] if int(action) in best)
        assert search(state, FullWidthConfig(1)).moves[0].action == first


def test_limits() -> None:
    state = random_positions(CHOKO, 1, 5, (20, 20))[0]
    whole = search(state, FullWidthConfig(3))
    assert len(whole.moves) == len(state.legal_actions())
    assert search(state, FullWidthConfig(3), nodes=50).nodes <= 50
    two = state.legal_actions()[:2]
    assert {m.action for m in search(state, FullWidthConfig(2), actions=two).moves} == set(two)
    flag = stop_flag()
    flag[0] = 1
    assert search(state, FullWidthConfig(3), stop=flag).moves[0].action in state.legal_actions()
    assert search(state, FullWidthConfig(20), seconds=0.05).seconds < 2.0
    with pytest.raises(UsageError, match="none of the moves to search is legal here"):
        search(state, FullWidthConfig(2), actions=[2624])


def test_the_agent_takes_the_settings() -> None:
    states = random_positions(CHOKO, 3, 9, (10, 40))
    usual, lines = make_agent("minimax:depth=2", CHOKO), playproof.Limits(lines=3)
    for ends in ENDS:
        agent = make_agent(f"minimax:depth=2,ends={ends},ties=lowest", CHOKO, seed=1)
        for state in states:
            decision = agent.decide(state, limits=lines)
            want = search(state, FullWidthConfig(2, ends, "lowest"))
            assert (decision.action, decision.value) == (want.moves[0].action, want.moves[0].value)
            assert [m.action for m in decision.moves] == [m.action for m in want.moves[:3]]
            if ends == "known":
                assert decision.value == usual.decide(state).value
    assert agent.decide(states[0], limits=playproof.Limits(depth=1)).statistics["depth"] == 1
    with pytest.raises(UsageError, match="ends=seen is not known, points or published"):
        make_agent("minimax:ends=seen", CHOKO)


@pytest.mark.parametrize("wrong", [{"depth": 0}, {"ends": "seen"}, {"ties": "last"}])
def test_wrong_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="full width: "):
        FullWidthConfig(**wrong)  # type: ignore[arg-type]
