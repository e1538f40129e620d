"""``net``, and the searches that a network guides."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playproof import CHANCE, Batch, DataError, PlayproofError, UsageError, make
from playproof.agents.limits import Limits
from playproof.agents.registry import make_agent, settled_spec
from playproof.core import registry
from playproof.core.stopping import stop_flag
from playproof.nets import resnet
from playproof.nets.evaluators.network import evaluator
from playproof.nets.files import Net, save
from playproof.search.mcts import SearchConfig, TreeSearch
from tests.support.nets.made_nets import dense, masked_softmax, middle, random_net
from tests.support.toys.coin import EAST, TOSS, Coin

pytest.importorskip("safetensors")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """choko.safetensors, othello.safetensors and q.safetensors."""
    made = tmp_path_factory.mktemp("nets")
    save(random_net(), made / "choko.safetensors")
    save(random_net("othello:size=6", "planes", (32,)), made / "othello.safetensors")
    save(random_net(observation="planes", hidden=(16,), value=False), made / "q.safetensors")
    return made


@pytest.fixture(scope="module")
def choko() -> Net:
    return random_net()


def play_out(specs: tuple[str, str], name: str, games: int) -> None:
    """Whole games, every action checked; one agent for each side."""
    game = make(name)
    agents = [make_agent(spec, game, seed=3) for spec in specs]
    batch = Batch.start(game, games, seed=3)
    for _ in range(1000):
        open_ = ~batch.finished()
        if not open_.any():
            return
        actions = np.full(games, -1)
        for side, agent in enumerate(agents):
            rows = np.flatnonzero(open_ & (batch.players() == side))
            if len(rows):
                actions[rows] = [d.action for d in agent.choose(batch.take(rows))]
        batch.apply(actions, check=True)
    raise AssertionError("the games do not end")


@pytest.mark.parametrize(
    ("name", "net"), [("choko", "choko"), ("choko", "q"), ("othello:size=6", "othello")]
)
@pytest.mark.parametrize("options", ["", ",greedy", ",temperature=0.3"])
def test_net_plays_whole_games(folder: Path, name: str, net: str, options: str) -> None:
    spec = f"net:{folder / net}.safetensors{options}"
    play_out((spec, spec), name, 40)


@pytest.mark.parametrize("spec", ["pgts:widths=4/2/2,net={}", "mcts:simulations=20,net={}"])
@pytest.mark.parametrize(("name", "net"), [("choko", "choko"), ("othello:size=6", "othello")])
def test_searches_play_with_a_net(folder: Path, spec: str, name: str, net: str) -> None:
    play_out((spec.format(folder / f"{net}.safetensors"), "random"), name, 4)


def test_many_searches_at_once_find_what_one_finds(tmp_path: Path) -> None:
    """The trees of an agent are those of the plain search, repetitions included."""
    game = make("chess")
    sizes = resnet.architecture_for(game, "full", 1, 8)
    net = Net(sizes, resnet.starting_weights(sizes, 4), "chess", "full", {})
    save(net, tmp_path / "small.safetensors")
    back = ["g1f3", "g8f6", "f3g1", "f6g8"]
    states = [game.start().play(moves) for moves in ([], back, [*back, *back[:3]], ["e2e4"])]
    batch = Batch.of(states, seed=1)
    agent = make_agent(f"mcts:net={tmp_path / 'small.safetensors'},simulations=60", game, seed=2)
    found = agent.choose(batch)
    config = SearchConfig(simulations=60, policy="puct", seed=2)
    trees = TreeSearch.from_states(batch, config, evaluator(net, game))
    trees.run()
    for row, decision in enumerate(found):
        root = trees.root(row)
        visits = dict(zip(root.actions.tolist(), root.visits.tolist(), strict=True))
        assert {move.action: move.visits for move in decision.moves} == visits
        assert decision.action == root.best()
        assert decision.value == pytest.approx(root.value)
        alone = agent.choose(batch.take([row]))[0]
        assert alone.moves == decision.moves
    assert found[2].statistics["simulations"] == 60
    stop = stop_flag()
    stop[0] = 1
    assert agent.choose(batch, stop=stop)[0].statistics["simulations"] < 60


def test_values_are_in_units_of_a_win(tmp_path: Path) -> None:
    """A won game may be worth 2 in a net's values; a search divides by it."""
    game = make("choko")
    net = replace(random_net(), win=2.0)
    save(net, tmp_path / "two.safetensors")
    batch = Batch.of([game.start().play("C3 B2 C2"), game.start()], seed=1)
    spec = f"mcts:net={tmp_path / 'two.safetensors'},simulations=30"
    found = make_agent(spec, game, seed=2).choose(batch)
    config = SearchConfig(simulations=30, policy="puct", seed=2)
    trees = TreeSearch.from_states(batch, config, evaluator(net, game))
    trees.run()
    for row, decision in enumerate(found):
        assert decision.value == pytest.approx(trees.root(row).value, abs=1e-6)
        assert decision.value != 0


