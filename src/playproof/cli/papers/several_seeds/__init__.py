"""The part ``seeds`` of ``playproof paper chokozero``: its work, and its output."""

__all__ = ["command", "report"]
