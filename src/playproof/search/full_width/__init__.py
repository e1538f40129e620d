"""Full-width search that counts points: the readings of the Choko paper's Minimax.

``config`` says what an end of the game is worth and which of equal moves is played; ``search`` is
compiled on first use.
"""

__all__ = ["config", "search"]
