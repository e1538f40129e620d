"""``make quick``: the tests for a small change, in less than a minute.

It runs a slice of the tests that touches every package, then changed tests and tests that import a
changed module.  A file is changed if it differs from the last commit or, on a branch, from
``main``.  Slow tests and tests in a browser are left to `make test`.  So are those that do not fit
into the time, as measured by the last `make test`; they are listed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.durations import LAST, ROOT

TESTS = ROOT / "tests"
# At least one file of every package, a second or two each.
SLICE = (
    "test_layers.py",
    "test_house.py",
    "test_durations.py",
    "oracles/test_published_numbers.py",
    "core/test_spec.py",
    "core/test_registry.py",
    "core/test_batch.py",
    "games/go/test_game.py",
    "games/chess/test_move_names.py",
    "golden/test_golden.py",
    "formats/test_record.py",
    "formats/test_terminal.py",
    "tables/test_small_boards.py",
    "search/test_policy_guided.py",
    "search/mcts/test_search.py",
    "proofs/sat/test_words.py",
    "proofs/sat/test_cnf.py",
    "nets/test_files.py",
    "agents/analysis/test_value_text.py",
    "arena/statistics/test_score.py",
    "arena/test_database.py",
    "learning/test_settings.py",
    "learning/algorithms/ppo/test_advantages.py",
    "papers/choko_solved/test_page.py",
    "adapters/gtp/test_server.py",
    "web/protocol/test_requests.py",
    "web/game/test_positions.py",
    "cli/commands/test_show.py",
    "docs/test_links.py",
)
SECONDS = 30.0  # of work for tests of changes, whatever the number of cores
GUESS = 3.0  # seconds of a file that was never measured
IMPORT = re.compile(r"^\s*(?:from ([\w.]+) import (\([^)]*\)|.*)|import ([\w.]+))", re.MULTILINE)
BROWSER = re.compile(r"\b(playwright|Page|Browser|page)\b")


def changed_files() -> list[Path]:
    """The files that differ from the last commit, or from where the branch left main."""

    def git(*arguments: str) -> list[str]:
        result = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
        return result.stdout.splitlines() if result.returncode == 0 else []

    names = [*git("diff", "--name-only", "HEAD"), *git("diff", "--name-only", "main...HEAD")]
    names += git("ls-files", "--others", "--exclude-standard")
    return [ROOT / name for name in dict.fromkeys(names) if (ROOT / name).exists()]


def module_of(file: Path) -> str | None:
    """The name by which tests import a file of ``src`` or ``tests``."""
    for home in (ROOT / "src", ROOT):
        if file.suffix == ".py" and file.is_relative_to(home):
            return ".".join(file.relative_to(home).with_suffix("").parts)
    return None


def imported(text: str) -> set[str]:
    """The modules that a source imports; for ``from a import b`` both ``a`` and ``a.b``."""
    modules = set()
    for base, names, module in IMPORT.findall(text):
        modules |= {module or base}
        modules |= {f"{base}.{name}" for name in re.findall(r"\w+", names)}
    return modules


def tests_of(changed: Iterable[Path]) -> list[Path]:
    """The changed tests, then those that import a changed module, without tests in a browser."""
    changed = set(changed)
    modules = {module_of(file) for file in changed} - {None}
    tests = []
    for file in sorted(TESTS.rglob("test_*.py")):
        text = file.read_text(encoding="utf-8")
        if not BROWSER.search(text) and (file in changed or imported(text) & modules):
            tests.append(file)
    return sorted(tests, key=lambda file: file not in changed)


def that_fit(files: Iterable[Path], seconds: dict[str, float]) -> tuple[list[Path], list[Path]]:
    """The quickest files, which together take at most ``SECONDS``, and the others."""

    def duration(file: Path) -> float:
        return seconds.get(str(file.relative_to(ROOT)), GUESS)

    fitting, others, total = [], [], 0.0
    for file in sorted(files, key=duration):
        total += duration(file)
        (fitting if total <= SECONDS else others).append(file)
    return fitting, others


def main() -> int:
    seconds = json.loads(LAST.read_text(encoding="utf-8"))["files"] if LAST.exists() else {}
    chosen = [TESTS / name for name in SLICE]
    own = [file for file in tests_of(changed_files()) if file not in chosen]
    fitting, others = that_fit(own, seconds)
    command = [sys.executable, "-m", "pytest", "-n", "auto", "--maxprocesses", "4"]
    command += ["--dist", "loadfile", "-m", "not slow"]
    code = subprocess.run([*command, *map(str, [*chosen, *fitting])], cwd=ROOT).returncode
    if others:
        print(f"left to make test: {' '.join(str(file.relative_to(ROOT)) for file in others)}")
    return code


if __name__ == "__main__":
    sys.exit(main())
