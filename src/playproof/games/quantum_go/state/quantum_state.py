"""The quantum state that a board of Quantum Go stands for (Ranchin, 2016).

It is a tensor product: |0> on empty points, |1> with a colour on single stones,
and an entangled state on each group (``groups``).  It is built from plain data, so
no game is needed; ``quantum_of`` makes it from a position.

Points are names (``"C4"``), or numbers from A1, row by row; a set of points is a
list of them or a text such as ``"A2 B1"``.  A colour is 0 or ``"B"``, 1 or ``"W"``.
For GHZ groups ``basis`` says what is observed: ``"occupancy"`` (is a stone there?)
or ``"label"`` (at which point does the stone stay?).  For other groups the two are
the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.core.errors import UsageError, one_of
from playproof.games.go.text import Points
from playproof.games.quantum_go.state import ket as quantum_ket
from playproof.games.quantum_go.state.groups import BASES, KINDS, LABEL, OCCUPANCY, Complex, Group

if TYPE_CHECKING:
    from playproof.core.state import State

MAX_DENSITY_ROWS = 1024  # of a density matrix: ten points with or without a stone

PointLike = str | int
PointsLike = str | int | Iterable[PointLike]

__all__ = [
    "BASES",
    "KINDS",
    "LABEL",
    "OCCUPANCY",
    "Group",
    "MeasurementOutcome",
    "QuantumState",
    "quantum_of",
]


@dataclass(frozen=True)
class MeasurementOutcome:
    """One outcome of a measurement: its result, its probability, and the state after it."""

    result: str  # "present" or "absent"; by label, the name of the point where the stone stays
    probability: float
    state: QuantumState


class QuantumState:
    """The state of a board.  It is immutable; a measurement gives new states."""

    def __init__(
        self,
        width: int,
        height: int,
        singles: Mapping[Any, int | str] | None = None,
        groups: Sequence[Group | Sequence[Any]] = (),
    ) -> None:
        """``groups``, oldest first, are Groups or (owner, points[, kind[, amplitudes]])."""
        self.width, self.height = width, height
        self.points = Points(width, height)
        stones = singles or {}
        self.singles = {self.name(point): side(colour) for point, colour in stones.items()}
        self.groups = tuple(self._group(group) for group in groups)
        taken = [*self.singles, *(point for group in self.groups for point in group.points)]
        twice = {point for point in taken if taken.count(point) > 1}
        if twice or len(self.singles) < len(stones):
            raise UsageError(
                f"two stones on {', '.join(sorted(twice)) or 'one point'}: want one per point"
            )
        self._group_index = {
            point: (group, i) for group in self.groups for i, point in enumerate(group.points)
        }

    def _group(self, group: Group | Sequence[Any]) -> Group:
        if not isinstance(group, Group):
            if not 2 <= len(group) <= 4:
                raise UsageError(
                    "a group is (owner, points), optionally with its kind and amplitudes"
                )
            group = Group(side(group[0]), tuple(self.names(group[1])), *group[2:])
        return Group(
            side(group.owner), tuple(self.names(group.points)), group.kind, group.amplitudes
        )

    # Points

    def name(self, point: PointLike) -> str:
        """The name of a point given by name or number."""
        if isinstance(point, str):
            number = self.points.numbers.get(point.strip().upper())
        else:
            number = int(point) if 0 <= point < self.points.count else None
        if number is None:
            raise UsageError(
                f"no point {point!r}: want A1 to {self.points.names[-1]} (no column I), "
                f"or 0 to {self.points.count - 1}"
            )
        return self.points.names[number]

    def names(self, places: PointsLike) -> list[str]:
        """The names of a set of points, in the order given; they must be different."""
        if isinstance(places, str):
            places = places.replace(",", " ").split()
        elif isinstance(places, int | np.integer):
            places = [int(places)]
        names = [self.name(place) for place in places]
        if len(set(names)) != len(names):
            raise UsageError(f"the same point twice in {', '.join(names)}: want each once")
        return names

    def in_order(self, names: Iterable[str]) -> list[str]:
        """Points by column, then row, as the paper lists them."""
        width, numbers = self.width, self.points.numbers
        return sorted(names, key=lambda name: (numbers[name] % width, numbers[name] // width))

    @property
    def empty(self) -> list[str]:
        """The points without any stone, single or entangled, by column, then row."""
        return self.in_order(set(self.points.names) - set(self.singles) - set(self._group_index))

    def group_at(self, point: PointLike) -> Group | None:
        """The group that a point belongs to; None if it belongs to none."""
        entry = self._group_index.get(self.name(point))
        return entry[0] if entry else None

    def colour(self, point: PointLike) -> int | None:
        """The colour that a stone there would have, 0 or 1; None if the point is empty."""
        name = self.name(point)
        group = self.group_at(name)
        return group.owner if group else self.singles.get(name)

    # Born's rule

    def probability(self, point: PointLike) -> float:
        """The probability that the point has a stone."""
        name = self.name(point)
        if name in self._group_index:
            group, i = self._group_index[name]
            return float(group.probabilities[i])
        return float(name in self.singles)

    def probabilities(self) -> dict[str, float]:
        """The probability of a stone for every point, by column, then row."""
        return {name: self.probability(name) for name in self.in_order(self.points.names)}

    def both_present(self, one: PointLike, other: PointLike) -> float:
        """The probability that both of two points have a stone."""
        a, b = self.names([one, other])
        if self.group_at(a) is not None and self.group_at(a) is self.group_at(b):
            return 0.0  # a group has only one stone in the end
        return self.probability(a) * self.probability(b)

    # Parts of the board

    def density(self, places: PointsLike, basis: str = OCCUPANCY) -> Complex:
        """The reduced density matrix of some points; the first one is the leading factor.

        Its shape is (d, d), where d is the product of the points' levels: 2 for a point, or k in
        the label basis for a point of a GHZ group of k.  Rows are ordered 0 (absent) before 1
        (present), labels by the order of the group's points.
        """
        names, parts = self._parts(places, basis)
        levels = dict.fromkeys(names, 2)
        for group, members in parts:
            levels |= {group.points[i]: group.levels(basis) for i in members}
        rows = math.prod(levels.values())
        if rows > MAX_DENSITY_ROWS:
            raise UsageError(
                f"the density matrix of {len(names)} points has {rows} rows: "
                f"want {MAX_DENSITY_ROWS} at most; entropy takes any set of points"
            )
        order: list[str] = []
        rho: Any = np.ones((1, 1), np.complex128)
        for group, members in parts:
            order += [group.points[i] for i in members]
            rho = np.kron(rho, group.density(members, basis))
        for name in names:
            if name not in self._group_index:
                order.append(name)
                rho = np.kron(rho, np.diag([0, 1] if name in self.singles else [1, 0]))
        shape = [levels[name] for name in order]
        axes = [order.index(name) for name in names]
        n = len(shape)
        tensor: Complex = rho.reshape(shape + shape)
        return tensor.transpose(axes + [n + axis for axis in axes]).reshape(rows, rows)

    def entropy(self, places: PointsLike, basis: str = OCCUPANCY) -> float:
        """The von Neumann entropy of a set of points, in bits.

        That of one point of a pair is the entanglement of the pair, in ebits.
        """
        _, parts = self._parts(places, basis)
        return sum(group.entropy(members, basis) for group, members in parts)

    def _parts(
        self, places: PointsLike, basis: str
    ) -> tuple[list[str], list[tuple[Group, list[int]]]]:
        """The names of the points, and the members that each group has among them."""
        check_basis(basis)
        names = self.names(places)
        parts = []
        for group in self.groups:
            members = [group.points.index(name) for name in names if name in group.points]
            if members:
                parts.append((group, members))
        return names, parts

    # Measurement

    def measure(self, point: PointLike, basis: str = OCCUPANCY) -> list[MeasurementOutcome]:
        """The outcomes of the projective measurement of one point; none has probability 0.

        In the occupancy basis, {|0><0|, |1><1|}, the question is whether a stone is there; the
        states after it are the normalised projections up to a phase.  In the label basis the
        outcomes of a GHZ group are the points where its stone may stay, as after contact in the
        game.
        """
        check_basis(basis)
        name = self.name(point)
        if name not in self._group_index:
            return [MeasurementOutcome("present" if name in self.singles else "absent", 1.0, self)]
        group, i = self._group_index[name]
        chances = group.probabilities
        if basis == LABEL and group.kind == "ghz":
            by_label = [
                MeasurementOutcome(
                    stays, float(chances[j]), self._replace_group(group, (stays,), None)
                )
                for j, stays in enumerate(group.points)
            ]
            return [outcome for outcome in by_label if outcome.probability > 0]
        outcomes = []
        if chances[i] > 0:
            present = self._replace_group(group, (name,), None)
            outcomes.append(MeasurementOutcome("present", float(chances[i]), present))
        absent = float(np.delete(chances, i).sum())
        if absent > 0:
            after = self._replace_group(group, *group.without(i))
            outcomes.append(MeasurementOutcome("absent", absent, after))
        return outcomes

    def _replace_group(
        self, group: Group, certain: tuple[str, ...], left: Group | None
    ) -> QuantumState:
        """The state with a group replaced by single stones, or by the group that is left."""
        singles = self.singles | dict.fromkeys(certain, group.owner)
        groups = [left if g is group else g for g in self.groups]
        return QuantumState(self.width, self.height, singles, [g for g in groups if g is not None])

    # Text

    def ket(self, numbers: bool = False) -> str:
        """The state in the paper's notation; ``numbers`` writes all amplitudes as numbers."""
        return quantum_ket.write(self, quantum_ket.UNICODE, numbers)

    def latex(self, numbers: bool = False) -> str:
        """The same for LaTeX's math mode."""
        return quantum_ket.write(self, quantum_ket.LATEX, numbers)

    def plain(self, numbers: bool = False) -> str:
        """The same in plain ASCII, with a1 and b1 for the Greek letters."""
        return quantum_ket.write(self, quantum_ket.PLAIN, numbers)

    def __str__(self) -> str:
        return self.ket()

    def __repr__(self) -> str:
        return f"QuantumState({self.width}x{self.height}, {self.plain(numbers=True)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QuantumState):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.width, self.height, frozenset(self.singles.items()), self.groups


