"""A picture as PNG: the SVG drawn by resvg, with the fonts of this machine."""

from __future__ import annotations

from playproof.core.errors import PlayproofError, one_line

_SHARPER = 2.0  # pixels of the PNG for one of the SVG: for paper and dense screens


def png(svg: str) -> bytes:
    """The picture as the bytes of a PNG file, twice as many pixels each way."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise PlayproofError(
            "a .png needs the package resvg_py: pip install resvg_py, or write an .svg"
        ) from None
    try:
        return bytes(svg_to_bytes(svg_string=svg, zoom=_SHARPER))
    except ValueError as error:  # what resvg says of a picture that it cannot read
        raise PlayproofError(f"the picture cannot be drawn: {one_line(error)}") from None
