"""PGN: games of chess as text.

``read`` and ``write`` convert between PGN and records; ``read_tree`` keeps comments and
variations. ``stream`` reads files of any size through the compiled ``split``, ``san`` and
``replay``.
"""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
