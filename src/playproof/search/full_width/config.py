"""The configuration of the search, in its own module so that importing it compiles nothing."""

from __future__ import annotations

from dataclasses import dataclass

from playproof.core.errors import UsageError, one_of

ENDS = ("known", "points", "published")
TIES = ("first", "lowest", "random")
MAX_DEPTH = 20


@dataclass(frozen=True)
class FullWidthConfig:
    """The depth in plies, what an end of the game is worth, and which of equal moves is played.

    ``ends``:

    known      a win is worth more than any points, a loss less
    points     a game that ends is worth its points, and nothing more
    published  as in the code that the authors of the Choko paper published: see ``search``

    ``ties``: the ``first`` that the game lists, the one with the ``lowest`` number, or one at
    ``random``.
    """

    depth: int = 3
    ends: str = "known"
    ties: str = "first"

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= MAX_DEPTH:
            raise UsageError(f"full width: depth {self.depth} is not from 1 to {MAX_DEPTH}")
        for name, value, choices in (("ends", self.ends, ENDS), ("ties", self.ties, TIES)):
            if value not in choices:
                raise UsageError(f"full width: {name} {value!r} is not {one_of(choices)}")
