"""A View as an SVG picture.

``render`` draws it. The web page draws the same picture in JavaScript; a test compares the two
byte for byte.
"""

from playproof.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
