"""What the benchmarks share: the peer, and one core for all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numba


def open_spiel() -> tuple[Any, str | None]:
    """OpenSpiel's module and version, or twice None if it is not installed."""
    try:
        import pyspiel

        return pyspiel, version("open-spiel")
    except (ImportError, PackageNotFoundError):
        return None, None


@contextmanager
def one_core() -> Iterator[None]:
    """Compiled loops keep to one core."""
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(threads)
