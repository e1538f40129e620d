"""Records and pictures: games as text, and a View as SVG or terminal text.

``record`` is Playproof's own format; ``sgf``, ``pgn``, ``epd``, ``transcripts`` and
``opening_books`` read those of others, and ``any_text`` and ``contents`` recognise which one a
text is in. ``svg``, ``terminal``, ``stepper`` and ``chart`` draw. Everything here knows positions
and games, and nothing about agents, matches or learning.
"""

__all__ = [
    "any_text",
    "chart",
    "compressed",
    "contents",
    "epd",
    "opening_books",
    "pgn",
    "png",
    "record",
    "sgf",
    "stepper",
    "svg",
    "terminal",
    "transcripts",
    "view_geometry",
]
