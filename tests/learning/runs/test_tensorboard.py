"""Events for TensorBoard, read back by TensorBoard's own reader."""

from __future__ import annotations

import builtins
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from playproof import DataError
from playproof.learning.runs.tensorboard import open_events
from tests.support.learning.run_folders import metrics

reader = pytest.importorskip(
    "tensorboard.backend.event_processing.event_accumulator",
    reason="*** tensorboard is not installed: events are NOT tested; pip install tensorboard ***",
)


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    found = reader.EventAccumulator(str(folder), size_guidance={"scalars": 0})
    found.Reload()
    return {
        tag: [(point.step, point.value) for point in found.Scalars(tag)]
        for tag in found.Tags()["scalars"]
    }


def written(folder: Path, begin: int, end: int, level: float) -> None:
    """A leg of a run, from after one iteration to another."""
    events = open_events(folder, begin)
    assert events is not None
    for facts in metrics(end, level=level)[begin:]:
        events.add(facts)
    events.close()


def test_points_are_read_back(tmp_path: Path) -> None:
    written(tmp_path, 0, 10, 2.0)
    found = scalars(tmp_path)
    assert found["training/entropy"] == [(n, pytest.approx(2.0 / n)) for n in range(1, 11)]
    assert found["evaluation/earlier_score"] == [(5, 0.625), (10, 0.625)]
    assert found["evaluation/random_wins"] == [(5, 1.0), (10, 1.0)]
    assert "training/iteration" not in found


@pytest.mark.slow
def test_a_leg_that_was_killed_is_not_shown_twice(tmp_path: Path) -> None:
    written(tmp_path, 0, 8, 2.0)  # killed at 8; its checkpoint is of 5
    (file,) = tmp_path.iterdir()
    with file.open("ab") as cut:
        cut.write(b"\x20\x00\x00\x00half an event")
    written(tmp_path, 5, 7, 70.0)  # and again, before it had come so far
    written(tmp_path, 5, 10, 100.0)
    found = scalars(tmp_path)["training/entropy"]
    assert [step for step, _ in found] == list(range(1, 11))
    assert [value for _, value in found[:5]] == pytest.approx([2.0 / n for n in range(1, 6)])
    assert [value for _, value in found[5:]] == pytest.approx([100.0 / n for n in range(6, 11)])


def test_a_new_file_is_read_after_those_of_the_same_second(tmp_path: Path) -> None:
    # TensorBoard goes by names: seconds, then the machine's name.
    older = tmp_path / f"events.out.tfevents.{int(time.time()):010d}.zzz"
    older.touch()
    events = open_events(tmp_path, 0)
    assert events is not None
    events.close()
    assert sorted(tmp_path.iterdir())[0] == older


def test_an_event_is_on_the_disk_before_the_next_checkpoint(tmp_path: Path) -> None:
    events = open_events(tmp_path, 0)
    assert events is not None
    events.add({"iteration": 1, "entropy": 3.0})
    assert scalars(tmp_path)["training/entropy"] == [(1, 3.0)]  # while it is still open
    events.close()


def test_without_tensorboard_nothing_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = builtins.__import__

    def missing(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("tensorboard"):
            raise ImportError(name)
        return found(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    assert open_events(tmp_path, 0) is None
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(DataError, match="events for TensorBoard cannot be written to"):
        open_events(tmp_path / "file", 0)


def test_torch_is_not_imported(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; "
        "from playproof.learning.runs.tensorboard import open_events; "
        f"open_events(Path({str(tmp_path)!r}), 0).close(); "
        "print([m for m in ('torch', 'tensorflow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
