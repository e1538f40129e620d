"""The sizes of a test run: `make quick`, `make test`, `make slow`, and where their time goes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import durations, quick
from tests.test_layers import LAYERS, layer_of

MAKEFILE = quick.ROOT / "Makefile"
TIMES = {
    "count": 4,
    "wall": 5.0,
    "files": {"tests/web/game/test_a.py": 4.0, "tests/core/test_b.py": 3.0, "tests/test_c.py": 1.0},
    "tests": {"tests/web/game/test_a.py::test_it": 4.0},
}


def test_the_seconds_of_a_file_are_those_of_its_tests() -> None:
    tests = {"tests/a.py::one": 1.0, "tests/b.py::one[x::y]": 3.0, "tests/a.py::two": 0.5}
    assert list(durations.by_file(tests).items()) == [("tests/b.py", 3.0), ("tests/a.py", 1.5)]


def test_the_report_names_the_slowest_first() -> None:
    assert durations.table(TIMES, most=2) == [
        "4 tests took 8 s of work, 5 s by the clock",
        "slowest folders:",
        "     4.0 s  tests/web/game",
        "     3.0 s  tests/core",
        "slowest files:",
        "     4.0 s  tests/web/game/test_a.py",
        "     3.0 s  tests/core/test_b.py",
        "slowest tests:",
        "     4.0 s  tests/web/game/test_a.py::test_it",
    ]


def test_the_slice_touches_every_package() -> None:
    files = [quick.TESTS / name for name in quick.SLICE]
    assert [file for file in files if not file.exists()] == []
    modules = set().union(*(quick.imported(file.read_text("utf-8")) for file in files))
    assert set(LAYERS) - {layer_of(module) for module in modules} == set()


def test_the_tests_of_a_change_are_those_that_import_it() -> None:
    spec = quick.ROOT / "src" / "playproof" / "core" / "spec.py"
    chosen = quick.tests_of([spec])
    assert quick.TESTS / "core" / "test_spec.py" in chosen
    assert quick.TESTS / "core" / "test_bits.py" not in chosen
    own = quick.TESTS / "core" / "test_bits.py"
    assert quick.tests_of([spec, own])[0] == own
    assert quick.tests_of([quick.ROOT / "README.md"]) == []


def test_what_does_not_fit_into_the_minute_is_left_out() -> None:
    files = [quick.ROOT / name for name in ("long.py", "short.py", "new.py")]
    measured = {"long.py": quick.SECONDS, "short.py": 0.1}
    assert quick.that_fit(files, measured) == ([files[1], files[2]], [files[0]])


def test_a_second_run_is_like_the_first() -> None:
    """With a blank between, pytest would take the file of the first run for a test."""
    assert MAKEFILE.read_text("utf-8").count("--times=") == 2
    assert "--times " not in MAKEFILE.read_text("utf-8")


def test_nothing_that_is_slow_is_left_unrun() -> None:
    assert '-m "not slow"' in MAKEFILE.read_text("utf-8")
    assert "\tmake slow" not in MAKEFILE.read_text("utf-8")
    ci = (quick.ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    assert ci.index("make test") + 1 == ci.index("make slow")


@pytest.mark.parametrize("name", ["durations.json", "deep/durations.json"])
def test_a_run_writes_where_its_time_went(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / name
    times = durations.Times(target)
    report = pytest.TestReport("tests/a.py::b", ("tests/a.py", 1, "b"), {}, "passed", None, "call")
    report.duration = 1.5
    for when in ("setup", "call", "teardown"):
        report.when = when
        times.pytest_runtest_logreport(report)

    class Terminal:
        @staticmethod
        def write_line(line: str) -> None:
            print(line)

    times.pytest_terminal_summary(Terminal())
    assert json.loads(target.read_text("utf-8"))["files"] == {"tests/a.py": 4.5}
    assert capsys.readouterr().out.startswith("1 tests took 4 s of work")
