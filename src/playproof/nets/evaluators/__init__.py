"""Networks as evaluators of tree search.

``network`` returns priors and values of positions; ``leaves`` and ``device`` evaluate the leaves of
many trees, on the CPU or on a GPU.
"""

__all__ = ["device", "leaves", "network"]
