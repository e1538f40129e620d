"""A few random games under guard, before a third party's game is played.

Kernels check no bounds, so a game whose ``max_actions`` is too small would write to memory that is
not its own.  Instead its author gets an error of one line that names the law.  A game that passes
is noted in the compile cache, in a folder named after the content of its sources, and not tested
again.
"""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from pathlib import Path

import numba
import numpy as np

from playproof.core.compiling import _cache_folder as cache_folder
from playproof.core.conformance.location import describe_moves
from playproof.core.conformance.safety import SAFETY, UnsafeGame, play_games
from playproof.core.errors import PlayproofError
from playproof.core.game import Game

GAMES = 20
SECONDS = 0.5  # after which no other game is started
_LONGEST = 2000  # actions of a game
_SEED = 1


def try_out(game: Game) -> None:
    """Raise a PlayproofError if the game's kernels break a law that memory depends on."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return  # plain Python checks bounds
    note = _note(game)
    if note is not None and note.exists():
        return
    try:
        play_games(game, GAMES, _SEED, longest=_LONGEST, until=time.perf_counter() + SECONDS)
    except UnsafeGame as error:
        raise PlayproofError(
            f"the game {game.spec} cannot be played: {error} (law {error.law}: "
            f"{SAFETY[error.law].rstrip('.')}){describe_moves(game, error.trace)}"
        ) from None
    if note is not None:
        with suppress(OSError):
            note.touch()


def _note(game: Game) -> Path | None:
    """The file that notes that this game has passed; None if the game has no source file."""
    functions = [kernel for kernel in game.kernels if kernel is not None]
    modules = {str(function.__module__) for function in functions}
    try:
        folders = [cache_folder(module) for module in sorted({*modules, type(game).__module__})]
    except (AttributeError, KeyError, OSError, TypeError):  # the game was typed into a terminal
        return None
    declared = (
        type(game).__qualname__, game.spec, game.words, game.num_actions, game.max_actions,
        game.symmetries, game.colour_symmetry, game.observations, [f.name for f in folders],
    )  # fmt: skip
    digest = hashlib.sha256(repr(declared).encode())
    for words in (game.option_words, game.tables, game.position_mask, game.start_row()):
        digest.update(np.ascontiguousarray(words).view(np.uint8).data)
    return cache_folder(type(game).__module__) / f"tried-{digest.hexdigest()[:16]}"
