"""The first start of all compiles the rules of the games, on all cores.

What one process compiles, the others only load (`core/compiling.py`).  So it is enough
that helpers begin elsewhere than the lab.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from playproof.core.jobs import cores
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
    helpers: list[subprocess.Popen[bytes]] = []

    def call_for_help() -> None:
        note("Compiling the rules of the games (only this once, about a minute) ...")
        for place in range(min(cores() - 1, len(PARTS))):
            parts = (*PARTS[place:], *PARTS[:place])
            helper = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__, *parts],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the lab, which ends them
            )
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
            helper.communicate()


def load_rules(note: Callable[[str], None]) -> None:
    """All that boards need, before the first click; ``note`` hears of games that are broken."""
    from playproof.core.registry import make
    from playproof.web import catalog

    for name in ("quantum-go", *GAMES):  # what takes longest comes first
        make(name).start().view()
    for broken in catalog.catalog()["broken"]:
        note(f"Left out: {broken['error']}")


def _help(parts: Sequence[str]) -> None:
    """In a process of its own, which ends with its stdin, and so never outlives the lab."""
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    for part in parts:
        importlib.import_module(part)


def _end_with_stdin() -> None:
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    _help(sys.argv[1:])
