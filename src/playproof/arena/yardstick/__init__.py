"""The yardstick: how far an agent is from perfect, by its right moves in solved Choko positions.

``positions`` has the shipped set and makes others, ``measure`` asks an agent, ``curve`` draws the
results by the sizes of networks, ``sample`` draws candidate positions, ``groups`` says which
positions are of one kind, and ``critical`` is the position type that ``arena/tactics`` uses too.
"""

__all__ = ["critical", "curve", "groups", "measure", "positions", "sample"]
