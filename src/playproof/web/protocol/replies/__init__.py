"""What the lab answers: the games' own messages in ``games``, the door's in ``door``, and
those of each page in a module of its name."""

__all__ = [
    "base",
    "classroom",
    "door",
    "games",
    "jobs",
    "papers",
    "proofs",
    "tournaments",
    "training",
    "truth",
]
