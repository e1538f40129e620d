"""Checkers from other houses, used where they are on the PATH.

drat-trim (Wetzler, Heule and Hunt, 2014) checks DRAT; cake_lpr (Tan, Heule and
Myreen, 2021), itself formally verified down to its machine code, checks LRAT,
which drat-trim writes.  They read files, so they get a copy of the bytes that are
checked, in a folder that is theirs alone.
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
from playproof.proofs.sat.solvers import Stopped

_LOOK_EVERY = 0.1  # seconds between two looks at a running program


@dataclass(frozen=True)
class Check:
    """One check and what came of it; ``passed`` is None if it could not be made."""

    name: str
    passed: bool | None
    detail: str
    seconds: float


class NotMade(Exception):
    """A check that came to no verdict, for want of a program or of time; says why."""


def attempt(name: str, work: Callable[[], str]) -> Check:
    """Do a check: what it says is its success, an error its failure."""
    start = time.perf_counter()
    passed: bool | None = True
    try:
        detail = work()
    except NotMade as reason:
        passed, detail = None, str(reason)
    except PlayproofError as error:
        passed, detail = False, one_line(error)
    return Check(name, passed, detail, time.perf_counter() - start)


def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise NotMade(f"{name} is not on the PATH")
    return found


def _ask(command: list[str], verdict: str, seconds: float | None, stopped: Stopped | None) -> None:
    start = time.perf_counter()
    program = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    try:
        while True:
            try:
                out, err = program.communicate(timeout=_LOOK_EVERY)
                break
            except subprocess.TimeoutExpired:
                if seconds is not None and time.perf_counter() - start > seconds:
                    raise NotMade(f"not done after {seconds} s") from None
                if stopped and stopped():
                    raise NotMade("stopped") from None
    finally:
        if program.poll() is None:
            program.kill()
            program.communicate()
    said = [line.strip() for line in out.splitlines()]
    if verdict not in said:
        lines = [line for line in said + err.splitlines() if line]
        raise PlayproofError(f"it did not say {verdict!r}: {lines[-1] if lines else 'nothing'}")


@contextmanager
def _copied(formula: bytes, proof: bytes) -> Iterator[tuple[str, str, str]]:
    """Files with these bytes in a folder that others can neither read nor write, and a
    place for one more beside them."""
    try:
        with tempfile.TemporaryDirectory(prefix="playproof-") as folder:
            home = Path(folder)
            (home / "formula.cnf").write_bytes(formula)
            (home / "proof.drat").write_bytes(proof)
            yield str(home / "formula.cnf"), str(home / "proof.drat"), str(home / "proof.lrat")
    except OSError as error:
        raise NotMade(f"its files cannot be written: {error.strerror or error}") from None


def drat_trim(
    formula: bytes, proof: bytes, seconds: float | None, stopped: Stopped | None = None
) -> str:
    """Have drat-trim check a proof."""
    trim = _tool("drat-trim")
    with _copied(formula, proof) as (cnf, drat, _):
        _ask([trim, cnf, drat, *_limit(seconds)], "s VERIFIED", seconds, stopped)
    return "drat-trim says VERIFIED"


def cake_lpr(
    formula: bytes, proof: bytes, seconds: float | None, stopped: Stopped | None = None
) -> str:
    """Have drat-trim translate a proof and cake_lpr check what it wrote."""
    cake, trim = _tool("cake_lpr"), _tool("drat-trim")
    with _copied(formula, proof) as (cnf, drat, lrat):
        _ask([trim, cnf, drat, "-L", lrat, *_limit(seconds)], "s VERIFIED", seconds, stopped)
        _ask([cake, cnf, lrat], "s VERIFIED UNSAT", seconds, stopped)
    return "cake_lpr says VERIFIED UNSAT"


def _limit(seconds: float | None) -> list[str]:
    return [] if seconds is None else ["-t", str(max(1, round(seconds)))]


Tool = Callable[[bytes, bytes, float | None, Stopped | None], str]
TOOLS: dict[str, Tool] = {"drat-trim": drat_trim, "cake_lpr": cake_lpr}
