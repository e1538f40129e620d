"""Residual networks: names and sizes, norms folded away, legal actions alone, files, agents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from playproof import Batch, DataError, UsageError, make
from playproof.agents.registry import make_agent
from playproof.nets.architectures import forward
from playproof.nets.evaluators.network import evaluator
from playproof.nets.files import Net, load, save
from playproof.nets.resnet import (
    ResNetArchitecture,
    architecture_for,
    parts_of,
    starting_weights,
)
from playproof.nets.torch_modules.vectors import load_vector, module_of, vector_from
from tests.support.nets.made_nets import masked_softmax, middle

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

GAMES = [
    ("chess", "full"), ("othello:size=6", "planes"), ("go:board=5x5", "planes"),
    ("choko", "planes"),
]  # fmt: skip


def random_resnet(game: str, observation: str, *, blocks: int = 2, filters: int = 12) -> Net:
    """Weights out of a hat, and norms that have seen something."""
    made = make(game)
    sizes = architecture_for(made, observation, blocks, filters, 3 if game == "choko" else 0)
    weights = starting_weights(sizes, 1)
    chooser = np.random.default_rng(2)
    for name, part in parts_of(sizes, weights).items():
        if name.endswith(("norm.weight", "running_var")):
            part[:] = chooser.uniform(0.5, 1.5, part.shape)
        elif part.ndim == 1:
            part[:] = chooser.normal(0.0, 0.3, part.shape)
    return Net(sizes, weights, made.spec, observation)


def eval_module(net: Net) -> torch.nn.Module:
    assert isinstance(net.architecture, ResNetArchitecture)
    module = module_of(net.architecture)
    load_vector(module, net.architecture, net.weights)
    return module.eval()


@pytest.mark.parametrize(("game", "observation"), GAMES)
def test_the_vector_is_the_module(game: str, observation: str) -> None:
    net = random_resnet(game, observation)
    sizes = net.architecture
    assert isinstance(sizes, ResNetArchitecture)
    module = eval_module(net)
    state = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    assert state == dict(sizes.parts())
    assert (
        len(net.weights) == sizes.parameters == sum(t.numel() for t in module.state_dict().values())
    )
    assert np.array_equal(vector_from(module, sizes), net.weights)


def test_the_sizes_that_are_talked_of() -> None:
    chess = make("chess")
    assert architecture_for(chess, "full", 10, 128).policy_planes == 73
    assert 14e6 < architecture_for(chess, "paper-13", 12, 256).parameters < 15.5e6
    assert architecture_for(make("othello"), "planes", 1, 8).policy_planes is None
    with pytest.raises(UsageError, match="is no stack of boards: want planes"):
        architecture_for(make("choko"), "paper-26", 1, 8)
    with pytest.raises(UsageError, match="make no 4673 actions"):
        ResNetArchitecture(13, 8, 8, 1, 8, 4673, 73)
    choko = make("choko")
    assert architecture_for(choko, "planes", 1, 8).policy_rank is None
    assert architecture_for(choko, "planes", 2, 24, 8).parameters < 52_000  # 0.1 MB in 16 bits
    with pytest.raises(UsageError, match="policy_rank=8: want 0, since the moves of othello"):
        architecture_for(make("othello"), "planes", 1, 8, 8)
    with pytest.raises(UsageError, match="pairs of 25 squares with rank 8 make no 2624 actions"):
        ResNetArchitecture(6, 5, 5, 1, 8, 2624, None, 8)
    with pytest.raises(UsageError, match="not of both"):
        ResNetArchitecture(6, 5, 5, 1, 8, 2625, 105, 8)


def test_moves_of_pairs_are_named_by_their_squares() -> None:
    """The numbering of ``PairPlanes`` against the names of Choko's moves."""
    from playproof.nets.torch_modules.resnet import pair_logits

    rank, choko, seed = 2, make("choko"), np.random.default_rng(3)
    planes = seed.normal(size=(10 + 5 * rank, 5, 5))
    logits = pair_logits(torch.from_numpy(planes[None]), rank)[0].numpy()
    assert len(logits) == choko.num_actions

    def at(plane: int, square: str) -> float:
        return float(planes[plane, int(square[1]) - 1, "ABCDE".index(square[0])])

    sides = {(1, 0): 0, (0, 1): 1, (-1, 0): 2, (0, -1): 3}  # rows up, columns to the right
    kinds = [0, 0, 0]
    for action in range(choko.num_actions):
        name = choko.action_name(action)
        if "off the board" in name:
            continue
        start, goal = name[:2], name[3:5] or name[:2]
        rows = (int(goal[1]) > int(start[1])) - (int(goal[1]) < int(start[1]))
        columns = (goal[0] > start[0]) - (goal[0] < start[0])
        side = sides.get((rows, columns), 0)
        if len(name) == 2:
            kind, expected = 0, at(0, start)
        elif "-" in name:
            kind, expected = 1, at(1 + side, start)
        else:
            kind, removed = 2, name[-2:]
            expected = at(5 + side, start) + at(9, removed)
            for r in range(rank):
                expected += at(10 + 4 * r + side, start) * at(10 + 4 * rank + r, removed)
        kinds[kind] += 1
        assert logits[action] == pytest.approx(expected), name
    assert kinds == [25, 80, 60 * 25]


