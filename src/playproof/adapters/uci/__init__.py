"""The UCI server: our agents as an engine for chess programs.

``agents/engines/uci`` is the other side: the client of UCI engines.
"""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
