"""Tables of exact values: Choko and small boards of Go, solved backwards, and Syzygy's of chess.

``choko`` builds and probes tables on disk, ``small_boards`` solves boards in memory, and ``syzygy``
reads tables that others have made. Searches, agents, papers, commands and the lab use them.
"""

__all__ = ["choko", "small_boards", "syzygy"]
