"""Long commands recorded on disk, so that they can be listed, stopped and resumed.

``recorder`` is used by the command itself, ``index`` and ``control`` by whoever lists, stops or
resumes jobs; ``store`` knows the files of a job.  ``supervisor`` runs as a program of its own and
imports nothing from this package.
"""

__all__ = ["control", "index", "recorder", "store", "supervisor"]
