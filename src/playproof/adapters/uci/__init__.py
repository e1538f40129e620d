"""Our agents as a UCI engine for chess programs; the client of other engines is
``agents/engines/uci``."""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
