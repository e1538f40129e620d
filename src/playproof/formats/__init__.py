"""Records and pictures: notations to read and write, SVG and terminal drawings of a View."""

__all__ = [
    "any_text",
    "chart",
    "compressed",
    "contents",
    "opening_books",
    "pgn",
    "record",
    "sgf",
    "svg",
    "terminal",
    "transcripts",
]
