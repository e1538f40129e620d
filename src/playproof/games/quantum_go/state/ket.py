"""A quantum state as a formula, in the form of the paper's Figure 7 (Ranchin, 2016).

Empty points come first, then black and white single stones, then the groups, oldest
first, with the number of the group at its amplitudes.  A pair is written with
symbols.  A W or GHZ group of equal amplitudes is a sum divided by a root; other
groups show their amplitudes as numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from playproof.games.quantum_go.state.groups import Complex, Group
    from playproof.games.quantum_go.state.quantum_state import QuantumState

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class Style(NamedTuple):
    """How a kind of text writes the parts of a formula; ``{}`` stands for a number."""

    close: str  # the end of a ket
    colours: tuple[str, str]
    alpha: str
    beta: str
    root: str
    minus: str
    numbers_below: bool = False  # write the numbers of groups as subscript characters


UNICODE = Style(
    "⟩", ("_B", "_W"), "\N{GREEK SMALL LETTER ALPHA}{}", "β{}", "√{}", "\N{MINUS SIGN}", True
)
LATEX = Style(r"\rangle", ("_{B}", "_{W}"), r"\alpha_{{{}}}", r"\beta_{{{}}}", r"\sqrt{{{}}}", "-")
PLAIN = Style(">", ("_B", "_W"), "a{}", "b{}", "sqrt({})", "-")


def write(state: QuantumState, style: Style, numbers: bool) -> str:
    """The formula of a board; ``numbers`` writes amplitudes of pairs as numbers too."""
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
    nonzero = np.flatnonzero(c)
    if not numbers and np.allclose(c[nonzero], len(nonzero) ** -0.5):
        total = " + ".join(kets[i] for i in nonzero)
        return f"({total}){below}/{style.root.format(len(nonzero))}"
    return f"({_sum(style, c, kets)}){below}"


def _basis_states(group: Group) -> list[str]:
    """The labels of the kets, one for each point of the stone: 100, 010, ...; GHZ 111, 222, ..."""
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
    index = str(number).translate(_SUBSCRIPTS) if style.numbers_below else str(number)
    alpha, beta = style.alpha.format(index), style.beta.format(index)
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
    """Whether a number is written with a minus, and the rest of it, with three digits."""
    small = 5e-4
    negative = value.real < -small or (abs(value.real) <= small and value.imag < 0)
    value = -value if negative else value
    if abs(value.imag) <= small:
        return negative, f"{abs(value.real):.3g}"
    if abs(value.real) <= small:
        return negative, f"{value.imag:.3g}i"
    sign = style.minus if value.imag < 0 else "+"
    return negative, f"({value.real:.3g}{sign}{abs(value.imag):.3g}i)"
