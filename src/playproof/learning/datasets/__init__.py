"""Folders of positions to learn from.

``build`` makes one from PGN, ``label_build`` from an engine's evaluations; ``positions`` and
``labels`` read them; ``folds`` keeps training and test games apart.
"""

__all__ = ["build", "label_build", "label_walks", "labels", "packed", "positions", "sampling"]
