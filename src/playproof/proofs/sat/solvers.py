"""One question to whichever solver is there: is this formula satisfiable?

A solver runs as a process of its own, so a time limit, ``stopped`` and Ctrl-C end
it at once.  ``Incremental`` keeps CaDiCaL in this process, for many questions that
differ by a few clauses.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path
from typing import Any, Final

from playproof.core.errors import PlayproofError, UsageError, one_of
from playproof.core.parallel.executor import die_with_parent
from playproof.proofs.events import SolverProgress, Status
from playproof.proofs.sat.cnf import Cnf

SOLVERS = ("cadical", "kissat")
SAT: Final = "sat"
UNSAT: Final = "unsat"
UNKNOWN: Final = "unknown"
Progress = Callable[[SolverProgress], None]  # is called a few times a second
Stopped = Callable[[], bool]  # is asked as often: whether to give up

_OUTPUT = "output"  # the file that a solver's words go to
_LOOK_EVERY = 0.1  # seconds between two looks at a running solver
_CONFLICTS = 2_000  # some tenths of a second at most, on formulas of our size
_TAIL = 4096  # bytes of a running solver's output that hold its last report

# Kissat's report of how far it is, "c i  0.03  3 25 0 0 55 8 207 ...": the eighth number
# counts conflicts.  Its statistics at the end have a line for them.
_REPORT = re.compile(rb"^c \S +\d+\.\d+(?: +\d+){6} +(\d+) ", re.MULTILINE)
_TOTAL = re.compile(r"^c conflicts: +(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class SolverAnswer:
    """What a solver said; ``unknown`` if it was ended before."""

    status: Status
    model: tuple[int, ...] | None  # signed variables, if satisfiable
    proof: Path | None  # DRAT, if unsatisfiable and asked for
    seconds: float
    solver: str
    version: str
    conflicts: int | None = None  # dead ends met, if the solver counts them for us


def kissat_binary() -> str | None:
    """Where Kissat is: on the PATH, or in the wheel passagemath-kissat; None if nowhere."""
    found = shutil.which("kissat")
    if found:
        return found
    with contextlib.suppress(metadata.PackageNotFoundError):
        for file in metadata.files("passagemath-kissat") or ():
            if file.name == "kissat" and file.parent.name == "bin":
                path = Path(str(file.locate()))
                return str(path) if os.access(path, os.X_OK) else None
    return None


def available() -> list[str]:
    """The solvers that can be asked here."""
    cadical = ["cadical"] if util.find_spec("pysat") else []
    return cadical + (["kissat"] if kissat_binary() else [])


def choose(name: str | None) -> str:
    """The solver of that name, or the quickest there is."""
    there = available()
    if name is None:
        if not there:
            raise PlayproofError("no SAT solver is installed: pip install 'playproof[prove]'")
        return there[-1]  # Kissat is the quicker on a single question
    if name not in SOLVERS:
        raise UsageError(f"no solver {name!r}: want {one_of(SOLVERS)}")
    if name not in there:
        raise PlayproofError(f"{name} is not installed: pip install 'playproof[prove]'")
    return name


def _command(solver: str, formula: Path, proof: Path | None, seed: int | None) -> list[str]:
    files = [str(formula), *([str(proof)] if proof else [])]
    if solver == "kissat":
        options = ["-f", *([f"--seed={seed}"] if seed is not None else [])]
        return [str(kissat_binary()), *options, *files]
    return [sys.executable, "-m", "playproof.proofs.sat.cadical", *files]


@functools.cache
def version(solver: str) -> str:
    """The version of an installed solver."""
    if solver == "kissat":
        done = subprocess.run([str(kissat_binary()), "--version"], capture_output=True, text=True)
        return done.stdout.strip()
    from playproof.proofs.sat.cadical import VERSION

    return f"{VERSION} (python-sat {metadata.version('python-sat')})"


def solve(
    formula: Cnf | Path,
    *,
    solver: str | None = None,
    proof: Path | None = None,
    seconds: float | None = None,
    seed: int | None = None,
    on_progress: Progress | None = None,
    stopped: Stopped | None = None,
) -> SolverAnswer:
    """Decide a formula, given as clauses or as a DIMACS file.

    ``proof`` is where the DRAT proof of an unsatisfiable formula goes.
    ``seed`` moves Kissat's random choices.  After ``seconds``, or when ``stopped()``,
    the answer is ``unknown``.
    """
    solver = choose(solver)
    with tempfile.TemporaryDirectory(prefix="playproof-") as folder:
        if isinstance(formula, Cnf):
            path = Path(folder) / "formula.cnf"
            path.write_bytes(formula.dimacs())
        else:
            path = formula
        start = time.perf_counter()

        def goes_on(spent: float) -> bool:
            if on_progress is not None:
                conflicts = _conflicts(Path(folder) / _OUTPUT)
                on_progress(SolverProgress(spent, conflicts, _size(proof)))
            late = seconds is not None and spent > seconds
            return not late and not (stopped and stopped())

        output = _run(_command(solver, path, proof, seed), Path(folder), goes_on)
        spent = time.perf_counter() - start
    status, model = _read(output)
    if model is not None and isinstance(formula, Cnf):
        _check_model(formula, model, solver)
    if proof is not None and status != UNSAT:
        proof.unlink(missing_ok=True)
    written = proof if status == UNSAT else None
    total = _TOTAL.search(output or "")
    conflicts = int(total[1]) if total else None
    return SolverAnswer(status, model, written, spent, solver, version(solver), conflicts)


def _conflicts(output: Path) -> int | None:
    """The conflicts of a running solver's last report."""
    with contextlib.suppress(OSError), output.open("rb") as file:
        file.seek(max(0, output.stat().st_size - _TAIL))
        found = _REPORT.findall(file.read())
        if found:
            return int(found[-1])
    return None


