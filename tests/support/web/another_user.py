"""What another user of this computer can do: a process that gives its rights away, and tries."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

NOBODY = 65534


def as_nobody(do: Callable[[], Any]) -> Any:
    """What ``do`` gives as JSON when another user calls it."""
    if os.geteuid() != 0:
        pytest.skip("ONLY ROOT CAN BECOME ANOTHER USER: the secrets of the lab are not tried")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            answer = json.dumps(do())
        except BaseException as error:
            answer = json.dumps(f"{type(error).__name__}: {error}")
        os.write(writing, answer.encode())
        os._exit(0)
    os.close(writing)
    with open(reading) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer)


def can_read(folder: Path, names: list[str]) -> list[str]:
    """Those of the files that can be read, and what can be listed."""
    found = []
    for name in names:
        with suppress(PermissionError):
            (folder / name).read_bytes()
            found.append(name)
    with suppress(PermissionError):
        found += [f"listed {name}" for name in sorted(os.listdir(folder))]
    return found


@contextmanager
def open_place() -> Iterator[Path]:
    """A folder that everyone may look into; pytest's own are closed."""
    place = Path(tempfile.mkdtemp(prefix="playproof-"))
    place.chmod(0o755)
    before = os.umask(0o022)
    try:
        yield place
    finally:
        os.umask(before)
        shutil.rmtree(place)
