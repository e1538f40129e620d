"""Work on several cores, processes or machines.

``executor`` maps a function over tasks, in local processes or, with ``cluster``, on a Ray cluster.
``isolated_process`` holds an object that may hang or crash.  ``processes`` tells processes apart
and signals them; ``threads`` sets how many cores compiled loops share.
"""

__all__ = ["cluster", "executor", "isolated_process", "processes", "threads"]
