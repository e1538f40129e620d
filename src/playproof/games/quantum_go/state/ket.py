"""A quantum state as a formula, in the form of the paper's Figure 7 (Ranchin, 2016).

Empty points first, then black and white single stones, then the groups, oldest
first, each with its own number at its amplitudes.  A pair is written with
symbols.  W and GHZ groups of equal amplitudes are a sum divided by a root;
others show their numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from playproof.games.quantum_go.state.groups import Complex, Group
    from playproof.games.quantum_go.state.quantum_state import QuantumState

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class Style(NamedTuple):
    """How one kind of text writes the parts of a formula."""

    close: str  # of a ket
    colours: tuple[str, str]
    alpha: str
    beta: str
    root: str
    minus: str
    numbers_below: bool = False  # the amplitudes' numbers as subscript letters


UNICODE = Style(
    "⟩", ("_B", "_W"), "\N{GREEK SMALL LETTER ALPHA}{}", "β{}", "√{}", "\N{MINUS SIGN}", True
)
LATEX = Style(r"\rangle", ("_{B}", "_{W}"), r"\alpha_{{{}}}", r"\beta_{{{}}}", r"\sqrt{{{}}}", "-")
PLAIN = Style(">", ("_B", "_W"), "a{}", "b{}", "sqrt({})", "-")


def write(state: QuantumState, style: Style, numbers: bool) -> str:
    """The whole board."""
    parts = []
    if state.empty:
        parts.append(f"({_ket(style, '0', state.empty)})")
    for owner in (0, 1):
        stones = state.in_order(p for p, colour in state.singles.items() if colour == owner)
        if stones:
            parts.append(f"({_ket(style, '1', stones)}){style.colours[owner]}")
    for i, group in enumerate(state.groups, 1):
        parts.append(f"({_group(style, group, i, numbers)}){style.colours[group.owner]}")
    return "".join(parts)


def _ket(style: Style, inside: str, points: list[str] | tuple[str, ...]) -> str:
    below = f"_{{{','.join(points)}}}" if points else ""
    return f"|{inside}{style.close}{below}"


def _group(style: Style, group: Group, number: int, numbers: bool) -> str:
    if group.kind == "pair":
        return _pair(style, group, number, numbers)
    kets = [_ket(style, inside, ()) for inside in _basis_states(group)]
    c = group.coefficients
    below = f"_{{{','.join(group.points)}}}"
    there = np.flatnonzero(c)
    if not numbers and np.allclose(c[there], len(there) ** -0.5):
        total = " + ".join(kets[i] for i in there)
        return f"({total}){below}/{style.root.format(len(there))}"
    return f"({_sum(style, c, kets)}){below}"


def _basis_states(group: Group) -> list[str]:
    """What stands in the ket when the stone is at each point: 100, 010 ...; GHZ: 111, 222 ..."""
    size = len(group.points)
    if group.kind == "ghz":
        between = "" if size < 10 else ","
        return [between.join([str(i + 1)] * size) for i in range(size)]
    return ["".join("01"[i == j] for j in range(size)) for i in range(size)]


def _pair(style: Style, group: Group, number: int, numbers: bool) -> str:
    x, y = ([point] for point in group.points)
    at_y = _ket(style, "0", x) + _ket(style, "1", y)
    at_x = _ket(style, "1", x) + _ket(style, "0", y)
    if numbers:
        return _sum(style, group.coefficients[::-1], [at_y, at_x])
    written = str(number).translate(_SUBSCRIPTS) if style.numbers_below else str(number)
    alpha, beta = style.alpha.format(written), style.beta.format(written)
    return f"{alpha}{at_y} {style.minus} {beta}{at_x}"


def _sum(style: Style, coefficients: Complex, kets: list[str]) -> str:
    text = ""
    for coefficient, ket in zip(coefficients, kets, strict=True):
        if coefficient == 0:
            continue
        negative, size = _number(complex(coefficient), style)
        if text:
            text += f" {style.minus if negative else '+'} "
        elif negative:
            text += style.minus
        text += size + ket
    return text


def _number(value: complex, style: Style) -> tuple[bool, str]:
    """(whether a minus stands before it, the rest); three digits."""
    small = 5e-4
    negative = value.real < -small or (abs(value.real) <= small and value.imag < 0)
    value = -value if negative else value
    if abs(value.imag) <= small:
        return negative, f"{abs(value.real):.3g}"
    if abs(value.real) <= small:
        return negative, f"{value.imag:.3g}i"
    sign = style.minus if value.imag < 0 else "+"
    return negative, f"({value.real:.3g}{sign}{abs(value.imag):.3g}i)"