def test_leaves_are_a_networks(folder: Path) -> None:
    othello = make("othello:size=6")
    with pytest.raises(UsageError, match=r"leaves=\.\.\. is for a network"):
        make_agent("mcts:leaves=4", othello)
    spec = f"mcts:net={folder}/othello.safetensors,simulations=40,leaves=4"
    decision = make_agent(spec, othello, seed=1).decide(othello.start())
    assert decision.statistics["simulations"] == 40
    assert sum(move.visits or 0 for move in decision.moves) == 39


# What it chooses


def test_net_draws_by_its_policy(folder: Path, choko: Net) -> None:
    game = make("choko")
    state = game.start().play("C3 B2 C2")
    batch = Batch.of([state] * 8000, seed=1)
    agent = make_agent(f"net:{folder}/choko.safetensors", game, seed=1)
    drawn = np.bincount([d.action for d in agent.choose(batch)], minlength=game.num_actions)
    logits, _ = dense(choko, batch.observe("paper-26")[:1])
    wanted = masked_softmax(logits, batch.legal_mask()[:1])[0]
    assert wanted.max() > 0.1  # not just any policy
    assert drawn / len(batch) == pytest.approx(wanted, abs=0.02)
    sharp = masked_softmax(logits / 0.5, batch.legal_mask()[:1])[0]
    agent = make_agent(f"net:{folder}/choko.safetensors,temperature=0.5", game, seed=1)
    drawn = np.bincount([d.action for d in agent.choose(batch)], minlength=game.num_actions)
    assert drawn / len(batch) == pytest.approx(sharp, abs=0.02)
    for options in ("greedy", "greedy,temperature=1e9"):
        agent = make_agent(f"net:{folder}/choko.safetensors,{options}", game, seed=1)
        assert {d.action for d in agent.choose(batch)} == {int(np.argmax(wanted))}


def test_values_are_the_first_players(folder: Path, choko: Net) -> None:
    game = make("choko")
    batch = middle(game, 100)
    _, own = dense(choko, batch.observe("paper-26"))
    assert own is not None
    bounded = np.clip(np.where(batch.players() == 1, -own, own), -1, 1)
    assert (np.abs(own) > 1).any()
    assert (np.abs(own) < 1).any()
    agent = make_agent(f"net:{folder}/choko.safetensors", game)
    assert [d.value for d in agent.choose(batch)] == pytest.approx(bounded, abs=1e-5)
    legal = batch.legal_lists()
    found = evaluator(choko, game)(batch, legal)
    assert found.values == pytest.approx(bounded, abs=1e-5)
    assert np.add.reduceat(found.priors, legal.offsets[:-1]) == pytest.approx(1.0, abs=1e-5)


def test_analyse_reports_every_legal_move_likeliest_first(folder: Path) -> None:
    state = make("choko").start().play("C3 B2 C2")
    agent = make_agent(f"net:{folder}/choko.safetensors,greedy", state.game)
    decision = agent.analyse(state)
    priors = [move.prior or 0.0 for move in decision.moves]
    assert {move.action for move in decision.moves} == set(state.legal_actions())
    assert priors == sorted(priors, reverse=True)
    assert sum(priors) == pytest.approx(1.0, abs=1e-5)
    assert decision.action == decision.moves[0].action
    assert agent.decide(state).action == decision.action
    # Values and likeliest play of the first moves, from the position after each.
    assert decision.line == decision.moves[0].line
    best = decision.moves[0]
    after = state.apply(best.action)
    assert best.value == pytest.approx(agent.decide(after).value)
    for move in best.line[1:]:
        assert agent.decide(after).action == move
        after = after.apply(move)
    three = agent.decide(state, limits=Limits(lines=3)).moves
    assert [bool(move.line) for move in three[:4]] == [True, True, True, False]
    assert [move.value is None for move in three[:4]] == [False, False, False, True]
    assert [move.prior for move in three] == priors
    assert agent.decide(state).moves == ()
    assert [m.prior for m in agent.decide(state, limits=Limits(priors=True)).moves] == priors


