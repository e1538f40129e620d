"""Runs in folders: they learn, go on after a kill with the same weights, refuse what is broken."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from playproof import DataError, PlayproofError, UsageError
from playproof.cli.main import main
from playproof.formats.record import read_records
from playproof.learning.algorithms.ppo.learner import Ppo, PpoSettings
from playproof.learning.presets import find, names
from playproof.learning.runs.checkpoint import load_checkpoint
from playproof.learning.runs.run import CHECKPOINT, GAMES, METRICS, NET, TIMES, Run
from playproof.learning.setting import apply_changes
from playproof.learning.training import open_or_create
from playproof.nets import files as net_files
from tests.support.longer import longer

SMALL = {
    "iterations": "6", "steps": "256", "epochs": "2", "games": "8", "hidden": "16",
    "ancestor_every": "2", "evaluate_every": "3", "evaluation_games": "8", "seed": "5",
}  # fmt: skip


def settings_of(preset: str) -> PpoSettings:
    found = find(preset).settings
    assert isinstance(found, PpoSettings)
    return found


def run_to_end(folder: Path, **more: str) -> Run:
    run = Run.create(folder, "choko-ppo-v3", SMALL | more)
    run.resume(checkpoint_every=2)
    return run


@pytest.fixture(scope="module")
def left_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_to_end(tmp_path_factory.mktemp("run") / "alone").folder


def same(one: Path, two: Path) -> bool:
    """All numbers and metrics to the last bit; the order of a header is the library's."""
    (arrays, facts), (others, other_facts) = (
        load_checkpoint(one / CHECKPOINT),
        load_checkpoint(two / CHECKPOINT),
    )
    assert facts == other_facts
    for name in (METRICS, GAMES):
        assert (one / name).read_bytes() == (two / name).read_bytes()
    nets = [net_files.load(folder / NET).weights for folder in (one, two)]
    assert nets[0].tobytes() == nets[1].tobytes() == arrays["weights"].tobytes()
    return arrays.keys() == others.keys() and all(
        array.tobytes() == others[name].tobytes() for name, array in arrays.items()
    )


def test_the_presets_have_the_papers_sizes() -> None:
    fixed = [name for name in names() if ":" not in name]
    sizes = {name: find(name).settings.architecture().parameters for name in fixed}
    assert sizes == {
        "choko-dql": 180_609, "choko-ppo-v1": 176_514, "choko-ppo-v2": 176_514,
        "choko-ppo-v3": 180_738, "choko-ppo-v3-literal": 180_738, "choko-ppo-plus": 476_098,
        "imitation": 533_226, "imitation-10x128": 3_077_226, "imitation-paper": 14_364_522,
        "choko-oracle-100kb": 50_639, "choko-oracle-300kb": 148_459,
        "choko-oracle-1mb": 482_579, "choko-oracle-4mb": 1_832_147,
        "choko-zero": 1_383_803, "rl-chess": 14_364_522,
    }  # fmt: skip


def test_the_reward_for_captures_sinks_to_nothing_half_way() -> None:
    second, third = (settings_of(f"choko-ppo-v{number}") for number in (2, 3))
    assert third.point_reward_at(0) == 0.1
    assert third.point_reward_at(1000) == pytest.approx(0.05)
    assert third.point_reward_at(2000) == third.point_reward_at(3999) == 0.0
    assert second.point_reward_at(2999) == 0.1


def test_the_literal_third_agent_has_the_papers_numbers() -> None:
    """The printed schedule: max(0, 0.1 - 0.05 i/4000)."""
    literal, third = settings_of("choko-ppo-v3-literal"), settings_of("choko-ppo-v3")
    for i in (0, 1, 1000, 2000, 3999):
        assert literal.point_reward_at(i) == pytest.approx(max(0.0, 0.1 - 0.05 * i / 4000))
    assert (literal.value_weight, literal.normalise) == (0.05, 0)
    same = {"point_until": third.point_until, "value_weight": third.value_weight, "normalise": 1}
    assert replace(literal, **same) == third


