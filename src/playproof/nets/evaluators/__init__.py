"""Networks as evaluators for searches.

``network`` evaluates positions in batches. ``leaves`` and ``device`` evaluate the leaves of many
trees at once, on the CPU and on a GPU.
"""

__all__ = ["device", "leaves", "network"]