@pytest.mark.parametrize(("game", "observation"), GAMES)
def test_folded_norms_and_legal_gathering_change_nothing(game: str, observation: str) -> None:
    """Against the module itself, over all actions, with a mask."""
    net = random_resnet(game, observation)
    batch = middle(net.make_game(), 9)
    observations, legal = batch.observe(observation), batch.legal_lists()
    with torch.no_grad():
        logits, values = (t.numpy() for t in eval_module(net)(torch.from_numpy(observations)))
    output = forward(net).policy(observations, legal)
    expected = masked_softmax(logits.astype(np.float64), batch.legal_mask())
    for row in range(len(batch)):
        mine = output.policy[legal.offsets[row] : legal.offsets[row + 1]]
        np.testing.assert_allclose(mine, expected[row, legal.of(row)], atol=1e-5)
    np.testing.assert_allclose(output.values, values, atol=1e-5)
    assert np.abs(output.values).max() <= 1


@pytest.mark.parametrize(("game", "observation"), GAMES)
def test_a_row_does_not_depend_on_its_neighbours(game: str, observation: str) -> None:
    net = random_resnet(game, observation)
    ready = forward(net)
    batch = middle(net.make_game(), 23)
    observations, legal = batch.observe(observation), batch.legal_lists()
    whole = ready.logits(observations, legal)
    for size in (1, 2, 5, 16):
        part = batch.take(np.arange(size))
        own = ready.logits(part.observe(observation), part.legal_lists())
        assert np.array_equal(own.policy, whole.policy[: len(own.policy)])
        assert np.array_equal(own.values, whole.values[:size])


def test_a_net_comes_back_as_it_was(tmp_path: Path) -> None:
    net = random_resnet("othello:size=6", "planes")
    save(replace(net, metadata={"a": 1}), tmp_path / "net.safetensors")
    back = load(tmp_path / "net.safetensors", make("othello:size=6"))
    assert back.architecture == net.architecture
    assert np.array_equal(back.weights, net.weights)
    save(net, tmp_path / "half.safetensors", half=True)
    half = load(tmp_path / "half.safetensors")
    assert isinstance(net.architecture, ResNetArchitecture)
    mine, theirs = (parts_of(net.architecture, n.weights) for n in (net, half))
    assert np.array_equal(mine["stem.norm.running_var"], theirs["stem.norm.running_var"])
    assert not np.array_equal(mine["stem.conv.weight"], theirs["stem.conv.weight"])
    with pytest.raises(DataError, match=r"the net is of othello:size=6, not of othello$"):
        load(tmp_path / "net.safetensors", make("othello"))


def test_a_damaged_architecture_is_refused(tmp_path: Path) -> None:
    import json

    from safetensors.numpy import save_file

    header = {
        "format": "playproof-net", "version": "1", "game": "chess", "observation": "full",
        "facts": "{}", "architecture": json.dumps({"kind": "resnet", "planes": 21, "blocks": -1}),
    }  # fmt: skip
    save_file({"a": np.zeros(1, np.float32)}, tmp_path / "bad.safetensors", metadata=header)
    with pytest.raises(DataError, match=r'architecture is not one such as {"kind": "resnet"'):
        load(tmp_path / "bad.safetensors")


def test_agents_and_searches_take_it(tmp_path: Path) -> None:
    net = random_resnet("othello:size=4", "planes", blocks=1, filters=8)
    file = tmp_path / "net.safetensors"
    save(net, file)
    game = make("othello:size=4")
    batch = Batch.start(game, 3, seed=1)
    while not batch.finished().all():  # passes come too
        mover = make_agent(f"net:{file},greedy=true", game)
        open_ = np.flatnonzero(~batch.finished())
        chosen = np.full(len(batch), -1)
        chosen[open_] = [d.action for d in mover.choose(batch.take(open_))]
        batch.apply(chosen)
    [output] = make_agent(f"mcts:net={file},simulations=20", game).choose(Batch.start(game, 1))
    assert output.action in game.start().legal_actions()
    priors = evaluator(net, game)(Batch.start(game, 2), Batch.start(game, 2).legal_lists()).priors
    assert priors.sum() == pytest.approx(2)
    if not torch.cuda.is_available():
        with pytest.raises(Exception, match="sees no GPU here; want device=cpu"):
            make_agent(f"net:{file},device=cuda", game)
