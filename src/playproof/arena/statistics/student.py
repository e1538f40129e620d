"""Quantiles of Student's t (1908), for intervals of means of few values."""

from __future__ import annotations

import math
from functools import lru_cache


@lru_cache
def student_quantile(freedom: int, confidence: float = 0.95) -> float:
    """The half width, in standard errors, of the interval of a mean of ``freedom`` + 1 values.

    It is 12.7 for two values and 2.78 for five."""
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < confidence else (low, middle)
    return math.sqrt(freedom) * math.tan(low)


def _within(angle: float, freedom: int) -> float:
    """The probability that Student's t is within √freedom · tan(angle) of 0.

    For a whole number of degrees of freedom (Abramowitz and Stegun, 1964, 26.7.3 and 26.7.4)."""
    odd = freedom % 2
    cosine = math.cos(angle)
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(1 + odd, freedom - 2, 2):
        term *= k / (k + 1) * cosine * cosine
        total += term
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if odd else total