def test_the_papers_agents_are_evaluated_as_often_as_there() -> None:
    often = {name: find(name).settings.evaluate_every for name in names() if "choko" in name}
    oracles = {name for name in often if "oracle" in name}  # ours
    assert {often.pop(name) for name in oracles} == {20}
    assert often.pop("choko-dql") == 1  # an iteration has 200 gradient steps
    assert often.pop("choko-ppo-plus") == 50  # ours
    assert often.pop("choko-zero") == 10  # ours
    assert set(often.values()) == {10}
    assert len(often) == 4


def test_evaluations_change_nothing_of_what_is_learned() -> None:
    """The nets that come with the package were evaluated less often than their presets say."""
    settings = apply_changes(settings_of("choko-ppo-v3"), SMALL | {"iterations": "4"})
    often, never = (Ppo(replace(settings, evaluate_every=every)) for every in (1, 0))
    for _ in range(settings.iterations):
        assert "earlier_wins" in often.iterate()
        assert "earlier_wins" not in never.iterate()
    (arrays, facts), (others, other_facts) = often.state(), never.state()
    assert facts == other_facts  # the states of all random numbers among them
    assert all(array.tobytes() == others[name].tobytes() for name, array in arrays.items())


def test_without_normalising_it_learns_otherwise() -> None:
    settings = apply_changes(settings_of("choko-ppo-v3"), SMALL | {"evaluate_every": "0"})
    one, other, again = (Ppo(replace(settings, normalise=n)) for n in (1, 0, 0))
    losses = [ppo.iterate()["policy_loss"] for ppo in (one, other, again)]
    assert losses[0] != losses[1] == losses[2]


def test_the_same_command_goes_on_with_a_run_that_was_evaluated_otherwise(tmp_path: Path) -> None:
    changes = {key: value for key, value in SMALL.items() if key != "evaluate_every"}
    run = Run.create(tmp_path / "old", "choko-ppo-v3", changes | {"evaluate_every": "50"})
    again = open_or_create(run.folder, "choko-ppo-v3", changes)
    assert again.settings == run.settings
    assert again.settings.evaluate_every == 50
    for more in ({"evaluate_every": "10"}, {"epochs": "3"}):
        with pytest.raises(UsageError, match="holds another run"):
            open_or_create(run.folder, "choko-ppo-v3", changes | more)


def test_runs_from_before_normalise_was_a_setting_are_normalised(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "old", "choko-ppo-v3", SMALL)
    file = run.folder / "settings.json"
    data = json.loads(file.read_text())
    del data["settings"]["normalise"]
    file.write_text(json.dumps(data))
    assert Run.open(run.folder).settings == run.settings
    del data["settings"]["clip"]
    file.write_text(json.dumps(data))
    with pytest.raises(DataError, match="is not the settings of a run"):
        Run.open(run.folder)


@pytest.mark.slow
def test_it_learns_to_beat_a_random_player() -> None:
    ppo = Ppo(replace(settings_of("choko-ppo-v1"), evaluate_every=0, seed=2))
    for _ in range(longer(12, 25)):  # at the start it wins half of its games
        ppo.iterate()
    facts = ppo.evaluation()
    assert facts["random_wins"] > longer(0.62, 0.9) * ppo.settings.evaluation_games


def test_a_run_cut_into_legs_is_the_run_left_alone(left_alone: Path, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "legs", "choko-ppo-v3", SMALL)
    for leg in range(4):
        stops: list[int] = []

        def stop(facts: dict[str, float], stops: list[int] = stops, leg: int = leg) -> None:
            stops.append(1)
            if len(stops) > leg:
                raise KeyboardInterrupt

        try:
            Run.open(run.folder).resume(checkpoint_every=2, on_iteration=stop)
        except KeyboardInterrupt:
            continue
    Run.open(run.folder).resume(checkpoint_every=2)
    assert same(run.folder, left_alone)


KILLED = """
import os, signal, sys
from pathlib import Path
from playproof.learning.runs.run import Run

def kill(facts):
    if facts["iteration"] == 4:
        os.kill(os.getpid(), signal.SIGKILL)

Run.open(Path(sys.argv[1])).resume(checkpoint_every=1, on_iteration=kill)
"""


