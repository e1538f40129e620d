"""A game's kernels as plain Python, in a process of its own, where every index is checked.

    python -m playproof.core.conformance.uncompiled

reads one line of JSON that names a game, plays it uncompiled, and writes what happened.  This shows
the line of a kernel that leaves its arrays, and finds indices too far off for the margins of
``guarded_kernels``.  Kernels that run only when compiled break no law: they are skipped.
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
_TIMEOUT = 120.0  # seconds for the process, imports included


def run_uncompiled(game: Game, games: int, seed: int) -> dict[str, Any]:
    """The law's result: ``broken`` and ``place``, or ``skipped`` with a reason, or nothing."""
    cls = type(game)
    module = sys.modules.get(cls.__module__)
    request = {
        "module": cls.__module__,
        "class": cls.__qualname__,
        "file": getattr(module, "__file__", None),
        "options": game.options,
        "games": games,
        "seed": seed,
        "path": sys.path,
    }
    try:
        result = subprocess.run(
            [sys.executable, "-W", "ignore", "-P", "-m", __name__],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, TypeError) as error:
        return {"skipped": f"not run as plain Python: {one_line(error)}"}
    try:
        answer: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        why = result.stderr.strip().splitlines()
        return {"skipped": f"not run as plain Python: {why[-1] if why else 'no answer'}"}
    return answer


def _play(request: dict[str, Any]) -> dict[str, Any]:
    from playproof.core.conformance.location import location_of_trace
    from playproof.core.conformance.safety import UnsafeGame, play_games

    sys.path[:] = request["path"]
    try:
        game = _class(request)(**request["options"])
        until = time.perf_counter() + _SECONDS
        play_games(game, request["games"], request["seed"], until=until)
    except UnsafeGame as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, IndexError):
            cause = cause.__cause__
        if cause is None:
            return {}  # not an index: the compiled run decides
        return {"broken": str(error), "place": location_of_trace(game, error.trace).to_json()}
    except Exception as error:
        kind = type(error).__name__
        return {"skipped": f"not run as plain Python: {kind}: {one_line(error)}"}
    return {}


def _class(request: dict[str, Any]) -> Any:
    name, file = request["module"], request["file"]
    if name == "__main__":
        if file is None:
            raise LookupError("the game is not in a file")
        spec = spec_from_file_location(Path(file).stem, file)
        assert spec is not None
        assert spec.loader is not None
        module: Any = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    else:
        module = import_module(name)
    value = module
    for part in request["class"].split("."):
        value = getattr(value, part)
    return value


if __name__ == "__main__":
    print(json.dumps(_play(json.loads(sys.stdin.read()))))
