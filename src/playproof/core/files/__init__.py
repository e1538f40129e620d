"""Where data lives on disk, and how it is written safely.

``folders`` names the data and cache folders; ``atomic_write``, ``private`` and ``locks`` guard what
is written there.
"""

__all__ = ["atomic_write", "folders", "locks", "private"]
