"""What a run tells, for TensorBoard, if that is installed: ``tensorboard --logdir FOLDER``.

Event files can only be appended to, and are never cut.  A run that goes on writes a
new one, which begins by telling TensorBoard to forget what came after the checkpoint.
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
    """An event file that is being written; made by ``open_events``."""

    def __init__(self, folder: Path, iteration: int) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self.folder = folder
        self._event: Any = Event
        earlier = _wait_for_a_later_name(folder)
        try:
            self._writer = EventFileWriter(str(folder))
            if earlier:
                # Everything from this step on is forgotten: it comes again.
                start = SessionLog(status=SessionLog.START)
                self._write(Event(step=iteration + 1, session_log=start))
        except OSError as error:
            raise self._fault(error) from None

    def add(self, facts: Mapping[str, float]) -> None:
        """Write an iteration's facts, ``iteration`` among them, and see them to the disk."""
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [
            Summary.Value(tag=tag(name), simple_value=float(value))
            for name, value in figures(facts).items()
        ]
        event = self._event(step=int(facts["iteration"]), summary=Summary(value=values))
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
        told = error.strerror or error
        return DataError(f"events for TensorBoard cannot be written to {self.folder}: {told}")


def open_events(folder: Path, iteration: int) -> Events | None:
    """Events of a run that begins after ``iteration``; None without TensorBoard.

    Points beyond ``iteration``, of a leg that was killed, are not shown twice."""
    try:
        return Events(folder, iteration)
    except ImportError:
        return None


def tag(name: str) -> str:
    """A figure's name for TensorBoard, which makes a section of what stands before the slash."""
    return f"evaluation/{name}" if is_result(name) else f"training/{name}"


def _wait_for_a_later_name(folder: Path) -> bool:
    """Whether there are event files; TensorBoard reads them by name, and names have
    whole seconds, so that a new file must not begin in the second of an older one."""
    stamps = [path.name[len(_NAME) :].partition(".")[0] for path in folder.glob(f"{_NAME}*")]
    while f"{int(time.time()):010d}" in stamps:
        time.sleep(0.05)
    return bool(stamps)
