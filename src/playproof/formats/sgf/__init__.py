"""SGF (FF[4]): games of Go and Quantum Go as text.

``read`` and ``write`` convert between SGF and records; ``tree`` is the syntax alone.
"""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
