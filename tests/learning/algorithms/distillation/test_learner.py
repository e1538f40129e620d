"""Distillation: positions, their labels, targets, the loss, kills, measurements, and sharing."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import get_num_threads

from playproof import Batch, DataError, UsageError
from playproof.arena.yardstick.measure import ALL, measure
from playproof.arena.yardstick.positions import shipped
from playproof.core.registry import make
from playproof.core.state import State
from playproof.learning.algorithms.distillation import kernels
from playproof.learning.algorithms.distillation.feed import AHEAD, Feed, Reader
from playproof.learning.algorithms.distillation.held_out import JudgedMoves
from playproof.learning.algorithms.distillation.learner import Distillation
from playproof.learning.algorithms.distillation.lessons import Lesson, label
from playproof.learning.algorithms.distillation.planes import planes_of
from playproof.learning.algorithms.distillation.positions import ONE_IN, Positions
from playproof.learning.algorithms.distillation.settings import DistillationSettings
from playproof.learning.algorithms.distillation.truth import Truth, open_truth
from playproof.learning.runs.run import CHECKPOINT, NET, Run
from playproof.nets.files import Net, load, save
from playproof.tables.choko.value_codes import distance, outcome
from tests.support.learning.distillation_settings import settings

torch = pytest.importorskip("torch")
load_file = pytest.importorskip("safetensors.numpy").load_file

TINY = {
    "blocks": "1", "filters": "8", "policy_rank": "2", "steps": "3", "batch": "32", "block": "64",
    "iterations": "4", "evaluate_every": "2", "evaluation_positions": "96", "player": "none",
    "yardstick_positions": "60",
}  # fmt: skip


@pytest.fixture(scope="module")
def positions(folder: Path) -> Positions:
    s = settings(folder)
    return Positions(s, open_truth(s, "cpu"))


@pytest.fixture(scope="module")
def lesson(positions: Positions) -> Lesson:
    rows = np.concatenate([positions.block(number) for number in range(12)])
    return label(positions, rows, positions.settings)


def states_of(rows: np.ndarray) -> list[State]:
    game = make("choko", cap=0)
    return [State(game, row, set_up=True) for row in rows]


def test_drawn_positions_can_be_read_again_and_are_in_the_tables(positions: Positions) -> None:
    """The parts of a row fit together as those of a position that is given as text."""
    rows = positions.draw(600, 3)
    forced = 0
    for state in states_of(rows):
        again = state.game.position(state.position)
        assert np.array_equal(again.row, state.row)
        forced += int(state.row[2]) >> 1 & 1
    with_hands = sum(int(row[2]) >> 4 & 255 > 0 for row in rows)
    assert 0 < forced < with_hands < 600
    assert (positions.uses(rows) != kernels.UNUSED).mean() > 0.9


def test_slices_are_drawn_by_their_weights(folder: Path) -> None:
    for power, least, most in ((0.0, 0.25, 0.42), (1.0, 0.9, 1.0)):
        s = settings(folder, slice_power=power, forced=0.0)
        rows = Positions(s, open_truth(s, "cpu")).draw(600, 3)
        four = np.bitwise_count(rows[:, 0] | rows[:, 1]) == 4  # the largest of the three slices
        assert least < four.mean() < most


def test_a_key_is_that_of_all_images_and_of_both_colours(positions: Positions) -> None:
    game = make("choko", cap=0)
    rows = positions.draw(50, 5)
    first = keys_of(rows)
    for symmetry in range(8):
        batch = Batch(game, rows.copy())
        batch.transform(np.full(len(rows), symmetry))
        assert np.array_equal(keys_of(batch.rows), first)
    swapped = [swap_colours(state.position) for state in states_of(rows)]
    assert np.array_equal(keys_of(np.stack([game.read_position(p) for p in swapped])), first)
    assert len(np.unique(first)) > 40


def keys_of(rows: np.ndarray) -> np.ndarray:
    out = np.empty(len(rows), np.uint64)
    kernels.position_keys(make("choko", cap=0).option_words, rows, out)
    return out


def swap_colours(position: str) -> str:
    board, side, blue, red, initiative, ply = position.split()
    other = str.maketrans("br", "rb")
    moved = int(ply) + (1 if side == "b" else -1)
    moved += 2 if moved < 24 - int(blue) - int(red) else 0
    return " ".join(
        [board.translate(other), side.translate(other), red, blue, initiative.translate(other),
         str(moved)]
    )  # fmt: skip


def test_held_out_positions_are_never_learned_from(positions: Positions) -> None:
    held_out = set(keys_of(positions.held_out(96)).tolist())
    learned = {key for block in range(12) for key in keys_of(positions.block(block)).tolist()}
    assert len(held_out) > 50
    assert len(learned) > 300
    assert not held_out & learned
    assert all(key % ONE_IN == 0 for key in held_out)


def test_the_yardstick_is_never_learned_from(positions: Positions) -> None:
    every = np.ones_like(positions.truth.available)
    rows = shipped(make("choko")).rows
    uses = np.empty(len(rows), np.uint8)
    for reserved, wanted in ((positions._reserved, 0), (np.empty(0, np.uint64), len(rows))):
        kernels.sort_positions(
            make("choko", cap=0).option_words, rows, every, reserved, ONE_IN, uses
        )
        assert int((uses != kernels.UNUSED).sum()) == wanted


def test_a_block_depends_on_its_number_and_the_seed(folder: Path, positions: Positions) -> None:
    assert np.array_equal(positions.block(3), positions.block(3))
    assert not np.array_equal(positions.block(3), positions.block(4))
    other = settings(folder, seed=2)
    assert not np.array_equal(Positions(other, positions.truth).block(3), positions.block(3))


def test_games_have_all_players_and_stay_in_the_tables(folder: Path) -> None:
    s = settings(folder, uniform=0.0, player="choko-ppo-plus")
    played = Positions(s, open_truth(s, "cpu"))
    rows = played.play(400, 1)
    assert len(rows) > 100
    ongoing = np.array([not state.is_terminal for state in states_of(rows)])
    assert ongoing.all()
    played._reserved = np.empty(0, np.uint64)  # some are on the yardstick
    assert (played.uses(rows) != kernels.UNUSED).all()
    assert len(played.block(0)) == 64


def test_labels_are_the_tables_values(positions: Positions, lesson: Lesson) -> None:
    probe = positions.truth.probe
    lists = Batch(make("choko", cap=0), lesson.rows).legal_lists()
    assert np.array_equal(lists.offsets, lesson.offsets)
    assert np.array_equal(lists.actions, lesson.actions)
    for number, codes in enumerate(probe.codes_of(states_of(lesson.rows))):
        here = slice(lesson.offsets[number], lesson.offsets[number + 1])
        mine = dict(zip(lesson.actions[here].tolist(), lesson.codes[here].tolist(), strict=True))
        assert mine == codes
        assert lesson.values[number] == outcome(max(codes.values()))


@pytest.mark.parametrize("temperature", [0.0, 3.0, 1e9])
def test_targets_are_the_moves_that_keep_the_result(lesson: Lesson, temperature: float) -> None:
    policy, values = np.empty_like(lesson.policy), np.empty_like(lesson.values)
    kernels.targets(lesson.offsets, lesson.codes, temperature, 0.99, policy, values)
    kinds = set()
    for number in range(len(lesson)):
        here = slice(lesson.offsets[number], lesson.offsets[number + 1])
        codes = [int(code) for code in lesson.codes[here]]
        best = max(codes)
        kinds.add(outcome(best))
        weights = []
        for code in codes:
            longer = abs(distance(code) - distance(best))
            factor = np.exp(-longer / temperature) if temperature else float(longer == 0)
            weights.append(factor if outcome(code) == outcome(best) else 0.0)
        np.testing.assert_allclose(policy[here], np.array(weights) / sum(weights), atol=1e-6)
        assert values[number] == pytest.approx(outcome(best) * 0.99 ** distance(best))
    assert kinds == {-1, 0, 1}


def test_planes_are_those_of_the_game(positions: Positions) -> None:
    rows = np.concatenate([positions.draw(300, 1), shipped(make("choko")).rows[:300]])
    for game in (make("choko"), make("choko", cap=0)):
        wanted = Batch(game, rows).observe("position")
        np.testing.assert_allclose(
            planes_of(torch.from_numpy(rows.view(np.int64))).numpy(), wanted, atol=1e-7
        )
        assert np.array_equal(wanted, Batch(game, rows).observe("planes")[:, :5])


def test_the_loss_is_over_legal_moves_alone(folder: Path, lesson: Lesson) -> None:
    """Against NumPy, position by position."""
    learner = Distillation(settings(folder, value_weight=0.5))
    minibatch = lesson.minibatch(8, 40, learner.architecture.actions)
    tensors = {name: torch.from_numpy(array) for name, array in minibatch.items()}
    learner.trainer.module.eval()
    with torch.no_grad():
        loss, (policy, value) = learner.trainer.losses(tensors)
        logits, values = learner.trainer.evaluate(minibatch["words"])
    wanted = []
    for number in range(8, 40):
        here = slice(lesson.offsets[number], lesson.offsets[number + 1])
        own = logits[number - 8].double().numpy()[lesson.actions[here]]
        logs = own - own.max() - np.log(np.exp(own - own.max()).sum())
        wanted.append(-(lesson.policy[here] * logs).sum())
    assert float(policy) == pytest.approx(np.mean(wanted), rel=1e-5)
    square = np.square(values.numpy() - lesson.values[8:40]).mean()
    assert float(value) == pytest.approx(square, rel=1e-5)
    assert float(loss) == pytest.approx(np.mean(wanted) + 0.5 * square, rel=1e-5)
    padded = dict(minibatch)
    padded["places"] = np.append(padded["places"], np.repeat(padded["places"][:1], 7))
    padded["policy"] = np.append(padded["policy"], np.zeros(7, np.float32))
    with torch.no_grad():
        again, _ = learner.trainer.losses({k: torch.from_numpy(v) for k, v in padded.items()})
    assert float(again) == pytest.approx(float(loss), rel=1e-6)


def test_a_killed_run_goes_on_to_the_same_bits(folder: Path, tmp_path: Path) -> None:
    changes = {**TINY, "tables": str(folder)}
    whole = Run.create(tmp_path / "whole", "choko-oracle-100kb", changes)
    whole.resume()
    parts = Run.create(tmp_path / "parts", "choko-oracle-100kb", changes)

    def kill(metrics: dict[str, float]) -> None:
        if metrics["iteration"] == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parts.resume(checkpoint_every=2, on_iteration=kill)
    polls = iter(range(100))
    Run.open(tmp_path / "parts").resume(stopped=lambda: next(polls) == 3)  # in an iteration
    Run.open(tmp_path / "parts").resume()
    for name in (CHECKPOINT, NET):
        one, two = (load_file(tmp_path / kind / name) for kind in ("whole", "parts"))
        assert one.keys() == two.keys()
        assert all(np.array_equal(one[key], two[key]) for key in one)
    assert whole.metrics() == parts.metrics()
    last = whole.metrics()[-1]
    assert last["iteration"] == 4
    assert last["held_out_all_lower"] < last["held_out_all"] < last["held_out_all_upper"]
    assert 0 < last["kept_opening"] < 1
    assert load(tmp_path / "whole" / NET).observation == "position"


def test_the_yardstick_says_what_the_command_says(folder: Path) -> None:
    learner = Distillation(settings(folder, yardstick_positions=60))
    file = folder / "net.safetensors"
    save(Net(learner.architecture, learner.weights, "choko", "position"), file)
    report = measure(shipped(make("choko")), f"net:{file},greedy=true", seed=1, limit=60)
    metrics = learner.evaluation()
    for phase, result in report.phases.items():
        assert metrics["kept" if phase == ALL else f"kept_{phase}"] == result.kept.mean
    assert 0 < metrics["kept"] < 1
    assert not any(name.startswith("kept") for name in plain_evaluation(folder))


def plain_evaluation(folder: Path) -> dict[str, float]:
    return Distillation(settings(folder, yardstick_positions=0)).evaluation()


def test_all_positions_of_the_yardstick_count_by_default() -> None:
    assert DistillationSettings().yardstick_positions == len(shipped(make("choko")).positions)


def test_an_evaluation_changes_neither_what_is_learned_nor_the_threads(folder: Path) -> None:
    """The last bits of a gradient depend on the number of threads that PyTorch takes."""
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(get_num_threads() + 1)
        learners = [Distillation(settings(folder, yardstick_positions=30)) for _ in range(2)]
        learners[0].evaluation()
        assert torch.get_num_threads() == get_num_threads() + 1
        for learner in learners:
            learner.iterate()
        assert np.array_equal(learners[0].weights, learners[1].weights)
    finally:
        torch.set_num_threads(before)


def test_critical_positions_are_those_that_can_be_thrown_away(lesson: Lesson) -> None:
    judged = JudgedMoves.of(lesson)
    for number in range(len(lesson)):
        here = slice(lesson.offsets[number], lesson.offsets[number + 1])
        results = [outcome(int(code)) for code in lesson.codes[here]]
        assert judged.keeps[here].tolist() == [one == max(results) for one in results]
        critical = max(results) >= 0 and min(results) < max(results)
        assert judged.critical[number] == critical
    assert 0 < judged.chance < 1


@pytest.mark.slow
def test_it_learns(folder: Path) -> None:
    learner = Distillation(
        settings(
            folder, filters=16, steps=60, batch=64, block=960, iterations=2, rate=5e-3,
            evaluation_positions=400,
        )
    )  # fmt: skip
    before = learner.evaluation()
    learner.iterate()
    after = learner.iterate()
    assert after is not None
    assert after["held_out_all"] > before["held_out_all"] + 0.1
    assert after["held_out_all_lower"] > JudgedMoves.of(learner.held_out).chance
    assert after["held_out_policy_loss"] < before["held_out_policy_loss"] - 0.2


# The feed


def fake_feed() -> tuple[Feed, list[int]]:
    begun: list[int] = []

    def make_block(number: int) -> Any:
        begun.append(number)
        if number == 50:
            raise DataError("no more")
        return number

    return Feed(make_block), begun


def test_readers_share_blocks_and_wait_for_the_slowest() -> None:
    feed, begun = fake_feed()
    fast, slow = Reader(feed, 0), Reader(feed, 0)
    taken: list[Any] = []
    thread = threading.Thread(target=lambda: taken.extend(fast.get() for _ in range(20)))
    thread.start()
    thread.join(0.3)
    assert thread.is_alive()
    assert taken == list(range(AHEAD))
    assert [slow.get() for _ in range(20)] == list(range(20))
    thread.join(10)
    assert taken == list(range(20))
    assert sorted(begun)[:20] == list(range(20))
    assert len(begun) == len(set(begun))
    fast.close()
    slow.close()
    feed.close()


def test_a_reader_that_leaves_holds_nobody_up() -> None:
    feed, _ = fake_feed()
    fast, slow = Reader(feed, 0), Reader(feed, 0)
    slow.close()
    assert [fast.get() for _ in range(30)] == list(range(30))
    late = Reader(feed, 5)  # before what is kept
    assert late.get() == 5
    del late
    assert fast.get() == 30
    feed.close()


def test_an_error_of_a_block_reaches_its_reader() -> None:
    feed, _ = fake_feed()
    reader = Reader(feed, 49)
    assert reader.get() == 49
    with pytest.raises(DataError, match="no more"):
        reader.get()
    feed.close()


# What is refused


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"game": "othello"}, "game=othello: want choko"),
        ({"observation": "planes"}, "observation=planes: want position"),
        ({"block": 100}, "block=100: want a multiple of batch=32, such as 96"),
        ({"tables": ""}, "want tables=DIR, tables=unix:SOCKET or tables=solve"),
        ({"temperature": -1.0}, "temperature=-1.0: want 0 or more"),
        ({"discount": 1.5}, "discount=1.5: want"),
        ({"player": "nobody"}, "there is no net 'nobody'"),
        ({"player": "othello6-zero"}, "othello"),
    ],
)
def test_bad_settings_are_refused_in_a_line(
    folder: Path, changes: dict[str, Any], says: str
) -> None:
    with pytest.raises((UsageError, DataError), match=says):
        settings(folder, **changes).check()


def test_tables_too_small_to_hold_out_are_refused(positions: Positions) -> None:
    only_start = Truth(
        positions.truth.probe, np.array([[2, 0, 0]]), np.array([1.0]),
        positions.truth.available * 0,
    )  # fmt: skip
    few = Positions(positions.settings, only_start)
    with pytest.raises(DataError, match="too few positions to draw 2 of them"):
        few.held_out(4)
