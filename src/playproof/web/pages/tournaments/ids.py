"""Numbers of tournaments and games that are unique across several files of games.

A number below 2^32 belongs to the lab's own file.  Every other file has an offset, made from its
path, that is added to its numbers.  So one number is enough for an address, a topic or a game, and
it fits into the 53 bits of a JavaScript number.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

OWN = 2**32  # numbers below this are those of the lab's own file
_OFFSETS = 2**21 - 1


def offset_of(path: Path, own: Path) -> int:
    """The offset that is added to the numbers of a file; 0 for the lab's ``own`` file."""
    path = path.resolve()
    if path == own.resolve():
        return 0
    digest = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).digest()
    return OWN * (1 + int.from_bytes(digest[:8], "big") % _OFFSETS)
