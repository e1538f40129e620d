"""How many cores compiled loops share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numba

_WORTHWHILE = 128  # rows; fewer are done before a second core has woken up


@contextmanager
def share_threads(rows: int) -> Iterator[None]:
    """Keep to one core in here where there are few rows.

    On a busy machine, waking other cores costs more than all of the work.
    """
    before = numba.get_num_threads()
    if rows >= _WORTHWHILE or before == 1:
        yield
        return
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before)
