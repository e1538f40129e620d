"""AlphaZero: self-play by tree search, and a network trained on what the search found.

Read ``learner`` first: it alternates ``self_play`` and ``trainer``. ``paper_tree`` is the tree
search of the chess paper.
"""

__all__ = ["algorithm", "presets", "speed"]
