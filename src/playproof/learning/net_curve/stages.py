"""Stages of learning: from which iteration on a network knows a kind of position.

A group of positions counts as learned from the first measured iteration on from which the share of
value kept never again falls below a level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.arena.yardstick.critical import CriticalPosition
from playproof.arena.yardstick.groups import Group

LEVELS = (0.8, 0.9)


@dataclass(frozen=True)
class Stage:
    """How one group of positions is learned.

    ``reached`` has the iteration for each of ``LEVELS``, and ``half`` that of half the final gain:
    the mean of the first and the last share.  None is never; ``half`` is None without a gain."""

    group: Group
    positions: int
    chance: float  # the expected share for uniformly random moves
    shares: tuple[float, ...]  # one for each measured iteration
    reached: tuple[int | None, ...]
    half: int | None

    def order(self) -> tuple[float, ...]:
        """A key that sorts what is learned first before what is learned last."""
        iterations = [float("inf") if one is None else one for one in (*self.reached, self.half)]
        return (*iterations, -self.shares[-1])


def stages(
    iterations: Sequence[int],
    kept: npt.NDArray[np.bool_],
    positions: Sequence[CriticalPosition],
    groups: Sequence[tuple[Group, ...]],
) -> list[Stage]:
    """The stages of all groups, those learned first at the beginning.

    ``kept`` is (iterations, positions); ``groups[i]`` are the groups of position ``i``."""
    members: dict[Group, list[int]] = {}
    for index, of_one in enumerate(groups):
        for group in of_one:
            members.setdefault(group, []).append(index)
    found = []
    for group, indices in members.items():
        shares = tuple(kept[:, indices].mean(axis=1).tolist())
        first, last = shares[0], shares[-1]
        found.append(
            Stage(
                group,
                len(indices),
                sum(positions[i].share for i in indices) / len(indices),
                shares,
                tuple(stays_above(iterations, shares, level) for level in LEVELS),
                stays_above(iterations, shares, (first + last) / 2) if last > first else None,
            )
        )
    return sorted(found, key=Stage.order)


def stays_above(iterations: Sequence[int], shares: Sequence[float], level: float) -> int | None:
    """The first iteration from which on no share is below ``level``; None if the last one is."""
    answer = None
    for iteration, share in zip(reversed(iterations), reversed(shares), strict=True):
        if share < level:
            break
        answer = iteration
    return answer
