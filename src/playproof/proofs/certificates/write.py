"""Writing certificates, which are bundles or chains.

- A bundle refutes one statement.  It holds the statement (``statement.json``), its
  formula (``formula.cnf``), the solver's DRAT proof that the formula has no model
  (``proof.drat``), and the versions of the programs that wrote them
  (``manifest.json``).
- A chain refutes every statement that a theorem needs.  It holds a bundle for each of
  them, in the folders ``001``, ``002`` and so on, and the theorem (``index.json``).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from playproof import __version__
from playproof.proofs.certificates.arrival import accept_part, require_rereadable
from playproof.proofs.certificates.files import (
    FORMAT,
    FORMULA,
    HASHED,
    INDEX,
    MANIFEST,
    PROOF,
    STATEMENT,
    digest,
    draft_folder,
    part_name,
    read_once,
)
from playproof.proofs.events import OnEvent
from playproof.proofs.registry import source_of
from playproof.proofs.sat.oracles import Oracle, oracle_of
from playproof.proofs.sat.solvers import UNSAT, ShouldStop
from playproof.proofs.statements import Decision, Statement, claim_of, decide
from playproof.proofs.theorems import Theorem

OnPart = Callable[[int, Decision], None]  # number of a part, from 0, and its decision


def write_bundle(
    folder: Path,
    statement: Statement,
    *,
    solver: Oracle | str | None = None,
    seconds: float | None = None,
    on_progress: OnEvent | None = None,
    should_stop: ShouldStop | None = None,
) -> Decision:
    """Decide a statement; if it is refuted, write a bundle to ``folder``.

    The folder must be new or empty.  If the solver finds a witness or gives no answer, no
    folder is left.  If the process is killed, what is left does not look like a certificate.
    ``seconds`` limits the solver.
    """
    return _write_bundle(
        folder, "", statement, solver=solver, seconds=seconds, on_progress=on_progress,
        should_stop=should_stop,
    )  # fmt: skip


def _write_bundle(
    folder: Path,
    part: str,
    statement: Statement,
    *,
    solver: Oracle | str | None,
    seconds: float | None,
    on_progress: OnEvent | None = None,
    should_stop: ShouldStop | None,
) -> Decision:
    """``write_bundle`` for the part of a theorem with this name, or "" for a single statement."""
    oracle = oracle_of(solver)
    require_rereadable(statement)
    with draft_folder(folder) as draft:
        (draft / STATEMENT).write_text(statement.json() + "\n")
        (draft / FORMULA).write_bytes(statement.dimacs())
        decision = decide(
            statement, solver=oracle, proof=draft / PROOF, seconds=seconds,
            on_progress=on_progress, should_stop=should_stop,
        )  # fmt: skip
        accept_part(part, statement, decision, draft)
        answer = decision.answer
        if answer.status != UNSAT:
            return decision
        manifest = {
            "format": FORMAT,
            "playproof": __version__,
            "solver": answer.solver,
            "version": answer.version,
            **({"options": dict(answer.options)} if answer.options else {}),
            "seconds": round(answer.seconds, 3),
            **({"source": source} if (source := source_of(statement)) else {}),
            "sha256": {name: digest(read_once(draft / name)) for name in HASHED},
        }
        _write_json(draft / MANIFEST, manifest)
    return replace(decision, answer=replace(answer, proof=folder / PROOF))


def write_chain(
    folder: Path,
    theorem: Theorem,
    *,
    solver: Oracle | str | None = None,
    seconds: float | None = None,
    workers: int = 1,
    on_part: OnPart | None = None,
    should_stop: ShouldStop | None = None,
) -> list[Decision]:
    """Decide every statement that a theorem needs, and write a chain if all are refuted.

    Stops at the first statement that is not refuted.  That decision is then the last in the
    returned list, and no folder is left.  ``seconds`` limits each part.
    """
    with draft_folder(folder) as draft:
        decisions = refute(
            theorem, folder=draft, solver=solver, seconds=seconds, workers=workers,
            on_part=on_part, should_stop=should_stop,
        )  # fmt: skip
        if decisions[-1].answer.status != UNSAT:
            return decisions
        parts = [
            {
                "part": part_name(i),
                "says": claim_of(decision.statement),
            }
            for i, decision in enumerate(decisions)
        ]
        index = {"theorem": json.loads(theorem.json()), "parts": parts}
        _write_json(draft / INDEX, {"format": FORMAT, **index})
    return [
        replace(decision, answer=replace(decision.answer, proof=folder / part_name(i) / PROOF))
        for i, decision in enumerate(decisions)
    ]


def refute(
    theorem: Theorem,
    *,
    folder: Path | None = None,
    solver: Oracle | str | None = None,
    seconds: float | None = None,
    workers: int = 1,
    on_part: OnPart | None = None,
    should_stop: ShouldStop | None = None,
) -> list[Decision]:
    """Decide the theorem's statements in order, ``workers`` at a time.

    Stops at the first statement that is not refuted.  Its decision is then the last in the
    returned list.  With ``folder``, a bundle for each part is written there.
    ``on_part(part, decision)`` is called in the caller's thread, in the order of the parts,
    which are numbered from 0.
    """
    statements = theorem.statements()
    is_over = threading.Event()  # tells the parts still being decided to stop

    def part_should_stop() -> bool:
        return is_over.is_set() or (should_stop is not None and should_stop())

    def decide_part(number: int) -> Decision:
        # Solvers are processes of their own, so threads are enough to wait for them.
        statement, name = statements[number], part_name(number)
        if folder is None:
            decision = decide(
                statement, solver=solver, seconds=seconds, should_stop=part_should_stop
            )
            return accept_part(name, statement, decision, None)
        return _write_bundle(
            folder / name, name, statement, solver=solver, seconds=seconds,
            should_stop=part_should_stop,
        )  # fmt: skip

    decisions: list[Decision] = []
    pool = ThreadPoolExecutor(workers)
    try:
        for future in [pool.submit(decide_part, number) for number in range(len(statements))]:
            decisions.append(future.result())
            if on_part is not None:
                on_part(len(decisions) - 1, decisions[-1])
            if decisions[-1].answer.status != UNSAT:
                break
    finally:
        is_over.set()
        pool.shutdown(cancel_futures=True)
    return decisions


def _write_json(path: Path, data: Any) -> None:
    path.write_text(json.dumps(data, indent=2) + "\n")
