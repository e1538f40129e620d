"""How far a player is from perfect: its share of right moves in solved positions of Choko."""

__all__ = ["critical", "measure", "positions", "sample"]
