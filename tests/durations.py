"""Where the time of a test run goes.

``--times FILE`` writes the seconds of every file and of the slowest tests as JSON, and ends the run
with a table.  The seconds of a test are those of its set-up, call and tear-down together, by the
clock: two runs differ, but hardly in their order.  `python tests/durations.py` prints a longer
table of the last `make test`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAST = ROOT / "build" / "durations.json"


def by_file(tests: dict[str, float]) -> Counter[str]:
    """The seconds of every file, the slowest first."""
    seconds: Counter[str] = Counter()
    for test, duration in tests.items():
        seconds[test.partition("::")[0]] += duration
    return Counter(dict(seconds.most_common()))


def by_folder(files: dict[str, float]) -> Counter[str]:
    """The seconds of every folder of ``tests``; of the largest, ``web``, its folders."""
    seconds: Counter[str] = Counter()
    for file, duration in files.items():
        folders = Path(file).parts[:-1]
        seconds["/".join(folders[: 3 if folders[1:2] == ("web",) else 2])] += duration
    return Counter(dict(seconds.most_common()))


def table(times: dict[str, Any], most: int = 10) -> list[str]:
    """The report as lines: the sum, then folders, files and tests, the slowest first."""
    files = times["files"]
    count, work = times["count"], sum(files.values())
    lines = [f"{count:,} tests took {work:.0f} s of work, {times['wall']:.0f} s by the clock"]
    for title, seconds in (
        ("folders", by_folder(files)),
        ("files", Counter(files)),
        ("tests", Counter(times["tests"])),
    ):
        lines += [f"slowest {title}:"]
        lines += [f"{duration:8.1f} s  {name}" for name, duration in seconds.most_common(most)]
    return lines


class Times:
    """Adds up the durations of tests, of this process or of workers."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.tests: dict[str, float] = {}
        self.started = time.perf_counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.tests[report.nodeid] = self.tests.get(report.nodeid, 0.0) + report.duration

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self.tests:
            return
        times = {
            "count": len(self.tests),
            "wall": round(time.perf_counter() - self.started, 1),
            "files": {name: round(duration, 2) for name, duration in by_file(self.tests).items()},
            "tests": {
                name: round(duration, 2) for name, duration in Counter(self.tests).most_common(200)
            },
        }
        self.target.parent.mkdir(parents=True, exist_ok=True)
        self.target.write_text(json.dumps(times, indent=1), encoding="utf-8")
        for line in table(times):
            terminalreporter.write_line(line)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--times", metavar="FILE", help="write where the time goes, and show it")


def pytest_configure(config: pytest.Config) -> None:
    target = config.getoption("--times")
    if target is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Times(config.rootpath / target), "times")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=LAST, help="what --times wrote")
    parser.add_argument("--most", type=int, default=40, help="lines of each table")
    chosen = parser.parse_args()
    if not chosen.file.exists():
        parser.error(f"there is no {chosen.file}: make test writes it")
    print("\n".join(table(json.loads(chosen.file.read_text(encoding="utf-8")), chosen.most)))


if __name__ == "__main__":
    main()
