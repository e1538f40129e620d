"""Evasion: what the networks do when a piece is threatened and they can capture nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from playproof.arena.tactics.effects import move_effects, threatened
from playproof.arena.tactics.families import EVASION
from playproof.arena.tactics.positions import Tactics
from playproof.arena.yardstick.critical import rows_of
from playproof.core.batch import Batch
from playproof.papers.chokozero.claims.captures import keeps
from playproof.papers.chokozero.claims.nets import PPO, PaperNet
from playproof.papers.chokozero.claims.results import (
    CONSISTENT_SHARE,
    CONSISTENTLY,
    ClaimResult,
    Estimate,
    group_sums,
    judged,
    weighted_share,
)
from playproof.papers.chokozero.claims.self_play import OwnGames

Floats = npt.NDArray[np.float64]


def claims(
    nets: Sequence[PaperNet], games: Sequence[OwnGames], tactics: Tactics, seed: int
) -> list[ClaimResult]:
    """The claim about evasion, from the tactics' family and from own games."""
    estimates: list[Estimate] = []
    for net in nets:
        estimates.append(in_family(net, tactics, seed))
    for own in games:
        estimates.append(in_own_games(own, seed))
    names = {net.title for net in nets if net.name in PPO}
    decided = [one if one.measure.partition(",")[0] in names else one.beside() for one in estimates]
    return [
        ClaimResult(
            "evasion", "4.3",
            "all of our PPO agents consistently identified direct dangers and acted "
            "correspondingly",
            f"at least {CONSISTENT_SHARE} of moves are right in the test set, and leave nothing to "
            "take in own games, where a piece is threatened, nothing can be captured, and there "
            "is a choice",
            *judged(decided, CONSISTENTLY),
        )
    ]  # fmt: skip


def in_family(net: PaperNet, tactics: Tactics, seed: int) -> Estimate:
    """The probability of right moves in the family of evasions."""
    positions = tactics.families[EVASION]
    rows = rows_of(net.game, positions)
    effects = move_effects(net.game, rows)
    right = keeps(effects, positions)
    mass = group_sums(effects.position, net.policy(Batch(net.game, rows)) * right, len(rows))
    chance = np.array([one.share for one in positions])
    ones = np.ones(len(rows))
    return weighted_share(f"{net.title}, test set", mass, ones, seed=seed, chance=chance)


def in_own_games(own: OwnGames, seed: int) -> Estimate:
    """The probability of moves that leave nothing to take, in the dangers of own games.

    Positions after whose moves the other side must place are left out: there the danger is not
    direct, since any placement puts it off.
    """
    game = own.net.game
    side = (own.rows[:, 2] & np.uint64(1)).astype(np.int64)
    index = np.arange(len(own.rows))
    mine, other = own.rows[index, side], own.rows[index, 1 - side]
    danger = np.flatnonzero(threatened(other, mine) != 0)
    rows = own.rows[danger]
    effects = move_effects(game, rows)
    size = len(rows)
    nothing = effects.exposed == 0
    safe = group_sums(effects.position, nothing, size)
    moves = np.diff(effects.offsets)
    quiet = group_sums(effects.position, effects.captures | effects.must_place, size) == 0
    chosen = quiet & (safe > 0) & (safe < moves)
    mass = group_sums(effects.position, own.net.policy(Batch(game, rows)) * nothing, size)
    games = own.games[danger]
    right, count, chance = (
        group_sums(games[chosen], column[chosen], own.count)
        for column in (mass, np.ones(size), safe / np.maximum(moves, 1))
    )
    return weighted_share(
        f"{own.net.title}, own games", right, count, seed=seed, unit="games", chance=chance
    )
