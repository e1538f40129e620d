"""Folders of runs are read as they are: whole, going on, cut short, or damaged."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from playproof import DataError
from playproof.learning.runs.log import find, inspect, read
from tests.support.learning.run_folders import metrics, write_run


def test_a_run_is_read(tmp_path: Path) -> None:
    log = read(write_run(tmp_path / "run", metrics(7), iterations=10, seed=4))
    assert (log.algorithm, log.preset, log.game, log.seed) == ("ppo", "choko-ppo-v3", "choko", 4)
    assert (log.done, log.iterations, log.state) == (7, 10, "unfinished")
    assert log.metrics[4]["random_wins"] == 20
    assert (log.seconds_spent, log.seconds_left) == (None, None)
    assert read(write_run(tmp_path / "run", metrics(10))).state == "done"


def test_a_run_that_has_not_begun(tmp_path: Path) -> None:
    log = read(write_run(tmp_path / "run", checkpoint=False))
    assert (log.done, log.state, log.metrics) == (0, "unfinished", ())


@pytest.mark.parametrize("name", ["metrics.jsonl", "times.jsonl"])
def test_every_cut_of_the_last_line_is_tolerated(tmp_path: Path, name: str) -> None:
    times = [{"iteration": 2, "seconds": 4.0}, {"iteration": 4, "seconds": 6.0}]
    folder = write_run(tmp_path / "run", metrics(4), times=times)
    whole = (folder / name).read_bytes()
    start = whole[:-1].rindex(b"\n") + 1
    for end in range(start, len(whole) - 1):
        (folder / name).write_bytes(whole[:end])
        log = read(folder)
        assert (log.done if name == "metrics.jsonl" else len(log.times)) == (
            3 if name == "metrics.jsonl" else 1
        )
    (folder / name).write_bytes(whole[:-1])  # only the line end is missing
    assert (read(folder).done, len(read(folder).times)) == (4, 2)


@pytest.mark.parametrize(
    "line",
    ['{"iteration": 2, "entr', "[1, 2]", '{"entropy": 1.0}', '{"iteration": NaN}', "7", "\x00\xff",
     '{"iteration": "two"}', "[" * 100_000],
)  # fmt: skip
def test_a_line_damaged_in_the_middle_is_told(tmp_path: Path, line: str) -> None:
    folder = write_run(tmp_path / "run", metrics(3))
    lines = (folder / "metrics.jsonl").read_bytes().splitlines(keepends=True)
    lines[1] = line.encode("latin-1") + b"\n"
    (folder / "metrics.jsonl").write_bytes(b"".join(lines))
    assert inspect(folder).state == "damaged"
    with pytest.raises(DataError, match=r"metrics\.jsonl: line 2 is damaged: want JSON with"):
        read(folder)


def test_an_iteration_told_again_counts_once(tmp_path: Path) -> None:
    again = [*metrics(5), {"iteration": 4, "entropy": 9.0}, {"iteration": 5, "entropy": 8.0}]
    log = read(write_run(tmp_path / "run", again))
    assert [facts["iteration"] for facts in log.metrics] == [1, 2, 3, 4, 5]
    assert log.metrics[3]["entropy"] == 9.0


def test_what_is_no_number_is_left_out(tmp_path: Path) -> None:
    line = {"iteration": 1, "entropy": math.nan, "device": "cpu", "fine": True, "loss": 2}
    (facts,) = read(write_run(tmp_path / "run", [line])).metrics
    assert set(facts) == {"iteration", "entropy", "loss"}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": "other"}', '{"format": "playproof-run"}', "\x00"]
)
def test_settings_that_are_none_are_told(tmp_path: Path, text: str) -> None:
    folder = write_run(tmp_path / "run", metrics(3))
    (folder / "settings.json").write_text(text)
    with pytest.raises(DataError, match=r"settings\.json is not the settings of a run"):
        read(folder)
    with pytest.raises(DataError, match="holds no run: No such file"):
        read(tmp_path / "nothing")


def test_every_cut_of_a_checkpoint_is_seen(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", metrics(3))
    file = folder / "checkpoint.safetensors"
    whole = file.read_bytes()
    for end in range(len(whole)):
        file.write_bytes(whole[:end])
        assert inspect(folder).state == "damaged", end
    file.write_bytes(b"\xff" * len(whole))
    with pytest.raises(DataError, match="is damaged: delete it to start over"):
        read(folder)
    file.unlink()
    assert read(folder).state == "unfinished"


# Times


def test_time_left_is_told_by_the_latest_speed(tmp_path: Path) -> None:
    slow = [{"iteration": n, "seconds": 100.0} for n in range(1, 11)]
    fast = [{"iteration": n, "seconds": 2.0} for n in range(11, 31)]
    log = read(write_run(tmp_path / "run", metrics(30), times=slow + fast, iterations=100))
    assert log.seconds_spent == 10 * 100 + 20 * 2
    assert log.seconds_left == pytest.approx(70 * 2.0)


def test_a_leg_that_led_nowhere_is_spent_but_does_not_count_as_speed(tmp_path: Path) -> None:
    times = [{"iteration": n, "seconds": s} for n, s in ((5, 5.0), (10, 5.0), (10, 5.0), (15, 5.0))]
    log = read(write_run(tmp_path / "run", metrics(15), times=times, iterations=25))
    assert log.seconds_spent == 20.0
    assert log.seconds_left == pytest.approx(10.0)
    done = read(write_run(tmp_path / "done", metrics(10), times=times))
    assert done.seconds_left == 0.0


# Finding


def test_runs_are_found_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("a/seed-10", "a/seed-2", "a/seed-1", "b/c/run", ".hidden/run", "b/c/d/deep"):
        write_run(tmp_path / name, metrics(1))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "settings.json").write_text(json.dumps({"colour": "blue"}))
    found = [str(path.relative_to(tmp_path)) for path in find([tmp_path])]
    assert found == ["a/seed-1", "a/seed-2", "a/seed-10", "b/c/run"]
    assert [p.name for p in find([tmp_path / "b"])] == ["deep", "run"]
    assert len(find([tmp_path, tmp_path / "a", tmp_path / "a" / "seed-2"])) == 4


def test_a_run_with_unreadable_settings_is_found_all_the_same(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", metrics(2))
    (folder / "settings.json").write_text("{")
    assert find([tmp_path]) == [folder]
    assert inspect(folder).state == "damaged"


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no folder"):
        find([tmp_path / "nothing"])


def test_the_seconds_up_to_an_iteration_lie_between_checkpoints(tmp_path: Path) -> None:
    times = [
        {"iteration": 4, "iterations": 4, "seconds": 40.0},
        {"iteration": 4, "iterations": 0, "seconds": 6.0},  # stopped within the fifth
        {"iteration": 6, "iterations": 2, "seconds": 10.0},
    ]
    log = read(write_run(tmp_path, metrics(6), times=times))
    assert [log.seconds_at(i) for i in (0, 1, 4, 5, 6, 7)] == [0.0, 10.0, 40.0, 51.0, 56.0, None]
