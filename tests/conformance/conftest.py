"""The test-only game is registered while this suite runs, and forgotten afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.conformance.playing import coin_registered


@pytest.fixture(scope="module", autouse=True)
def _coin() -> Iterator[None]:
    with coin_registered():
        yield
