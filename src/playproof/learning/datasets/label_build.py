"""Builds a folder of positions labelled by an engine: resumable, with several engines at once.

The work is cut into parts, numbered groups of walks; a finished part is a file.  The result is the
same however often the build was killed and whatever the number of engines.
"""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.agents.engines.process import find_program
from playproof.core.bits import derive_seed
from playproof.core.errors import UsageError
from playproof.core.files.atomic_write import write_atomically
from playproof.core.parallel import executor as jobs
from playproof.core.registry import make
from playproof.learning.datasets import labels
from playproof.learning.datasets.folds import deal, shared
from playproof.learning.datasets.label_walks import (
    LabelledWalk,
    WalkConfig,
    engine_query,
    opening,
    start_engine,
    walk,
)
from playproof.learning.datasets.packed import FLAGS, FOLD, IS_SHARED, board_keys, pack_rows
from playproof.learning.datasets.plan import ensure_plan
from playproof.learning.datasets.positions import (
    GAME,
    GAMES,
    METADATA,
    POSITIONS,
    VERSION,
    Positions,
)

RANDOM = "random"
_PARTS, _PLAN = "parts", "label.json"
_EACH = 512  # positions evaluated for a part, not counting the excess of its last walk
_WALKS = 1 << 16  # the most walks of a part
_ENGINES: dict[Any, Any] = {}  # the engines of this process

OnProgress = Callable[[int, int], None]  # positions labelled, positions in total


@dataclass(frozen=True)
class LabelConfig:
    """What to label: an engine, the start of walks, the number of positions, and the folds."""

    engine: str  # a program
    positions: str  # RANDOM, or a folder of positions in which walks start
    count: int  # positions that the engine evaluates; replies are extra
    walks: WalkConfig
    folds: int = 5
    seed: int = 0

    def check(self) -> None:
        m = self.walks
        if self.count < 1:
            raise UsageError(f"{self.count} positions: want 1 or more")
        if not 1 <= m.lines <= 16 or m.nodes < 1 or m.longest < 1 or m.opening < 0:
            raise UsageError(
                "want 1 to 16 lines, at least 1 node for a position, walks of at least 1 position, "
                "and 0 or more random moves before them"
            )
        if not 0 <= m.replies <= m.lines:
            raise UsageError(f"{m.replies} replies: want 0 to {m.lines}, at most one for each line")
        if not 0.0 <= m.blunders <= 1.0 or not m.temperature > 0.0:
            raise UsageError("want blunders from 0 to 1 and a temperature above 0")

    def command(self) -> tuple[str, ...]:
        program = find_program(os.path.expanduser(self.engine))
        if program is None:
            raise UsageError(
                f"the engine {self.engine} is not installed: name a program, or its path"
            )
        return (os.path.abspath(program),)

    def plan(self, title: str) -> dict[str, Any]:
        """Everything that a part depends on, as JSON; ``count`` may be raised later."""
        start = self.positions if self.positions == RANDOM else Path(self.positions).name
        return {"version": VERSION, "engine": title, "start": start, "folds": self.folds,
                "seed": self.seed, **asdict(self.walks)}  # fmt: skip


