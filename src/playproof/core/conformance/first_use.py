"""Before a game that does not come with the house is played: a few random games under guard.

Kernels write unchecked, so a game whose ``max_actions`` is too small would write to somebody else's
memory.  Its author is told instead, in one line that names the law.  What passed is noted in the
compile cache, in a folder that is named after the content of the sources: it is tried once.
"""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from pathlib import Path

import numba
import numpy as np

from playproof.core.compiling import _cache_folder as cache_folder
from playproof.core.conformance.guards import SAFETY, Stray, play_games
from playproof.core.conformance.where import moves_of
from playproof.core.errors import PlayproofError
from playproof.core.game import Game

GAMES = 20
SECONDS = 0.5  # at most; one game at least is begun
_LONGEST = 2000  # actions of one game
_SEED = 1


def try_out(game: Game) -> None:
    """Raise a PlayproofError if the game's kernels break a law that memory depends on."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return  # plain Python looks where it writes
    note = _note(game)
    if note is not None and note.exists():
        return
    try:
        play_games(game, GAMES, _SEED, longest=_LONGEST, until=time.perf_counter() + SECONDS)
    except Stray as stray:
        raise PlayproofError(
            f"the game {game.spec} cannot be played: {stray} (law {stray.law}: "
            f"{SAFETY[stray.law].rstrip('.')}){moves_of(game, stray.walk)}"
        ) from None
    if note is not None:
        with suppress(OSError):
            note.touch()


def _note(game: Game) -> Path | None:
    """Where it is noted that this very game was tried; None where it has no file."""
    functions = [kernel for kernel in game.kernels if kernel is not None]
    modules = {str(function.__module__) for function in functions}
    try:
        folders = [cache_folder(module) for module in sorted({*modules, type(game).__module__})]
    except (AttributeError, KeyError, OSError, TypeError):  # typed into a terminal
        return None
    declared = (
        type(game).__qualname__, game.spec, game.words, game.num_actions, game.max_actions,
        game.symmetries, game.colour_symmetry, game.observations, [f.name for f in folders],
    )  # fmt: skip
    digest = hashlib.sha256(repr(declared).encode())
    for words in (game.option_words, game.tables, game.position_mask, game.start_row()):
        digest.update(np.ascontiguousarray(words).view(np.uint8).data)
    return cache_folder(type(game).__module__) / f"tried-{digest.hexdigest()[:16]}"
