"""Files that are there whole or not at all, whenever the process is killed."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

from playproof.core.errors import DataError


def write_whole(path: Path, *parts: Any) -> None:
    """Write a file aside and move it into its place; folders are made as needed.
    ``parts`` are bytes, or arrays whose memory lies in one piece.

    A DataError says in a line why it cannot be done; an old file is then as it was, and
    no folder is left that was made for it."""
    aside = path.with_name(f"{path.name}.new")
    absent = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            aside.unlink()
        with contextlib.suppress(OSError):
            for folder in absent:  # the innermost first
                folder.rmdir()
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from None