@pytest.mark.slow
def test_a_killed_run_ends_with_the_same_weights(left_alone: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    Run.create(folder, "choko-ppo-v3", SMALL)
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder)], timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    run = Run.open(folder)
    assert 0 < run.restore_learner().iteration < 6
    (folder / f"{CHECKPOINT}.new").write_bytes(b"half a checkpoint")
    with (folder / METRICS).open("a") as file:
        file.write('{"iteration": 1, "pol')
    run.resume()
    assert same(folder, left_alone)


def test_the_network_of_a_run_plays(left_alone: Path) -> None:
    net = net_files.load(left_alone / NET)
    assert (net.game, net.observation) == ("choko", "paper-26")
    assert net.metadata["iterations"] == 6
    spec = f"net:{left_alone / NET}"
    assert main(("play", "choko", "--first", spec, "--second", "random", "--seed", "1")) == 0


def damaged_run(left_alone: Path, folder: Path) -> Run:
    folder.mkdir()
    for file in left_alone.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return Run.open(folder)


def test_a_checkpoint_that_is_broken_is_told_in_a_line(left_alone: Path, tmp_path: Path) -> None:
    run = damaged_run(left_alone, tmp_path / "cut")
    whole = (run.folder / CHECKPOINT).read_bytes()
    (run.folder / CHECKPOINT).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"is damaged.*delete it to start over"):
        run.resume()
    assert (run.folder / CHECKPOINT).read_bytes() == whole[: len(whole) // 2]
    (run.folder / CHECKPOINT).write_text("no checkpoint")
    with pytest.raises(DataError, match="is damaged"):
        run.resume()


def test_a_checkpoint_of_other_sizes_is_told_in_a_line(left_alone: Path, tmp_path: Path) -> None:
    other = run_to_end(tmp_path / "other", hidden="8", iterations="1")
    run = damaged_run(left_alone, tmp_path / "mixed")
    (run.folder / CHECKPOINT).write_bytes((other.folder / CHECKPOINT).read_bytes())
    with pytest.raises(DataError, match=r"has shape .* but these settings make it"):
        run.resume()


def test_a_loss_that_is_no_number_keeps_the_last_good_state(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "nan", "choko-ppo-v3", SMALL)

    def spoil(facts: dict[str, float]) -> None:
        if facts["iteration"] == 3:
            run.__dict__["settings"].__dict__["win_reward"] = float("nan")

    with pytest.raises(PlayproofError, match="is not finite"):
        run.resume(checkpoint_every=2, on_iteration=spoil)
    kept = Run.open(run.folder).restore_learner()
    assert kept.iteration == 2
    assert np.isfinite(kept.weights).all()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"speed": "2"}, "there is no setting 'speed'"),
        ({"rate": "fast"}, "rate=fast: want a number"),
        ({"hidden": "64,64"}, "want whole numbers with / between them"),
        ({"steps": "0"}, "steps=0: want 1 or more"),
        ({"observation": "eyes"}, "no observation 'eyes'"),
        ({"game": "ludo"}, "ludo"),
        (
            {"game": "quantum-go:board=3x3,collapse=born", "observation": "planes"},
            "has chance moves",
        ),
        ({"point_until": "101"}, "point_until=101.0: want a number from 0 to 100"),
        ({"point_until": "-1"}, "from 0 to 100"),
        ({"normalise": "2"}, "normalise=2: want 0 or 1"),
    ],
)
def test_wrong_settings_are_told_in_a_line(
    changes: dict[str, str], said: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=said):
        Run.create(tmp_path / "run", "choko-ppo-v3", changes)
    assert not (tmp_path / "run").exists()


def test_games_of_evaluations_are_records(left_alone: Path) -> None:
    records = list(read_records(left_alone / GAMES))
    assert len(records) == 8  # two evaluations, two opponents, one game begun by each
    players = [record.players for record in records[:4]]
    assert players[0] == players[1][::-1] == ("iteration 3", "iteration 0")
    assert players[2] == players[3][::-1] == ("iteration 3", "random")
    for record in records:
        assert record.replay().is_terminal


