"""Imitation: planes, legal moves, the loss, held-out parts, kills, and what is refused."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import chess
import numpy as np
import pytest

from playproof import Batch, DataError, PlayproofError, UsageError
from playproof.core.state import State
from playproof.learning.algorithms.imitation import speed as imitation_speed
from playproof.learning.algorithms.imitation.held_out import (
    Reliability,
    evaluate_module,
    evaluate_net,
    held_out_indices,
)
from playproof.learning.algorithms.imitation.kernels import legal_and_slots
from playproof.learning.algorithms.imitation.learner import Imitation
from playproof.learning.algorithms.imitation.loss import decayed, losses, predict
from playproof.learning.algorithms.imitation.minibatches import PositionSources, tensors_of
from playproof.learning.algorithms.imitation.mirror import mirror, mirrored_actions
from playproof.learning.algorithms.imitation.planes import planes_of
from playproof.learning.algorithms.imitation.settings import ImitationSettings
from playproof.learning.datasets.build import BuildConfig, build
from playproof.learning.datasets.packed import LAYOUT, unpack_rows
from playproof.learning.datasets.positions import POSITIONS, Positions
from playproof.learning.runs.run import CHECKPOINT, NET, Run
from tests.support.formats.pgn_play import random_game, write
from tests.support.longer import longer

torch = pytest.importorskip("torch")
load_file = pytest.importorskip("safetensors.numpy").load_file

TINY = {
    "blocks": "1", "filters": "8", "steps": "3", "batch": "16", "iterations": "4",
    "evaluate_every": "2", "evaluation_positions": "64",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("data")
    (out / "games.pgn").write_text(write([random_game(seed, 60) for seed in range(40)]))
    build(BuildConfig((out / "games.pgn",), 0.5, 5, 3), out / "made", workers=1)
    return out / "made"


def settings(folder: Path, **changes: object) -> ImitationSettings:
    learner = ImitationSettings(
        data=str(folder), blocks=1, filters=8, steps=3, batch=16, iterations=4,
        evaluation_positions=64,
    )  # fmt: skip
    return replace(learner, **changes)  # type: ignore[arg-type]


def words_of(data: Positions) -> np.ndarray:
    return np.frombuffer(data.array.tobytes(), "<u8").reshape(-1, 5).astype(np.uint64)


@pytest.mark.parametrize("observation", ["paper-13", "full"])
def test_planes_are_those_of_the_game(folder: Path, observation: str) -> None:
    data = Positions(folder)
    wanted = data.samples(np.arange(len(data)), observation).observations
    planes = planes_of(torch.from_numpy(words_of(data).view(np.int64)), observation)
    assert len(data) > 500
    np.testing.assert_allclose(planes.numpy(), wanted, atol=1e-7)


def test_moves_are_listed_and_found(folder: Path) -> None:
    data = Positions(folder)
    words = words_of(data)
    rows = np.empty((len(data), 8), np.uint64)
    unpack_rows(words, rows)
    lists = Batch(data.game, rows).legal_lists()
    minibatch = PositionSources(str(folder), 0).assemble([np.arange(len(data))])
    for row in range(0, len(data), 5):
        mine = lists.of(row)
        assert minibatch.legal[row, : len(mine)].tolist() == mine.tolist()
        assert (minibatch.legal[row, len(mine) :] == -1).all()
        assert minibatch.legal[row, minibatch.slots[row, 0]] == data.array[row]["action"]
        assert minibatch.values[row] == data.array[row]["value"]


def test_an_illegal_move_is_seen(folder: Path) -> None:
    sources = PositionSources(str(folder), 0)
    wanted = np.array([[4671, -1]], np.int16)
    legal, slots = np.empty((1, 256), np.int16), np.empty((1, 2), np.int16)
    legal_and_slots(
        np.zeros(5, np.uint64), sources.game.tables, words_of(Positions(folder))[:1], wanted,
        legal, slots, np.empty(1, np.int64),
    )  # fmt: skip
    assert slots.tolist() == [[-2, -1]]


def test_the_loss_is_the_papers(folder: Path) -> None:
    """Against NumPy, with a mask over all 4672; soft targets too."""
    learner = Imitation(settings(folder))
    minibatch = tensors_of(learner.sources.minibatch(0, 16, 1), pinned=False)
    minibatch = minibatch._replace(
        slots=torch.cat([minibatch.slots, torch.zeros_like(minibatch.slots)], 1),
        shares=torch.tensor([[0.7, 0.3]]).repeat(16, 1),
    )
    learner.module.eval()
    logs, values = predict(learner.module, minibatch, "full", False)
    policy, value = (loss.detach() for loss in losses(logs, values, minibatch))
    with torch.no_grad():
        logits, own = (
            t.double().numpy() for t in learner.module(planes_of(minibatch.words, "full"))
        )
    wanted_policy, wanted_value = [], []
    for row in range(16):
        legal = minibatch.legal[row][minibatch.legal[row] >= 0].numpy()
        mask = np.full(4672, -np.inf)
        mask[legal] = 0.0
        masked = logits[row] + mask
        log = masked - np.log(np.exp(masked - masked.max()).sum()) - masked.max()
        target = np.zeros(4672)
        target[legal[minibatch.slots[row, 0]]] += 0.7
        target[legal[minibatch.slots[row, 1]]] += 0.3
        wanted_policy.append(-(target[legal] * log[legal]).sum())
        wanted_value.append((own[row] - float(minibatch.values[row])) ** 2)
    assert float(policy) == pytest.approx(np.mean(wanted_policy), rel=1e-5)
    assert float(value) == pytest.approx(np.mean(wanted_value), rel=1e-5)


def test_a_step_goes_along_the_whole_gradient(folder: Path) -> None:
    """Adam's first step is the rate times the gradient over its size; c |theta|^2 is in it."""
    learner = Imitation(settings(folder, decay=0.5))
    minibatch = tensors_of(learner.sources.minibatch(0, 16, 1), pinned=False)
    before = {name: p.detach().clone() for name, p in learner.module.named_parameters()}
    learner.module.train()
    state = {name: b.clone() for name, b in learner.module.state_dict().items()}
    logs, values = predict(learner.module, minibatch, "full", False)
    policy, value = losses(logs, values, minibatch)
    penalty = 0.5 * sum(p.square().sum() for p in decayed(learner.module))
    slopes = torch.autograd.grad(policy + value + penalty, list(learner.module.parameters()))
    learner.module.load_state_dict(state, strict=False)
    learner.step(minibatch, 1e-3)
    for (name, p), slope in zip(learner.module.named_parameters(), slopes, strict=True):
        wanted = before[name] - 1e-3 * slope / (slope.abs() + 1e-8)
        clear = slope.abs() > 1e-5  # below, rounding decides
        assert torch.allclose(p.detach()[clear], wanted[clear], atol=2e-6), name


