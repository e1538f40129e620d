"""SGF (FF[4]): games of Go and Quantum Go as text.

``read`` and ``write`` convert between SGF and records. ``tree`` parses the syntax, ``quantum``
has the properties for turns of Quantum Go.
"""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
