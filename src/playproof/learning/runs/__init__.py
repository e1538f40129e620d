"""A training run as a folder: settings, metrics, games and checkpoints.

``run`` writes it, with ``checkpoint``; ``log``, ``summary``, ``curves`` and ``charts`` read it;
``transfer`` packs it for another machine.
"""

__all__ = ["charts", "checkpoint", "curves", "log", "run", "summary", "transfer"]
