"""Counting: clauses for "at least so many of these literals".

``half_totalizer`` is a totalizer (Bailleux and Boufkhad, 2003) of our own, with only the
direction that a lower bound needs.  The literals are the leaves of a binary tree.  A
node with m leaves has variables for "at least 1, 2 ... m of my leaves", and clauses say what
follows from each of them for the two halves.  The root requires the bound.

The other names are those of python-sat's encoders (Ignatiev, Morgado and Marques-Silva, 2018).
Statements of version 0.1 are counted by them, and keep their formulas.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from playproof.core.errors import PlayproofError, UsageError, one_of

Clause = tuple[int, ...]

OWN = "half-totalizer"
# Of python-sat: names and numbers.
PYTHON_SAT = {
    "mtotalizer": 7,
    "totalizer": 6,
    "kmtotalizer": 8,
    "seqcounter": 1,
    "sortnetwrk": 2,
}
CARDINALITIES = (OWN, *PYTHON_SAT)

TRUE = 0  # instead of a variable, for what holds in any case


@dataclass(frozen=True)
class Counter:
    """Clauses that can be satisfied, for given literals, exactly if enough of them are true."""

    clauses: list[Clause]
    top: int  # the highest variable in use


def check_cardinality(name: str) -> str:
    """The name, if there is a counting of that name."""
    if name not in CARDINALITIES:
        raise UsageError(f"no cardinality encoding {name!r}: want {one_of(list(CARDINALITIES))}")
    return name


def cardinality_field(before: str = "mtotalizer", *, kw_only: bool = False) -> str:
    """A field that names the counting of a statement or theorem.

    New ones count by ours.  JSON without the field is from before there was a choice, and means
    ``before``, a counting of python-sat.
    """
    field: str = dataclasses.field(
        default=OWN,
        kw_only=kw_only,
        metadata={"absent": before, "help": f"How to count: {one_of(list(CARDINALITIES))}."},
    )
    return field


def at_least(literals: Sequence[int], bound: int, top: int, cardinality: str = OWN) -> Counter:
    """Clauses for ``bound`` of the literals, with new variables from ``top`` + 1 on."""
    if bound <= 0:
        return Counter([], top)
    if bound > len(literals):  # impossible; it takes a variable, since no clause may be empty
        return Counter([(top + 1,), (-top - 1,)], top + 1)
    if bound == len(literals):
        return Counter([(literal,) for literal in literals], top)
    if bound == 1:
        return Counter([tuple(literals)], top)
    if cardinality == OWN:
        return half_totalizer(literals, bound, top)
    return _by_python_sat(literals, bound, top, cardinality)


def _by_python_sat(literals: Sequence[int], bound: int, top: int, name: str) -> Counter:
    try:
        from pysat.card import CardEnc  # type: ignore[import-untyped]
    except ImportError:
        raise PlayproofError(
            f"{name} counts by python-sat, which is not installed: pip install 'playproof[prove]'"
        ) from None
    encoded = CardEnc.atleast(list(literals), bound, top_id=top, encoding=PYTHON_SAT[name])
    return Counter([tuple(clause) for clause in encoded.clauses], max(top, int(encoded.nv)))


def half_totalizer(
    literals: Sequence[int],
    bound: int,
    top: int,
    on_variable: Callable[[int, Sequence[int], int], None] | None = None,
) -> Counter:
    """A totalizer for ``bound`` of the literals, of which there must be so many.

    ``on_variable(variable, leaves, count)`` is called for each new variable: it may be true
    only if at least ``count`` of the leaves are.

    A node with m leaves outside of which n - m literals lie has at least ``bound`` - (n - m)
    true leaves, if the bound is met at all.  Up to there "at least so many" needs no variable.
    More than ``bound`` need not be counted.
    """
    clauses: list[Clause] = []
    outside = len(literals) - bound  # so many literals may be false

    def count(leaves: Sequence[int]) -> list[int]:
        """By i, from 0: the variable of "at least i + 1 of the leaves"; TRUE if it must be."""
        nonlocal top
        if len(leaves) == 1:
            return list(leaves)
        half = len(leaves) // 2
        low, high = count(leaves[:half]), count(leaves[half:])
        own: list[int] = []
        for least in range(1, min(len(leaves), bound) + 1):
            if least <= len(leaves) - outside:
                own.append(TRUE)
                continue
            top += 1
            own.append(top)
            if on_variable is not None:
                on_variable(top, leaves, least)
        for least, variable in enumerate(own, 1):
            # At least 5 leaves: for every i, at least i + 1 lower ones or 5 - i higher ones.
            for i in range(max(0, least - 1 - (len(leaves) - half)), min(half, least - 1) + 1):
                parts = [*low[i : i + 1], *high[least - 1 - i : least - i]]
                if TRUE not in parts:
                    clauses.append((*([-variable] if variable != TRUE else []), *parts))
        return own

    count(literals)
    return Counter(clauses, top)
