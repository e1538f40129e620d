"""The census: which of all positions with many moves a game reaches.

``candidates`` finds the positions by SAT, ``search`` decides each of them backwards, and
``records`` holds the games of the finished census of 33 moves.  ``earliest`` holds the games that
reach many moves first, and proves that no game reaches them sooner.
"""

__all__ = ["candidates", "earliest", "records", "search"]
