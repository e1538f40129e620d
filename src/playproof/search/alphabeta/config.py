"""The configuration of alpha-beta, in its own module so that importing it compiles nothing."""

from __future__ import annotations

from dataclasses import dataclass

from playproof.core.errors import UsageError

MAX_DEPTH = 100


@dataclass(frozen=True)
class AlphaBetaConfig:
    """The limits of a search and the techniques that it uses."""

    depth: int = MAX_DEPTH  # plies
    seconds: float | None = None
    nodes: int = 0  # 0 for no limit
    table_mb: int = 64  # megabytes of the transposition table
    pruning: bool = True
    scout: bool = True  # principal variation search
    killers: bool = True
    history: bool = True
    table: bool = True  # transposition table
    equal_depth: bool = False  # use a table entry only for a search of exactly its depth
    quiescence: bool = False
    deepening: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= MAX_DEPTH:
            raise UsageError(f"alpha-beta: depth {self.depth} is not from 1 to {MAX_DEPTH}")
        if self.table_mb < 1:
            raise UsageError(f"alpha-beta: a table of {self.table_mb} MB: want 1 or more")


def minimax(depth: int) -> AlphaBetaConfig:
    """Every line to exactly ``depth`` plies: the search of the Choko paper."""
    return AlphaBetaConfig(
        depth=depth,
        table_mb=1,
        pruning=False,
        scout=False,
        killers=False,
        history=False,
        table=False,
        deepening=False,
    )
