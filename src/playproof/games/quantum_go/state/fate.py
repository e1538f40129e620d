"""The fate of a chain: how the collapses of one turn decide whether it lives or is captured.

Entangled stones have only empty neighbours (except in W-type play), so it takes a
turn that touches a chain to decide its fate.  ``fate_of`` takes one such turn, given
by the points of its new stones, and lists all ways in which it can go: the collapses
of the mover's older groups, of the opponent's, and of the new one, and then the
captures, as in Ranchin (2016).  Either the owners choose, and there are no
probabilities, or chance decides by Born's rule.  ``deciding_turns`` lists all turns
that could capture a chain.

The enumeration is exact except for superko: a state has no history, so it includes
turns that only superko forbids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from playproof.core.errors import UsageError, one_of
from playproof.games.quantum_go.state.chains import (
    liberties_of,
    neighbours,
    single_stone,
    stones_of,
    without_liberties,
)
from playproof.games.quantum_go.state.groups import Group
from playproof.games.quantum_go.state.quantum_state import PointLike, PointsLike, QuantumState, side

COLLAPSES = ("owner", "born")


@dataclass(frozen=True)
class Collapse:
    """One collapse of a turn: its step (1 to 3), the group, and the points that are left of it."""

    step: int
    owner: int
    points: tuple[str, ...]
    left: tuple[str, ...]

    def __str__(self) -> str:
        return f"{'BW'[self.owner]} {'+'.join(self.points)} > {'+'.join(self.left)}"


@dataclass(frozen=True)
class Fate:
    """One way in which the turn can go."""

    collapses: tuple[Collapse, ...]
    captured: bool
    probability: float | None  # by Born's rule; None where the owners choose


@dataclass(frozen=True)
class ChainFate:
    """All ways in which one turn can go, and what they mean for a chain."""

    new: tuple[str, ...]
    fates: tuple[Fate, ...]
    # The chain is captured if both sides choose best; by chance, if it is always captured.
    forced: bool

    @property
    def probability(self) -> float | None:
        """The probability of capture by Born's rule; None where the owners choose."""
        chances = [fate.probability for fate in self.fates if fate.captured]
        if any(fate.probability is None for fate in self.fates):
            return None
        return float(sum(chance for chance in chances if chance is not None))


@dataclass(frozen=True)
class _PendingCollapse:
    """A collapse that is still to come in the turn."""

    step: int
    age: int  # of the group
    at: str | None = None  # where a W-group is measured, if chance decides


@dataclass(frozen=True)
class _Turn:
    """A turn in progress: single stones, groups by age, the collapses to come, and the points
    that steps 1 and 2 left of the groups that collapsed."""

    singles: dict[str, int]
    groups: dict[int, Group]
    pending: tuple[_PendingCollapse, ...]
    survivors: frozenset[str] = frozenset()

    def stones(self) -> dict[str, int]:
        grouped = {p: group.owner for group in self.groups.values() for p in group.points}
        return self.singles | grouped


def fate_of(
    state: QuantumState,
    point: PointLike,
    new: PointsLike,
    *,
    mover: int | str | None = None,
    collapse: str = "owner",
    kind: str = "pair",
    amplitudes: tuple[complex, ...] = (),
    weak: bool = False,
    suicide: bool = False,
) -> ChainFate:
    """What one turn can do to the chain of the single stone at ``point``.

    ``new`` are the points of the new stones, for a pair in the order of its definition; one
    point is a single stone.  ``mover`` is by default the opponent of the chain.  ``kind`` and
    ``amplitudes`` are those of the new group.  With ``weak``, diagonal contact counts too.
    Without ``suicide``, ways in which the mover ends without a liberty are left out, and the
    probabilities of the others add up to 1.
    """
    chain, placed = single_stone(state, point), state.names(new)
    _check_collapse(collapse)
    if not placed or set(placed) & set(stones_of(state)):
        raise UsageError(f"no turn on {', '.join(placed) or 'no points'}: want empty points")
    who = 1 - state.singles[chain] if mover is None else side(mover)
    rules = _TurnRules(state, chain, who, collapse == "born", weak, suicide)
    fate = rules.fate(placed, kind, amplitudes)
    if fate is None:
        raise UsageError(f"a turn on {', '.join(placed)} is suicide: want suicide=True")
    return fate


