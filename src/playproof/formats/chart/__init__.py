"""Line charts as SVG.

``chart`` arranges panels under one title, ``panel`` draws a single panel, and ``scale`` chooses
the ticks of its axes.
"""

__all__ = ["chart"]