def test_the_rate_rises_and_sinks() -> None:
    s = ImitationSettings(data="x", iterations=10, steps=10, warm=0.1, rate=1.0, rate_end=0.01)
    rates = [s.rate_at(step) for step in range(101)]
    top = int(np.argmax(rates))
    assert 9 <= top <= 10
    assert rates[:top] == sorted(rates[:top])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert rates[-1] == pytest.approx(0.01)


def test_every_position_comes_once_an_epoch(folder: Path) -> None:
    sources = PositionSources(str(folder), 1)
    size = len(sources.parts[0].train)
    batch = size // 4
    seen = [sources.minibatch(step, batch, 3).words for step in range(5)]
    places = [tuple(row) for row in np.concatenate(seen)[:size].tolist()]
    assert len(set(places)) == size
    again = PositionSources(str(folder), 1).minibatch(3, batch, 3)
    assert np.array_equal(again.words, seen[3])
    folds = np.concatenate(seen)[:, 4].view(np.uint64) >> np.uint64(40) & np.uint64(255)
    assert set(folds.tolist()) == {0, 2}


def test_held_out_boards_are_learned_nowhere(folder: Path, tmp_path: Path) -> None:
    """With the same positions as a second folder, nothing of the first is left to test."""
    shutil.copytree(folder, tmp_path / "twin")
    array = np.fromfile(tmp_path / "twin" / POSITIONS, LAYOUT)
    array["fold"] = (array["fold"] + 1) % 3
    array.tofile(tmp_path / "twin" / POSITIONS)
    assert len(PositionSources(str(folder), 0).parts[0].test) > 50
    both = PositionSources(f"{folder},{tmp_path / 'twin'}", 0)
    assert len(both.parts[0].test) == 0
    assert both.shares == pytest.approx([0.5, 0.5], abs=0.05)


