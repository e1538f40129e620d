"""A program with offspring, as proofs have: it tells the numbers of all of them.

    python family.py FILE [deaf]

A child in its group, a child in a session of its own, and a grandchild whose parent has
ended; each sleeps for minutes.  ``deaf``: Ctrl-C is not heard.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SLEEP = [sys.executable, "-c", "import signal, time; signal.signal(2, 1); time.sleep(300)"]
ORPHAN = (
    "import subprocess, sys; "
    "print(subprocess.Popen(sys.argv[1:], start_new_session=True, stdout=-3).pid)"
)

if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if "deaf" in sys.argv:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    near = subprocess.Popen(SLEEP)
    far = subprocess.Popen(SLEEP, start_new_session=True)
    orphan = subprocess.run(
        [sys.executable, "-c", ORPHAN, *SLEEP], stdout=subprocess.PIPE, check=True
    )
    file = Path(sys.argv[1])
    new = file.with_suffix(".new")
    new.write_text(f"{os.getpid()} {near.pid} {far.pid} {int(orphan.stdout)}")
    new.rename(file)
    try:
        time.sleep(300)
    except KeyboardInterrupt:
        sys.exit(130)