def _size(path: Path | None) -> int | None:
    with contextlib.suppress(OSError):
        return None if path is None else path.stat().st_size
    return None


def _run(command: list[str], folder: Path, goes_on: Callable[[float], bool]) -> str | None:
    """What the command printed; None if it was ended because ``goes_on(seconds)`` was false."""
    start = time.perf_counter()
    with (folder / _OUTPUT).open("wb") as out, (folder / "errors").open("wb") as errors:
        # In a session of its own Ctrl-C does not reach it: it is ours to end.
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=errors, start_new_session=True,
            preexec_fn=die_with_parent,
        )  # fmt: skip
        try:
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_LOOK_EVERY)
                    break
                if not goes_on(time.perf_counter() - start):
                    return None
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    output = (folder / _OUTPUT).read_text()
    if not any(line.startswith("s ") for line in output.splitlines()):
        said = (folder / "errors").read_text().strip().splitlines() or [
            f"exit {process.returncode}"
        ]
        raise PlayproofError(f"the solver gave no answer: {said[-1]}")
    return output


def _check_model(formula: Cnf, model: tuple[int, ...], solver: str) -> None:
    """A wrong model would be a mistake of the solver, not a witness."""
    true = set(model)
    if not all(any(literal in true for literal in clause) for clause in formula.clauses):
        raise PlayproofError(f"{solver} gave a model that breaks a clause of the formula")


def _read(output: str | None) -> tuple[Status, tuple[int, ...] | None]:
    """Status and model from an answer in the form of the competitions."""
    if output is None:
        return UNKNOWN, None
    lines = output.splitlines()
    verdict = next(line[2:].strip() for line in lines if line.startswith("s "))
    if verdict == "UNSATISFIABLE":
        return UNSAT, None
    if verdict != "SATISFIABLE":
        return UNKNOWN, None
    literals = [int(word) for line in lines if line.startswith("v") for word in line[1:].split()]
    return SAT, tuple(literal for literal in literals if literal)


class Incremental:
    """CaDiCaL in this process: clauses may be added between questions.

    Ctrl-C ends a question when python-sat is called from the main thread.
    """

    def __init__(self, cnf: Cnf) -> None:
        choose("cadical")
        from pysat.solvers import Cadical195  # type: ignore[import-untyped]

        self._solver: Any = Cadical195(bootstrap_with=[list(clause) for clause in cnf.clauses])

    def __enter__(self) -> Incremental:
        return self

    def __exit__(self, *error: object) -> None:
        self._solver.delete()

    def add(self, clause: Iterable[int]) -> None:
        self._solver.add_clause(list(clause))

    def solve(
        self,
        assumptions: Iterable[int] = (),
        *,
        seconds: float | None = None,
        on_progress: Progress | None = None,
        stopped: Stopped | None = None,
    ) -> SolverAnswer:
        """Decide the formula with ``assumptions`` true for this question alone."""
        start = time.perf_counter()
        assumed = list(assumptions)
        while True:
            # A limit on conflicts gives the time limit and the display their turn.
            self._solver.conf_budget(_CONFLICTS)
            satisfiable = self._solver.solve_limited(assumed)
            spent = time.perf_counter() - start
            late = seconds is not None and spent > seconds
            if satisfiable is not None or late or (stopped and stopped()):
                break
            if on_progress is not None:
                on_progress(SolverProgress(spent, None, None))
        status: Status = UNKNOWN if satisfiable is None else SAT if satisfiable else UNSAT
        model = tuple(self._solver.get_model()) if satisfiable else None
        return SolverAnswer(status, model, None, spent, "cadical", version("cadical"))


def models(
    cnf: Cnf,
    block: Callable[[tuple[int, ...]], Iterable[Iterable[int]]],
    *,
    seconds: float | None = None,
    on_progress: Progress | None = None,
    stopped: Stopped | None = None,
) -> Iterator[SolverAnswer]:
    """Model after model, each shutting itself out by the clauses ``block(model)``.

    The last answer is ``unsat`` (there are no more) or ``unknown`` (it was ended before).
    """
    start = time.perf_counter()
    with Incremental(cnf) as solver:
        while True:
            if stopped and stopped():  # quick questions do not ask themselves
                yield SolverAnswer(UNKNOWN, None, None, 0.0, "cadical", version("cadical"))
                return
            left = None if seconds is None else seconds - (time.perf_counter() - start)
            answer = solver.solve(seconds=left, on_progress=on_progress, stopped=stopped)
            yield answer
            if answer.model is None:
                return
            for clause in block(answer.model):
                solver.add(clause)
