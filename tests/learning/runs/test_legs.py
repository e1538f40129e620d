"""A run of self-play that is cut anywhere goes on: with its whole state to the same weights, with
its weights alone from a replay that is filled first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from playproof import DataError, UsageError
from playproof.learning.algorithms.alphazero.learner import AlphaZero
from playproof.learning.algorithms.alphazero.net_match import play_net_match
from playproof.learning.algorithms.alphazero.registration import ALGORITHM
from playproof.learning.algorithms.alphazero.settings import AlphaZeroSettings
from playproof.learning.learner import never
from playproof.learning.runs import checkpoint
from playproof.learning.runs import run as runs
from playproof.learning.runs import transfer as run_transfer
from playproof.learning.runs.run import Run
from playproof.learning.runs.transfer import export_run, import_run
from playproof.nets import architectures
from playproof.nets.evaluators.leaves import NetEvaluator
from playproof.nets.files import load
from playproof.search.mcts import SearchConfig, TreeSearch
from tests.learning.algorithms.alphazero.test_learner import TINY, changes


def started(settings: AlphaZeroSettings, overlap: bool) -> AlphaZero:
    run = AlphaZero(settings)
    run.overlaps = overlap  # as on a GPU
    return run


def after(asked: int) -> Callable[[], bool]:
    """Says stop when it is asked so many times."""
    left = [asked]

    def stopped() -> bool:
        left[0] -= 1
        return left[0] < 0

    return stopped


@pytest.mark.parametrize("overlap", [False, True])
def test_cut_in_the_middle_of_iterations_it_comes_to_the_same_weights(overlap: bool) -> None:
    settings = replace(TINY, evaluate_every=2)
    whole = started(settings, overlap)
    lines = [whole.iterate() for _ in range(settings.iterations)]
    cuts, cut = 0, started(settings, overlap)
    told = []
    dice = np.random.default_rng(1)
    while cut.iteration < settings.iterations:
        # A match that is cut begins anew, so it must have the time to end at last.
        metrics = cut.iterate(after(int(dice.integers(1, 40 + 20 * cuts))))
        if metrics is not None:
            told.append(metrics)
            continue
        cuts += 1
        arrays, facts = cut.state()
        cut = started(settings, overlap)
        cut.restore(arrays, facts)
    assert cuts > 3
    assert told == lines
    arrays, facts = whole.state()
    again, facts_again = cut.state()
    assert facts == facts_again
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, again[name], err_msg=name)


def test_a_stop_is_heard_in_the_middle_of_a_move() -> None:
    run = started(replace(TINY, simulations=50, full_share=1.0), False)
    assert run.iterate(after(10)) is None
    assert run.play.steps == 0
    assert 0 < run.play.times.leaves <= 10 * TINY.games
    evaluator = NetEvaluator(architectures.forward_of(run.architecture, run.best), "planes")
    trees = TreeSearch(run.game, 4, SearchConfig(simulations=50, policy="puct"), evaluator)
    match = play_net_match(run.game, [trees], 50, plies=0, limit=99, seed=1, stopped=after(10))
    assert match is None
    assert 0 < trees.simulations_done.min() <= 10


def test_games_that_run_beside_learning_are_by_the_net_before() -> None:
    run = started(TINY, True)
    first = run.iterate()
    assert first is not None
    assert "policy_loss" not in first  # there was nothing to learn from yet
    weights = run.trainer.weights
    second = run.iterate()
    assert second is not None
    assert second["policy_loss"] > 0
    assert not np.array_equal(run.trainer.weights, weights)


def test_weights_alone_go_on_with_a_replay_that_is_filled_before_they_learn() -> None:
    run = started(replace(TINY, replay=400), False)
    run.iterate()
    arrays, facts = run.state()
    carried = {k: a for k, a in arrays.items() if not k.startswith(ALGORITHM.stays_behind)}
    assert not any(name.startswith(("games", "replay")) for name in carried)
    other = started(replace(TINY, replay=400), False)
    other.restore(carried, facts)
    assert (other.iteration, len(other.replay)) == (1, 0)
    np.testing.assert_array_equal(other.trainer.weights, run.trainer.weights)
    assert other.settings.rate_at(other.iteration) == run.settings.rate_at(run.iteration)
    assert not np.array_equal(other.play.batch.seeds, started(TINY, False).play.batch.seeds)
    metrics = other.iterate()
    assert metrics is not None
    assert metrics["iteration"] == 2
    assert metrics["replay"] >= 200  # half of the replay, by several rounds of games
    assert metrics["positions"] >= 200


def test_how_much_must_be_there_before_learning_can_be_set() -> None:
    run = started(replace(TINY, learning_starts=100), False)
    metrics = run.iterate()
    assert metrics is not None
    assert metrics["positions"] >= 100
    with pytest.raises(UsageError, match="learning_starts=151: want 0 to 150, half of the replay"):
        AlphaZero(replace(TINY, learning_starts=151))


def new_run(folder: Path, **settings: object) -> Run:
    return Run.create(folder, "alphazero:othello:size=4", changes(replace(TINY, **settings)))  # type: ignore[arg-type]


def test_a_packed_run_goes_on_from_its_weights_on_another_machine(tmp_path: Path) -> None:
    run = new_run(tmp_path / "here")
    made = run.resume(stopped=after(200))
    assert 0 < made.iteration < TINY.iterations
    package = export_run(run.folder, tmp_path / "packed")
    assert not package.whole
    assert package.iteration == made.iteration
    unpacked = import_run(tmp_path / "packed", tmp_path / "there")
    assert unpacked.iteration == made.iteration
    there = Run.open(tmp_path / "there")
    assert there.metrics() == run.metrics()
    restore_learner = there.restore_learner()
    assert isinstance(restore_learner, AlphaZero)
    assert isinstance(made, AlphaZero)
    np.testing.assert_allclose(restore_learner.trainer.weights, made.trainer.weights, atol=2e-3)
    moments = [learner.trainer.state()["adam.exp_avg_sq"] for learner in (restore_learner, made)]
    np.testing.assert_allclose(*moments, rtol=0.01, atol=float(moments[1].max()) * 1e-3)
    done = there.resume()
    assert done.iteration == TINY.iterations
    assert [line["iteration"] for line in there.metrics()] == [1, 2, 3]


def test_five_legs_two_of_them_from_weights_alone_go_on_to_the_end(tmp_path: Path) -> None:
    run = new_run(tmp_path / "leg-1", iterations=12, replay=100, evaluate_every=0)
    for leg in range(1, 6):
        before = run.metrics()
        if leg in (2, 4):
            assert not export_run(run.folder, tmp_path / f"packed-{leg}").whole
            import_run(tmp_path / f"packed-{leg}", tmp_path / f"leg-{leg}")
            run = Run.open(tmp_path / f"leg-{leg}")
        run.resume(stopped=after(300) if leg < 5 else never)
        lines = run.metrics()
        assert lines[: len(before)] == before
        assert len(before) < len(lines)
        if leg in (2, 4):
            assert lines[len(before)]["replay"] >= 50
        if leg < 5:
            assert len(lines) < 12
    assert [line["iteration"] for line in run.metrics()] == list(range(1, 13))


def test_large_runs_are_cut_into_parts_and_damage_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_transfer, "PART_BYTES", 3000)
    run = new_run(tmp_path / "here")
    run.resume(stopped=after(10))
    packed = tmp_path / "packed"
    package = export_run(run.folder, packed)
    assert len(package.files) > 2
    assert all((packed / name).stat().st_size <= 3000 for name in package.files)
    with pytest.raises(UsageError, match="is there already"):
        export_run(run.folder, packed)
    import_run(packed, tmp_path / "there")
    with pytest.raises(UsageError, match="holds a run already"):
        import_run(packed, tmp_path / "there")
    last = packed / package.files[-1]
    last.write_bytes(b"x" + last.read_bytes()[1:])
    with pytest.raises(DataError, match="its parts are not those"):
        import_run(packed, tmp_path / "other")
    last.unlink()
    with pytest.raises(DataError, match="is not whole: "):
        import_run(packed, tmp_path / "other")
    with pytest.raises(DataError, match="holds no packed run"):
        import_run(tmp_path / "nowhere", tmp_path / "other")


def test_nets_that_are_kept_are_carried_in_16_bits_if_wanted(tmp_path: Path) -> None:
    run = new_run(tmp_path / "here")
    run.resume(keep_every=1, checkpoint_every=1)
    later = run.folder / "nets" / "7.safetensors"  # a run repeats what is after its checkpoint
    later.write_bytes((run.folder / "nets" / "3.safetensors").read_bytes())
    plain = export_run(run.folder, tmp_path / "plain")
    packed = export_run(run.folder, tmp_path / "packed", nets=True)
    assert plain.size < packed.size
    import_run(tmp_path / "plain", tmp_path / "without")
    import_run(tmp_path / "packed", tmp_path / "there")
    assert not (tmp_path / "without" / "nets").exists()
    names = sorted(file.name for file in (tmp_path / "there" / "nets").iterdir())
    assert names == [f"{number}.safetensors" for number in range(4)]
    for name in names:
        there, here = (load(folder / "nets" / name) for folder in (tmp_path / "there", run.folder))
        np.testing.assert_allclose(there.weights, here.weights, rtol=1e-3, atol=1e-4)
        assert there.metadata == here.metadata


def test_a_run_of_ppo_is_carried_whole_and_ends_with_the_same_weights(tmp_path: Path) -> None:
    few = {"iterations": "3", "steps": "64", "evaluate_every": "2", "evaluation_games": "2"}
    alone = Run.create(tmp_path / "alone", "choko-ppo-v1", few)
    alone.resume()
    first = Run.create(tmp_path / "first", "choko-ppo-v1", few)
    first.resume(stopped=after(1))
    assert export_run(first.folder, tmp_path / "packed").whole
    import_run(tmp_path / "packed", tmp_path / "second")
    done = Run.open(tmp_path / "second").resume()
    np.testing.assert_array_equal(done.weights, alone.restore_learner().weights)


def test_checkpoints_are_written_beside_the_run_and_their_errors_are_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = new_run(tmp_path / "run")

    def full(path: Path, *parts: object) -> None:
        raise DataError(f"{path} cannot be written: No space left on device")

    monkeypatch.setattr(checkpoint, "write_atomically", full)
    monkeypatch.setattr(runs, "_drop_lines_after", lambda file, iteration: None)
    with pytest.raises(DataError, match="No space left"):
        run.resume(checkpoint_every=1)