def test_times_tell_what_a_leg_took(left_alone: Path) -> None:
    lines = [json.loads(line) for line in (left_alone / TIMES).read_text().splitlines()]
    assert [line["iteration"] for line in lines] == [2, 4, 6]
    assert all(line["seconds"] > 0 and line["device"] == "cpu" for line in lines)


def test_several_seeds_are_runs_in_one_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, few = tmp_path / "many", SMALL | {"iterations": "2", "evaluate_every": "0"}
    words = [part for key, value in few.items() for part in ("--set", f"{key}={value}")]
    begin = ("train", "choko-ppo-v3", "--out", str(folder), *words, "--seeds", "3")
    assert main((*begin, "--seconds", "0")) == 0
    assert [run.settings.seed for run in Run.open_all(folder)] == [5, 6, 7]
    assert main(("train", "--resume", "--out", str(folder))) == 0
    nets = [net_files.load(folder / f"seed-{seed}" / NET).weights for seed in (5, 6, 7)]
    assert (nets[0] != nets[1]).any()
    assert (nets[1] != nets[2]).any()
    capsys.readouterr()
    assert main(begin) != 0
    assert "holds a run already" in capsys.readouterr().err


def test_a_run_begins_with_a_net(left_alone: Path, tmp_path: Path) -> None:
    net = left_alone / NET
    run = Run.create(tmp_path / "on", "choko-ppo-v3", SMALL | {"start": str(net)})
    begun = run.restore_learner()
    assert (begun.weights == net_files.load(net).weights).all()
    assert len(begun.pool) == 1  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="that net sees paper-26 and has layers of"):
        Run.create(tmp_path / "off", "choko-ppo-v1", {"start": str(net)}).restore_learner()


def test_a_device_that_is_not_there_is_told_in_a_line(
    left_alone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: it knows no device")
    folder = damaged_run(left_alone, tmp_path / "device").folder
    for device, said in (("abacus", "want cpu or cuda"), ("cuda", "finds no CUDA device")):
        if device == "cuda" and torch_has_cuda():
            continue
        assert main(("train", "--resume", "--out", str(folder), "--device", device)) != 0
        assert said in capsys.readouterr().err
    words = ("--set", "iterations=1", "--device", "cuda")
    assert main(("train", "choko-dql", "--out", str(tmp_path / "q"), *words)) != 0
    assert "deep Q-learning runs on the CPU" in capsys.readouterr().err


def torch_has_cuda() -> bool:
    import torch

    return bool(torch.cuda.is_available())


def test_settings_as_text() -> None:
    made = apply_changes(
        settings_of("choko-ppo-v3"), {"hidden": "32/16", "rate": "3e-4", "epochs": "4"}
    )
    assert isinstance(made, PpoSettings)
    assert (made.hidden, made.rate, made.epochs) == ((32, 16), 3e-4, 4)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    words = [part for key, value in SMALL.items() for part in ("--set", f"{key}={value}")]
    begun = main(("train", "choko-ppo-v3", "--out", str(folder), *words, "--seconds", "0"))
    assert begun == 0
    assert "0 of 6 iterations" in capsys.readouterr().err
    assert main(("train", "--resume", "--out", str(folder))) == 0
    told = capsys.readouterr()
    assert told.out.startswith("iteration     3  against earlier")
    assert "6 of 6 iterations" in told.err
    assert main(("train", "--resume", "--out", str(folder), "--json")) == 0
    assert json.loads(capsys.readouterr().out)["iterations"] == 6
    for wrong, said in (
        (("train", "choko-ppo-v3"), "say where the run is kept"),
        (("train", "choko-ppo-v3", "--out", str(folder)), "holds a run already"),
        (("train", "no-such", "--out", str(tmp_path / "x")), "there is no preset"),
        (("train", "--resume", "--out", str(tmp_path / "x")), "holds no run"),
        (("train", "--resume", "--out", str(folder), "--seed", "1"), "its own settings"),
        (("train", "choko-ppo-v1", "--out", str(tmp_path / "x"), "--set", "rate"), "KEY=VALUE"),
    ):
        assert main(wrong) != 0
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1
