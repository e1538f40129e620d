"""Every message on values of its own schema; ``make verify`` has ten thousand of each."""

from __future__ import annotations

import pytest

from tests.support.web.protocol.fuzzing import Kind, fuzz, given, taken


@pytest.mark.parametrize("kind", taken(), ids=lambda kind: kind.__name__)
def test_a_message_is_taken_or_refused_in_a_line(kind: Kind) -> None:
    fuzz(kind, 300)


@pytest.mark.parametrize("kind", given(), ids=lambda kind: kind.__name__)
def test_a_reply_is_as_its_schema_says(kind: Kind) -> None:
    fuzz(kind, 60)
