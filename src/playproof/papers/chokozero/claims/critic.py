"""The critic against exact values: does it order positions as they should be, and is it right
about who wins?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.arena.evaluate_positions import sample_evenly
from playproof.arena.statistics.bootstrap import middle, resampled_sums
from playproof.arena.tactics.effects import MoveEffects, move_effects
from playproof.arena.tactics.families import DEFENCE, SECURE
from playproof.arena.tactics.positions import Tactics
from playproof.arena.yardstick.critical import CriticalPosition, rows_of, sign
from playproof.arena.yardstick.positions import Yardstick
from playproof.core.game import Game
from playproof.papers.chokozero.claims.nets import PPO, PaperNet
from playproof.papers.chokozero.claims.results import (
    CONSISTENT_SHARE,
    CONSISTENTLY,
    ClaimResult,
    Estimate,
    group_sums,
    judged,
    mean_of,
)

Floats = npt.NDArray[np.float64]
MATERIAL = "counting pieces"
_PIECES = 12.0


@dataclass(frozen=True)
class ValuedMoves:
    """All moves of some positions that do not end the game, with exact values.

    exact   (m,) 1 if the mover wins after the move, 0 for a draw, -1 if it loses
    right   (m,) whether the move keeps the value of its position
    """

    effects: MoveEffects
    kept: npt.NDArray[np.int64]  # their places among the moves of ``effects``
    position: npt.NDArray[np.int64]
    jump: npt.NDArray[np.int64]
    exact: Floats
    right: npt.NDArray[np.bool_]
    positions: int

    def by(self, net: PaperNet | None) -> Floats:
        """The value of each move for its mover: by a critic, or by counting pieces."""
        after = self.effects.after.take(self.kept)
        if net is not None:
            return -net.values(after)
        own, other = self.effects.own[self.kept], self.effects.other[self.kept]
        hands = after.rows[:, 2]
        blue, red = hands >> np.uint64(4) & np.uint64(15), hands >> np.uint64(8) & np.uint64(15)
        mover_is_red = after.players() == 0
        lead = np.where(mover_is_red, 1.0, -1.0) * (red.astype(np.float64) - blue)
        return np.asarray(
            (np.bitwise_count(own).astype(np.float64) - np.bitwise_count(other) + lead) / _PIECES
        )


def valued_moves(game: Game, positions: Sequence[CriticalPosition]) -> ValuedMoves:
    """The moves of positions whose values are known."""
    effects = move_effects(game, rows_of(game, positions))
    exact = np.zeros(len(effects.actions))
    for number, one in enumerate(positions):
        part = np.arange(effects.offsets[number], effects.offsets[number + 1])
        exact[part[np.argsort(effects.actions[part])]] = [sign(value) for value in one.values]
    best = np.array([one.value for one in positions])
    kept = np.flatnonzero(~effects.after.finished())
    position = effects.position[kept]
    return ValuedMoves(
        effects, kept, position, effects.jump[kept], exact[kept], exact[kept] == best[position],
        len(positions),
    )  # fmt: skip


def ordering(
    values: Floats, right: npt.NDArray[np.bool_], groups: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], Floats]:
    """How often right moves are valued above wrong ones, in each group that has both.

    Returns the groups' numbers, and for each the share of pairs of a right and a wrong move in
    which the right one has the higher value; equal values count half.
    """
    order = np.argsort(groups, kind="stable")
    names, starts = np.unique(groups[order], return_index=True)
    shares, known = [], []
    for name, part in zip(names.tolist(), np.split(order, starts[1:]), strict=True):
        good, bad = values[part][right[part]], values[part][~right[part]]
        if len(good) and len(bad):
            above = np.sign(good[:, None] - bad[None, :])
            shares.append(float((above.mean() + 1) / 2))
            known.append(name)
    return np.array(known, np.int64), np.array(shares)


def sign_accuracy(values: Floats, moves: ValuedMoves, measure: str, seed: int) -> Estimate:
    """How often the sign is right, in the mean of won and of lost positions, so that 50 % is chance
    even for a critic that is always hopeful."""
    columns = []
    for result in (1, -1):
        decided = moves.exact == result
        correct = decided * ((np.sign(values) * result + 1) / 2)
        columns += [
            group_sums(moves.position, correct, moves.positions),
            group_sums(moves.position, decided, moves.positions),
        ]
    table = np.stack(columns, axis=1)
    sums = np.vstack([table.sum(axis=0), resampled_sums(table, seed)])
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = (sums[:, 0] / sums[:, 1] + sums[:, 2] / sums[:, 3]) / 2
    return Estimate(measure, float(shares[0]), middle(shares[1:]), moves.positions, chance=0.5)


def correlation(values: Floats, moves: ValuedMoves, measure: str, seed: int) -> Estimate:
    """Pearson's correlation of values, clipped to -1 ... 1, with exact results."""
    x, y = np.clip(values, -1.0, 1.0), moves.exact
    columns = (np.ones(len(x)), x, y, x * x, y * y, x * y)
    table = np.stack([group_sums(moves.position, c, moves.positions) for c in columns], axis=1)
    sums = np.vstack([table.sum(axis=0), resampled_sums(table, seed)])
    n, sx, sy, sxx, syy, sxy = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        figures = (n * sxy - sx * sy) / np.sqrt((n * sxx - sx * sx) * (n * syy - sy * sy))
    return Estimate(
        measure, float(figures[0]), middle(figures[1:]), moves.positions, chance=0.0,
        percent=False,
    )  # fmt: skip


