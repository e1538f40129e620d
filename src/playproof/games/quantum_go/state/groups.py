"""One entangled group of Quantum Go: its amplitudes, and the state of a part of it.

The stone is at exactly one of the group's points.  ``coefficients[i]`` is the
amplitude of "it is at point i":

* a *pair* {x, y} is a|0>x|1>y - b|1>x|0>y (Ranchin, 2016), so the coefficients are
  (-b, a);
* a *W* group is a sum over the points, with 1 at one of them and 0 at the others;
* a *GHZ* group has a label at every point, the number of the point where the stone
  will stay: |11...1> + |22...2> + ... .  A point has a stone if the label is its own
  number.  The occupancy basis observes only that; the rest of the label is traced
  out, and all coherence with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from playproof.core.errors import UsageError, one_of

KINDS = ("pair", "ghz", "w")
OCCUPANCY, LABEL = BASES = ("occupancy", "label")
_TOLERANCE = 1e-9

Complex = npt.NDArray[np.complex128]


@dataclass(frozen=True)
class Group:
    """Entangled stones of one owner (0 Black, 1 White), in the order of the state's definition.

    ``amplitudes`` is (a, b) for a pair, and one number for each point otherwise; without them
    all amplitudes are equal.
    """

    owner: int
    points: tuple[str, ...]
    kind: str = "pair"
    amplitudes: tuple[complex, ...] = ()
    coefficients: Complex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names, size = ", ".join(self.points), len(self.points)
        if self.kind not in KINDS:
            raise UsageError(f"unknown kind of group {self.kind!r}: want {one_of(KINDS)}")
        if size < 2 or (self.kind == "pair" and size != 2) or len(set(self.points)) != size:
            raise UsageError(
                f"no {self.kind} on {names or 'no points'}: want 2 different points for a pair, "
                "2 or more for the other kinds"
            )
        if not self.amplitudes:
            object.__setattr__(self, "amplitudes", (size**-0.5,) * size)
        amplitudes = np.array(self.amplitudes, np.complex128)
        if len(amplitudes) != size:
            raise UsageError(f"{len(amplitudes)} amplitudes for {names}: want {size}")
        total = float(np.sum(np.abs(amplitudes) ** 2))
        if not abs(total - 1) < _TOLERANCE:
            raise UsageError(
                f"the squares of the amplitudes on {names} add up to {total:g}: want 1"
            )
        coefficients = amplitudes
        if self.kind == "pair":
            coefficients = np.array([-amplitudes[1], amplitudes[0]])
        object.__setattr__(self, "coefficients", coefficients)

    @property
    def probabilities(self) -> npt.NDArray[np.float64]:
        """The probability of the stone at each point, by Born's rule."""
        squares: npt.NDArray[np.float64] = np.abs(self.coefficients) ** 2
        squares /= squares.sum()  # removes the rounding of roots: .5, not .5000000000000001
        return squares

    def levels(self, basis: str) -> int:
        """The dimension of the state space of one point."""
        return len(self.points) if self._labelled(basis) else 2

    def _labelled(self, basis: str) -> bool:
        return self.kind == "ghz" and basis == LABEL

    def density(self, members: list[int], basis: str) -> Complex:
        """The reduced density matrix of some members; the first one is the leading factor.

        Shape (levels^m, levels^m).
        """
        m, levels = len(members), self.levels(basis)
        rho = np.zeros((levels**m, levels**m), np.complex128)
        chances = self.probabilities
        if self._labelled(basis):
            # The index of |ii...i> is a number in base k.  Tracing out any point reveals the label.
            repunit = (levels**m - 1) // (levels - 1)
            places = [repunit * i for i in range(levels)]
            c = self.coefficients
            rho[np.ix_(places, places)] = np.outer(c, c.conj()) if m == levels else np.diag(chances)
            return rho
        places = [2 ** (m - 1 - i) for i in range(m)]
        if self.kind == "ghz":
            rho[places, places] = chances[members]
        else:
            c = self.coefficients[members]
            rho[np.ix_(places, places)] = np.outer(c, c.conj())
        rho[0, 0] = chances.sum() - chances[members].sum()  # the stone is elsewhere
        return rho

    def entropy(self, members: list[int], basis: str) -> float:
        """The von Neumann entropy of some members in bits, from the closed form of the spectrum."""
        chances = self.probabilities
        if self._labelled(basis):
            return 0.0 if len(members) == len(self.points) else bits(chances)
        inside = chances[members]
        if len(members) == len(self.points):
            elsewhere = 0.0  # exact, so that the whole group has exactly no entropy
        else:
            elsewhere = float(np.delete(chances, members).sum())
        if self.kind == "ghz":
            return bits([*inside, elsewhere])
        # Two eigenvalues: that of |0...0>, and that of the part orthogonal to it.
        return bits([1.0 - elsewhere, elsewhere])

    def without(self, member: int) -> tuple[tuple[str, ...], Group | None]:
        """The group after the stone was measured as absent at a member: (single points, group).

        If only one point is left, its stone becomes single and there is no group.  A GHZ group
        keeps all its points, since each still has the label.
        """
        c = self.coefficients.copy()
        c[member] = 0
        possible = [i for i in range(len(c)) if c[i] != 0]
        if len(possible) == 1:
            return (self.points[possible[0]],), None
        c /= np.linalg.norm(c)
        members = range(len(c)) if self.kind == "ghz" else possible
        points = tuple(self.points[i] for i in members)
        return (), Group(self.owner, points, self.kind, tuple(complex(c[i]) for i in members))


def bits(chances: npt.ArrayLike) -> float:
    """The Shannon entropy of a distribution, in bits."""
    p = np.clip(np.asarray(chances, np.float64), 0.0, 1.0)
    p = p[p > 0]
    return max(0.0, float(-(p * np.log2(p)).sum()))
