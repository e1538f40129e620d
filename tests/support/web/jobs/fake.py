"""Stands for ``playproof`` in tests of jobs: does what its words say, quickly.

count N          tells n of N, ten a second, with a step and a line for each
fail TEXT        ends with exit code 3 and an error
die NUMBER       is ended by a signal
deaf FILE        has offspring (core/family.py), and does not hear Ctrl-C
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playproof.core.jobs.recorder import JobRecorder, new_record, recording

FAMILY = Path(__file__).resolve().parents[2] / "core" / "family.py"


def do(job: JobRecorder, word: str, given: str) -> int:
    if word == "count":
        for n in range(int(given)):
            job.report("counting", n, int(given), last=n, file="/home/me/secret/net.pt")
            job.add_step(f"counted {n}, kept in /home/me/secret/{n}.txt", n=n)
            tempfile.mkstemp()  # as a kill would leave it
            print(f"line {n} from {os.getcwd()}", flush=True)
            time.sleep(0.1)
        job.report(done=int(given))
        return 0
    if word == "fail":
        job.fail(given)
        return 3
    if word == "die":
        signal.raise_signal(int(given))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return subprocess.run([sys.executable, str(FAMILY), given, "deaf"], check=False).returncode


if __name__ == "__main__":
    code = 1
    with recording(new_record("match", "?", [], by="page", mine=True)) as job:
        try:
            job.allow_interrupt()
            code = do(job, sys.argv[1], sys.argv[2])
        except KeyboardInterrupt:
            code = 130
        finally:
            job.end(code)
    sys.exit(code)