@settings(max_examples=15, deadline=None, derandomize=True)
@given(rows=st.lists(st.integers(0, 59), min_size=1, max_size=60))
def test_a_row_does_not_look_at_its_neighbours(folder: Path, rows: list[int]) -> None:
    game = make("choko")
    batch = middle(game, 60)
    agent = make_agent(f"net:{folder}/choko.safetensors", game, seed=5)
    everywhere = agent.choose(batch)
    assert agent.choose(batch.take(rows)) == [everywhere[row] for row in rows]


def test_the_seeds_decide(folder: Path) -> None:
    game = make("choko")
    spec = f"net:{folder}/choko.safetensors"
    first = make_agent(spec, game, seed=9).choose(middle(game, 80))
    assert make_agent(spec, game, seed=9).choose(middle(game, 80)) == first
    assert make_agent(spec, game, seed=10).choose(middle(game, 80)) != first


def test_pgts_follows_the_nets_best_moves(folder: Path, choko: Net) -> None:
    game = make("choko")
    state = game.start().play("C3 B2 C2")
    logits, _ = dense(choko, Batch.of([state]).observe("paper-26"))
    policy = masked_softmax(logits, Batch.of([state]).legal_mask())[0]
    found = make_agent(f"pgts:widths=3,net={folder}/choko.safetensors", game).decide(state)
    assert {move.action for move in found.moves} == set(np.argsort(-policy)[:3].tolist())
    # One ply deep the value is the best for Red of those that the net gives to the children.
    children = Batch.of([state.apply(move.action) for move in found.moves])
    _, own = dense(choko, children.observe("paper-26"))
    assert own is not None
    assert found.value == pytest.approx(float(np.clip(own, -1, 1).min()), abs=1e-5)


def test_mcts_begins_with_the_nets_priors(folder: Path, choko: Net) -> None:
    game = make("choko")
    state = game.start().play("C3 B2 C2")
    found = make_agent(f"mcts:simulations=40,net={folder}/choko.safetensors", game).decide(state)
    logits, _ = dense(choko, Batch.of([state]).observe("paper-26"))
    policy = masked_softmax(logits, Batch.of([state]).legal_mask())[0]
    for move in found.moves:
        assert move.prior == pytest.approx(policy[move.action], abs=1e-5)


def test_chance_is_nobodys_side(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A game with a coin and double turns: no value where chance moves, and searches that play."""
    monkeypatch.setattr(registry, "_registered", {"coin": Coin})
    net = random_net("coin", "track", (8,))
    batch = Batch.start(game := make("coin"), 2)
    batch.apply([TOSS, EAST])
    found = evaluator(net, game)(batch, batch.legal_lists())
    assert batch.players().tolist() == [CHANCE, 1]
    assert found.values[0] == 0.0
    assert found.values[1] != 0.0
    save(net, tmp_path / "coin.safetensors")
    for spec in ("net:{}", "pgts:widths=3/3/3,net={}", "mcts:simulations=50,net={}"):
        agent = make_agent(spec.format(tmp_path / "coin.safetensors"), game)
        assert agent.decide(game.start()).action in game.start().legal_actions()


# Spec strings and errors


def test_a_spec_is_written_in_one_way() -> None:
    assert settled_spec("net:a/b.safetensors,greedy=yes") == "net:a/b.safetensors,greedy=true"
    assert settled_spec("net:net=some,temperature=1") == "net:some"


@pytest.mark.parametrize(
    ("game", "spec", "kind", "says"),
    [
        ("choko", "net", UsageError, "net: name one, as in net:PATH"),
        ("choko", "net:nobody", UsageError, "net: there is no net 'nobody'"),
        ("choko", "pgts:net=nobody", UsageError, "pgts: there is no net 'nobody'"),
        ("choko", "mcts:net=nobody", UsageError, "mcts: there is no net 'nobody'"),
        ("choko", "net:no.safetensors", DataError, "no.safetensors cannot be read: No such file"),
        (
            "choko",
            "net:{}/q.safetensors,temperature=0",
            UsageError,
            "temperature=0 is not a number",
        ),
        ("choko", "net:{}/othello.safetensors", DataError, "is of othello:size=6, not of choko"),
        ("othello", "net:{}/othello.safetensors", DataError, "of othello:size=6, not of othello"),
        ("choko:lone_jump", "pgts:net={}/q.safetensors", DataError, "not of choko:lone_jump=true"),
        ("othello", "mcts:net={}/q.safetensors", DataError, "mcts: "),
    ],
)
def test_a_net_that_does_not_fit_is_told_in_one_line(
    folder: Path, game: str, spec: str, kind: type[PlayproofError], says: str
) -> None:
    with pytest.raises(kind) as error:
        make_agent(spec.format(folder), make(game))
    assert says in str(error.value)
    assert "\n" not in str(error.value)
