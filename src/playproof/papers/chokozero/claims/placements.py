"""Corners: do the networks open there, do they move inward, and can a piece there be captured?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from playproof.arena.tactics.effects import threatened
from playproof.arena.tactics.paper_positions import word
from playproof.papers.chokozero.claims.nets import TRAINED
from playproof.papers.chokozero.claims.results import (
    CONSISTENT_SHARE,
    CONSISTENTLY,
    FAILS,
    HOLDS,
    ClaimResult,
    Estimate,
    group_sums,
    judged,
    mean_of,
    share_of,
    weighted_share,
)
from playproof.papers.chokozero.claims.self_play import OwnGames

PLACEMENTS = 25  # the first actions of the game's numbering
CORNERS = word("A1 E1 A5 E5")
RINGS = np.array([min(r, 4 - r, c, 4 - c) for r in range(5) for c in range(5)])  # 0 for the rim
KINDS = RINGS + 1 - np.isin(np.arange(25), [0, 4, 20, 24])  # corner 0, edge 1, inner 2, centre 3
BLOCK = 4  # actions
BLOCKS = 6
SMALLEST = 1e-9  # so that no change at all is not one inward
EARLY, LATE = range(8), range(16, 24)  # plies that are compared


def claims(games: Sequence[OwnGames], seed: int) -> list[ClaimResult]:
    """The claims about corners, from games of each network against itself."""
    return [_opening(games, seed), _inward(games, seed), _jumped_over(games), _captured(games)]


def _opening(games: Sequence[OwnGames], seed: int) -> ClaimResult:
    estimates = []
    for own in games:
        first = own.plies < 2
        corner = np.isin(own.actions, [0, 4, 20, 24])
        estimates.append(
            weighted_share(
                own.net.title, *by_game(own, corner & first, first), seed=seed, unit="games",
                chance=by_game(own, first * 4 / 25, first)[0], decides=own.net.name in TRAINED,
            )
        )  # fmt: skip
    return ClaimResult(
        "corners-first", "4.3", "all agents that we trained opened with corner positions",
        f"at least {CONSISTENT_SHARE} of both sides' first placements are corners, in own games",
        *judged(estimates, CONSISTENTLY),
    )  # fmt: skip


def mean_of_placements(
    own: OwnGames, plies: range, depth: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """For each game the mean depth of the squares that are taken by placements in these plies; NaN
    without any."""
    placed = (own.actions < PLACEMENTS) & (own.plies >= plies.start) & (own.plies < plies.stop)
    depths = np.where(placed, depth[np.where(placed, own.actions, 0)], 0)
    total, count = by_game(own, depths, placed)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / count)


def refilled(own: OwnGames) -> float:
    """The share of placements in late plies that fill a corner again; NaN without placements."""
    late = placed = 0
    taken: set[tuple[int, int]] = set()
    for game, ply, action in zip(
        own.games.tolist(), own.plies.tolist(), own.actions.tolist(), strict=True
    ):  # in the order of plies
        if action >= PLACEMENTS:
            continue
        if ply in LATE:
            placed += 1
            late += (game, action) in taken
        if CORNERS >> action & 1:
            taken.add((game, action))
    return late / placed if placed else math.nan


def _inward(games: Sequence[OwnGames], seed: int) -> ClaimResult:
    estimates, courses, again = [], [], []
    for own in games:
        for depth, name in ((RINGS, "ring"), (KINDS, "corner to centre")):
            difference = mean_of_placements(own, LATE, depth) - mean_of_placements(
                own, EARLY, depth
            )
            known = difference[np.isfinite(difference)]
            estimates.append(
                mean_of(f"{own.net.title}, {name}", known, seed=seed, unit="games", percent=False,
                        chance=0.0, decides=own.net.name in TRAINED)
            )  # fmt: skip
        blocks = [
            mean_of_placements(own, range(BLOCK * i, BLOCK * (i + 1)), RINGS) for i in range(BLOCKS)
        ]
        means = [f"{np.nanmean(one):.2f}" if np.isfinite(one).any() else "-" for one in blocks]
        courses.append(f"{own.net.title} {' '.join(means)}")
        again.append(f"{own.net.title} {100 * refilled(own):.0f} %")
    return ClaimResult(
        "inward", "4.3", "and slowly moved inward",
        "placements in actions 17 to 24 are further inward than in actions 1 to 8: in the mean "
        "ring (rim 0, inner 1, centre 2), and from corner 0 over edge 1 and inner 2 to centre 3",
        *judged(estimates, SMALLEST),
        f"Mean ring by {BLOCK} actions from the first on (0.40 at random): {'; '.join(courses)}. "
        "Placements in actions 17 to 24 on a corner where a piece had been placed before: "
        f"{', '.join(again)}.",
    )  # fmt: skip


def _jumped_over(games: Sequence[OwnGames]) -> ClaimResult:
    jumped, corners = _captured_by_jumps(games)
    possible = sum(
        bool(int(threatened(1 << attacker, (1 << victim) | (1 << other))) & 1 << victim)
        for victim in (0, 4, 20, 24)
        for attacker in range(25)
        for other in range(25)
        if len({victim, attacker, other}) == 3
    )
    return ClaimResult(
        "corners-jumped", "4.3", "corners cannot be captured unless forced to move: by a jump",
        "no attacker on any square can jump over a piece in a corner, by the rules; in own games "
        "no piece in a corner is jumped over",
        (share_of("pieces jumped over that stood in a corner", corners, jumped, unit="jumps"),),
        HOLDS if not possible and not corners else FAILS,
        f"{possible} of 2,208 placings of a corner piece, an attacker and another piece of its "
        "side allow it.",
    )  # fmt: skip


def _captured_by_jumps(games: Sequence[OwnGames]) -> tuple[int, int]:
    """(pieces jumped over in all games, those of them in corners)."""
    jumped = np.concatenate([_jumped_squares(own) for own in games])
    return len(jumped), int(((jumped & np.uint64(CORNERS)) != 0).sum())


def _jumped_squares(own: OwnGames) -> npt.NDArray[np.uint64]:
    """The square that each jump of the games leaps over."""
    jumps = own.actions[own.actions >= 125] - 125
    start, direction = jumps // 25 // 4, jumps // 25 % 4
    return np.asarray(
        np.uint64(1) << (start + np.array([5, 1, -5, -1])[direction]).astype(np.uint64)
    )


def removals(own: OwnGames) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
    """(the positions with a capture, the square of the extra removal in each)."""
    chosen = np.flatnonzero(own.actions >= 125)
    square = (own.actions[chosen] - 125) % 25
    return chosen, np.uint64(1) << square.astype(np.uint64)


def _captured(games: Sequence[OwnGames]) -> ClaimResult:
    estimates: list[Estimate] = []
    total = removed = 0
    for own in games:
        chosen, square = removals(own)
        from_corner = (square & np.uint64(CORNERS)) != 0
        side = own.rows[chosen, 2] & np.uint64(1)
        enemy = own.rows[chosen, np.where(side == 0, 1, 0)]
        jumped = _jumped_squares(own)
        able = enemy & ~jumped  # a removal takes one of these
        expected = np.bitwise_count(able & np.uint64(CORNERS)) / np.bitwise_count(able)
        estimates.append(
            weighted_share(
                f"{own.net.title}: extra removals that take a corner piece",
                *_on_captures(own, chosen, from_corner), seed=0, unit="games",
                chance=_on_captures(own, chosen, expected)[0], decides=False,
            )
        )  # fmt: skip
        total, removed = total + len(chosen), removed + int(from_corner.sum())
    return ClaimResult(
        "corners-captured", "4.3", "corners cannot be captured unless forced to move",
        "no piece in a corner is captured in own games",
        tuple(estimates), FAILS if removed else HOLDS,
        f"The extra removal may take any piece: {removed:,} of {total:,} took one from a corner.",
    )  # fmt: skip


def _on_captures(
    own: OwnGames, chosen: npt.NDArray[np.int64], figures: npt.NDArray[np.generic]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Sums by game of figures of the captures, and the number of captures by game."""
    games = own.games[chosen]
    return (
        group_sums(games, figures, own.count),
        group_sums(games, np.ones(len(games)), own.count),
    )


def by_game(
    own: OwnGames, figures: npt.NDArray[np.generic], counted: npt.NDArray[np.generic]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The sums of two columns over the positions of each game."""
    return (
        group_sums(own.games, figures, own.count),
        group_sums(own.games, counted, own.count),
    )
