"""What ``playproof paper`` runs and prints, by paper."""

__all__ = ["chokozero", "rl_chess"]
