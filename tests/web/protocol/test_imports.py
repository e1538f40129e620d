"""What trains, plays matches and measures runs where msgspec is not installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys
sys.modules["msgspec"] = None
import importlib, pkgutil
import playproof.{package}
for module in pkgutil.walk_packages(playproof.{package}.__path__, "playproof.{package}."):
    if {skip!r} not in module.name:
        importlib.import_module(module.name)
"""


@pytest.mark.parametrize("package", ["cli", "arena", "learning", "agents", "core"])
def test_msgspec_stays_in_the_lab(package: str) -> None:
    script = SCRIPT.format(package=package, skip="playproof.cli.commands.serve")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
