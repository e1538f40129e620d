"""One's own network in the house's searches: a function over observations, or a module of
PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import playproof
from playproof import Batch, UsageError, make_agent, network_evaluator
from playproof.core.batch import LegalLists
from playproof.nets.files import Net
from playproof.nets.mlp import Architecture, starting_weights
from playproof.search.evaluators import Evaluation, evaluate, uniform_priors

GAME = playproof.make("othello:size=4")
ACTIONS = GAME.num_actions


def evaluate_start(evaluator: Any, moves: str = "") -> tuple[Evaluation, LegalLists]:
    state = GAME.start().play(moves) if moves else GAME.start()
    batch = Batch.of([state])
    legal = batch.legal_lists()
    return evaluate(evaluator, batch, legal), legal


def test_logits_of_all_actions_become_shares_of_the_legal_ones() -> None:
    def predict(observations: Any) -> Any:
        assert observations.shape == (1, *GAME.observations["planes"])
        assert observations.dtype == np.float32
        return np.log(np.arange(1.0, ACTIONS + 1.0))[None], [0.5]

    evaluation, legal = evaluate_start(network_evaluator(predict, observation="planes"))
    weights = legal.actions + 1.0
    assert evaluation.priors == pytest.approx(weights / weights.sum())


def test_values_are_turned_from_the_mover_to_the_first_player() -> None:
    def winning(observations: Any) -> Any:  # whoever is to move is winning
        return np.zeros((len(observations), ACTIONS)), np.full(len(observations), 0.75)

    evaluator = network_evaluator(winning)
    first = evaluate_start(evaluator)[0].values[0]
    second = evaluate_start(evaluator, GAME.start().legal_names()[0])[0].values[0]
    assert (first, second) == (0.75, -0.75)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda n: (np.zeros((n, 5)), np.zeros(n)), r"logits have shape \(1, 5\): want \(1, 17\)"),
        (lambda n: (np.zeros(ACTIONS), np.zeros(n)), r"logits have shape \(17,\): want \(1, 17\)"),
        (lambda n: (np.full((n, ACTIONS), np.nan), np.zeros(n)), "logits have nan in row 0"),
        (lambda n: (np.full((n, ACTIONS), np.inf), np.zeros(n)), "logits have inf in row 0"),
        (lambda n: (np.full((n, ACTIONS), -np.inf), np.zeros(n)), "row 0 are all -inf"),
        (lambda n: (np.zeros((n, ACTIONS)), np.full(n, 3.0)), "values have 3 in row 0"),
        (lambda n: (np.zeros((n, ACTIONS)), np.zeros(n + 1)), r"values have shape \(2,\)"),
        (lambda n: np.zeros((n, ACTIONS)), r"want a pair \(logits, values\)"),
    ],
)
def test_a_wrong_network_is_named_in_one_line(answer: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words) as error:
        evaluate_start(network_evaluator(lambda observations: answer(len(observations))))
    assert "\n" not in str(error.value)


def test_illegal_actions_may_be_masked_away() -> None:
    state = GAME.start()

    def masked(observations: Any) -> Any:
        logits = np.full((1, ACTIONS), -np.inf)
        logits[0, state.legal_actions()] = 0.0
        return logits, [0.0]

    assert evaluate_start(network_evaluator(masked))[0].priors == pytest.approx(0.25)


def test_an_observation_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean planes"):
        evaluate_start(network_evaluator(lambda observations: None, observation="plane"))  # type: ignore[arg-type,return-value]


# The agents


def favours(action: int) -> Any:
    def predict(observations: Any) -> Any:
        logits = np.zeros((len(observations), ACTIONS))
        logits[:, action] = 20.0
        return logits, np.zeros(len(observations))

    return network_evaluator(predict)


@pytest.mark.parametrize("name", ["mcts:simulations=16", "pgts:widths=1"])
def test_searches_follow_it(name: str) -> None:
    for action in GAME.start().legal_actions():
        agent = make_agent(name, GAME, seed=1, evaluator=favours(action))
        assert agent.decide(GAME.start()).action == action


def test_a_function_over_batches_is_taken_as_it_is() -> None:
    sizes = []

    def own(batch: Batch, legal: LegalLists) -> Evaluation:
        sizes.append(len(batch))
        return Evaluation(uniform_priors(legal), np.zeros(len(batch)))

    agent = make_agent("mcts:simulations=8,leaves=2", GAME, evaluator=own)
    decisions = agent.choose(Batch.start(GAME, 5, seed=1))
    assert len(decisions) == 5
    assert max(sizes) == 10  # two leaves of five trees in one call
    assert agent.analyse(GAME.start()).moves


def test_a_net_of_ours_is_an_evaluator_too() -> None:
    sizes = Architecture(3 * 16, (8,), ACTIONS, True)
    net = Net(sizes, starting_weights(sizes, 1), GAME.spec, "planes")
    agent = make_agent("mcts:simulations=8", GAME, evaluator=net)
    assert agent.decide(GAME.start()).action in GAME.start().legal_actions()


@pytest.mark.parametrize(
    ("spec", "evaluator", "words"),
    [
        ("greedy", favours(1), "greedy takes no evaluator: want mcts or pgts"),
        ("mcts:net=choko-ppo-v3", favours(1), "mcts: net=... and an evaluator: one of them"),
        ("pgts:net=choko-ppo-v3", favours(1), "pgts: net=... and an evaluator: one of them"),
        ("mcts", 3, r"evaluator=3 \(int\): want a function of \(batch, legal\)"),
        ("mcts", lambda x: None, r"want a function of \(batch, legal\).*network_evaluator"),
        ("mcts", Evaluation, r"evaluator=Evaluation, a class and not an object of it"),
        ("mcts", {"policy": 1}, "evaluator=a dict: want"),
    ],
)
def test_what_does_not_fit_is_refused_at_once(spec: str, evaluator: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make_agent(spec, GAME, evaluator=evaluator)


@pytest.mark.parametrize(
    ("network", "words"),
    [("net.pt", r"\('net.pt' \(str\)\): want a module"), (Net, r"\(Net, a class and not an obj")],
)
def test_what_is_no_network_is_refused_at_once(network: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        network_evaluator(network)


def test_an_agent_with_an_evaluator_does_not_pass_for_one_without() -> None:
    with_one = make_agent("mcts:simulations=8", GAME, evaluator=favours(1))
    assert with_one.spec != make_agent("mcts:simulations=8", GAME).spec
    assert with_one.spec.startswith("mcts:simulations=8 ")


# Modules of PyTorch


def module() -> Any:
    torch = pytest.importorskip("torch")

    class TwoHeads(torch.nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm = torch.nn.BatchNorm2d(3)
            self.drop = torch.nn.Dropout(0.5)
            self.policy = torch.nn.Linear(48, ACTIONS)
            self.value = torch.nn.Linear(48, 1)

        def forward(self, observations: Any) -> Any:
            self.graph = torch.is_grad_enabled()
            hidden = self.drop(self.norm(observations)).flatten(1)
            return self.policy(hidden), torch.tanh(self.value(hidden))

    torch.manual_seed(1)
    return TwoHeads()


def test_a_module_is_asked_in_eval_mode_without_gradients_and_left_as_it_was() -> None:
    net = module()
    net.drop.eval()  # frozen by its owner, in a net that trains
    before = net.norm.running_mean.clone()
    agent = make_agent("mcts:simulations=20", GAME, evaluator=net)
    one, two = agent.decide(GAME.start()), agent.decide(GAME.start())
    assert one.action == two.action
    assert one.value == two.value
    assert net.graph is False
    assert (net.norm.running_mean == before).all()  # nothing was learned from the leaves
    assert net.training
    assert net.norm.training
    assert not net.drop.training


def test_a_module_learns_on_and_its_agent_follows() -> None:
    import torch

    net = module()
    agent = make_agent("mcts:simulations=20", GAME, evaluator=net)
    action = GAME.start().legal_actions()[-1]
    with torch.no_grad():
        net.policy.bias[action] += 50.0
    assert agent.decide(GAME.start()).action == action


@pytest.mark.parametrize("floats", ["float64", "bfloat16"])
def test_a_module_is_shown_floats_of_its_own_width(floats: str) -> None:
    torch = pytest.importorskip("torch")
    agent = make_agent("mcts:simulations=8", GAME, evaluator=module().to(getattr(torch, floats)))
    assert agent.decide(GAME.start()).action in GAME.start().legal_actions()
