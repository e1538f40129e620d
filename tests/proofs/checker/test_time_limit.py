"""A time limit holds within one step of a proof, and so does Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from playproof.core.stopping import StopFlag
from playproof.core.time_limit import TimeLimit, limited
from playproof.proofs.checker import lrat, parse
from playproof.proofs.checker.check import check

SLACK = 1.5  # seconds by which a limit may be missed on a busy machine


def long_rat(clauses: int, length: int) -> tuple[bytes, bytes, bytes]:
    """A formula, and a DRAT and an LRAT proof whose first step takes ``clauses * length`` work.

    The lemma ``1`` is RAT: of the ``clauses`` clauses with -1 each one leads to a conflict,
    but only once the negation of its other literal has gone down a chain of ``length``
    implications.
    """
    first = clauses + 2
    chain = [(-n, n + 1) for n in range(first, first + length)]
    last = first + length
    starts = [(-1, -n) for n in range(2, clauses + 2)]
    doors = [(-n, first) for n in range(2, clauses + 2)]
    everything = [*starts, *doors, *chain, (-last, -first)]
    lines = [f"p cnf {last} {len(everything)}"]
    lines += [" ".join(map(str, clause)) + " 0" for clause in everything]
    follow = range(2 * clauses + 1, len(everything) + 1)
    hints = " ".join(f"-{n} {clauses + n} " + " ".join(map(str, follow)) for n in range(1, 2))
    return "\n".join(lines).encode() + b"\n", b"1 0\n0\n", f"9999999 1 0 {hints} 0\n".encode()


def long_lrat(clauses: int) -> tuple[bytes, bytes]:
    """A formula and an LRAT proof with one step, in which a long hint is followed again and again."""
    variables = clauses + 1
    everything = [(-1, n) for n in range(2, variables + 1)]
    wide = [1, *range(-2, -variables - 1, -1)]
    lines = [f"p cnf {variables} {len(everything) + 1}"]
    lines += [" ".join(map(str, clause)) + " 0" for clause in [*everything, wide]]
    hints = " ".join(map(str, [len(everything) + 1] * clauses))
    negated = " ".join(map(str, range(2, variables + 1)))
    return ("\n".join(lines) + "\n").encode(), (
        f"{len(everything) + 2} -1 {negated} 0 0\n".encode()
        + f"{len(everything) + 3} {' '.join(str(-n) for n in range(2, variables))} 0 {hints} 0\n".encode()
    )
