"""Line charts as SVG.

``chart`` puts panels under one title; ``panel`` draws one of them, ``scale`` chooses its ticks.
"""

__all__ = ["chart"]
