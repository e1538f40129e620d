"""Quantum Go (Ranchin, 2016) and its variants.

``game`` is the class that the registry makes; ``text`` and ``view`` are its notation and its
Views. ``kernels`` is imported on first use, because importing it compiles; it uses ``rows`` (the
layout of a row), ``turn``, ``turn_end`` and ``legal``. ``born`` adds chance. The package ``state``
has the quantum state that a board stands for.
"""

__all__ = ["born", "game", "rows", "state", "view"]
