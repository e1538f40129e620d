"""JSON from untrusted files: one reading of it, or an error.

Python's reader takes the last of several values of one name, and accepts NaN and text that is no
Unicode.  Two programs could then read two statements in one file.
"""

from __future__ import annotations

import json
import math
from typing import Any

_DEEPEST = 16  # levels of lists and objects; statements have three
_DIGITS = 40  # of a number
_LONGEST = 16 * 2**20  # characters


class NotStrict(ValueError):
    """Why a text is not accepted, in a few words."""


def read_object(text: str | bytes) -> dict[str, Any]:
    """The JSON object in a text; raises NotStrict if it is anything else."""
    if len(text) > _LONGEST:
        raise NotStrict(f"it is longer than {_LONGEST // 2**20} MB")
    try:
        data = json.loads(
            text.decode() if isinstance(text, bytes) else text,
            object_pairs_hook=_object, parse_int=_int,
        )  # fmt: skip
    except NotStrict:
        raise
    except UnicodeDecodeError:
        raise NotStrict("it is not UTF-8") from None
    except RecursionError:
        raise NotStrict("it is nested too deeply") from None
    except ValueError:
        raise NotStrict("it does not parse") from None
    if not isinstance(data, dict):
        raise NotStrict("it is no object")
    for name, value in data.items():
        _check(name, name)
        _check(name, value)
    return data


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name, value in pairs:
        if name in data:
            raise NotStrict(f"{name[:40]!a} is in it twice")
        data[name] = value
    return data


def _int(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise NotStrict(f"a number in it has more than {_DIGITS} digits")
    return int(digits)


def _check(name: str, value: Any) -> None:
    """Reject deep nesting, NaN and infinity, and text that cannot be written as UTF-8.

    ``value`` is what stands under ``name``.
    """
    level, values = 1, [value]
    while values:
        if level > _DEEPEST:
            raise NotStrict(f"{name[:40]!a} is nested too deeply")
        inner: list[Any] = []
        for one in values:
            if isinstance(one, dict):
                inner += [*one, *one.values()]
            elif isinstance(one, list):
                inner += one
            elif isinstance(one, float) and not math.isfinite(one):
                raise NotStrict(f"{name[:40]!a} is {one}, which is no number of JSON")
            elif isinstance(one, str):
                try:
                    one.encode()
                except UnicodeEncodeError:
                    raise NotStrict(f"{name[:40]!a} holds half a character") from None
        level, values = level + 1, inner
