"""The rules of all games, compiled before the first click needs them.

Only the first start of all takes long.  Then other processes begin at the other
end of the list: what one of them compiles, the others only load (`core/compiling.py`).
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.process import BaseProcess

from playproof.core.jobs import begin_worker, cores
from playproof.core.registry import make
from playproof.web.offers import GAMES

_PATIENCE = 4.0  # seconds of compiling before we say so, and call for help


def compile_rules(note: Callable[[str], None], *, patience: float = _PATIENCE) -> None:
    """Load, or compile, what the boards of all games need."""
    helpers: list[BaseProcess] = []

    def share() -> None:
        note("Compiling the rules of the games (only this once, a minute or two) ...")
        # This thread's helpers inherit its mask: Ctrl-C is for the lab, which ends them.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        for place in range(min(cores(), len(GAMES)) - 1):
            order = [*GAMES[place:], *GAMES[:place]][::-1]
            helper = get_context("spawn").Process(target=_help, args=(order,), daemon=True)
            helper.start()
            helpers.append(helper)

    slow = threading.Timer(patience, share)
    slow.daemon = True
    slow.start()
    try:
        _load(GAMES)
    finally:
        slow.cancel()
        slow.join()  # helpers that it is just starting end too
        for helper in helpers:
            helper.kill()
            helper.join()


def _load(games: Sequence[str]) -> None:
    for name in games:
        make(name).start().view()


def _help(games: Sequence[str]) -> None:
    begin_worker()
    _load(games)
