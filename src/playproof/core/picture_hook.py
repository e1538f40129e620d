"""The functions that draw a View, which ``playproof/__init__.py`` sets.

A State shows itself in a notebook and in ``print``, but drawing belongs to ``formats``, a layer
that this one may not import.
"""

from __future__ import annotations

from collections.abc import Callable

from playproof.core.view import View

svg: Callable[[View], str] | None = None
text: Callable[[View], str] | None = None
