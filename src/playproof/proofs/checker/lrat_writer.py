"""LRAT text from what the checker notes down (see ``hints``)."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from playproof.proofs.checker.state import WRITTEN, Checker


class LratWriter:
    """Writes lemmas with their hints, and deletions, as lines of LRAT."""

    def __init__(self, file: BinaryIO, clauses: int) -> None:
        self._file = file
        self._number = clauses  # of the last clause, which a deletion names

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
            numbers = [self._number, *clause, 0, *hints, *resolvents, 0]
            lines.append(" ".join(map(str, numbers)) + "\n")
        self._file.write("".join(lines).encode("ascii"))


def _list(record: list[int], at: int) -> tuple[int, list[int]]:
    """The list whose length stands at ``at``, and where it ends."""
    end = at + 1 + record[at]
    return end, record[at + 1 : end]
