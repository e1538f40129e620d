"""Alpha-beta search over any game.

``AlphaBeta`` searches by iterative deepening, as its ``AlphaBetaConfig`` says; ``minimax`` is the
configuration of a plain search to a fixed depth. ``kernels`` is compiled on first use.
"""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
