"""An engine process of the pool: it runs jobs, one JSON message a line.

On stdin come jobs (a position, an agent, a limit) and ``stop``; on stdout go reports during an
analysis and one answer at the end. The process ends with its stdin, so it never outlives the lab.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from playproof.core.stopping import StopFlag

_NICENESS = 10  # the server has priority


class Stop:
    """Stops one job: raises all of its stop flags, including those created later."""

    def __init__(self) -> None:
        self.raised = False
        self._flags: list[StopFlag] = []
        self._timer: threading.Timer | None = None

    def flag(self) -> StopFlag:
        from playproof.core.stopping import stop_flag

        flag = stop_flag()
        self._flags.append(flag)
        if self.raised:
            flag.fill(1)
        return flag

    def raise_flags(self) -> None:
        self.raised = True
        for flag in self._flags:
            flag.fill(1)

    def raise_after(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self.raise_flags)
        self._timer.daemon = True
        self._timer.start()

    def cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


class EngineWorker:
    """Takes jobs in one thread and runs them in another."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._output_lock = threading.Lock()
        self._jobs: queue.Queue[dict[str, Any]] = queue.Queue()
        self._stops: dict[int, Stop] = {}  # of jobs that have not ended

    def send(self, message: dict[str, Any]) -> None:
        with self._output_lock:
            self._out.write(json.dumps(message) + "\n")
            self._out.flush()

    def listen(self, lines: Iterable[str]) -> None:
        """Read jobs in a thread of its own, so that a stop arrives while a job runs."""
        for line in lines:
            message = json.loads(line)
            if message["do"] != "stop":
                self._stops[message["job"]] = Stop()
                self._jobs.put(message)
            elif message["job"] in self._stops:
                self._stops[message["job"]].raise_flags()
        os._exit(0)

    def work(self) -> None:
        from playproof.web.engines import analysis

        self.send({"ready": True})
        while True:
            job = self._jobs.get()
            number, stop = job["job"], self._stops[job["job"]]
            try:
                self.send({"job": number, "answer": self._run_job(analysis, job, stop)})
            except Exception as error:
                text = " ".join(f"{type(error).__name__}: {error}".split())
                self.send({"job": number, "failed": text[:300]})
            finally:
                stop.cancel_timer()
                del self._stops[number]

    def _run_job(self, analysis: Any, job: dict[str, Any], stop: Stop) -> dict[str, Any]:
        def on_start() -> None:
            """Start the time limit; everything is compiled and loaded by now."""
            self.send({"job": job["job"], "began": True})
            stop.raise_after(job["seconds"])

        def on_report(report: dict[str, Any]) -> None:
            self.send({"job": job["job"], "report": report})

        answer: dict[str, Any] = analysis.run_job(job, stop, on_start, on_report)
        return answer


def main() -> None:
    os.nice(_NICENESS)
    # What agents print must not mix with our messages on stdout.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    worker = EngineWorker(out)
    threading.Thread(target=worker.listen, args=(sys.stdin,), daemon=True).start()
    worker.work()


if __name__ == "__main__":
    main()
