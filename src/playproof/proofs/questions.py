"""What can be asked by name: ``playproof prove NAME`` and ``prove("NAME", field=value)``.

Most names are those of statements (``registry``).  Some stand for more than one statement: a
theorem, a search, a largest number.
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
    """Is there a position with so many legal moves that a game of Othello leads to?"""

    at_least: int = 34
    size: int = 8
    max_stones: int | None = None  # of the positions that are looked at; any number if None

    def sentence(self) -> str:
        return (
            f"a reachable Othello position on {self.size}x{self.size} with at least "
            f"{self.at_least} legal moves"
        )


@dataclass(frozen=True)
class _Unrolled:
    """The same question, as one formula of the game ply by ply."""

    at_least: int = 34
    size: int = 8
    plies: int | None = None  # as many as can matter if None
    mover: str = "any"

    def statement(self) -> Statement:
        from playproof.proofs.othello.unrolled import OthelloUnroll, plies_that_suffice

        plies = plies_that_suffice(self.size, self.at_least) if self.plies is None else self.plies
        return OthelloUnroll(self.at_least, plies, self.size, self.mover)


@dataclass(frozen=True)
class ChokoLargest:
    """How many legal actions can a position of Choko have?"""

    condition: str = "none"  # one of choko_mobility.CONDITIONS
    lone_jump: bool = False


Question = Statement | Theorem | OthelloReachable | ChokoLargest


def named(
    name: str, given: Mapping[str, object], *, cubes: bool = False, certified: bool = False
) -> Question:
    """The question of that name with these fields.  ``cubes`` asks for the theorem in parts;
    ``certified`` for what a certificate needs, where that is more than one statement."""
    if cubes and name != MOBILITY:
        raise UsageError(f"cubes are of {MOBILITY}, not of {name}: leave them out")
    if name == MOBILITY:
        values = {"at_least": 35, **given}
        if cubes:
            return from_python(ByCubes, name, values)
        return from_python(registry.find(name), name, values)
    if name == REACHABLE:
        return _reachable(given)
    if name == EQUIVALENCE and not given:
        return SameRules()
    if name == CHOKO and given.get("at_least") is None:
        rest = {key: value for key, value in given.items() if key != "at_least"}
        return from_python(ChokoLargest, name, rest)
    if name == CHOKO and certified:
        return from_python(ChokoAtMost, name, given)
    return from_python(_find(name), name, given)


def named_statement(name: str, given: Mapping[str, object]) -> Statement:
    """The same where it must be one formula."""
    question = SameRules() if name == EQUIVALENCE and not given else named(name, given)
    if isinstance(question, Statement):
        return question
    wanted = {
        REACHABLE: 'method="unroll"', EQUIVALENCE: "figure=2, 3 or 4", CHOKO: "at_least=177",
    }[name]  # fmt: skip
    raise UsageError(f"{name} is more than one formula: want {wanted}, for instance")


def names() -> list[str]:
    """All names, sorted."""
    return sorted({*registry.names(), REACHABLE})


def _find(name: str) -> type[Statement]:
    if name not in registry.names():
        raise spec.unknown_name("statement", name, names())
    return registry.find(name)


def _reachable(given: Mapping[str, object]) -> Question:
    method = given.get("method", "pipeline")
    rest = {key: value for key, value in given.items() if key != "method"}
    if method not in ("pipeline", "unroll"):
        raise UsageError(f"no method {method!r}: want {one_of(['pipeline', 'unroll'])}")
    label = f"{REACHABLE} by the method {method!r}"
    if method == "pipeline":
        return from_python(OthelloReachable, label, rest)
    return from_python(_Unrolled, label, rest).statement()
