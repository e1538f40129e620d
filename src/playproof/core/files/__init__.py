"""Where data lives on disk, and how it is written safely.

``folders`` names the data and cache folders.  ``atomic_write`` writes files whole or not at all,
``locks`` keeps processes apart, and ``private`` keeps files from other users.
"""

__all__ = ["atomic_write", "folders", "locks", "private"]
