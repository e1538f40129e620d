"""Third-party checkers, used if they are on the PATH.

drat-trim (Wetzler, Heule and Hunt, 2014) checks DRAT; cake_lpr (Tan, Heule and
Myreen, 2021), itself formally verified down to its machine code, checks LRAT,
which our own checker writes.  They read files, so they get a copy of the bytes that
are checked, in a private folder.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playproof.core.errors import PlayproofError, one_line
from playproof.proofs.sat.solvers import ShouldStop

PROGRAMS = DRAT_TRIM, CAKE_LPR = "drat-trim", "cake_lpr"  # in the order in which they are asked
_POLL_SECONDS = 0.1  # how often a running program is polled


@dataclass(frozen=True)
class CheckOutcome:
    """The outcome of one check."""

    name: str
    passed: bool | None  # None if the check could not be run
    detail: str
    seconds: float


class Inconclusive(Exception):
    """A check reached no verdict, for lack of a program or of time; the message says why."""


def run_check(name: str, work: Callable[[], str]) -> CheckOutcome:
    """Run a check: it passes if ``work`` returns, with the text as detail, and fails if it raises
    an error."""
    start = time.perf_counter()
    passed: bool | None = True
    try:
        detail = work()
    except Inconclusive as error:
        passed, detail = None, str(error)
    except PlayproofError as error:
        passed, detail = False, one_line(error)
    return CheckOutcome(name, passed, detail, time.perf_counter() - start)


def find_program(name: str) -> str:
    """Where a program is on the PATH; Inconclusive if it is not there."""
    path = shutil.which(name)
    if path is None:
        raise Inconclusive(f"{name} is not on the PATH")
    return path


def _require_verdict(
    command: list[str], verdict: str, seconds: float | None, should_stop: ShouldStop | None
) -> None:
    """Run a program, and raise an error unless ``verdict`` is a line of its output."""
    start = time.perf_counter()
    program = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    try:
        while True:
            try:
                out, err = program.communicate(timeout=_POLL_SECONDS)
                break
            except subprocess.TimeoutExpired:
                if seconds is not None and time.perf_counter() - start > seconds:
                    raise Inconclusive(f"not done after {seconds} s") from None
                if should_stop and should_stop():
                    raise Inconclusive("stopped") from None
    finally:
        if program.poll() is None:
            program.kill()
            program.communicate()
    output = [line.strip() for line in out.splitlines()]
    if verdict not in output:
        lines = [line for line in output + err.splitlines() if line]
        raise PlayproofError(f"it did not say {verdict!r}: {lines[-1] if lines else 'nothing'}")


@contextmanager
def _copied(formula: bytes, proof: bytes) -> Iterator[tuple[str, str]]:
    """Write the bytes to files in a private folder; yields the paths of formula and proof."""
    try:
        with tempfile.TemporaryDirectory(prefix="playproof-") as folder:
            home = Path(folder)
            (home / "formula.cnf").write_bytes(formula)
            (home / "proof").write_bytes(proof)
            yield str(home / "formula.cnf"), str(home / "proof")
    except OSError as error:
        raise Inconclusive(f"its files cannot be written: {error.strerror or error}") from None


def drat_trim(
    formula: bytes, proof: bytes, seconds: float | None, should_stop: ShouldStop | None = None
) -> str:
    """Check a DRAT proof with drat-trim."""
    trim = find_program(DRAT_TRIM)
    with _copied(formula, proof) as (cnf, drat):
        command = [trim, cnf, drat, *_limit(seconds)]
        _require_verdict(command, "s VERIFIED", seconds, should_stop)
    return "drat-trim says VERIFIED"


def cake_lpr(
    formula: bytes, proof: bytes, seconds: float | None, should_stop: ShouldStop | None = None
) -> str:
    """Check an LRAT proof with cake_lpr."""
    cake = find_program(CAKE_LPR)
    with _copied(formula, proof) as (cnf, lrat):
        _require_verdict([cake, cnf, lrat], "s VERIFIED UNSAT", seconds, should_stop)
    return "cake_lpr says VERIFIED UNSAT"


def _limit(seconds: float | None) -> list[str]:
    return [] if seconds is None else ["-t", str(max(1, round(seconds)))]
