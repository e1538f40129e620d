"""Removing paths of this machine from what guests are told."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import Any

# An absolute path, of which the last name is kept. A slash within a word is no path.
_PATH = re.compile(
    r"(?<![\w.~/])(?:file://)?~?/(?:[^\s/:,;'\"()\[\]]+/)+([^\s/:,;'\"()\[\]]*)"
)  # fmt: skip


def redact(value: Any) -> Any:
    """A copy of ``value`` in which every path of this machine is reduced to its last name."""
    if isinstance(value, dict):
        return {redact(name): redact(item) for name, item in value.items()}
    if isinstance(value, list):
        return [redact(item) for item in value]
    if isinstance(value, tuple):
        return tuple(redact(item) for item in value)
    if not isinstance(value, str) or "/" not in value:
        return value
    for folder in _private_folders():  # their names may hold spaces, which end a path below
        value = value.replace(folder, "/…")
    return _PATH.sub(lambda match: f"…/{match[1]}" if match[1] else "…", value)


def _private_folders() -> list[str]:
    """Folders whose names reveal the user, the longest first."""
    names = [os.environ.get("PLAYPROOF_DATA", "")]
    with contextlib.suppress(OSError, RuntimeError):  # there is none, or it was removed
        names += [str(Path.home()), str(Path.cwd())]
    return sorted((name for name in set(names) if name.count("/") > 1), key=len, reverse=True)
