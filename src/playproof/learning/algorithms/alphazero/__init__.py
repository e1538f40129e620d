"""AlphaZero: self-play by tree search, and a network trained on the results of the search.

Read ``learner`` first: it alternates ``self_play`` and ``trainer``, with ``replay`` between them;
``net_match`` compares the newest net with the best one.  ``paper_tree`` is the tree search of the
chess paper.
"""

__all__ = ["presets", "registration", "speed"]