def deciding_turns(
    state: QuantumState,
    point: PointLike,
    *,
    stones: int = 2,
    collapse: str = "owner",
    kind: str = "pair",
    weak: bool = False,
    suicide: bool = False,
) -> list[ChainFate]:
    """All turns of the opponent, with this number of new stones, that could capture a chain.

    The new stones must take all of its liberties, since a collapse only removes stones.  New
    groups have equal amplitudes.
    """
    chain, liberties = single_stone(state, point), liberties_of(state, point)
    _check_collapse(collapse)
    rules = _TurnRules(state, chain, 1 - state.singles[chain], collapse == "born", weak, suicide)
    rest = [name for name in state.empty if name not in liberties]
    more = stones - len(liberties)
    turns = [state.in_order([*liberties, *some]) for some in combinations(rest, max(more, 0))]
    fates = [rules.fate(new, kind) for new in turns] if more >= 0 else []
    return [fate for fate in fates if fate and any(way.captured for way in fate.fates)]


def _check_collapse(collapse: str) -> None:
    if collapse not in COLLAPSES:
        raise UsageError(f"unknown collapse {collapse!r}: want {one_of(COLLAPSES)}")


class _TurnRules:
    """The rules of one turn, as far as they matter for a chain's fate."""

    def __init__(
        self, state: QuantumState, chain: str, mover: int, born: bool, weak: bool, suicide: bool
    ) -> None:
        self.state, self.chain, self.mover = state, chain, mover
        self.born, self.weak, self.suicide = born, weak, suicide
        self.newest = len(state.groups) + 1  # ages count from 1

    def fate(
        self, new: list[str], kind: str, amplitudes: tuple[complex, ...] = ()
    ) -> ChainFate | None:
        """All ways in which a turn can go; None if all of them are illegal."""
        fates, forced = self.outcomes(self.place_stones(new, kind, amplitudes))
        return ChainFate(tuple(new), tuple(fates), forced) if fates else None

    def neighbours(self, points: Iterable[str]) -> set[str]:
        return {q for p in points for q in neighbours(self.state, p, self.weak)}

    def place_stones(self, new: list[str], kind: str, amplitudes: tuple[complex, ...]) -> _Turn:
        """The turn after its stones are placed, with the collapses to come in order."""
        before = stones_of(self.state)
        groups = dict(enumerate(self.state.groups, 1))
        singles = dict(self.state.singles)
        touched = self.neighbours(new)
        hit = [age for age, group in groups.items() if touched & set(group.points)]
        steps = [(1, age) for age in hit if groups[age].owner == self.mover]
        steps += [(2, age) for age in hit if groups[age].owner != self.mover]
        if len(new) == 1:
            singles[new[0]] = self.mover
        else:
            groups[self.newest] = Group(self.mover, tuple(new), kind, amplitudes)
            if touched & {*before, *new}:
                steps.append((3, self.newest))
        if self.born:
            steps.sort(key=lambda step: step[1])
        pending: list[_PendingCollapse] = []
        for step, age in steps:
            if self.born and groups[age].kind == "w":
                others = self.neighbours(new if step < 3 else [*before, *new])
                points = sorted(groups[age].points, key=self.state.points.numbers.__getitem__)
                pending += [_PendingCollapse(step, age, p) for p in points if p in others]
            else:
                pending.append(_PendingCollapse(step, age))
        return _Turn(singles, groups, tuple(pending))

    def outcomes(self, turn: _Turn) -> tuple[list[Fate], bool]:
        """All ways from here to the end of the turn, and whether best play leads to capture.

        There are none if the turn would be illegal.
        """
        if not turn.pending:
            captured = self.captured(turn)
            if captured is None:
                return [], False
            return [Fate((), captured, 1.0 if self.born else None)], captured
        pending_collapse = turn.pending[0]
        group = turn.groups[pending_collapse.age]
        branches = []
        for left, weight in self.remainders(turn, pending_collapse):
            fates, forced = self.outcomes(self.after_collapse(turn, pending_collapse, left))
            if fates:
                collapse = Collapse(pending_collapse.step, group.owner, group.points, left)
                branches.append((collapse, weight, fates, forced))
        total = sum(weight for _, weight, _, _ in branches)
        fates = [
            Fate(
                (collapse, *fate.collapses),
                fate.captured,
                None if fate.probability is None else fate.probability * weight / total,
            )
            for collapse, weight, branch_fates, _ in branches
            for fate in branch_fates
        ]
        branch_forced = [forced for _, _, _, forced in branches]
        wants_capture = group.owner != self.state.singles[self.chain]
        if wants_capture and not self.born:
            return fates, any(branch_forced)
        return fates, bool(branch_forced) and all(branch_forced)

    def remainders(
        self, turn: _Turn, pending_collapse: _PendingCollapse
    ) -> Iterator[tuple[tuple[str, ...], float]]:
        """The points that can be left of the group, with weights by Born's rule."""
        group, at = turn.groups[pending_collapse.age], pending_collapse.at
        points, chances = group.points, group.probabilities
        bound: set[str] = set()
        if pending_collapse.step == 3:
            bound = self.neighbours(turn.survivors & set(turn.stones())) & set(points)
        if at is not None:
            here = float(chances[points.index(at)])
            results = [((at,), here), (_others(points, at), 1.0 - here)]
        elif group.kind == "w":
            results = [(_others(points, gone), 1.0) for gone in points]
        else:
            results = [((stays,), float(p)) for stays, p in zip(points, chances, strict=True)]
        for left, weight in results:
            if (not bound or bound & set(left)) and (weight > 0 or not self.born):
                yield left, weight

    def after_collapse(
        self, turn: _Turn, pending_collapse: _PendingCollapse, left: tuple[str, ...]
    ) -> _Turn:
        """The turn after one collapse; a single point that is left becomes a single stone."""
        group = turn.groups[pending_collapse.age]
        singles, groups = dict(turn.singles), dict(turn.groups)
        if len(left) == 1:
            singles[left[0]] = group.owner
            del groups[pending_collapse.age]
        else:
            groups[pending_collapse.age] = _smaller(group, left)
        pending = tuple(
            q
            for q in turn.pending[1:]
            if q.age in groups and (q.at is None or q.at in groups[q.age].points)
        )
        survivors = turn.survivors | set(left) if pending_collapse.step < 3 else turn.survivors
        return _Turn(singles, groups, pending, survivors)

    def captured(self, turn: _Turn) -> bool | None:
        """Whether the chain is captured at the end of the turn; None if the turn is suicide."""
        stones = turn.stones()
        taken = without_liberties(self.state, stones, 1 - self.mover)
        for point in taken:
            del stones[point]
        lost = without_liberties(self.state, stones, self.mover)
        if lost and not self.suicide:
            return None
        return self.chain in taken | lost


def _others(points: tuple[str, ...], gone: str) -> tuple[str, ...]:
    return tuple(point for point in points if point != gone)


def _smaller(group: Group, left: tuple[str, ...]) -> Group:
    """A W-group after it has lost a point."""
    coefficients = [group.coefficients[group.points.index(point)] for point in left]
    norm = sum(abs(c) ** 2 for c in coefficients) ** 0.5
    # An owner may give up the only point with a non-zero amplitude; then the others are equal.
    amplitudes = tuple(complex(c / norm) for c in coefficients) if norm > 0 else ()
    return Group(group.owner, left, group.kind, amplitudes)
