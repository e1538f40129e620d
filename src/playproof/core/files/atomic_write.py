"""Writing files so that they are there whole or not at all, whenever the process is killed."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

from playproof.core.errors import DataError


def write_atomically(path: Path, *parts: Any) -> None:
    """Write ``parts`` to a temporary file and move it to ``path``; create folders as needed.

    ``parts`` are bytes or contiguous arrays.  If it fails, a DataError says why, an old file is
    unchanged, and no folder that was created for it is left.
    """
    temporary = path.with_name(f"{path.name}.new")
    missing = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        with contextlib.suppress(OSError):
            for folder in missing:  # the innermost first
                folder.rmdir()
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from None
