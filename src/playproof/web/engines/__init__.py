"""Processes in which the lab's agents run, and the order in which visitors get them.

``lab`` and the message handlers submit jobs to ``pool``; ``worker`` is the other process.
"""

__all__ = ["fair_queue", "pool", "priorities"]
