"""Other Python processes, for what one process cannot show: a first start, a cache, a signal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import playproof

SOURCES = Path(playproof.__file__).resolve().parent.parent


def environment(*folders: Path, **variables: str) -> dict[str, str]:
    """This process's environment with ``folders`` and Playproof's sources to import from."""
    path = os.pathsep.join(map(str, [*folders, SOURCES]))
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **variables}


def python(*arguments: str, folders: tuple[Path, ...] = (), **variables: str) -> str:
    """What a new Python prints; whatever goes wrong there, a warning too, is an error here."""
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        env=environment(*folders, **variables),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout
