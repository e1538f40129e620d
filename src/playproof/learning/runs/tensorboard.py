"""Writes the figures of a run for TensorBoard, if it is installed: ``tensorboard --logdir FOLDER``.

Event files can only be appended to, never cut.  A resumed run writes a new one, which starts with
an event that makes TensorBoard forget everything after the checkpoint.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playproof.core.errors import DataError
from playproof.learning.runs.curves import figures, is_result

_NAME = "events.out.tfevents."  # how TensorBoard's files begin; then seconds since 1970


class Events:
    """An open event file; made by ``open_events``."""

    def __init__(self, folder: Path, iteration: int) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self.folder = folder
        self._event: Any = Event
        earlier = _wait_for_a_later_name(folder)
        try:
            self._writer = EventFileWriter(str(folder))
            if earlier:
                # TensorBoard forgets everything from this step on, which the run will repeat.
                start = SessionLog(status=SessionLog.START)
                self._write(Event(step=iteration + 1, session_log=start))
        except OSError as error:
            raise self._fault(error) from None

    def add(self, metrics: Mapping[str, float]) -> None:
        """Write an iteration's metrics, ``iteration`` among them, and flush the file."""
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [
            Summary.Value(tag=tag(name), simple_value=float(value))
            for name, value in figures(metrics).items()
        ]
        event = self._event(step=int(metrics["iteration"]), summary=Summary(value=values))
        try:
            self._write(event)
        except OSError as error:
            raise self._fault(error) from None

    def _write(self, event: Any) -> None:
        event.wall_time = time.time()
        self._writer.add_event(event)
        self._writer.flush()

    def close(self) -> None:
        self._writer.close()

    def _fault(self, error: OSError) -> DataError:
        reason = error.strerror or error
        return DataError(f"events for TensorBoard cannot be written to {self.folder}: {reason}")


def open_events(folder: Path, iteration: int) -> Events | None:
    """Open an event file for a run that continues after ``iteration``; None without TensorBoard.

    Later points of a run that was killed are not shown twice."""
    try:
        return Events(folder, iteration)
    except ImportError:
        return None


def tag(name: str) -> str:
    """A figure's name for TensorBoard, where the part before the slash is a section."""
    return f"evaluation/{name}" if is_result(name) else f"training/{name}"


def _wait_for_a_later_name(folder: Path) -> bool:
    """Wait until a new event file sorts after the existing ones; whether there are any.

    TensorBoard reads the files in the order of their names, which contain whole seconds, so a new
    file must not be made in the same second as an older one."""
    stamps = [path.name[len(_NAME) :].partition(".")[0] for path in folder.glob(f"{_NAME}*")]
    while f"{int(time.time()):010d}" in stamps:
        time.sleep(0.05)
    return bool(stamps)