def test_a_killed_run_goes_on_to_the_same_bits(folder: Path, tmp_path: Path) -> None:
    changes = {**TINY, "data": str(folder)}
    whole = Run.create(tmp_path / "whole", "imitation", changes)
    whole.resume()
    parts = Run.create(tmp_path / "parts", "imitation", changes)

    def kill(facts: dict[str, float]) -> None:
        if facts["iteration"] == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parts.resume(checkpoint_every=2, on_iteration=kill)
    Run.open(tmp_path / "parts").resume()
    for name in (CHECKPOINT, NET):
        one, two = (load_file(tmp_path / kind / name) for kind in ("whole", "parts"))
        assert one.keys() == two.keys()
        assert all(np.array_equal(one[key], two[key]) for key in one)
    assert whole.metrics() == parts.metrics()
    last = whole.metrics()[-1]
    assert last["iteration"] == 4
    assert 0 <= last["test_top1"] <= last["test_top3"] <= 1
    report = evaluate_net(str(tmp_path / "whole" / NET), str(folder), 0, 64)
    assert report.top1 == last["test_top1"]
    assert report.value_error == pytest.approx(last["test_value_error"])


def test_no_number_stops_and_keeps_the_last_good_state(folder: Path, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", "imitation", {**TINY, "data": str(folder)})
    run.resume(stopped=lambda: True)
    good = (tmp_path / "run" / CHECKPOINT).read_bytes()
    facts = json.loads((tmp_path / "run" / "settings.json").read_text())
    facts["settings"]["rate"] = 1e30
    (tmp_path / "run" / "settings.json").write_text(json.dumps(facts))
    with pytest.raises(PlayproofError, match="the loss is not finite; the last"):
        Run.open(tmp_path / "run").resume(checkpoint_every=1)
    assert (tmp_path / "run" / CHECKPOINT).read_bytes() == good


def test_bad_data_is_refused_in_a_line(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "bad")
    array = np.fromfile(tmp_path / "bad" / POSITIONS, LAYOUT)
    array["action"] = 4671
    array.tofile(tmp_path / "bad" / POSITIONS)
    with pytest.raises(
        DataError, match=r"bad: position \d+ has a move or value that is impossible"
    ):
        Imitation(settings(tmp_path / "bad")).iterate()
    with pytest.raises(DataError, match="holds no finished data"):
        Imitation(settings(tmp_path / "none"))
    for changes, says in (
        ({"data": ""}, "want data=DIR"),
        ({"batch": 1}, "batch=1: want 2 or more"),
        ({"decay": -1.0}, "decay=-1.0: want 0 or more"),
        ({"game": "othello"}, "want chess"),
    ):
        with pytest.raises(UsageError, match=says):
            settings(folder, **changes).check()


def test_calibration_is_counted_in_bins() -> None:
    said = np.array([0.05, 0.05, 0.95, 0.95])
    found = Reliability.of(said, np.array([0.0, 0.0, 1.0, 0.0]), 0.0)
    assert found.to_json() == [
        {"positions": 2, "said": pytest.approx(0.05), "was": 0.0},
        {"positions": 2, "said": pytest.approx(0.95), "was": 0.5},
    ]
    assert found.error == pytest.approx((2 * 0.05 + 2 * 0.45) / 4)


@pytest.mark.slow
def test_it_learns_and_the_papers_decay_does_not(folder: Path) -> None:
    """With c = 5 weights go to nought, and all moves become equal."""
    loss, size, before = {}, {}, 0.0
    for decay in (1e-4, 5.0):
        steps = longer(30, 75)
        learner = Imitation(
            settings(folder, blocks=0, steps=steps, batch=64, iterations=2, rate=2e-2, decay=decay)
        )
        before = float(learner.module.policy.out.weight.detach().norm())
        learner.iterate()
        learner.iterate()
        learner.module.eval()
        train = learner.sources.parts[0].train[:256]
        loss[decay] = evaluate_module(
            learner.module, learner.sources, 0, train, "full", half=False
        ).policy_loss
        size[decay] = float(learner.module.policy.out.weight.detach().norm())
    assert size[5.0] < 0.5 * before < size[1e-4]
    assert loss[1e-4] < loss[5.0] - longer(0.02, 0.05)
    assert len(held_out_indices(learner.sources, 0, 64)) == 64


@pytest.mark.slow
def test_speed_is_measured(folder: Path) -> None:
    found = imitation_speed.measure(settings(folder), "cpu", 0.05)
    assert min(found.fed, found.bare, found.data) > 0
    assert found.share == found.fed / found.bare


def test_folds_are_runs_of_their_own(folder: Path, tmp_path: Path) -> None:
    changes = {**TINY, "data": str(folder)}
    runs = Run.create_folds(tmp_path / "all", "imitation", changes)
    assert [run.settings.fold for run in runs] == [0, 1, 2]  # type: ignore[attr-defined]
    assert [run.folder.name for run in Run.open_all(tmp_path / "all")] == [
        "fold-0",
        "fold-1",
        "fold-2",
    ]
    with pytest.raises(UsageError, match="has no folds"):
        Run.create_folds(tmp_path / "x", "choko-dql", {})


def test_a_mirror_keeps_what_is_legal(folder: Path) -> None:
    """The image by another library, where there is one; the move goes with it, and back again."""
    sources = PositionSources(str(folder), 0)
    data = sources.parts[0].positions
    everything, words = np.arange(len(data)), words_of(data)
    plain = sources.assemble([everything])
    image = sources.assemble([everything], np.ones(len(data), np.bool_))
    fixed = (words[:, 4] >> np.uint64(8) & np.uint64(15)) > 0
    assert 20 < fixed.sum() < len(data) - 20
    assert np.array_equal(image.words[fixed], plain.words[fixed])
    rows = np.empty((len(data), 8), np.uint64)
    unpack_rows(image.words.view(np.uint64), rows)
    passants = 0
    for row in np.flatnonzero(~fixed):
        board = chess.Board(data.state(int(row)).position)
        passants += board.has_legal_en_passant()
        flipped = board.transform(chess.flip_horizontal)
        state = State(data.game, rows[row], set_up=True)
        assert state.position.split()[:4] == flipped.fen(en_passant="legal").split()[:4]
        action = int(image.legal[row, image.slots[row, 0]])
        move = state.game.name_move(state, action)
        before = data.state(int(row))
        played = before.game.name_move(before, int(data.array[row]["action"]))
        assert move == played.translate(str.maketrans("abcdefgh", "hgfedcba"))[:4] + played[4:]
    back = mirrored_actions()
    assert np.array_equal(back[back], np.arange(4672))
    again = image.words.view(np.uint64).copy()
    mirror(again, np.full((len(data), 1), -1, np.int16), back, np.ones(len(data), np.bool_))
    assert np.array_equal(again, words)
    assert passants > 0


def test_half_of_a_batch_is_mirrored(folder: Path) -> None:
    plain, half = (PositionSources(str(folder), 0, mirrored=share) for share in (0.0, 0.5))
    one, two = plain.minibatch(2, 256, 9), half.minibatch(2, 256, 9)
    free = (one.words[:, 4] >> 8 & 15) == 0
    moved = (one.words[:, 0] != two.words[:, 0])[free]
    assert 0.35 < moved.mean() < 0.65
    assert np.array_equal(one.words[~free], two.words[~free])
    assert np.array_equal(half.minibatch(2, 256, 9).words, two.words)
