"""Batch: thousands of games of one kind as one matrix, played in lockstep.

Every method is one compiled call over all rows, shared among the cores.  Unlike a State, a Batch
is changed in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.core.bits import derive_seed
from playproof.core.errors import IllegalAction, UsageError
from playproof.core.game import Game
from playproof.core.kernels import ONGOING, Words
from playproof.core.parallel.threads import share_threads
from playproof.core.registry import resolve_game
from playproof.core.state import State


class _LazyKernels:
    """The kernels of batches, compiled or loaded when the first of them is used.

    Many modules import ``Batch`` and never create one.  On a new machine they would wait a
    quarter of a minute for nothing.
    """

    def __getattr__(self, name: str) -> Any:
        from playproof.core import batch_kernels

        kernel = getattr(batch_kernels, name)
        setattr(self, name, kernel)
        return kernel


kernels = _LazyKernels()


class LegalLists(NamedTuple):
    """The legal actions of all rows, one row after the other.

    Row ``i`` has ``actions[offsets[i] : offsets[i + 1]]``, in the game's own order; finished rows
    have none.
    """

    offsets: npt.NDArray[np.int64]  # (n + 1,)
    actions: npt.NDArray[np.int32]  # (offsets[-1],)

    def of(self, row: int) -> npt.NDArray[np.int32]:
        """The legal actions of one row."""
        return self.actions[self.offsets[row] : self.offsets[row + 1]]


def _alias(name: str) -> property:
    return property(lambda self: getattr(self, name), lambda self, x: setattr(self, name, x))


class Batch:
    """n = ``len(batch)`` games.

    rows             (n, words) uint64, the states
    plies            (n,) int64, actions played since the row's start
    seeds            (n,) uint64, the source of each game's randomness: what is drawn for a game
                     depends on its seed and ply, not on the other rows
    histories        (n, capacity) uint64, hashes of earlier positions if the game uses history
    history_lengths  (n,) int64, how many of them each row has

    >>> import playproof
    >>> batch = playproof.Batch.start("othello", 1000, seed=1)
    >>> while not batch.finished().all():
    ...     batch.apply(batch.random_actions())
    >>> len(batch), batch.rows.shape
    (1000, (1000, 4))
    """

    def __init__(self, game: Game | str, rows: Words, *, seed: int = 0) -> None:
        self.game: Game = (game := resolve_game(game))
        self.rows: Words = np.ascontiguousarray(rows, np.uint64)
        if self.rows.ndim != 2 or self.rows.shape[1] != game.words:
            raise UsageError(
                f"a batch of {game.name} is a matrix of {game.words} words a row, "
                f"not of shape {self.rows.shape}"
            )
        n = len(self.rows)
        self.plies: npt.NDArray[np.int64] = np.zeros(n, np.int64)
        self.seeds: Words = np.uint64(derive_seed(seed, 0)) + np.arange(n, dtype=np.uint64)
        self.history_lengths: npt.NDArray[np.int64] = np.zeros(n, np.int64)
        self.histories: Words = np.zeros((n, 0), np.uint64)

    known, pasts = _alias("history_lengths"), _alias("histories")  # former names

    @classmethod
    def start(cls, game: Game | str, size: int, *, seed: int = 0) -> Batch:
        """``size`` games before their first move: ``Batch.start("choko", 1000, seed=1)``."""
        game = resolve_game(game)
        return cls(game, np.tile(game.start_row(), (size, 1)), seed=seed)

    @classmethod
    def of(cls, states: Sequence[State], *, seed: int = 0) -> Batch:
        """The given states, all of one game, with their histories."""
        if not states:
            raise UsageError("a batch needs at least one state")
        game = states[0].game
        if any(state.game != game for state in states):
            raise UsageError("the states of a batch must be of one game with the same options")
        batch = cls(game, np.stack([state.row for state in states]), seed=seed)
        batch.plies[:] = [len(state.actions) for state in states]
        batch.history_lengths[:] = [len(state.history) for state in states]
        batch.histories = np.zeros((len(states), int(batch.history_lengths.max())), np.uint64)
        for history, state in zip(batch.histories, states, strict=True):
            history[: len(state.history)] = state.history
        return batch

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, row: int) -> State:
        """One row as a State, without the moves that led to it."""
        history = self.histories[row, : self.history_lengths[row]].copy()
        return State(self.game, self.rows[row], history=history, set_up=True)

    def take(self, rows: npt.ArrayLike) -> Batch:
        """A copy of some of the rows; ``rows`` are numbers or flags."""
        chosen = np.asarray(rows)
        part = Batch(self.game, self.rows[chosen])
        part.plies, part.seeds = self.plies[chosen].copy(), self.seeds[chosen].copy()
        part.history_lengths, part.histories = (
            self.history_lengths[chosen].copy(),
            self.histories[chosen].copy(),
        )
        return part

    def copy(self) -> Batch:
        return self.take(np.arange(len(self)))

    def players(self) -> npt.NDArray[np.int64]:
        """Whose decision each row is: 0, 1 or CHANCE."""
        out = np.empty(len(self), np.int64)
        with share_threads(len(self)):
            kernels.players(self.game.kernel_table, self.game.option_words, self.rows, out)
        return out

    def outcome(self) -> npt.NDArray[np.int64]:
        """1, 0 or -1 from the first player's side; ONGOING (2) if a game is not over."""
        out = np.empty(len(self), np.int64)
        self._run(kernels.outcomes, out)
        return out

    def finished(self) -> npt.NDArray[np.bool_]:
        return np.not_equal(self.outcome(), ONGOING)

    def score(self) -> npt.NDArray[np.float64]:
        """The first player's lead in the game's own points."""
        out = np.empty(len(self), np.float64)
        self._run(kernels.scores, out)
        return out

    def legal_mask(self, out: npt.NDArray[np.uint8] | None = None) -> npt.NDArray[np.bool_]:
        """(n, num_actions) flags, written to ``out`` if given."""
        shape = (len(self), self.game.num_actions)
        out = np.empty(shape, np.uint8) if out is None else _check_out(out, shape, np.uint8)
        self._run(kernels.masks, self.game.action_room, out)
        return out.view(np.bool_)

    def legal_lists(self) -> LegalLists:
        game = self.game
        offsets = np.zeros(len(self) + 1, np.int64)
        self._run(kernels.counts, game.action_room, offsets[1:])
        if offsets.max() > game.max_actions:
            raise game.too_many_actions(int(offsets.max()))
        np.cumsum(offsets, out=offsets)
        actions = np.empty(int(offsets[-1]), np.int32)
        self._run(kernels.lists, game.action_room, offsets, actions)
        return LegalLists(offsets, actions)

    def observe(
        self, kind: str | None = None, out: npt.NDArray[np.float32] | None = None
    ) -> npt.NDArray[np.float32]:
        """(n, *shape) the named observation of every row, from the side of the player to move."""
        number = self.game.observation_kind(kind)
        shape = list(self.game.observations.values())[number]
        full = (len(self), *shape)
        out = np.empty(full, np.float32) if out is None else _check_out(out, full, np.float32)
        flat = out.reshape(len(self), int(np.prod(shape)))
        self._run(kernels.observations, number, flat)
        return out

    def random_actions(
        self, salt: int = 0, mask: npt.NDArray[np.bool_] | None = None
    ) -> npt.NDArray[np.int64]:
        """(n,) a random action for every row: uniform, by the odds where chance decides, and -1
        for finished rows.  Another ``salt`` gives other draws.

        A ``mask`` from :meth:`legal_mask` saves listing the actions again, which pays where
        legality is expensive to compute and actions are few (Go).  The draws then differ in games
        that do not list their actions in ascending order.
        """
        game = self.game
        out = np.empty(len(self), np.int64)
        if mask is None:
            self._run(kernels.random_actions, game.action_room, self.words(salt), out)
        else:
            flags = _check_out(mask.view(np.uint8), (len(self), game.num_actions), np.uint8)
            self._run(kernels.random_flags, game.action_room, self.words(salt), flags, out)
        return out

    def words(self, salt: int = 0) -> Words:
        """(n,) a random word for the current decision of each row."""
        out = np.empty(len(self), np.uint64)
        with share_threads(len(self)):
            kernels.words(self.seeds, self.plies, np.uint64(salt % 2**64), out)
        return out

    def apply(self, actions: npt.ArrayLike, *, check: bool = True) -> None:
        """Play one action in every row; -1 leaves a row as it is.

        With ``check``, an illegal action raises an IllegalAction and no row is changed.
        """
        game = self.game
        array = np.asarray(actions)
        if array.size and array.dtype.kind not in "iu":
            raise UsageError(f"actions are whole numbers, not {array.dtype}")
        chosen = np.ascontiguousarray(array, np.int64)
        if chosen.shape != (len(self),):
            raise UsageError(f"want one action for each of {len(self)} rows, got {chosen.shape}")
        if check:
            row = self._run(kernels.first_illegal, game.action_room, chosen)
            if row >= 0:
                raise IllegalAction(f"row {row}: action {chosen[row]} of {game.title} is illegal")
        if (
            game.uses_history
            and len(self)
            and self.history_lengths.max() == self.histories.shape[1]
        ):
            room = np.zeros((len(self), max(16, self.histories.shape[1])), np.uint64)
            self.histories = np.hstack([self.histories, room])
        self._run(kernels.applications, game.uses_history, chosen, self.plies)

    def transform(self, symmetries: npt.ArrayLike) -> None:
        """Replace every row by its image under a symmetry of the game; ``symmetries`` is (n,).

        Hashes of earlier positions cannot be transformed, so games that use them are refused.
        """
        game = self.game
        numbers = np.ascontiguousarray(symmetries, np.uint64)
        if numbers.shape != (len(self),) or (numbers >= game.symmetries).any():
            raise UsageError(
                f"want a symmetry for each of {len(self)} rows, below {game.symmetries}"
            )
        if game.uses_history:
            raise UsageError(
                f"{game.title} uses the history of a game, which has no image under a symmetry"
            )
        with share_threads(len(self)):
            kernels.transformations(game.kernel_table, game.option_words, self.rows, numbers)

    def reset_finished(self) -> npt.NDArray[np.int64]:
        """Restart every finished game; return the numbers of their rows."""
        rows = np.flatnonzero(self.finished())
        self.rows[rows] = self.game.start_row()
        self.plies[rows] = 0
        self.history_lengths[rows] = 0
        # A new game needs new randomness: step a linear congruential generator.
        self.seeds[rows] = self.seeds[rows] * np.uint64(6364136223846793005) + np.uint64(1)
        return rows

    def _run(self, loop: Callable[..., Any], *arguments: Any) -> Any:
        """Run a compiled loop over all rows."""
        game = self.game
        with share_threads(len(self)):
            return loop(
                game.kernel_table, game.option_words, game.tables, self.rows, self.histories,
                self.history_lengths, *arguments,
            )  # fmt: skip


def _check_out(out: npt.NDArray[Any], shape: tuple[int, ...], kind: type) -> npt.NDArray[Any]:
    """Refuse memory that compiled code, which checks no bounds, must not write to."""
    if out.shape != shape or out.dtype != kind or not out.flags.c_contiguous:
        raise UsageError(
            f"out must be a contiguous array of {kind.__name__} and shape {shape}, "
            f"not of {out.dtype} and {out.shape}"
        )
    return out
