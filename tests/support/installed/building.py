"""Building the wheel: from a clean copy of the sources, so that nothing stale gets in.

``python tests/support/installed/building.py dist`` is ``make wheel``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "src")
LARGEST = 25e6  # bytes that the wheel may have
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.pyc")


def build(into: Path, *, isolated: bool = True) -> Path:
    """The new wheel in the folder ``into``.

    ``isolated``: the build's own tools are fetched from the package index, as they are
    for everybody; otherwise those of this environment are used and nothing is fetched.
    """
    plain = [] if isolated else ["--no-build-isolation", "--no-index"]
    with tempfile.TemporaryDirectory() as folder:
        copy, out = Path(folder) / "copy", Path(folder) / "out"
        copy.mkdir()
        for name in SOURCES:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=_LEFT_OUT)
            else:
                shutil.copy2(source, copy / name)
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check",
             "--no-deps", *plain, "--wheel-dir", str(out), str(copy)],
            check=True,
            env={**os.environ, "SOURCE_DATE_EPOCH": _epoch()},
        )  # fmt: skip
        (made,) = out.glob("*.whl")
        into.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy2(made, into / made.name))


def _epoch() -> str:
    """The time of the last commit: the same sources make the same wheel, to the byte."""
    asked = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return asked.stdout.strip() or "1700000000"


if __name__ == "__main__":
    made = build(Path(sys.argv[1]))
    print(f"{made}: {made.stat().st_size / 1e6:.1f} MB")
