"""LRAT text from what the checker notes down (see ``hints``)."""

from __future__ import annotations

from itertools import pairwise
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from playproof.proofs.checker.parse import Steps
from playproof.proofs.checker.state import NEXT_ID, WRITTEN, Checker


class LratWriter:
    """Writes lemmas with their hints, and deletions, as lines of LRAT."""

    def __init__(self, file: BinaryIO, clauses: int) -> None:
        self._file = file
        self._number = clauses  # of the last clause, which a deletion names

    def tidy(self, formula: Steps, checker: Checker) -> None:
        """Write, to begin with, what replaces the formula's clauses that repeat a variable.

        Tautologies are forgotten: they justify nothing, and where they contain the opposite of a
        pivot a checker would want hints for them.  A clause with a repeated literal is replaced
        by one without, since checkers differ on whether it can become a unit clause.
        """
        clauses = np.repeat(np.arange(len(formula.lines)), np.diff(formula.starts))
        variables = np.abs(formula.literals)
        order = np.lexsort((variables, clauses))
        clauses, variables = clauses[order], variables[order]
        repeats = (clauses[1:] == clauses[:-1]) & (variables[1:] == variables[:-1])
        for clause in np.unique(clauses[1:][repeats]).tolist():
            span = slice(*formula.starts[clause : clause + 2])
            literals = list(dict.fromkeys(formula.literals[span].tolist()))
            if not any(-literal in literals for literal in literals):
                self._number = int(checker.counters[NEXT_ID])
                self._file.write(_line([self._number, *literals, 0, clause + 1, 0]).encode())
                checker.ids[clause] = self._number
                checker.counters[NEXT_ID] += 1
            self._file.write(f"{self._number} d {clause + 1} 0\n".encode())

    def drain(
        self, checker: Checker, variables: npt.NDArray[np.int64], *, is_full: bool
    ) -> Checker:
        """Write the record and empty it; the same checker, with a larger record if the next
        lemma alone would not fit.  ``variables[v]`` is the number of variable v in the files."""
        written = int(checker.counters[WRITTEN])
        self._write(checker.record[:written].tolist(), variables)
        checker.counters[WRITTEN] = 0
        if is_full and not written:
            return checker._replace(record=np.zeros(2 * len(checker.record), np.int64))
        return checker

    def _write(self, record: list[int], variables: npt.NDArray[np.int64]) -> None:
        names = variables.tolist() if record else []
        lines, at, end = [], 0, len(record)
        while at < end:
            if record[at] == 0:
                lines.append(f"{self._number} d {record[at + 1]} 0\n")
                at += 2
                continue
            self._number = record[at]
            at, literals = _list(record, at + 1)
            at, resolvents = _list(record, at)
            at, hints = _list(record, at)
            clause = [-names[n >> 1] if n & 1 else names[n >> 1] for n in literals]
            lines.append(_line([self._number, *clause, 0, *hints, *_by_number(resolvents), 0]))
        self._file.write("".join(lines).encode("ascii"))


def _line(numbers: list[int]) -> str:
    return " ".join(map(str, numbers)) + "\n"


def _list(record: list[int], at: int) -> tuple[int, list[int]]:
    """The list whose length stands at ``at``, and where it ends."""
    end = at + 1 + record[at]
    return end, record[at + 1 : end]


def _by_number(resolvents: list[int]) -> list[int]:
    """Hints of resolvents, each after the negated number of its clause, ordered by that number.

    Some checkers want the order; most proofs have it already.
    """
    starts = [at for at, hint in enumerate(resolvents) if hint < 0]
    if all(resolvents[a] > resolvents[b] for a, b in pairwise(starts)):
        return resolvents
    groups = [resolvents[a:b] for a, b in pairwise([*starts, len(resolvents)])]
    groups.sort(key=lambda group: -group[0])
    return [hint for group in groups for hint in group]
