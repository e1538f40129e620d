"""Doors of packages whose names are imported on first use.

A package lists its public names once, in its ``__init__.pyi``, as imports that type checkers and
editors read.  ``attach`` reads the same list when the package is imported, and imports a name's
module when the name is first asked for.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def attach(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``(__getattr__, __dir__, __all__)`` for the package whose ``__init__`` is ``file``."""
    homes = read_stub(Path(file).with_suffix(".pyi"))

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def list_names() -> list[str]:
        own = (name for name in vars(sys.modules[package]) if name.startswith("__"))
        return sorted({*homes, *own})

    return get, list_names, sorted(homes)


def read_stub(stub: Path) -> dict[str, str]:
    """The module of each name that a stub imports."""
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    return {
        alias.name: str(node.module)
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
