"""``make quick``: what a small change needs, in less than a minute.

A slice that touches every package, then the tests of what was changed: changed tests themselves,
and tests that import a changed module.  Changed is what differs from the last commit, and from
``main`` on a branch of one's own.  Tests in a browser and slow ones are left to `make test`; so is
what does not fit into the time, by what `make test` measured last, and it is named.
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
SECONDS = 30.0  # of work for tests of what was changed, two cores or not
GUESS = 3.0  # a file that was never measured
IMPORT = re.compile(r"^\s*(?:from ([\w.]+) import (\([^)]*\)|.*)|import ([\w.]+))", re.MULTILINE)
BROWSER = re.compile(r"\b(playwright|Page|Browser|page)\b")


def changed_files() -> list[Path]:
    """What differs from the last commit or from where the branch left main; none without git."""

    def git(*arguments: str) -> list[str]:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.splitlines() if done.returncode == 0 else []

    names = [*git("diff", "--name-only", "HEAD"), *git("diff", "--name-only", "main...HEAD")]
    names += git("ls-files", "--others", "--exclude-standard")
    return [ROOT / name for name in dict.fromkeys(names) if (ROOT / name).exists()]


def module_of(file: Path) -> str | None:
    """The name that tests import a file of ``src`` or ``tests`` by."""
    for home in (ROOT / "src", ROOT):
        if file.suffix == ".py" and file.is_relative_to(home):
            return ".".join(file.relative_to(home).with_suffix("").parts)
    return None


def imported(text: str) -> set[str]:
    """Modules that a text imports; of ``from a import b`` both ``a`` and ``a.b``."""
    modules = set()
    for base, names, module in IMPORT.findall(text):
        modules |= {module or base}
        modules |= {f"{base}.{name}" for name in re.findall(r"\w+", names)}
    return modules


def tests_of(changed: Iterable[Path]) -> list[Path]:
    """Changed tests, then tests that import what was changed, those without a browser."""
    changed = set(changed)
    modules = {module_of(file) for file in changed} - {None}
    found = []
    for file in sorted(TESTS.rglob("test_*.py")):
        text = file.read_text(encoding="utf-8")
        if not BROWSER.search(text) and (file in changed or imported(text) & modules):
            found.append(file)
    return sorted(found, key=lambda file: file not in changed)


def that_fit(files: Iterable[Path], seconds: dict[str, float]) -> tuple[list[Path], list[Path]]:
    """Those that ``SECONDS`` are enough for, the quickest first, and the others."""

    def needed(file: Path) -> float:
        return seconds.get(str(file.relative_to(ROOT)), GUESS)

    fitting, others, spent = [], [], 0.0
    for file in sorted(files, key=needed):
        spent += needed(file)
        (fitting if spent <= SECONDS else others).append(file)
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
