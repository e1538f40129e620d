"""Measures a network on held-out positions, which it has not learned from.

A position is critical if some moves keep its result and others throw it away, as on the yardstick.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.arena.statistics.score import wilson
from playproof.arena.yardstick.sample import PHASES, phase_of
from playproof.core.kernels import Words
from playproof.learning.algorithms.distillation import kernels
from playproof.learning.algorithms.distillation.lessons import Lesson
from playproof.learning.algorithms.distillation.trainer import DistillationTrainer
from playproof.nets.mlp import Vector

ALL = "all"
_BATCH = 4096  # positions evaluated at once
_DRAWN = 0.5  # values below it, on either side of 0, say that the game is drawn

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class JudgedMoves:
    """Positions with their legal moves, and which of them keep the result.

    Position i has the moves from ``offsets[i]`` to ``offsets[i + 1]``; ``critical`` are those in
    which a move can throw the result away, ``phases`` are indices into ``PHASES``.
    """

    rows: Words
    offsets: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int32]
    keeps: Flags
    critical: Flags
    phases: npt.NDArray[np.int64]

    @classmethod
    def of(cls, lesson: Lesson) -> JudgedMoves:
        keeps, critical = np.empty(len(lesson.codes), np.uint8), np.empty(len(lesson), np.uint8)
        kernels.judge(lesson.offsets, lesson.codes, keeps, critical)
        return cls(
            lesson.rows, lesson.offsets, lesson.actions, keeps.astype(np.bool_),
            critical.astype(np.bool_), _phases(lesson.rows),
        )  # fmt: skip

    @property
    def chance(self) -> float:
        """The share of critical positions in which a random move keeps the result."""
        sums = np.add.reduceat(self.keeps.astype(np.float64), self.offsets[:-1])
        return float((sums / np.diff(self.offsets))[self.critical].mean())

    def shares(self, kept: Flags) -> dict[str, float]:
        """The share of critical positions whose result is kept, by phase, with 95 % intervals."""
        metrics: dict[str, float] = {}
        for number, phase in enumerate((*PHASES, ALL)):
            chosen = self.critical & ((self.phases == number) | (phase == ALL))
            count, good = int(chosen.sum()), int(kept[chosen].sum())
            if count:
                lower, upper = wilson(good, count)
                name = f"held_out_{phase}"
                metrics |= {name: good / count, f"{name}_lower": lower, f"{name}_upper": upper}
        return metrics


def evaluate(trainer: DistillationTrainer, lesson: Lesson) -> dict[str, float]:
    """The metrics of a network on held-out positions."""
    judged = JudgedMoves.of(lesson)
    logits, values = _predict(trainer, lesson)
    results = np.sign(lesson.values)
    guesses = np.where(np.abs(values) < _DRAWN, 0.0, np.sign(values))
    return judged.shares(_kept(judged, logits)) | {
        "held_out_policy_loss": _policy_loss(lesson, logits),
        "held_out_value_right": float((guesses == results).mean()),
        "held_out_value_error": float(np.square(values - lesson.values).mean()),
    }


def _predict(trainer: DistillationTrainer, lesson: Lesson) -> tuple[Vector, Vector]:
    """The logits of the legal actions, in their order, and the values of positions."""
    rows, offsets, actions = lesson.rows, lesson.offsets, lesson.actions
    parts: list[tuple[Any, Any]] = []
    for first in range(0, len(rows), _BATCH):
        end = min(first + _BATCH, len(rows))
        logits, values = trainer.evaluate(np.ascontiguousarray(rows[first:end]).view(np.int64))
        index = np.repeat(np.arange(end - first), np.diff(offsets[first : end + 1]))
        listed = actions[offsets[first] : offsets[end]]
        parts.append((logits.numpy()[index, listed], values.numpy()))
    return np.concatenate([one for one, _ in parts]), np.concatenate([one for _, one in parts])


def _kept(judged: JudgedMoves, logits: Vector) -> Flags:
    """Whether the move with the largest logit keeps the result, for each position."""
    best = np.repeat(np.maximum.reduceat(logits, judged.offsets[:-1]), np.diff(judged.offsets))
    # Of equal logits the first is chosen, as an argmax does.
    first = np.flatnonzero(logits == best)
    position = np.searchsorted(judged.offsets, first, side="right") - 1
    chosen = first[np.unique(position, return_index=True)[1]]
    return np.asarray(judged.keeps[chosen])


def _policy_loss(lesson: Lesson, logits: Vector) -> float:
    """The mean of -pi . log p."""
    starts, counts = lesson.offsets[:-1], np.diff(lesson.offsets)
    numbers = logits.astype(np.float64)
    numbers -= np.repeat(np.maximum.reduceat(numbers, starts), counts)
    norms = np.log(np.add.reduceat(np.exp(numbers), starts))
    logs = numbers - np.repeat(norms, counts)
    return float(-(logs * lesson.policy).sum() / len(lesson))


def _phases(rows: Words) -> npt.NDArray[np.int64]:
    ledgers = rows[:, 2].astype(np.int64)
    hands = np.stack([ledgers >> 4 & 15, ledgers >> 8 & 15], axis=1)
    return np.array([PHASES.index(phase_of((a, b))) for a, b in hands.tolist()], np.int64)
