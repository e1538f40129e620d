"""Progress of a proof: how far the work is at this moment.

Here is also the base class of all events (``events``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True)
class ProofEvent:
    """Base class of all events.

    In JSON a field has its own name, or the name in its metadata "json".  Where that metadata
    is None, only the text holds the value, and ``read_text`` extracts it.
    """

    what: ClassVar[str]
    """The kind of the event in JSON."""

    @property
    def text(self) -> str:
        """The event in one readable line."""
        raise TypeError(f"{type(self).__name__} has no text")

    @classmethod
    def read_text(cls, text: str) -> dict[str, object]:
        """The fields that are stored only in the text."""
        return {}


@dataclass(frozen=True)
class ProofProgress(ProofEvent):
    """How far the work is at this moment."""


@dataclass(frozen=True)
class SolverProgress(ProofProgress):
    """How far a running solver is; sent a few times a second."""

    what: ClassVar[str] = "solving"

    seconds: float
    conflicts: int | None  # None if the solver does not report them
    proof_bytes: int | None  # written so far, if it writes a proof

    @property
    def text(self) -> str:
        return f"solving, {self.seconds:.0f} s"


@dataclass(frozen=True)
class PortfolioProgress(ProofProgress):
    """How far solvers are that run side by side; sent a few times a second."""

    what: ClassVar[str] = "portfolio"

    seconds: float
    conflicts: Mapping[str, int | None]  # by solver; None if it does not report them

    @property
    def text(self) -> str:
        counts = [
            solver if count is None else f"{solver} {count:,} conflicts"
            for solver, count in self.conflicts.items()
        ]
        return f"solving, {self.seconds:.0f} s: {', '.join(counts)}"


@dataclass(frozen=True)
class PartsProgress(ProofProgress):
    """How many parts of a theorem have been refuted."""

    what: ClassVar[str] = "parts"

    done: int
    parts: int

    @property
    def text(self) -> str:
        return f"{self.done} of {self.parts} parts are refuted"


@dataclass(frozen=True)
class BoundsProgress(ProofProgress):
    """The bounds on the largest number so far: at least ``reached``, less than ``refuted``."""

    what: ClassVar[str] = "bounds"

    reached: int
    refuted: int
    seconds: float

    @property
    def text(self) -> str:
        return f"{self.reached} to {self.refuted - 1}, {self.seconds:.0f} s"


@dataclass(frozen=True)
class PositionsProgress(ProofProgress):
    """How many positions have been found, and how many are to be found (None: all)."""

    what: ClassVar[str] = "positions"

    count: int = field(metadata={"json": "found"})
    limit: int | None = field(metadata={"json": "wanted"})
    seconds: float

    @property
    def text(self) -> str:
        return f"{self.count} positions, {self.seconds:.0f} s"


@dataclass(frozen=True)
class CheckProgress(ProofProgress):
    """How much of a check is done."""

    what: ClassVar[str] = "share"

    part: str  # "001" ... of a chain; "" for the whole certificate
    check: str
    share: float  # 0 to 1

    @property
    def text(self) -> str:
        return f"{self.part} {self.check} {self.share:.0%}"
