"""Packages whose public names are imported on first use.

A package lists its public names once, in its ``__init__.pyi``, as imports that type checkers and
editors read.  ``attach`` reads the same list when the package is imported, and imports the module
of a name when the name is first used.
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
    modules = read_stub(Path(file).with_suffix(".pyi"))

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def list_names() -> list[str]:
        own = (name for name in vars(sys.modules[package]) if name.startswith("__"))
        return sorted({*modules, *own})

    return get, list_names, sorted(modules)


def read_stub(stub: Path) -> dict[str, str]:
    """The module of each name that a stub imports, by name."""
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    return {
        alias.name: str(node.module)
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