def side(colour: int | str) -> int:
    """The side, 0 or 1, that a colour's number or letter means."""
    sides = {0: 0, 1: 1, "B": 0, "W": 1}
    key = colour.upper() if isinstance(colour, str) else int(colour)
    if key not in sides:
        raise UsageError(f"no colour {colour!r}: want B or 0 for Black, W or 1 for White")
    return sides[key]


def check_basis(basis: str) -> None:
    if basis not in BASES:
        raise UsageError(f"unknown basis {basis!r}: want {one_of(BASES)}")


def quantum_of(state: State) -> QuantumState:
    """The quantum state of a position of Quantum Go.

    Within a turn, the new group is the youngest group as soon as all of its stones are placed;
    before that it is not part of the state.  The game's alpha belongs to the point of a pair
    that comes later by column, then row, as in the formula.
    """
    from playproof.games.quantum_go.game import QuantumGo
    from playproof.rules import quantum_go as law

    game, row = state.game, state.row
    if not isinstance(game, QuantumGo):
        raise UsageError(f"{game.title} has no quantum state: want a position of quantum-go")
    singles = {p: colour for colour, points in enumerate(game.stones(row)) for p in points}
    grouped = game.groups(row)
    new = game.new_group(row)
    if new and game.step(row) != law.PLACE:
        grouped.append((game.mover(row), new))
    groups: list[tuple[Any, ...]] = []
    for owner, numbers in grouped:
        # By column, then row, so that x and y of a pair are those of the paper's Figure 7.
        points = sorted(numbers, key=lambda p: (p % game.width, p // game.width))
        if len(points) == 1:
            singles[points[0]] = owner
        elif len(points) == 2 and not game.w_type:
            alpha, beta = math.sqrt(game.later_stays), math.sqrt(1.0 - game.later_stays)
            groups.append((owner, points, "pair", (alpha, beta)))
        else:
            groups.append((owner, points, "w" if game.w_type else "ghz"))
    return QuantumState(game.width, game.height, singles, groups)
