"""One number for a tournament, whichever file of games it is in.

Below 2^32 it is one of the lab's own file.  Above, it also says which file: every other
file has a share of its own, made from its path, which is added.  So an address, a topic
and a game need one number, and a browser can hold it (53 bits).
"""

from __future__ import annotations

import hashlib
from pathlib import Path

OWN = 2**32  # numbers below are those of the lab's own file
_SHARES = 2**21 - 1


def share_of(path: Path, own: Path) -> int:
    """What is added to the numbers of a file; nothing where it is the lab's ``own``."""
    path = path.resolve()
    if path == own.resolve():
        return 0
    digest = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).digest()
    return OWN * (1 + int.from_bytes(digest[:8], "big") % _SHARES)
