"""What a folder is for: the wishes that all its parts are made by, written beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playproof.core.errors import DataError, UsageError
from playproof.core.files.atomic_write import write_atomically


def settle_plan(file: Path, plan: Mapping[str, Any], kind: str, others: tuple[str, ...]) -> None:
    """A folder serves one plan: another one's parts must not mix with ours.

    ``kind`` is what the folder is, for the message; a file called as one of ``others``
    in a folder without a plan says that it holds something else.
    """
    out = file.parent
    try:
        before = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if any((out / name).exists() for name in others):
            raise DataError(f"{out} holds other data: choose another folder") from None
        write_atomically(file, json.dumps(plan, indent=1).encode())
        return
    except (OSError, ValueError) as error:
        raise DataError(f"{file} cannot be read: {error}") from None
    for name, value in plan.items():
        if before.get(name) != value:
            raise UsageError(
                f"{out} is {kind} with {name} {before.get(name)}, not {value}: "
                "choose another folder, or delete it"
            )
