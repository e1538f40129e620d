"""A limit to the memory that a piece of work may take."""

from __future__ import annotations

import resource
import sys

import numpy as np
import pytest

from playproof.core.errors import DataError
from playproof.core.memory import memory_limit

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux alone keeps the limit")


def test_what_needs_more_is_told_in_a_line() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    says = "checking x needs more than 40 GB of memory"
    with pytest.raises(DataError, match=says), memory_limit(40_000, "checking x"):
        np.empty(60 * 10**9, np.uint8)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_what_needs_less_is_left_alone() -> None:
    with memory_limit(40_000, "x"):
        assert len(bytearray(10**6)) == 10**6
    with memory_limit(None, "x"):
        assert resource.getrlimit(resource.RLIMIT_DATA)[0] == resource.RLIM_INFINITY
