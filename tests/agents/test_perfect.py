"""The perfect agent, and the searching ones with tables: no value is ever thrown away."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from playproof import Batch, DataError, Game, PlayproofError, State, UsageError, make
from playproof.agents.base import Agent
from playproof.agents.registry import make_agent, settled_spec
from playproof.cli.main import main
from playproof.tables.choko import store as choko_store
from playproof.tables.choko.probe import Probe, TableValue
from playproof.tables.choko.slices import slice_of
from tests.support.tables.small_tables import choko, copied, files, folder, positions

WON_IN_NINE = "5/2r2/b4/3b1/4b b 1 1 - 28"


def exact(state: State, *, capped: bool = True) -> dict[int, TableValue]:
    return dict(Probe(files(state.game.options["lone_jump"])).moves(state, capped=capped))


def best(state: State) -> TableValue:
    return next(iter(exact(state).values()))


def agent(name: str, game: Game, *more: str, seed: int = 0) -> Agent:
    where = f"tables={folder(game.options['lone_jump'])}"
    return make_agent(f"{name}:{','.join([where, *more])}", game, seed=seed)


@pytest.mark.parametrize("lone_jump", [False, True])
@pytest.mark.parametrize("name", ["perfect", "alphabeta", "mcts"])
def test_every_decision_is_a_best_one(name: str, lone_jump: bool) -> None:
    game = choko(lone_jump)
    player = agent(name, game)
    states = positions(game, 80, 1)
    for state, decision in zip(states, player.choose(Batch.of(states)), strict=True):
        moves = exact(state, capped=False)
        assert moves[decision.action] == next(iter(moves.values()))
        value = best(state)  # under the cap
        sign = 1 if state.current_player == 0 else -1
        assert decision.value is not None
        if name == "mcts":
            assert decision.value == sign * value.outcome
        else:
            thousandths = 10_001 - (value.distance or 0) / 1000
            assert decision.value == pytest.approx(sign * value.outcome * thousandths)
        assert decision.statistics["proven"]
        assert decision.statistics.get("distance") == value.distance


def beats(player: Agent, state: State, side: int, seed: int) -> int:
    """Play to the end against random moves; the result for ``side``, which never falls."""
    chooser = random.Random(seed)
    kept = -1
    while not state.is_terminal:
        if state.current_player == side:
            value = best(state).outcome
            assert value >= kept
            kept = value
            state = state.apply(player.decide(state, seed=seed).action)
        else:
            state = state.apply(chooser.choice(state.legal_actions()))
    assert state.outcome is not None
    result = state.outcome if side == 0 else -state.outcome
    assert result >= kept
    return result


@pytest.mark.parametrize("lone_jump", [False, True])
def test_nothing_is_thrown_away_against_random_play(lone_jump: bool) -> None:
    game = choko(lone_jump)
    player = agent("perfect", game, seed=3)
    results = [
        beats(player, state, seed % 2, seed)
        for seed, state in enumerate(positions(game, 40, 2, ply=40))
    ]
    assert results.count(1) > 20
    assert results.count(-1) < 8


@pytest.mark.parametrize("cap", [0, 100])
def test_two_perfect_players_play_out_the_value(cap: int) -> None:
    game = choko(cap=cap)
    player, decided = agent("perfect", game), 0
    for state in positions(game, 60, 4, ply=40):
        value = best(state)
        if value.distance is None:
            continue
        side, began = state.current_player, state.ply
        while not state.is_terminal:
            state = state.apply(player.decide(state).action)
        assert state.outcome == (value.outcome if side == 0 else -value.outcome)
        assert state.ply - began == value.distance  # fast by the winner, slow by the loser
        decided += 1
    assert decided > 15


def test_a_win_that_comes_too_late_is_a_draw_but_still_tried() -> None:
    game = choko()
    player, late = agent("perfect", game), 0
    for state in positions(game, 120, 5, ply=94):
        free = exact(state, capped=False)
        fastest = next(iter(free.values()))
        if fastest.outcome == 1 and best(state).outcome == 0:
            late += 1
            decision = player.decide(state)
            assert decision.value == 0.0
            assert free[decision.action] == fastest
    assert late > 5


def test_the_seed_chooses_among_equals() -> None:
    game = choko()
    state = next(
        s for s in positions(game, 50, 6)
        if best(s).outcome == 0
        and list(exact(s, capped=False).values()).count(TableValue(0, None)) > 5
    )  # fmt: skip
    chosen = {agent("perfect", game, seed=seed).decide(state).action for seed in range(12)}
    assert len(chosen) > 2
    player = agent("perfect", game, seed=1)
    again = [player.decide(state, seed=2).action for _ in range(3)]
    assert len(set(again)) == 1
    assert player.analyse(state, seed=2).action == again[0]


@pytest.mark.parametrize("name", ["perfect", "alphabeta", "mcts"])
def test_an_analysis_reports_every_move(name: str) -> None:
    game = choko()
    player = agent(name, game)
    for state in positions(game, 12, 7, ply=40):
        decision = player.analyse(state)
        assert sorted(move.action for move in decision.moves) == state.legal_actions()
        assert decision.moves[0].action == decision.action
        assert decision.moves[0].value == decision.value
        values = [move.value or 0.0 for move in decision.moves]
        assert values == sorted(values, reverse=state.current_player == 0)
        here = state
        for action in decision.line:
            here = here.apply(action)
        if best(state).outcome:
            assert here.is_terminal
            assert here.ply - state.ply == best(state).distance


@pytest.mark.parametrize("name", ["perfect", "alphabeta", "mcts"])
def test_where_the_tables_end_it_searches(name: str) -> None:
    game = choko()
    limit = "simulations=50" if name == "mcts" else "time=0.1"
    player = agent(name, game, limit)
    known = positions(game, 3, 8)
    states = [game.start(), known[0], game.start().play("A1 E1 E3 E4"), known[1], known[2]]
    decisions = player.choose(Batch.of(states))
    for state, decision in zip(states, decisions, strict=True):
        assert decision.action in state.legal_actions()
        if state in known:
            assert exact(state)[decision.action].outcome == best(state).outcome
    for state in (states[2], known[0]):
        if name != "mcts":
            reports = player.analyse(state).moves
            assert sorted(move.action for move in reports) == state.legal_actions()


def test_a_way_into_the_tables_is_found() -> None:
    game = choko(cap=0)
    player, won = agent("perfect", game, "time=0.05"), 0
    # Eight pieces: the tables know what follows a jump, and nothing else.
    for state in positions(game, 20, 12, slices=[slice_of(0, 4, 4)], ply=30):
        decision = player.decide(state)
        assert decision.value is not None
        if abs(decision.value) < 9000:
            continue
        assert decision.statistics["probed"] > 0
        for action in decision.line:
            state = state.apply(action)
        reached = player.decide(state).value  # unless the line was cut short, an exact one
        assert reached is not None
        won += abs(reached) > 9000 and (reached > 0) == (decision.value > 0)
    assert won > 3


def test_missing_slices_are_searched(tmp_path: Path) -> None:
    game = choko()
    copied(tmp_path, "h0-*")
    player = make_agent(f"perfect:tables={tmp_path},time=0.05", game)
    for state in positions(game, 20, 9, ply=30):
        decision = player.decide(state)
        assert decision.action in state.legal_actions()
        inside = state.position.split()[2:4] in (["0", "0"], ["0", "1"], ["1", "0"])
        assert ("nodes" not in decision.statistics) == inside


def test_tables_without_distances_serve_the_searches(tmp_path: Path) -> None:
    game = choko(cap=0)
    copied(tmp_path, "*.outcome")
    for name in ("alphabeta:depth=3", "mcts:simulations=300"):
        player = make_agent(f"{name},tables={tmp_path}", game)
        for state in positions(game, 10, 10):
            decision = player.decide(state)
            if decision.statistics["proven"]:
                assert exact(state)[decision.action].outcome == best(state).outcome
    with pytest.raises(UsageError, match=r"perfect: the tables in .* have no distances"):
        make_agent(f"perfect:tables={tmp_path}", game)


# Spec strings


def test_both_spellings_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choko_store, "default_folder", folder)
    game = choko()
    state = positions(game, 1, 11)[0]
    decisions = [
        make_agent(text, game).decide(state)
        for text in ("perfect", "perfect:choko", "perfect:choko,time=2", "alphabeta:tables")
    ]
    assert len({decision.action for decision in decisions}) == 1
    assert settled_spec("perfect:choko") == "perfect"
    assert settled_spec("perfect:tables=somewhere") == "perfect:tables=somewhere"
    assert settled_spec("alphabeta:depth=3,tables=x") == "alphabeta:depth=3,tables=x"


@pytest.mark.parametrize(
    ("text", "game", "says"),
    [
        ("perfect", "othello", "perfect plays choko, not othello"),
        ("perfect:othello", "choko", "perfect: solved=othello is not choko"),
        ("alphabeta:tables=x", "othello", "alphabeta: there are tables for choko and chess"),
        ("mcts:tables=x", "go", "mcts: there are tables for choko and chess, not for go"),
        ("perfect:tables=nowhere", "choko", "perfect: there are no tables in nowhere: build"),
        ("alphabeta:tables=nowhere", "choko", "alphabeta: there are no tables in nowhere"),
        ("mcts:tables=nowhere", "choko:lone_jump", "build choko:lone_jump=true"),
        ("minimax:tables=x", "choko", "minimax has no option 'tables'"),
    ],
)
def test_a_wrong_spec_is_told_in_one_line(text: str, game: str, says: str) -> None:
    with pytest.raises(PlayproofError) as error:
        make_agent(text, make(game))
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_damaged_tables_are_told_in_one_line(tmp_path: Path) -> None:
    path = copied(tmp_path) / "h0-2v2.distance"
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"perfect: .*h0-2v2.distance is damaged"):
        make_agent(f"perfect:tables={tmp_path}", choko())


def test_the_command_line_analyses_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    agent = f"perfect:choko,tables={folder()}"
    assert main(("analyse", "choko", WON_IN_NINE, "--agent", agent, "--json")) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    state = choko().position(WON_IN_NINE)
    assert lines[-1]["distance"] == best(state).distance
    assert [line["rank"] for line in lines[:-1]] == list(range(1, len(lines)))
