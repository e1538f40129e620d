"""Processes in which the lab's agents think, and the order in which people get them."""

__all__ = ["fair_queue", "pool", "priorities"]