def build(
    config: LabelConfig,
    out: Path,
    *,
    workers: int | None = None,
    until: float | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Make the folder ``out``, or continue it; returns its metadata, as in ``data.json``.

    After ``until`` (on the monotonic clock) no further part starts, and the folder holds what is
    finished; the same call continues from there."""
    config.check()
    command = config.command()
    engine = start_engine(command, config.walks)
    title = engine.title
    engine.close()
    if config.positions != RANDOM:
        Positions(config.positions)
    ensure_plan(out / _PLAN, config.plan(title), "labelled", (POSITIONS,))
    paths = [out / _PARTS / f"{number:06}.npz" for number in range(-(-config.count // _EACH))]
    missing = [number for number, path in enumerate(paths) if not path.exists()]
    _make_parts(config, command, paths, missing, workers, until, on_progress)
    return _join(config, title, out, [path for path in paths if path.exists()], len(paths))


def _make_parts(
    config: LabelConfig, command: tuple[str, ...], paths: list[Path], missing: list[int],
    workers: int | None, until: float | None, on_progress: OnProgress | None,
) -> None:  # fmt: skip
    """Write the parts whose numbers are ``missing``."""
    finished = len(paths) - len(missing)
    with jobs.executor(workers) as pool:
        running: set[Any] = set()
        queue = iter(missing)
        room, number = workers or jobs.cores(), next(queue, None)
        while running or number is not None:
            if number is not None and len(running) < room:
                if until is not None and time.monotonic() >= until:
                    number = None
                    continue
                job = (paths[number], command, config, number)
                running.add(pool.submit(write_part, *job))
                number = next(queue, None)
                continue
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                future.result()
            finished += len(done)
            if on_progress:
                on_progress(min(finished * _EACH, config.count), config.count)


def write_part(path: Path, command: tuple[str, ...], config: LabelConfig, number: int) -> None:
    """Walk until the part has enough positions, and write it to ``path``."""
    manner, lines = config.walks, config.walks.lines
    engine = _ENGINES.get((command, manner))
    if engine is None or not engine.is_running:
        engine = _ENGINES[command, manner] = start_engine(command, manner)
    analyse, game = engine_query(engine, manner), make("chess")
    data = None if config.positions == RANDOM else Positions(config.positions)
    rows: list[Any] = []
    part_labels = np.zeros(0, labels.label_type(lines))
    details: list[tuple[int, int, int, int, int]] = []  # as ``pack_rows`` wants them
    walks: list[tuple[int, int, int]] = []  # result, positions, fold of the start or -1
    evaluated = 0
    while evaluated < _EACH:
        own = number * _WALKS + len(walks)
        rng = np.random.default_rng(derive_seed(config.seed, 2 * own + 1))
        fold = -1
        if data is None:
            start = opening(game.start(), manner.opening, rng)
        else:
            place = int(rng.integers(len(data)))
            start, fold = data.state(place), int(data.array[place]["fold"])
        engine.send("ucinewgame")
        steps = walk(start, analyse, manner, config.seed, 2 * own)
        walk_labels = _labels_of(steps, lines)
        values = labels.values(walk_labels["scores"]) if len(walk_labels) else np.zeros(0)
        for k in range(len(walk_labels)):
            details.append((steps.actions[k][0], steps.times[k], round(float(values[k])), 0, 0))
        part_labels, rows = np.concatenate([part_labels, walk_labels]), rows + steps.rows
        evaluated += steps.evaluated
        walks.append((steps.result, len(walk_labels), fold))
    packed = np.empty((len(rows), 5), np.uint64)
    pack_rows(np.stack(rows), np.array(details, np.int64), packed)
    file = io.BytesIO()
    np.savez(file, positions=packed, labels=part_labels, walks=np.array(walks, np.int64))
    write_atomically(path, file.getvalue())


def _labels_of(steps: LabelledWalk, lines: int) -> npt.NDArray[Any]:
    """The labels of a walk's positions, ``lines`` moves each."""
    table = np.zeros(len(steps.rows), labels.label_type(lines))
    table["actions"], table["scores"] = labels.NO_MOVE, labels.NO_SCORE
    for row, (actions, scores) in enumerate(zip(steps.actions, steps.scores, strict=True)):
        table[row]["actions"][: len(actions)] = actions[:lines]
        table[row]["scores"][: len(scores)] = scores[:lines]
    return table


def _join(
    config: LabelConfig, title: str, out: Path, paths: list[Path], parts: int
) -> dict[str, Any]:
    """Join the parts: deal folds, mark boards in two of them, write tables and metadata."""
    loaded = [np.load(path) for path in paths]
    empty = np.zeros((0, 5), np.uint64), np.zeros(0, labels.label_type(config.walks.lines))
    packed = np.concatenate([empty[0], *(part["positions"] for part in loaded)])
    part_labels = np.concatenate([empty[1], *(part["labels"] for part in loaded)])
    walks = np.concatenate([np.zeros((0, 3), np.int64), *(part["walks"] for part in loaded)])
    games = np.zeros(len(walks), GAME)
    games["game"], games["result"] = np.arange(len(walks)), walks[:, 0]
    games["plies"] = games["drawn"] = walks[:, 1]
    games["first"] = np.cumsum(walks[:, 1]) - walks[:, 1]
    dealt = deal(walks[:, 0].astype(np.int64), config.folds, config.seed)
    # A walk from a position of a game stays in that game's fold: the game may be trained on.
    games["fold"] = np.where(walks[:, 2] >= 0, walks[:, 2], dealt)
    number = np.repeat(np.arange(len(walks)), walks[:, 1]).astype(np.uint64)
    folds = np.repeat(games["fold"], walks[:, 1])
    words = np.empty(len(packed), np.uint64)
    board_keys(packed, words)
    keys = out / _PARTS / "keys.bin"
    write_atomically(keys, words.astype("<u8").tobytes())
    both, distinct = shared(keys, folds)
    packed[:, 3] |= number << np.uint64(32)
    packed[:, 4] |= folds.astype(np.uint64) << np.uint64(FOLD)
    packed[:, 4] |= both.astype(np.uint64) * np.uint64(IS_SHARED << FLAGS)
    metadata = {
        **config.plan(title), "files": [title], "positions": len(packed), "walks": len(walks),
        "distinct_boards": distinct, "shared": int(both.sum()), "complete": len(paths) == parts,
        "white": int((walks[:, 0] > 0).sum()), "drawn": int((walks[:, 0] == 0).sum()),
        "black": int((walks[:, 0] < 0).sum()),
    }  # fmt: skip
    (out / METADATA).unlink(missing_ok=True)  # so that a kill leaves no outdated metadata
    write_atomically(out / POSITIONS, packed.astype("<u8").tobytes())
    write_atomically(out / labels.LABELS, part_labels.tobytes())
    table = io.BytesIO()
    np.save(table, games)
    write_atomically(out / GAMES, table.getvalue())
    write_atomically(out / METADATA, json.dumps(metadata, indent=1, ensure_ascii=False).encode())
    return metadata
