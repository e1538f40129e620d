"""Student's quantile against the printed tables."""

from __future__ import annotations

import pytest

from playproof.arena.statistics.student import student_quantile


@pytest.mark.parametrize(
    ("freedom", "quantile"),  # the printed tables' 97.5 % column
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (10, 2.228), (29, 2.045),
     (30, 2.042), (120, 1.980)],
)  # fmt: skip
def test_students_quantile_is_that_of_the_tables(freedom: int, quantile: float) -> None:
    assert student_quantile(freedom) == pytest.approx(quantile, abs=5e-4)


def test_students_quantile_at_other_confidences() -> None:
    assert student_quantile(9, 0.9) == pytest.approx(1.833, abs=5e-4)
    assert student_quantile(4, 0.99) == pytest.approx(4.604, abs=5e-4)
