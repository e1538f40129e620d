"""A training run as a folder: settings, metrics, checkpoints.

``run`` writes it; ``log``, ``summary``, ``curves`` and ``charts`` read it; ``transfer`` packs it
for another machine.
"""

__all__ = ["charts", "curves", "log", "run", "summary", "transfer"]
