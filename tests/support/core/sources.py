"""Sources as trees: their statements without the expressions, which are ten times as many."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """All statements of a file, in functions, classes and branches too."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        for inner in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, inner, [])
