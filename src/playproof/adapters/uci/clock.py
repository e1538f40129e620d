"""The command ``go``: its limits, and how much of a chess clock a move may use."""

from __future__ import annotations

from dataclasses import dataclass, field

from playproof.agents.limits import Clock, move_time

_NUMBERS = (
    "wtime", "btime", "winc", "binc", "movestogo", "movetime", "depth", "nodes", "mate",
)  # fmt: skip
_FLAGS = ("infinite", "ponder")
_LARGEST = 10**12
_MIN_SECONDS = 0.005


class MalformedCommand(Exception):
    """A command cannot be understood; the message says why."""


@dataclass(frozen=True)
class GoCommand:
    """The arguments of ``go``.  Times are in milliseconds, as in UCI."""

    numbers: dict[str, int] = field(default_factory=dict)
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()

    @classmethod
    def read(cls, words: list[str]) -> GoCommand:
        numbers: dict[str, int] = {}
        flags: set[str] = set()
        moves: list[str] = []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word in _FLAGS:
                flags.add(word)
            elif word == "searchmoves":
                while rest and rest[0] not in (*_NUMBERS, *_FLAGS):
                    moves.append(rest.pop(0))
            elif word in _NUMBERS:
                numbers[word] = _whole(word, rest.pop(0) if rest else "")
            else:
                raise MalformedCommand(f"go: '{word[:20]}' is not known")
        return cls(numbers, "infinite" in flags, "ponder" in flags, tuple(moves))

    @property
    def unlimited(self) -> bool:
        """Whether the engine may answer only after ``stop`` or ``ponderhit``."""
        return self.infinite or self.ponder

    @property
    def depth(self) -> int | None:
        """The depth in plies; a search for a mate in n moves needs 2 n - 1 of them."""
        if "mate" in self.numbers:
            mate = max(1, 2 * self.numbers["mate"] - 1)
            return min(mate, self.numbers.get("depth", mate))
        return self.numbers.get("depth")

    @property
    def nodes(self) -> int | None:
        return self.numbers.get("nodes")

    def seconds(self, side: int, overhead: float) -> float | None:
        """Seconds for the move, without time spent pondering; None without a clock.

        ``side`` is 0 for White.  ``overhead`` seconds are lost in sending a move.
        """
        n = self.numbers
        if self.infinite:
            return None
        if "movetime" in n:
            return max(_MIN_SECONDS, n["movetime"] / 1000 - min(overhead, n["movetime"] / 5000))
        left, more = ("wtime", "winc") if side == 0 else ("btime", "binc")
        if left not in n:
            return None
        clock = Clock(n[left] / 1000, n.get(more, 0) / 1000, n.get("movestogo"))
        return move_time(clock, overhead)


def _whole(key: str, word: str) -> int:
    digits = word.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise MalformedCommand(f"go: want a whole number after {key}, not '{word[:20]}'")
    return max(0, min(int(digits[:15]), _LARGEST) * (-1 if word.startswith("-") else 1))
