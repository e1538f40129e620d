"""SAT solvers: whether a formula is satisfiable, by any installed solver.

A solver runs in a process of its own, so a time limit, ``should_stop`` or Ctrl-C ends
it at once.  ``IncrementalSolver`` runs CaDiCaL in this process, for many questions that
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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata, util
from pathlib import Path
from typing import Any, Final

from playproof.core.errors import PlayproofError, UsageError, one_of
from playproof.core.parallel.executor import die_with_parent
from playproof.proofs.events import SolverProgress, SolverStatus
from playproof.proofs.sat.cnf import Cnf

SOLVERS = ("cadical", "kissat")
SAT: Final = "sat"
UNSAT: Final = "unsat"
UNKNOWN: Final = "unknown"
OnSolverProgress = Callable[[SolverProgress], None]  # called a few times a second
ShouldStop = Callable[[], bool]  # called as often; True ends the solver

_OUTPUT = "output"  # the file for a solver's standard output
_POLL_SECONDS = 0.1  # how often a running solver is polled
_CONFLICTS = 2_000  # a few tenths of a second at most, on formulas of our size
_TAIL = 4096  # bytes at the end of a running solver's output that hold its last report

# A progress line of Kissat, "c i  0.03  3 25 0 0 55 8 207 ...": the eighth number
# counts conflicts.  The statistics at the end have a line for them.
_REPORT = re.compile(rb"^c \S +\d+\.\d+(?: +\d+){6} +(\d+) ", re.MULTILINE)
_TOTAL = re.compile(r"^c conflicts: +(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class SolverAnswer:
    """A solver's answer; ``unknown`` if it was stopped before it had one."""

    status: SolverStatus
    model: tuple[int, ...] | None  # signed variables, if satisfiable
    proof: Path | None  # DRAT, if unsatisfiable and requested
    seconds: float
    solver: str
    version: str
    conflicts: int | None = None  # dead ends of the search, if the solver reports them
    options: Mapping[str, int] = field(default_factory=dict)  # those that were set

    @property
    def label(self) -> str:
        """The solver with its version and options: ``kissat 4.0.4 seed=7``."""
        words = [self.solver, self.version, *(f"{k}={v}" for k, v in self.options.items())]
        return " ".join(words)


def kissat_binary() -> str | None:
    """The path of Kissat, on the PATH or in the wheel passagemath-kissat; None if there is none."""
    path_binary = shutil.which("kissat")
    if path_binary:
        return path_binary
    with contextlib.suppress(metadata.PackageNotFoundError):
        for file in metadata.files("passagemath-kissat") or ():
            if file.name == "kissat" and file.parent.name == "bin":
                path = Path(str(file.locate()))
                return str(path) if os.access(path, os.X_OK) else None
    return None


def available() -> list[str]:
    """The solvers that are installed here, the fastest last."""
    cadical = ["cadical"] if util.find_spec("pysat") else []
    return cadical + (["kissat"] if kissat_binary() else [])


def choose_solver(name: str | None) -> str:
    """The solver of that name, or the fastest one installed if None."""
    installed = available()
    if name is None:
        if not installed:
            raise PlayproofError("no SAT solver is installed: pip install 'playproof[prove]'")
        return installed[-1]  # Kissat is faster on a single question
    if name not in SOLVERS:
        raise UsageError(f"no solver {name!r}: want {one_of(SOLVERS)}")
    if name not in installed:
        raise PlayproofError(f"{name} is not installed: pip install 'playproof[prove]'")
    return name


def _command(
    solver: str, formula: Path, proof: Path | None, options: Mapping[str, int]
) -> list[str]:
    files = [str(formula), *([str(proof)] if proof else [])]
    settings = [f"--{name}={value}" for name, value in options.items()]
    if solver == "kissat":
        return [str(kissat_binary()), "-f", *settings, *files]
    return [sys.executable, "-m", "playproof.proofs.sat.cadical", *settings, *files]


@functools.cache
def version(solver: str) -> str:
    """The version of an installed solver."""
    if solver == "kissat":
        run = subprocess.run([str(kissat_binary()), "--version"], capture_output=True, text=True)
        return run.stdout.strip()
    from playproof.proofs.sat.cadical import VERSION

    return f"{VERSION} (python-sat {metadata.version('python-sat')})"


def solve(
    formula: Cnf | Path,
    *,
    solver: str | None = None,
    proof: Path | None = None,
    seconds: float | None = None,
    seed: int | None = None,
    options: Mapping[str, int] | None = None,
    on_progress: OnSolverProgress | None = None,
    should_stop: ShouldStop | None = None,
) -> SolverAnswer:
    """Decide a formula, given as clauses or as a DIMACS file.

    ``proof`` is the file for the DRAT proof of an unsatisfiable formula.  ``seed`` changes the
    solver's random choices; ``options`` are any of its options (``options.ranges``).  After
    ``seconds``, or when ``should_stop()``, the answer is ``unknown``.
    """
    solver = choose_solver(solver)
    settings = {**({} if seed is None else {"seed": seed}), **(options or {})}
    with tempfile.TemporaryDirectory(prefix="playproof-") as folder:
        if isinstance(formula, Cnf):
            path = Path(folder) / "formula.cnf"
            path.write_bytes(formula.dimacs())
        else:
            path = formula
        start = time.perf_counter()

        def may_continue(elapsed: float) -> bool:
            if on_progress is not None:
                conflicts = _conflicts(Path(folder) / _OUTPUT)
                on_progress(SolverProgress(elapsed, conflicts, _file_size(proof)))
            late = seconds is not None and elapsed > seconds
            return not late and not (should_stop and should_stop())

        output = _run(_command(solver, path, proof, settings), Path(folder), may_continue)
        elapsed = time.perf_counter() - start
    status, model = _parse(output)
    if model is not None and isinstance(formula, Cnf):
        _check_model(formula, model, solver)
    if proof is not None and status != UNSAT:
        proof.unlink(missing_ok=True)
    written = proof if status == UNSAT else None
    total = _TOTAL.search(output or "")
    conflicts = int(total[1]) if total else None
    return SolverAnswer(
        status, model, written, elapsed, solver, version(solver), conflicts, settings
    )


