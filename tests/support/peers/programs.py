"""Programs of other people that tests need: found, or missing loudly."""

from __future__ import annotations

import os

import pytest

from playproof.agents.engines.gtp.agent import find_program

_STRICT = ("CI", "PLAYPROOF_REQUIRE_SYSTEM")


def program(name: str) -> str:
    """The path of a program; the test is skipped without it, or fails where it must be there."""
    path = find_program(name)
    if path is not None:
        return path
    why = f"{name} is not installed: make system installs it on Debian"
    if any(os.environ.get(variable, "") not in ("", "0", "false") for variable in _STRICT):
        pytest.fail(why, pytrace=False)
    pytest.skip(why)
