"""The first start of all compiles the rules of the games, on all cores.

What one process compiles, the others only load (`core/compiling.py`).  So it is enough
that helpers begin elsewhere than the lab.
"""

from __future__ import annotations

import importlib
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.process import BaseProcess

from playproof.core.jobs import begin_worker, cores
from playproof.web.offers import GAMES

_PATIENCE = 4.0  # seconds before we say so, and call for help
# What takes longest and waits for nothing else; each helper begins at another place.
PARTS = (
    "playproof.games.quantum_go_turn",
    "playproof.games.go_kernels",
    "playproof.games.chess_kernels",
    "playproof.games.othello_kernels",
    "playproof.games.choko_kernels",
)


@contextmanager
def shared_work(note: Callable[[str], None], *, patience: float = _PATIENCE) -> Iterator[None]:
    """If what is done here takes longer than ``patience``, it is because of kernels that are not
    compiled yet: ``note`` gets a line that says so, and helpers compile some of them."""
    helpers: list[BaseProcess] = []

    def call_for_help() -> None:
        note("Compiling the rules of the games (only this once, a minute or two) ...")
        # This thread's helpers inherit its mask: Ctrl-C is for the lab, which ends them.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        for place in range(min(cores() - 1, len(PARTS))):
            parts = (*PARTS[place:], *PARTS[:place])
            helper = get_context("spawn").Process(target=_help, args=(parts,), daemon=True)
            helper.start()
            helpers.append(helper)

    slow = threading.Timer(patience, call_for_help)
    slow.daemon = True
    slow.start()
    try:
        yield
    finally:
        slow.cancel()
        slow.join()  # helpers that it is just starting end too
        for helper in helpers:
            helper.kill()
            helper.join()


def load_rules() -> None:
    """All that boards need, before the first click."""
    from playproof.core.registry import make

    for name in ("quantum-go", *GAMES):  # what takes longest comes first
        make(name).start().view()


def _help(parts: Sequence[str]) -> None:
    begin_worker()
    for part in parts:
        importlib.import_module(part)