def _conflicts(output: Path) -> int | None:
    """The number of conflicts in a running solver's last report."""
    with contextlib.suppress(OSError), output.open("rb") as file:
        file.seek(max(0, output.stat().st_size - _TAIL))
        reports = _REPORT.findall(file.read())
        if reports:
            return int(reports[-1])
    return None


def _file_size(path: Path | None) -> int | None:
    with contextlib.suppress(OSError):
        return None if path is None else path.stat().st_size
    return None


def _run(command: list[str], folder: Path, may_continue: Callable[[float], bool]) -> str | None:
    """The output of the command; None if it was killed when ``may_continue(seconds)`` was false."""
    start = time.perf_counter()
    with (folder / _OUTPUT).open("wb") as out, (folder / "errors").open("wb") as errors:
        # In a session of its own it does not get Ctrl-C; this process ends it.
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=errors, start_new_session=True,
            preexec_fn=die_with_parent,
        )  # fmt: skip
        try:
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_POLL_SECONDS)
                    break
                if not may_continue(time.perf_counter() - start):
                    return None
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    output = (folder / _OUTPUT).read_text()
    if not any(line.startswith("s ") for line in output.splitlines()):
        errors_text = (folder / "errors").read_text().strip()
        lines = errors_text.splitlines() or [f"exit {process.returncode}"]
        raise PlayproofError(f"the solver gave no answer: {lines[-1]}")
    return output


def _check_model(formula: Cnf, model: tuple[int, ...], solver: str) -> None:
    """Check that a model satisfies the formula: solvers have bugs too."""
    true = set(model)
    if not all(any(literal in true for literal in clause) for clause in formula.clauses):
        raise PlayproofError(f"{solver} gave a model that breaks a clause of the formula")


def _parse(output: str | None) -> tuple[SolverStatus, tuple[int, ...] | None]:
    """Status and model from output in the format of the SAT competitions."""
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


class IncrementalSolver:
    """CaDiCaL in this process; clauses may be added between calls of ``solve``.

    Ctrl-C ends a call if python-sat is called from the main thread.
    """

    def __init__(self, cnf: Cnf) -> None:
        choose_solver("cadical")
        from pysat.solvers import Cadical195  # type: ignore[import-untyped]

        self._solver: Any = Cadical195(bootstrap_with=[list(clause) for clause in cnf.clauses])

    def __enter__(self) -> IncrementalSolver:
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
        on_progress: OnSolverProgress | None = None,
        should_stop: ShouldStop | None = None,
    ) -> SolverAnswer:
        """Decide the formula with the literals ``assumptions`` true in this call only."""
        start = time.perf_counter()
        assumed = list(assumptions)
        while True:
            # The budget returns control now and then, to check the time and report progress.
            self._solver.conf_budget(_CONFLICTS)
            satisfiable = self._solver.solve_limited(assumed)
            elapsed = time.perf_counter() - start
            late = seconds is not None and elapsed > seconds
            if satisfiable is not None or late or (should_stop and should_stop()):
                break
            if on_progress is not None:
                on_progress(SolverProgress(elapsed, None, None))
        status: SolverStatus = UNKNOWN if satisfiable is None else SAT if satisfiable else UNSAT
        model = tuple(self._solver.get_model()) if satisfiable else None
        return SolverAnswer(status, model, None, elapsed, "cadical", version("cadical"))


def models(
    cnf: Cnf,
    block: Callable[[tuple[int, ...]], Iterable[Iterable[int]]],
    *,
    seconds: float | None = None,
    on_progress: OnSolverProgress | None = None,
    should_stop: ShouldStop | None = None,
) -> Iterator[SolverAnswer]:
    """Enumerate models; after each, the clauses ``block(model)`` are added to exclude it.

    The last answer is ``unsat`` (there are no more) or ``unknown`` (it was stopped before).
    """
    start = time.perf_counter()
    with IncrementalSolver(cnf) as solver:
        while True:
            if should_stop and should_stop():  # a quick call of solve does not check it
                yield SolverAnswer(UNKNOWN, None, None, 0.0, "cadical", version("cadical"))
                return
            remaining = None if seconds is None else seconds - (time.perf_counter() - start)
            answer = solver.solve(
                seconds=remaining, on_progress=on_progress, should_stop=should_stop
            )
            yield answer
            if answer.model is None:
                return
            for clause in block(answer.model):
                solver.add(clause)
