"""Our agents as a GTP engine for Go programs; the client of other engines is
``agents/engines/gtp``."""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
