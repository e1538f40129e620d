"""The plan of a folder: the settings shared by all its parts, stored next to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playproof.core.errors import DataError, UsageError
from playproof.core.files.atomic_write import write_atomically


def ensure_plan(file: Path, plan: Mapping[str, Any], kind: str, others: tuple[str, ...]) -> None:
    """Write a folder's plan to ``file``, or check that the plan there is the same.

    A UsageError or DataError if the folder belongs to another plan, whose parts must not be mixed
    with ours.  ``kind`` says what the folder is, for the message.  A folder without a plan that
    has one of the files ``others`` holds something else.
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
