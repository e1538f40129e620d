"""SVG pictures as PNG, rendered by resvg with the fonts of this machine."""

from __future__ import annotations

from playproof.core.errors import PlayproofError, one_line

_ZOOM = 2.0  # pixels of the PNG per unit of the SVG, for print and high-density screens


def png(svg: str) -> bytes:
    """The bytes of a PNG file, with twice the width and height of the SVG."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise PlayproofError(
            "a .png needs the package resvg_py: pip install resvg_py, or write an .svg"
        ) from None
    try:
        return bytes(svg_to_bytes(svg_string=svg, zoom=_ZOOM))
    except ValueError as error:  # resvg cannot read the picture
        raise PlayproofError(f"the picture cannot be drawn: {one_line(error)}") from None
