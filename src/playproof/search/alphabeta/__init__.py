"""Alpha-beta search over any game.

``AlphaBeta`` deepens iteratively by its ``Settings``; ``minimax`` searches to a fixed depth.
``kernels`` is compiled on first use.
"""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
