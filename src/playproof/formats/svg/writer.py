"""Writing SVG: numbers, escaping, elements, and text with estimated widths.

Every rule is explicit (rounding, attribute order, character widths), so that the
JavaScript of the web page can write the same bytes.
"""

from __future__ import annotations

import math
import re

# Characters that XML 1.0 forbids, even escaped; Python strings may hold them.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_SPACE = re.compile("[ \t\r\n]+")
_ESCAPES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;"))

# Advance widths in em, rather too wide for most system fonts: a label must fit its box.
_WIDTHS = (("ijl.,:;'|! ", 0.31), ('Ifrt-()[]"/*', 0.41), ("mwMW@%", 0.93))


def num(value: float) -> str:
    """A number with at most two decimals; halves round up; no exponent, trailing zeros or -0."""
    if not math.isfinite(value):
        raise ValueError(f"a picture needs finite numbers, not {value}")
    hundredths = math.floor(value * 100 + 0.5)
    whole, part = divmod(abs(hundredths), 100)
    sign = "-" if hundredths < 0 else ""
    return f"{sign}{whole}.{part:02d}".rstrip("0").rstrip(".")


def unit(value: float) -> float:
    """A share clamped to 0..1; NaN counts as 0."""
    return min(1.0, value) if value > 0 else 0.0


def clean(text: str) -> str:
    """One line of valid XML text: forbidden characters become the replacement character."""
    return _SPACE.sub(" ", _FORBIDDEN.sub("\ufffd", text)).strip(" ")


def escape(text: str) -> str:
    text = clean(text)
    for raw, safe in _ESCAPES:
        text = text.replace(raw, safe)
    return text


def tag(name: str, **attributes: str | float | None) -> str:
    """An empty element; ``stroke_width`` becomes ``stroke-width``, and None is left out.

    Strings are not escaped: they come from the theme, never from a View.
    """
    return f"<{name}{_written(attributes)}/>"


def _written(attributes: dict[str, str | float | None]) -> str:
    return "".join(
        f' {key.replace("_", "-")}="{value if isinstance(value, str) else num(value)}"'
        for key, value in attributes.items()
        if value is not None
    )


def text(
    x: float,
    y: float,
    content: str,
    size: float,
    fill: str,
    *,
    anchor: str | None = None,
    bold: bool = False,
    family: str | None = None,
) -> str:
    """One line of text, vertically centred on ``y``.

    The baseline is shifted here because not every renderer knows ``dominant-baseline``.
    """
    attributes: dict[str, str | float | None] = {
        "x": x,
        "y": y + 0.36 * size,
        "font-size": size,
        "font-weight": "700" if bold else None,
        "font-family": family,
        "text-anchor": anchor,
        "fill": fill,
    }
    return f"<text{_written(attributes)}>{escape(content)}</text>"


def _em(character: str) -> float:
    for characters, width in _WIDTHS:
        if character in characters:
            return width
    if character >= "\u2e80":  # East Asian scripts, emoji
        return 1.0
    return 0.66 if character < "a" or character > "~" else 0.58


def width(content: str, size: float, bold: bool = False) -> float:
    """Estimated width of a line of text."""
    total = 0.0
    for character in clean(content):
        total += _em(character)
    return total * size * (1.14 if bold else 1.0)


def fit(content: str, size: float, room: float, bold: bool = False) -> str:
    """The text, cut with an ellipsis if it is wider than ``room``."""
    content = clean(content)
    if width(content, size, bold) <= room:
        return content
    head = _head(content, size, room - width("…", size, bold), bold)
    return content[:head].rstrip(" ") + "…"


def wrap(content: str, size: float, room: float, bold: bool = False) -> list[str]:
    """The text broken into lines between words; a word that is too long is broken itself."""
    lines: list[str] = []
    line = ""
    for word in clean(content).split(" "):
        joined = f"{line} {word}" if line else word
        if width(joined, size, bold) <= room:
            line = joined
            continue
        if line:
            lines.append(line)
        line = word
        while width(line, size, bold) > room and len(line) > 1:
            head = _head(line, size, room, bold)
            lines.append(line[:head])
            line = line[head:]
    return [*lines, line] if line else lines


def _head(word: str, size: float, room: float, bold: bool) -> int:
    """How many characters of a word fit into ``room``; at least one."""
    count = 1
    while count < len(word) and width(word[: count + 1], size, bold) <= room:
        count += 1
    return count
