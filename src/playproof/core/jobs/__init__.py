"""Long commands that write down what they do, so that they can be listed, stopped and resumed.

``recorder`` is the command's side and ``index`` the reader's; ``store`` knows the files of a job.
``supervisor`` runs as a program of its own and imports nothing from this package.
"""

__all__ = ["control", "index", "recorder", "store", "supervisor"]
