"""The settings of alpha-beta: apart, so that naming them compiles nothing."""

from __future__ import annotations

from dataclasses import dataclass

from playproof.core.errors import UsageError

MAX_DEPTH = 100


@dataclass(frozen=True)
class Settings:
    """Limits, and the parts of the search.  A limit of 0 is none."""

    depth: int = MAX_DEPTH
    seconds: float | None = None
    nodes: int = 0
    table_mb: int = 64
    pruning: bool = True
    scout: bool = True  # principal variation search
    killers: bool = True
    history: bool = True
    table: bool = True
    equal_depth: bool = False  # a table entry serves only a search of its own depth
    quiescence: bool = False
    deepening: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= MAX_DEPTH:
            raise UsageError(f"alpha-beta: depth {self.depth} is not from 1 to {MAX_DEPTH}")
        if self.table_mb < 1:
            raise UsageError(f"alpha-beta: a table of {self.table_mb} MB is too small: want 1")


def minimax(depth: int) -> Settings:
    """Every line to ``depth`` and no further: the search of the Choko paper."""
    return Settings(
        depth=depth,
        table_mb=1,
        pruning=False,
        scout=False,
        killers=False,
        history=False,
        table=False,
        deepening=False,
    )
