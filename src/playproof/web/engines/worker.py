"""The other side of a thinking: a process that answers jobs, one JSON a line.

On stdin come jobs (a position, an agent, a limit) and ``stop``; on stdout go
reports while it thinks and one answer at the end.  It ends with its stdin, and
so never outlives the lab.
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

_NICENESS = 10  # the page goes first


class Stop:
    """What raises every flag of one thinking, those that are still to come too."""

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

    def now(self) -> None:
        self.raised = True
        for flag in self._flags:
            flag.fill(1)

    def after(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self.now)
        self._timer.daemon = True
        self._timer.start()

    def done(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


class Thinker:
    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._speaking = threading.Lock()
        self._jobs: queue.Queue[dict[str, Any]] = queue.Queue()
        self._stops: dict[int, Stop] = {}  # of jobs that are not done

    def say(self, message: dict[str, Any]) -> None:
        with self._speaking:
            self._out.write(json.dumps(message) + "\n")
            self._out.flush()

    def listen(self, lines: Iterable[str]) -> None:
        """Take jobs, in a thread of its own: a stop must be heard while we think."""
        for line in lines:
            message = json.loads(line)
            if message["do"] != "stop":
                self._stops[message["job"]] = Stop()
                self._jobs.put(message)
            elif message["job"] in self._stops:
                self._stops[message["job"]].now()
        os._exit(0)

    def work(self) -> None:
        from playproof.web.engines import analysis as thoughts

        self.say({"ready": True})
        while True:
            job = self._jobs.get()
            number, stop = job["job"], self._stops[job["job"]]
            try:
                self.say({"job": number, "answer": self._answer(thoughts, job, stop)})
            except Exception as error:
                text = " ".join(f"{type(error).__name__}: {error}".split())
                self.say({"job": number, "failed": text[:300]})
            finally:
                stop.done()
                del self._stops[number]

    def _answer(self, thoughts: Any, job: dict[str, Any], stop: Stop) -> dict[str, Any]:
        def begin() -> None:
            """All is compiled and loaded: from here on time counts."""
            self.say({"job": job["job"], "began": True})
            stop.after(job["seconds"])

        def tell(report: dict[str, Any]) -> None:
            self.say({"job": job["job"], "report": report})

        answer: dict[str, Any] = thoughts.answer(job, stop, begin, tell)
        return answer


def main() -> None:
    os.nice(_NICENESS)
    # What agents print must not mix with answers.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    thinker = Thinker(out)
    threading.Thread(target=thinker.listen, args=(sys.stdin,), daemon=True).start()
    thinker.work()


if __name__ == "__main__":
    main()
