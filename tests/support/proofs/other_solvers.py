"""Solvers of other people, from Debian: what they answer to a formula in a file."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.peers.programs import program


def cadical(formula: Path, *options: str, proof: Path | None = None) -> Path:
    """The file with what CaDiCaL prints; ``proof`` is the file for its proof."""
    files = [str(formula), *([] if proof is None else [str(proof)])]
    command = [program("cadical"), "-q", *options, *files]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode in (10, 20), run.stderr
    answer = formula.with_suffix(".cadical")
    answer.write_text(run.stdout)
    return answer


def minisat(formula: Path) -> Path:
    """The file with minisat's result, which has a format of its own."""
    answer = formula.with_suffix(".minisat")
    command = [program("minisat"), str(formula), str(answer)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode in (10, 20), run.stderr
    return answer