# Claims


def claims(
    nets: Sequence[PaperNet], tactics: Tactics, yardstick: Yardstick, limit: int | None, seed: int
) -> list[ClaimResult]:
    """The claims about the critic; ``limit`` positions of the yardstick, or all."""
    critics = [net for net in nets if net.is_critic]
    phases = [one.phase for one in yardstick.positions]
    sampled = [yardstick.positions[i] for i in sample_evenly(phases, limit, seed)]
    game = critics[0].game
    removals = valued_moves(game, [*tactics.families[SECURE], *tactics.families[DEFENCE]])
    moves = valued_moves(yardstick.game, sampled)
    return [_nuanced(critics, removals, seed), _accurate(critics, moves, seed)]


def _named(critics: Sequence[PaperNet]) -> list[tuple[str, PaperNet | None, bool]]:
    """(title, critic, whether the verdict depends on it), and counting pieces last."""
    named: list[tuple[str, PaperNet | None, bool]] = [
        (net.title, net, net.name in PPO) for net in critics
    ]
    return [*named, (MATERIAL, None, False)]


def _nuanced(critics: Sequence[PaperNet], moves: ValuedMoves, seed: int) -> ClaimResult:
    jumps = moves.jump >= 0
    estimates = []
    for title, net, decides in _named(critics):
        values = moves.by(net)
        _, shares = ordering(values[jumps], moves.right[jumps], moves.jump[jumps])
        estimates.append(
            mean_of(title, shares, seed=seed, unit="jumps", chance=0.5, decides=decides)
        )
    return ClaimResult(
        "critic-nuanced", "4.3",
        "a nuanced and accurate valuation of board states by the critic: nuanced",
        "of two removals of the same jump, which take as many pieces, the critic values the right "
        f"one above the wrong one, at least {CONSISTENT_SHARE}",
        *judged(estimates, CONSISTENTLY),
    )  # fmt: skip


def _accurate(critics: Sequence[PaperNet], moves: ValuedMoves, seed: int) -> ClaimResult:
    estimates = []
    for title, net, decides in _named(critics):
        values = moves.by(net)
        _, shares = ordering(values, moves.right, moves.position)
        estimates += [
            mean_of(f"{title}: right moves above wrong ones", shares, seed=seed, chance=0.5,
                    decides=False),
            correlation(values, moves, f"{title}: correlation", seed).beside(),
        ]  # fmt: skip
        accuracy = sign_accuracy(values, moves, f"{title}: who wins", seed)
        estimates.append(accuracy if decides else accuracy.beside())
    return ClaimResult(
        "critic-accurate", "4.3",
        "a nuanced and accurate valuation of board states by the critic: accurate",
        "in won and in lost positions alike the critic's sign says who wins, at least "
        f"{CONSISTENT_SHARE}, after all moves in the yardstick's positions",
        *judged(estimates, CONSISTENTLY),
    )  # fmt: skip
