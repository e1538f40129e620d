"""A time limit holds within one step of a proof, and so does Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from playproof.core.errors import DataError
from playproof.core.stopping import StopFlag, stop_flag
from playproof.core.time_limit import TimeLimit, limited
from playproof.proofs.checker import lrat, parse
from playproof.proofs.checker import plain as plain_checker
from playproof.proofs.checker.check import check
from tests.support.core.processes import environment

SLACK = 2.0  # seconds by which a limit may be missed on a busy machine


def dimacs(clauses: list[tuple[int, ...]]) -> bytes:
    variables = max(abs(literal) for clause in clauses for literal in clause)
    lines = [f"p cnf {variables} {len(clauses)}"]
    lines += [" ".join(map(str, clause)) + " 0" for clause in clauses]
    return ("\n".join(lines) + "\n").encode()


def slow_rat(clauses: int, length: int) -> bytes:
    """A formula in which the clause 1 is RAT, with so many resolvents.

    Each leads to a conflict only at the end of a chain of ``length`` implications.
    """
    first = clauses + 2
    last = first + length
    formula: list[tuple[int, ...]] = [(-1, -n) for n in range(2, first)]
    formula += [(-n, first) for n in range(2, first)]
    formula += [(-n, n + 1) for n in range(first, last)]
    return dimacs([*formula, (-last, -first)])


def slow_lrat(length: int) -> tuple[bytes, bytes]:
    """A formula and a proof of one step that names a clause of this length as often."""
    clause = range(1, length + 1)
    formula = dimacs([(*clause, length + 1), (1, -1)])
    hints = " ".join(["1"] * length)
    return formula, f"3 {' '.join(map(str, clause))} 0 {hints} 0\n".encode()


def test_one_rat_step_is_cut_short() -> None:
    formula = slow_rat(30_000, 30_000)  # 29 s without a limit, on the machine it was written on
    start = time.perf_counter()
    verdict = check(formula, b"1 0\n0\n", seconds=0.5)
    assert time.perf_counter() - start < 0.5 + SLACK
    assert (verdict.verified, verdict.finished) == (False, False)
    assert "0 of 2 steps are checked" in verdict.reason


def test_a_rat_step_that_ends_in_time_is_accepted() -> None:
    verdict = check(slow_rat(100, 100), b"1 0\n0\n", seconds=60)
    assert (verdict.finished, verdict.rats) == (True, 1)
    assert verdict.reason.startswith("line 2: the empty clause does not follow")


def test_one_lrat_step_is_cut_short() -> None:
    formula, proof = slow_lrat(200_000)
    start = time.perf_counter()
    verdict = lrat.check(formula, proof, seconds=0.5)
    assert time.perf_counter() - start < 0.5 + SLACK
    assert (verdict.verified, verdict.finished) == (False, False)
    assert lrat.check(*slow_lrat(20), seconds=60).finished


def test_the_plain_checker_is_cut_short_within_a_line() -> None:
    formula, proof = slow_lrat(20_000)
    lines = formula.decode().split("\n"), proof.decode().split("\n")
    start = time.perf_counter()
    with pytest.raises(TimeLimit):
        limited(lambda _: plain_checker.refute(*lines), 0.5)
    assert time.perf_counter() - start < 0.5 + SLACK
    with pytest.raises(plain_checker.Rejected):
        limited(lambda _: plain_checker.refute(*[text.split("\n") for text in decoded(20)]), 60)


def decoded(length: int) -> list[str]:
    return [data.decode() for data in slow_lrat(length)]


def test_reading_ends_when_the_flag_is_set() -> None:
    flag: StopFlag = stop_flag()
    flag[0] = 1
    for read in (
        lambda: parse.read_cnf(b"p cnf 1 1\n1 0\n", flag),
        lambda: parse.read_proof(b"1 0\n", False, flag),
        lambda: parse.read_proof(b"a\2\0", True, flag),
    ):
        with pytest.raises(DataError, match="reading was stopped"):
            read()


def test_a_listener_ends_a_step() -> None:
    """What asks for a stop is heard within a step."""
    formula = slow_rat(30_000, 30_000)
    waited = []

    def stop() -> None:
        waited.append(1)
        if len(waited) > 5:
            raise InterruptedError

    start = time.perf_counter()
    with pytest.raises(InterruptedError):
        check(formula, b"1 0\n0\n", on_wait=stop)
    assert time.perf_counter() - start < 1 + SLACK


@pytest.mark.parametrize("kind", ["compiled", "plain"])
def test_ctrl_c_ends_a_step(kind: str, tmp_path: Path) -> None:
    (tmp_path / "formula").write_bytes(slow_rat(30_000, 30_000))
    formula, proof = decoded(20_000)
    (tmp_path / "plain formula").write_text(formula)
    (tmp_path / "plain proof").write_text(proof)
    code = {
        "compiled": "check(Path('formula').read_bytes(), b'1 0\\n0\\n')",
        "plain": "limited(lambda _: plain.refute("
        "*(Path(name).read_text().split('\\n') for name in ('plain formula', 'plain proof'))))",
    }[kind]
    script = (
        "from pathlib import Path\n"
        "from playproof.core.time_limit import limited\n"
        "from playproof.proofs.checker import plain\n"
        "from playproof.proofs.checker.check import check\n"
        "check(b'p cnf 1 1\\n1 0\\n', b'1 0\\n')\n"
        f"print('ready', flush=True)\n{code}\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], env=environment(), cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.7)
        start = time.perf_counter()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert time.perf_counter() - start < 8  # half a minute without Ctrl-C
    assert errors.endswith(b"KeyboardInterrupt\n")


# The limit itself


def test_work_in_time_has_its_result_and_its_error() -> None:
    assert limited(lambda flag: int(flag[0]) + 7, 60) == 7
    with pytest.raises(ZeroDivisionError):
        limited(lambda _: 1 // 0, 60)
    with pytest.raises(TimeLimit):
        limited(lambda _: 1, 0.0)


def test_python_without_a_look_at_the_flag_is_ended() -> None:
    ended = threading.Event()

    def forever(_: StopFlag) -> None:
        try:
            while True:
                pass
        finally:
            ended.set()

    with pytest.raises(TimeLimit):
        limited(forever, 0.1)
    assert ended.wait(5)


def test_a_huge_formula_of_a_small_statement_is_not_waited_for(tmp_path: Path) -> None:
    """Encoding is Python that knows of no limit."""
    from playproof.proofs.certificates.check import check_bundle

    (tmp_path / "statement.json").write_text(
        '{"format": 1, "statement": "othello-unroll", "at_least": 34, "plies": 120}'
    )
    for name in ("formula.cnf", "proof.drat", "manifest.json"):
        (tmp_path / name).write_bytes(b"")
    start = time.perf_counter()
    report = check_bundle(tmp_path, seconds=0.5)
    assert time.perf_counter() - start < 1.5 + SLACK
    (formula,) = [one for one in report.parts[0].checks if one.name == "formula"]
    assert (formula.passed, formula.detail) == (None, "not done after 0.5 s")
    assert not report.verified
