"""Where pictures come from: the door through which drawing enters this layer.

A State shows itself in a notebook and in ``print``, but drawing is the work of
``formats``, a layer further down.  ``playproof/__init__.py`` puts it in here.
"""

from __future__ import annotations

from collections.abc import Callable

from playproof.core.view import View

svg: Callable[[View], str] | None = None
text: Callable[[View], str] | None = None
