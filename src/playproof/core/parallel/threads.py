"""How many cores compiled loops share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numba

_WORTHWHILE = 128  # rows; fewer are done sooner than a second core is called


@contextmanager
def sharing(rows: int) -> Iterator[None]:
    """One core for little work: waking others, on a busy machine, costs more
    than all of it."""
    before = numba.get_num_threads()
    if rows >= _WORTHWHILE or before == 1:
        yield
        return
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before)
