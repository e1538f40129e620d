"""A board's state as one vector over all points, and textbook quantum theory on it.

Nothing is shared with the code under test but the description of the board. By occupancy, every
point is a qubit, and a GHZ group has a register of its own that remembers the label. By label, a
point of a GHZ group of k has k levels, and the register is not needed.
"""

from __future__ import annotations

import math

import numpy as np

COLUMNS = "ABCDEFGHJKLMNOPQRST"


def names(width: int, height: int) -> list[str]:
    return [f"{COLUMNS[x]}{y + 1}" for y in range(height) for x in range(width)]


class Vector:
    """The state vector: one axis for each point, row by row from A1, then the registers."""

    def __init__(self, width, height, singles, groups, labels=False):
        """groups: (owner, points, kind, amplitudes), the amplitudes always given."""
        self.names = names(width, height)
        sizes = [2] * len(self.names)
        if labels:
            for _, points, kind, _ in groups:
                for point in points if kind == "ghz" else ():
                    sizes[self.names.index(point)] = len(points)
        else:
            sizes += [len(points) for _, points, kind, _ in groups if kind == "ghz"]
        self.sizes = sizes
        total = {tuple(int(name in singles) for name in self.names) + (0,) * self.registers: 1.0}
        register = len(self.names)
        for _, points, kind, amplitudes in groups:
            at = [self.names.index(point) for point in points]
            terms = []
            for i, spot in enumerate(at):
                if kind == "pair":
                    amplitude = -amplitudes[1] if i == 0 else amplitudes[0]
                else:
                    amplitude = amplitudes[i]
                if kind == "ghz" and labels:
                    change = dict.fromkeys(at, i)
                elif kind == "ghz":
                    change = {spot: 1, register: i}
                else:
                    change = {spot: 1}
                terms.append((amplitude, change))
            if kind == "ghz" and not labels:
                register += 1
            total = {
                tuple(change.get(axis, level) for axis, level in enumerate(levels)): a * amplitude
                for levels, a in total.items()
                for amplitude, change in terms
            }
        self.psi = np.zeros(sizes, complex)
        for levels, amplitude in total.items():
            self.psi[levels] = amplitude

    @property
    def registers(self) -> int:
        return len(self.sizes) - len(self.names)

    def density(self, points, psi=None):
        """Partial trace over everything else; the first point is the leading factor."""
        psi = self.psi if psi is None else psi
        keep = [self.names.index(point) for point in points]
        rest = [axis for axis in range(psi.ndim) if axis not in keep]
        rows = math.prod(psi.shape[axis] for axis in keep)
        matrix = psi.transpose(keep + rest).reshape(rows, -1)
        return matrix @ matrix.conj().T

    def project(self, point, level):
        """(probability, normalised projection) of finding a point at a level."""
        axis = self.names.index(point)
        psi = np.zeros_like(self.psi)
        where = [slice(None)] * psi.ndim
        where[axis] = level
        psi[tuple(where)] = self.psi[tuple(where)]
        probability = float(np.vdot(psi, psi).real)
        return probability, psi / math.sqrt(probability) if probability > 1e-12 else psi


def entropy(rho) -> float:
    """Von Neumann, in bits, from the eigenvalues."""
    spectrum = np.linalg.eigvalsh(rho)
    spectrum = spectrum[spectrum > 1e-12]
    return float(-(spectrum * np.log2(spectrum)).sum())
