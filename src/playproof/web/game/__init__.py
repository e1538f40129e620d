"""One game of the lab: its room, lines, clocks and what each person sees of it.

``lobby`` finds and starts rooms, ``room`` is one game, ``session`` is a visitor viewing it.
"""

__all__ = ["lobby", "othello_text", "parse_text", "replay", "room", "serializers", "session"]
