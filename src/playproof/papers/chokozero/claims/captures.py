"""Captures: does the extra removal make the capture secure, given the jump that is chosen?

A jump with several possible removals is a *choice* if some of them are good and others are not.
The figures are sums of probabilities: of the good removals of such jumps, over that of all their
removals.  So they are conditioned on the jump, as in "after committing to a capture".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.arena.tactics.effects import MoveEffects, move_effects
from playproof.arena.tactics.families import DEFENCE, SECURE
from playproof.arena.tactics.positions import Tactics
from playproof.arena.yardstick.critical import CriticalPosition, rows_of
from playproof.core.batch import Batch
from playproof.core.kernels import Words
from playproof.papers.chokozero.claims.nets import PPO, PaperNet
from playproof.papers.chokozero.claims.placements import removals
from playproof.papers.chokozero.claims.results import (
    CONSISTENT_SHARE,
    CONSISTENTLY,
    FAILS,
    HOLDS,
    ClaimResult,
    Estimate,
    difference_of_ratios,
    group_sums,
    judged,
    share_of,
    weighted_share,
)
from playproof.papers.chokozero.claims.self_play import OwnGames

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Commitment:
    """For each position: probabilities of jumps that leave a choice of removals.

    committed  of all removals of such jumps
    good       of their good removals
    chance     of the good removals if the jump is as likely and the removal random
    """

    committed: Floats
    good: Floats
    chance: Floats


def commitment(effects: MoveEffects, policy: Floats, good: Flags) -> Commitment:
    """The probabilities of a policy, given which moves are good; only captures count."""
    jump, size = effects.jump, len(effects.offsets) - 1
    captures = np.flatnonzero(jump >= 0)
    numbers = jump[captures]
    count = int(numbers.max()) + 1 if len(numbers) else 0
    right = group_sums(numbers, good[captures], count)
    moves = group_sums(numbers, np.ones(len(numbers)), count)
    is_choice = (right > 0) & (right < moves)
    mass = group_sums(numbers, policy[captures], count) * is_choice
    right_mass = group_sums(numbers, policy[captures] * good[captures], count) * is_choice
    by_chance = mass * right / np.maximum(moves, 1)
    position = np.zeros(count, np.int64)
    position[numbers] = effects.position[captures]
    return Commitment(
        group_sums(position, mass, size),
        group_sums(position, right_mass, size),
        group_sums(position, by_chance, size),
    )


@dataclass(frozen=True)
class OwnSituations:
    """The positions of own games in which the mover can capture, with the effects of all moves."""

    own: OwnGames
    games: npt.NDArray[np.int64]
    rows: Words
    effects: MoveEffects
    policy: Floats


def own_captures(own: OwnGames) -> OwnSituations:
    """The positions of a network's own games in which there is a capture."""
    batch = Batch(own.net.game, own.rows)
    legal = batch.legal_lists()
    can = np.zeros(len(own.rows), np.bool_)
    which = np.repeat(np.arange(len(own.rows)), np.diff(legal.offsets))
    can[which[legal.actions >= 125]] = True
    rows = own.rows[can]
    return OwnSituations(
        own, own.games[can], rows, move_effects(own.net.game, rows),
        own.net.policy(Batch(own.net.game, rows)),
    )  # fmt: skip


def in_own_games(situations: OwnSituations, good: Flags, measure: str, seed: int) -> Estimate:
    """The share of good removals in a network's own games; resampled by games."""
    found = commitment(situations.effects, situations.policy, good)
    columns = (
        group_sums(situations.games, column, situations.own.count)
        for column in (found.good, found.committed, found.chance)
    )
    right, committed, chance = columns
    return weighted_share(measure, right, committed, seed=seed, unit="games", chance=chance)


def in_family(
    net: PaperNet, positions: Sequence[CriticalPosition], measure: str, seed: int, *, exact: bool
) -> tuple[Estimate, Commitment]:
    """The share of good removals in positions of a family.

    They are those that keep the value if ``exact``, else those after which the piece that jumped
    cannot be retaken.
    """
    rows = rows_of(net.game, positions)
    effects, policy = move_effects(net.game, rows), net.policy(Batch(net.game, rows))
    good = keeps(effects, positions) if exact else ~effects.retaken
    found = commitment(effects, policy, good)
    return (
        weighted_share(measure, found.good, found.committed, seed=seed, chance=found.chance),
        found,
    )


def keeps(effects: MoveEffects, positions: Sequence[CriticalPosition]) -> Flags:
    """Whether each move keeps the value of its position."""
    flags = np.zeros(len(effects.actions), np.bool_)
    for number, position in enumerate(positions):
        part = slice(int(effects.offsets[number]), int(effects.offsets[number + 1]))
        order = np.argsort(effects.actions[part])
        flags[np.arange(part.start, part.stop)[order]] = [
            position.keeps(move) for move in range(len(position.values))
        ]
    return flags


# Claims


def claims(
    nets: Sequence[PaperNet], games: Sequence[OwnGames], tactics: Tactics, seed: int
) -> list[ClaimResult]:
    """The claims about captures, from the tactics' families and from own games."""
    situations = [own_captures(own) for own in games]
    return [
        _secure(nets, situations, tactics, seed),
        _safely(situations, seed),
        _single_action(games),
        _preferences(situations, seed),
        _weakness(nets, tactics, seed),
    ]


