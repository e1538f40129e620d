"""What the lab answers: messages about games in ``games``, replies about the lab itself in ``lab``,
and those of each page in a module of its name.
"""

__all__ = [
    "base",
    "classroom",
    "games",
    "jobs",
    "lab",
    "papers",
    "proofs",
    "tournaments",
    "training",
    "truth",
]
