"""Work on several cores, processes or machines.

``executor`` maps a function over jobs, on ``cluster`` with Ray when asked; ``isolated_process``
holds an object that may hang or crash; ``threads`` sets how many cores compiled loops share.
"""

__all__ = ["cluster", "executor", "isolated_process", "processes", "threads"]