def _secure(
    nets: Sequence[PaperNet], situations: Sequence[OwnSituations], tactics: Tactics, seed: int
) -> ClaimResult:
    estimates = []
    for net in nets:
        estimate, _ = in_family(
            net, tactics.families[SECURE], f"{net.title}, test set", seed, exact=False
        )
        estimates.append(estimate if net.name == "v2" else estimate.beside())
    for one in situations:
        net = one.own.net
        estimate = in_own_games(one, ~one.effects.retaken, f"{net.title}, own games", seed)
        estimates.append(estimate if net.name == "v2" else estimate.beside())
    dozens = ", ".join(
        f"{one.measure} {100 * one.value**12:.0f} %" for one in estimates if one.decides
    )
    return ClaimResult(
        "secure-capture", "4.3",
        "our PPO V2 agent consistently eliminated threats after committing to a capture",
        "given a jump after which some removals leave the jumper safe and others do not: the "
        f"removal leaves it safe, at least {CONSISTENT_SHARE}",
        *judged(estimates, CONSISTENTLY),
        f"A dozen such boards in a row, as the authors tried: all secure with {dozens}.",
    )  # fmt: skip


def _safely(situations: Sequence[OwnSituations], seed: int) -> ClaimResult:
    estimates = []
    for one in situations:
        nothing = one.effects.exposed == 0
        estimate = in_own_games(one, nothing, f"{one.own.net.title}, own games", seed)
        estimates.append(estimate if one.own.net.name == "v3" else estimate.beside())
    return ClaimResult(
        "capture-safely", "5", "PPO V3 showed a strong tactical awareness of how to capture safely",
        "given a jump after which some removals leave nothing to take and others do not: the "
        f"removal leaves nothing, at least {CONSISTENT_SHARE}",
        *judged(estimates, CONSISTENTLY),
    )  # fmt: skip


def _single_action(games: Sequence[OwnGames]) -> ClaimResult:
    captures = single = 0
    for own in games:
        chosen, _ = removals(own)
        before = Batch(own.net.game, own.rows[chosen])
        after = before.copy()
        after.apply(own.actions[chosen])
        side, index = before.players(), np.arange(len(chosen))
        lost = np.bitwise_count(before.rows[index, 1 - side]) - np.bitwise_count(
            after.rows[index, 1 - side]
        ).astype(np.int64)
        passed = (after.players() == 1 - side) | after.finished()
        captures += len(chosen)
        single += int(((lost == 2) & passed).sum())
    return ClaimResult(
        "single-action", "4.3", "a jump and its extra capture are a single action",
        "every capture in own games takes two pieces, and the other side moves next",
        (share_of("all networks", single, captures, unit="captures"),),
        HOLDS if captures and single == captures else FAILS,
    )  # fmt: skip


def _preferences(situations: Sequence[OwnSituations], seed: int) -> ClaimResult:
    """What removals are preferred: how often they save a piece, compared with random removals."""
    estimates = []
    for one in situations:
        effects = one.effects
        side = one.rows[:, 2] & np.uint64(1)
        before = one.rows[np.arange(len(one.rows)), side.astype(np.int64)][effects.position]
        others = (effects.exposed & ~effects.landing & before) != 0
        estimate = in_own_games(
            one, ~others, f"{one.own.net.title}: its other pieces are safe", seed
        )
        estimates.append(estimate if one.own.net.name in PPO else estimate.beside())
    return ClaimResult(
        "capture-and-defence", "4.3",
        "how consistently our PPO agent learned to combine capture and defense",
        "given a jump after which some removals leave the mover's other pieces safe and others do "
        f"not: the removal leaves them safe, at least {CONSISTENT_SHARE}",
        *judged(estimates, CONSISTENTLY),
    )  # fmt: skip


def _weakness(nets: Sequence[PaperNet], tactics: Tactics, seed: int) -> ClaimResult:
    """Right removals of a jump that should defend another piece, and of one that should secure
    itself."""
    estimates = []
    for net in nets:
        secure, first = in_family(
            net, tactics.families[SECURE], f"{net.title}: securing the jumper", seed, exact=True
        )
        defence, second = in_family(
            net, tactics.families[DEFENCE], f"{net.title}: defending another", seed, exact=True
        )
        less = difference_of_ratios(
            f"{net.title}: the second less the first", (second.good, second.committed),
            (first.good, first.committed), seed=seed,
        )  # fmt: skip
        estimates += [secure.beside(), defence.beside()]
        if net.name in PPO:
            estimates += _by_removal(net, tactics.families[DEFENCE], seed)
        estimates.append(less if net.name in PPO else less.beside())
    return ClaimResult(
        "weakness", "4.3", "a lack of foresight at combining capture and defense to defend more "
        "than one piece",
        "given the jump: removals that defend another piece are right less often than removals "
        "that secure the jumper, for V1, V2 and V3",
        *judged(estimates, 0.0, above=False),
    )  # fmt: skip


def _by_removal(net: PaperNet, positions: Sequence[CriticalPosition], seed: int) -> list[Estimate]:
    """The positions in which a right removal takes a piece from a corner, and the others."""
    in_corner = [one for one in positions if _takes_corner(net, one)]
    others = [one for one in positions if one not in in_corner]
    return [
        in_family(net, part, f"{net.title}: defending, {title}", seed, exact=True)[0].beside()
        for part, title in ((in_corner, "right removal in a corner"), (others, "elsewhere"))
    ]


def _takes_corner(net: PaperNet, position: CriticalPosition) -> bool:
    names = net.game.position(position.position).legal_names()
    right = (name for move, name in enumerate(names) if position.keeps(move))
    return any(name.endswith((",A1", ",E1", ",A5", ",E5")) for name in right)
