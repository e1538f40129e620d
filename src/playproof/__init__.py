"""Playproof: write the rules of a board game once, then play it, learn it
and prove things about it.

    import playproof
    state = playproof.make("othello").start().play("f5d6c4")
    print(state)

The public names are listed in ``__init__.pyi``, and each is imported on first use.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from playproof.core.lazy import attach

if TYPE_CHECKING:
    from playproof.core.view import View

__version__ = "0.1.0"

# Waiting threads must not spin: on a busy machine they would hold up the very work they wait for.
# OpenMP reads this when Numba or PyTorch, whichever is first, loads it.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

__getattr__, __dir__, _names = attach(__name__, __file__)
__all__ = [*_names, "__version__"]


def _connect_pictures() -> None:
    """Let ``core`` draw with ``formats``, which it may not import itself."""
    from playproof.core import picture_hook as pictures

    def svg(view: View) -> str:
        from playproof.formats import svg

        return svg.render(view)

    def text(view: View) -> str:
        from playproof.formats import terminal

        return terminal.render(view, colour=False)

    pictures.svg, pictures.text = svg, text


_connect_pictures()
