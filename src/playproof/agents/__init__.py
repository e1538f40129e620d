"""Agents: everything that can choose a move, made by spec string (``random``, ``mcts:net=NAME``).

One module per agent.  ``base`` has the interface and ``limits`` what a decision may cost;
``registry`` makes agents.  ``engines`` runs engines of other people, ``exact`` plays solved
positions, ``analysis`` compares the moves of one position.
"""

__all__ = [
    "analysis",
    "base",
    "engines",
    "exact",
    "identity",
    "limits",
    "net",
    "registry",
]
