"""CaDiCaL as a program: ``python -m playproof.proofs.sat.cadical [--NAME=VALUE] FORMULA [PROOF]``.

python-sat's CaDiCaL (Biere et al., 2024) cannot be interrupted from outside, but
a process can be killed.  The output is that of the SAT competitions: a line
``s SATISFIABLE`` with lines ``v 1 -2 ... 0``, or ``s UNSATISFIABLE``.  The
proof is written in binary DRAT.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

VERSION = "1.9.5"


def solve(formula: Path, proof: Path | None, options: dict[str, int]) -> None:
    """Decide the formula of a DIMACS file with these options and print the answer."""
    from pysat.formula import CNF  # type: ignore[import-untyped]
    from pysat.solvers import Cadical195  # type: ignore[import-untyped]

    with Cadical195(with_proof=proof is not None) as it:
        it.configure(options)  # before the first clause, or not at all
        it.append_formula(CNF(from_file=str(formula)))
        satisfiable = it.solve()
        if proof is not None:
            _save_proof(it, proof)
        print("s SATISFIABLE" if satisfiable else "s UNSATISFIABLE")
        if satisfiable:
            print("v", *it.get_model(), 0)


def _save_proof(solver: object, proof: Path) -> None:
    # python-sat's get_proof would turn the whole proof into strings; its file is the proof itself.
    import pysolvers  # type: ignore[import-not-found]

    pysolvers.flushpr(solver.prfp)  # type: ignore[attr-defined]
    solver.prfile.seek(0)  # type: ignore[attr-defined]
    with proof.open("wb") as out:
        shutil.copyfileobj(solver.prfile, out)  # type: ignore[attr-defined]


if __name__ == "__main__":
    _settings = [word[2:].split("=") for word in sys.argv[1:] if word.startswith("--")]
    _files = [Path(word) for word in sys.argv[1:] if not word.startswith("--")]
    solve(
        _files[0],
        _files[1] if len(_files) > 1 else None,
        {name: int(value) for name, value in _settings},
    )
