"""Doors whose names are imported on first use, and listed once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import playproof.search.mcts as door
from playproof.core.lazy import read_stub


def test_every_name_of_a_door_is_there_and_no_other() -> None:
    homes = read_stub(Path(door.__file__).with_suffix(".pyi"))
    assert door.__all__ == sorted(homes)
    assert {name for name in dir(door) if not name.startswith("_")} == set(homes)
    for name, home in homes.items():
        assert getattr(door, name) is getattr(sys.modules[home], name)
    with pytest.raises(AttributeError, match=r"'playproof.search.mcts' has no attribute 'Growth'"):
        door.Growth  # noqa: B018


def test_naming_a_config_compiles_nothing() -> None:
    code = (
        "import sys\nfrom playproof.search.mcts import SearchConfig\n"
        "assert 'numba' not in sys.modules\nprint(SearchConfig().simulations)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (found.stdout, found.stderr) == ("800\n", "")
