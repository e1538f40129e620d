"""A game's kernels as plain Python, in a process of its own, where every index is checked.

    python -m playproof.core.conformance.plain

reads one line of JSON that names a game, plays it uncompiled, and writes what it saw.  It shows the
line of the kernel that leaves its arrays, and also indices so far off that no guard would see them.
Kernels that run only when they are compiled are no fault: nothing is said of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playproof.core.errors import one_line

if TYPE_CHECKING:
    from playproof.core.game import Game

BOUNDS = ("bounds", "Kernels, run as plain Python, use no index outside their arrays.")

_SECONDS = 5.0  # of play
_PATIENCE = 120.0  # for the process, imports and all


def run_plainly(game: Game, games: int, seed: int) -> dict[str, Any]:
    """``broken`` and ``place`` where an index is wrong, ``skipped`` where it cannot be seen."""
    cls = type(game)
    module = sys.modules.get(cls.__module__)
    order = {
        "module": cls.__module__,
        "class": cls.__qualname__,
        "file": getattr(module, "__file__", None),
        "options": game.options,
        "games": games,
        "seed": seed,
        "path": sys.path,
    }
    try:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-P", "-m", __name__],
            input=json.dumps(order),
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, TypeError) as error:
        return {"skipped": f"not run as plain Python: {one_line(error)}"}
    try:
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        why = done.stderr.strip().splitlines()
        return {"skipped": f"not run as plain Python: {why[-1] if why else 'no answer'}"}
    return answer


def _play(order: dict[str, Any]) -> dict[str, Any]:
    from playproof.core.conformance.guards import Stray, play_games
    from playproof.core.conformance.where import place_of_walk

    sys.path[:] = order["path"]
    try:
        game = _class(order)(**order["options"])
        until = time.perf_counter() + _SECONDS
        play_games(game, order["games"], order["seed"], until=until)
    except Stray as stray:
        cause: BaseException | None = stray
        while cause is not None and not isinstance(cause, IndexError):
            cause = cause.__cause__
        if cause is None:
            return {}  # not about an index: the compiled run decides
        return {"broken": str(stray), "place": place_of_walk(game, stray.walk).to_json()}
    except Exception as error:
        kind = type(error).__name__
        return {"skipped": f"not run as plain Python: {kind}: {one_line(error)}"}
    return {}


def _class(order: dict[str, Any]) -> Any:
    name, file = order["module"], order["file"]
    if name == "__main__":
        if file is None:
            raise LookupError("the game is not in a file")
        spec = spec_from_file_location(Path(file).stem, file)
        assert spec is not None
        assert spec.loader is not None
        found: Any = module_from_spec(spec)
        sys.modules[spec.name] = found
        spec.loader.exec_module(found)
    else:
        found = import_module(name)
    for part in order["class"].split("."):
        found = getattr(found, part)
    return found


if __name__ == "__main__":
    print(json.dumps(_play(json.loads(sys.stdin.read()))))
