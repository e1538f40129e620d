"""The signatures of the compiled functions of a game, the same for all games.

A state is a row of uint64 words.  Besides it, every kernel gets

``options``  the game's options (size, variant, komi ...) as uint64 words;
``tables``   read-only lookup words if the game needs any, else empty;
``history``  hashes of the earlier positions of this game, oldest first, without the current one;
             empty unless the game sets ``uses_history``.

General algorithms are compiled once and take kernels as first-class functions, so a new game does
not recompile any of them.  All kernels of a game are passed in one argument, its *kernel table*:
the address of each kernel, which ``actions_of(table)``, ``apply_of(table)`` ... turn into a
function.  (Passing function objects instead costs Numba some 30 microseconds each, every time
Python calls compiled code.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import float32, float64, int32, int64, types, uint64, void

from playproof.core.compiling import address, first_class, kernel

# Types for readers and mypy.
Words = npt.NDArray[np.uint64]
Actions = npt.NDArray[np.int32]

# Types for Numba.  All arrays are C-contiguous.
WORDS = types.Array(uint64, 1, "C")
ROWS = types.Array(uint64, 2, "C")
LIST = types.Array(int32, 1, "C")
LISTS = types.Array(int32, 2, "C")
COUNTS = types.Array(int64, 1, "C")
FLOATS = types.Array(float32, 1, "C")
PROBABILITIES = types.Array(float64, 1, "C")

# ``player`` returns 0 (first), 1 (second) or CHANCE.
CHANCE = -1
# ``outcome`` returns ONGOING, or the result from the first player's side.
ONGOING = 2
FIRST_WINS, DRAW, SECOND_WINS = 1, 0, -1

ACTIONS_SIGNATURE = int64(WORDS, WORDS, WORDS, WORDS, LIST)
COUNT_SIGNATURE = int64(WORDS, WORDS, WORDS, WORDS)
APPLY_SIGNATURE = void(WORDS, WORDS, WORDS, WORDS, int64)
PLAYER_SIGNATURE = int64(WORDS, WORDS)
OUTCOME_SIGNATURE = int64(WORDS, WORDS, WORDS, WORDS)
SCORE_SIGNATURE = float64(WORDS, WORDS, WORDS, WORDS)
EVALUATE_SIGNATURE = SCORE_SIGNATURE
NOISY_SIGNATURE = ACTIONS_SIGNATURE
PROBE_SIGNATURE = OUTCOME_SIGNATURE
CHANCE_SIGNATURE = int64(WORDS, WORDS, WORDS, WORDS, LIST, PROBABILITIES)
OBSERVE_SIGNATURE = void(WORDS, WORDS, WORDS, WORDS, int64, FLOATS)
HASH_SIGNATURE = uint64(WORDS, WORDS)
TRANSFORM_SIGNATURE = void(WORDS, WORDS, int64, WORDS)
TRANSFORM_ACTION_SIGNATURE = int64(WORDS, int64, int64)


@kernel(COUNT_SIGNATURE)
def no_count(options, tables, state, history):  # type: ignore[no-untyped-def]
    """``count`` of a game that counts its actions by listing them."""
    return -1


@kernel(ACTIONS_SIGNATURE)
def no_noisy(options, tables, state, history, out):  # type: ignore[no-untyped-def]
    """``noisy`` of a game without moves that a search must follow beyond its horizon."""
    return 0


@kernel(OUTCOME_SIGNATURE)
def no_probe(options, tables, state, history):  # type: ignore[no-untyped-def]
    """``probe`` of a game without a table of solved positions."""
    return ONGOING


@kernel(CHANCE_SIGNATURE)
def no_chance(options, tables, state, history, actions, probabilities):  # type: ignore[no-untyped-def]
    """``chance`` of a game without chance."""
    return 0


@kernel(TRANSFORM_SIGNATURE)
def no_transform(options, state, symmetry, out):  # type: ignore[no-untyped-def]
    """``transform`` of a game whose only symmetry is the identity."""
    out[:] = state


@kernel(TRANSFORM_ACTION_SIGNATURE)
def no_transform_action(options, action, symmetry):  # type: ignore[no-untyped-def]
    return action


class Kernels(NamedTuple):
    """The compiled functions of a game.

    actions(options, tables, state, history, out) -> n
        The legal actions of the player or of chance, in any order; none if and only if the
        game is over.
    count(options, tables, state, history) -> n
        Their number, faster than by listing them.
    apply(options, tables, state, history, action)
        Plays the action in place.  ``history`` is that of the position before the move.
    player(options, state) -> 0, 1 or CHANCE
        Whose decision this is.  Sides need not alternate.
    outcome(options, tables, state, history) -> ONGOING, 1, 0 or -1
    score(options, tables, state, history) -> float
        First player's lead in the game's own points, at any time.
    chance(options, tables, state, history, actions, probabilities) -> n
    observe(options, tables, state, history, kind, out)
        ``kind`` is the index of the observation's name in ``Game.observations``.
    hash(options, state) -> uint64
        Of the position: board, side to move and what decides the future, not the ply.
    transform(options, state, symmetry, out)
        The image of a state; symmetry 0 is the identity.
    transform_action(options, action, symmetry) -> action
    evaluate(options, tables, state, history) -> float
        An estimate for a search that stops here, in points, from the first player's side;
        the score, if a game has none.
    noisy(options, tables, state, history, out) -> n
        The legal actions that a search must look at before it stops (captures, say); the mover
        need not choose one of them.
    probe(options, tables, state, history) -> ONGOING, 1, 0 or -1
        The result with perfect play, where a table of solved positions has it.
    """

    actions: Callable[..., Any]
    apply: Callable[..., Any]
    player: Callable[..., Any]
    outcome: Callable[..., Any]
    score: Callable[..., Any]
    observe: Callable[..., Any]
    hash: Callable[..., Any]
    count: Callable[..., Any] = no_count
    chance: Callable[..., Any] = no_chance
    transform: Callable[..., Any] = no_transform
    transform_action: Callable[..., Any] = no_transform_action
    evaluate: Callable[..., Any] | None = None
    noisy: Callable[..., Any] = no_noisy
    probe: Callable[..., Any] = no_probe

    @property
    def table(self) -> Any:
        """The kernel table that general algorithms take: the address of each kernel, in order.

        Without compilation, the functions themselves.
        """
        kernels = self if self.evaluate else self._replace(evaluate=self.score)
        pairs = zip(kernels, _SIGNATURES, strict=True)
        addresses = [address(function, signature) for function, signature in pairs]
        return kernels if None in addresses else np.array(addresses, np.uint64)


# In the order of the fields of Kernels.
_SIGNATURES = (
    ACTIONS_SIGNATURE,
    APPLY_SIGNATURE,
    PLAYER_SIGNATURE,
    OUTCOME_SIGNATURE,
    SCORE_SIGNATURE,
    OBSERVE_SIGNATURE,
    HASH_SIGNATURE,
    COUNT_SIGNATURE,
    CHANCE_SIGNATURE,
    TRANSFORM_SIGNATURE,
    TRANSFORM_ACTION_SIGNATURE,
    SCORE_SIGNATURE,
    ACTIONS_SIGNATURE,
    OUTCOME_SIGNATURE,
)

TABLE = WORDS  # Numba's type of a kernel table

(
    actions_of,
    apply_of,
    player_of,
    outcome_of,
    score_of,
    observe_of,
    hash_of,
    count_of,
    chance_of,
    transform_of,
    transform_action_of,
    evaluate_of,
    noisy_of,
    probe_of,
) = (first_class(place, signature) for place, signature in enumerate(_SIGNATURES))
