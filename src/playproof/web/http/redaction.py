"""What guests are told: the same as everybody, without paths of this machine."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import Any

# A path from the root: the last name of it is left.  A slash within words is none.
_PATH = re.compile(
    r"(?<![\w.~/])(?:file://)?~?/(?:[^\s/:,;'\"()\[\]]+/)+([^\s/:,;'\"()\[\]]*)"
)  # fmt: skip


def hidden(value: Any) -> Any:
    """The same without paths of this machine, for guests: the last name is left of each."""
    if isinstance(value, dict):
        return {hidden(name): hidden(item) for name, item in value.items()}
    if isinstance(value, list):
        return [hidden(item) for item in value]
    if isinstance(value, tuple):
        return tuple(hidden(item) for item in value)
    if not isinstance(value, str) or "/" not in value:
        return value
    for folder in _own():  # whose names may hold a space, at which a path would seem to end
        value = value.replace(folder, "/…")
    return _PATH.sub(lambda found: f"…/{found[1]}" if found[1] else "…", value)


def _own() -> list[str]:
    """Folders that say who we are, the longest first."""
    names = [os.environ.get("PLAYPROOF_DATA", "")]
    with contextlib.suppress(OSError, RuntimeError):  # there is none, or none any more
        names += [str(Path.home()), str(Path.cwd())]
    return sorted((name for name in set(names) if name.count("/") > 1), key=len, reverse=True)
