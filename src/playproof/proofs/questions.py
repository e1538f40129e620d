"""Questions by name: ``playproof prove NAME`` and ``prove("NAME", field=value)``.

Most names are names of statements (``registry``).  Some stand for more than one statement: for
a theorem, a search, or a largest number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from playproof.core import spec
from playproof.core.errors import UsageError, one_of
from playproof.proofs import registry
from playproof.proofs.fields import from_python
from playproof.proofs.statements import Statement
from playproof.proofs.theorems import ByCubes, ChokoAtMost, SameRules, Theorem

MOBILITY, REACHABLE = "othello-mobility", "othello-reachable"
EQUIVALENCE, CHOKO = "equivalence", "choko-mobility"


@dataclass(frozen=True)
class OthelloReachable:
    """Does any game of Othello reach a position with ``at_least`` legal moves?"""

    at_least: int = 34
    size: int = 8
    max_stones: int | None = None  # only positions with so many stones or fewer; None: all

    def sentence(self) -> str:
        """The question in one readable line."""
        return (
            f"a reachable Othello position on {self.size}x{self.size} with at least "
            f"{self.at_least} legal moves"
        )


@dataclass(frozen=True)
class _Unrolled:
    """The same question as one formula that unrolls the game ply by ply."""

    at_least: int = 34
    size: int = 8
    plies: int | None = None  # None: as many as can matter
    mover: str = "any"

    def statement(self) -> Statement:
        from playproof.proofs.othello.unrolled_game import OthelloUnroll, plies_that_suffice

        plies = plies_that_suffice(self.size, self.at_least) if self.plies is None else self.plies
        return OthelloUnroll(self.at_least, plies, self.size, self.mover)


@dataclass(frozen=True)
class ChokoLargest:
    """How many legal actions can a position of Choko have?"""

    condition: str = "none"  # one of proofs.choko.mobility.CONDITIONS
    lone_jump: bool = False


Question = Statement | Theorem | OthelloReachable | ChokoLargest


def find_question(
    name: str, fields: Mapping[str, object], *, cubes: bool = False, certified: bool = False
) -> Question:
    """The question called ``name`` with these fields.

    ``cubes`` selects the theorem in parts.  ``certified`` selects what a certificate needs,
    where that is a theorem and not a single statement.
    """
    if cubes and name != MOBILITY:
        raise UsageError(f"cubes are for {MOBILITY}, not for {name}: leave them out")
    if name == MOBILITY:
        values = {"at_least": 35, **fields}
        if cubes:
            return from_python(ByCubes, name, values)
        return from_python(registry.find(name), name, values)
    if name == REACHABLE:
        return _reachable(fields)
    if name == EQUIVALENCE and not fields:
        return SameRules()
    if name == CHOKO and fields.get("at_least") is None:
        others = {key: value for key, value in fields.items() if key != "at_least"}
        return from_python(ChokoLargest, name, others)
    if name == CHOKO and certified:
        return from_python(ChokoAtMost, name, fields)
    return from_python(_find(name), name, fields)


def find_statement(name: str, fields: Mapping[str, object]) -> Statement:
    """The question called ``name``, which must be a single statement."""
    question = SameRules() if name == EQUIVALENCE and not fields else find_question(name, fields)
    if isinstance(question, Statement):
        return question
    example = {
        REACHABLE: 'method="unroll"', EQUIVALENCE: "figure=2, 3 or 4", CHOKO: "at_least=177",
    }[name]  # fmt: skip
    raise UsageError(f"{name} is more than one formula: want {example}, for instance")


def names() -> list[str]:
    """The names of all questions, sorted."""
    return sorted({*registry.names(), REACHABLE})


def _find(name: str) -> type[Statement]:
    if name not in registry.names():
        raise spec.unknown_name("statement", name, names())
    return registry.find(name)


def _reachable(fields: Mapping[str, object]) -> Question:
    method = fields.get("method", "pipeline")
    others = {key: value for key, value in fields.items() if key != "method"}
    if method not in ("pipeline", "unroll"):
        raise UsageError(f"no method {method!r}: want {one_of(['pipeline', 'unroll'])}")
    label = f"{REACHABLE} by the method {method!r}"
    if method == "pipeline":
        return from_python(OthelloReachable, label, others)
    return from_python(_Unrolled, label, others).statement()
