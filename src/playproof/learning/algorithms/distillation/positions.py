"""An endless sequence of positions of Choko, in blocks, from games and from random slices.

A block depends only on the settings, the seed and its number, so a resumed run sees the same
positions as one that was never stopped.  One position in ``ONE_IN``, by a key that is the same for
its images, is held out: no block has it.  Neither has any the positions of the shipped yardstick.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from playproof.arena.yardstick.positions import find_shipped
from playproof.core.batch import Batch
from playproof.core.bits import derive_seed, derive_seeds
from playproof.core.errors import DataError
from playproof.core.game import Game
from playproof.core.kernels import Words
from playproof.core.registry import make
from playproof.learning.algorithms.distillation import kernels
from playproof.learning.algorithms.distillation.games import Players
from playproof.learning.algorithms.distillation.settings import NOBODY, DistillationSettings
from playproof.learning.algorithms.distillation.truth import Truth
from playproof.nets.shipped import find

ONE_IN = 32
_TRAINING, _HELD_OUT = 11, 12  # salts of derive_seed
_POSITIONS_A_GAME = 24  # that a block has, on average; about half of those of a game
_MAX_ROUNDS = 1000

Draw = Callable[[int, int], Words]  # (how many, seed) -> about that many rows


class Positions:
    """Draws positions that the tables have."""

    def __init__(self, settings: DistillationSettings, truth: Truth) -> None:
        self.settings, self.truth = settings, truth
        self.game = make(settings.game)  # games have a cap, the tables have none
        self._uncapped = truth.probe.game
        net = find(settings.player, self.game) if settings.player != NOBODY else None
        self._players = Players(net)
        weights = truth.sizes**settings.slice_power
        self._weights = weights / weights.sum()
        self._reserved = _yardstick_keys(self.game)

    def block(self, number: int) -> Words:
        """The rows of a block, (block, words)."""
        seed = derive_seed(derive_seed(self.settings.seed, _TRAINING), number)
        return self._mixture(self.settings.block, seed, kernels.TRAINING)

    def held_out(self, count: int) -> Words:
        """``count`` held-out rows, always the same ones whatever the seed of the run."""
        return self._mixture(count, derive_seed(0, _HELD_OUT), kernels.HELD_OUT)

    def _mixture(self, count: int, seed: int, use: int) -> Words:
        """Rows from both sources, in random order and turned at random."""
        uniform = round(count * self.settings.uniform)
        rows = np.concatenate(
            [
                self._collect(self.draw, uniform, derive_seed(seed, 1), use),
                self._collect(self.play, count - uniform, derive_seed(seed, 2), use),
            ]
        )
        rng = np.random.default_rng(derive_seed(seed, 3))
        batch = Batch(self.game, rows[rng.permutation(count)])
        batch.transform(rng.integers(0, self.game.symmetries, count, np.uint64))
        return batch.rows

    def _collect(self, draw: Draw, count: int, seed: int, use: int) -> Words:
        """``count`` rows for a use, of as many draws as that takes."""
        parts, have = [np.empty((0, self.game.words), np.uint64)], 0
        share = 1.0 / ONE_IN if use == kernels.HELD_OUT else 1.0
        for number in range(_MAX_ROUNDS):
            if have >= count:
                return np.concatenate(parts)[:count]
            asked = max(64, int(1.05 * (count - have) / share))
            rows = draw(min(asked, 1 << 18), derive_seed(seed, number))
            rows = rows[self.uses(rows) == use]
            parts.append(rows)
            have += len(rows)
        raise DataError(
            f"the tables have too few positions to draw {count:,} of them: want larger tables"
        )

    def uses(self, rows: Words) -> npt.NDArray[np.uint8]:
        """What each row is used for: see ``kernels.sort_positions``."""
        out = np.empty(len(rows), np.uint8)
        kernels.sort_positions(
            self._uncapped.option_words, np.ascontiguousarray(rows), self.truth.available,
            self._reserved, ONE_IN, out,
        )  # fmt: skip
        return out

    def draw(self, count: int, seed: int) -> Words:
        """``count`` random positions of random slices."""
        rng = np.random.default_rng(seed)
        chosen = rng.choice(len(self._weights), count, p=self._weights)
        forced = (rng.random(count) < self.settings.forced).astype(np.uint8)
        words = derive_seeds(seed, np.arange(count, dtype=np.uint64))
        rows = np.empty((count, self.game.words), np.uint64)
        kernels.draw_positions(
            self._uncapped.option_words, self.truth.slices, chosen, forced, words, rows
        )
        return rows

    def play(self, count: int, seed: int) -> Words:
        """About ``count`` positions of games, in random order."""
        rng = np.random.default_rng(seed)
        games = -(-count // _POSITIONS_A_GAME)
        rows = self.draw(games, derive_seed(seed, 1))
        if self.truth.has_start:
            rows[rng.random(games) < self.settings.from_start] = self.game.start_row()
        played = self._players.play(self.game, rows, derive_seed(seed, 2))
        kept = rng.random(len(played)) < 0.5 if len(played) > count else np.ones(len(played), bool)
        return np.asarray(rng.permutation(played[kept]))


def _yardstick_keys(game: Game) -> Words:
    """The keys of the positions of the game's yardstick, sorted; none if it has no yardstick."""
    yardstick = find_shipped(game)
    if yardstick is None:
        return np.empty(0, np.uint64)
    keys = np.empty(len(yardstick.rows), np.uint64)
    kernels.position_keys(yardstick.game.option_words, yardstick.rows, keys)
    return np.unique(keys)
