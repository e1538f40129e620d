"""The learning curve of a run's nets: what they know after which iteration, against exact values.

``measure`` asks the nets of a run about solved positions and lets them play an opponent, and keeps
each answer in a file; ``stages`` says what is learned first and last; ``report`` and ``chart`` show
all of it.
"""

__all__ = ["chart", "measure", "report", "stages"]
