"""The GTP server: our agents as an engine for Go programs.

``agents/engines/gtp`` is the other side: the client of GTP engines.
"""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
