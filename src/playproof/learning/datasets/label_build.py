"""A folder of positions that an engine has judged: resumable, by several engines at once.

The work is cut into parts of walks with numbers of their own; each is a file
when it is done.  Neither kills nor the number of engines change what comes out.
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

from playproof.agents.engines.process import find_program
from playproof.core.bits import derive_seed
from playproof.core.errors import UsageError
from playproof.core.files.atomic_write import write_atomically
from playproof.core.parallel import executor as jobs
from playproof.core.registry import make
from playproof.learning.datasets import labels
from playproof.learning.datasets.folds import deal, shared
from playproof.learning.datasets.label_walks import Manner, asker, opening, set_up, walk
from playproof.learning.datasets.packed import FLAGS, FOLD, IS_SHARED, board_keys, pack_rows
from playproof.learning.datasets.plan import settle_plan
from playproof.learning.datasets.positions import FACTS, GAME, GAMES, POSITIONS, VERSION, Positions

RANDOM = "random"
_PARTS, _PLAN = "parts", "label.json"
_EACH = 512  # positions that are judged for a part, and what its last walk gives beyond
_WALKS = 1 << 16  # numbers of walks that a part may use
_ENGINES: dict[Any, Any] = {}  # of this process

Tell = Callable[[int, int], None]  # positions labelled, wanted


@dataclass(frozen=True)
class Wishes:
    engine: str  # a program
    positions: str  # RANDOM, or a folder of positions where walks begin
    count: int  # positions that are judged; replies come beside them
    manner: Manner
    folds: int = 5
    seed: int = 0

    def check(self) -> None:
        m = self.manner
        if self.count < 1:
            raise UsageError(f"{self.count} positions: want 1 or more")
        if not 1 <= m.lines <= 16 or m.nodes < 1 or m.longest < 1 or m.opening < 0:
            raise UsageError("want 1 to 16 lines, and 1 node and 1 position of a walk or more")
        if not 0 <= m.replies <= m.lines:
            raise UsageError(f"{m.replies} replies: want 0 to {m.lines}, one for a move")
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
        """What a part depends on: more positions may be asked for later."""
        start = self.positions if self.positions == RANDOM else Path(self.positions).name
        return {"version": VERSION, "engine": title, "start": start, "folds": self.folds,
                "seed": self.seed, **asdict(self.manner)}  # fmt: skip


def build(
    wishes: Wishes,
    out: Path,
    *,
    workers: int | None = None,
    until: float | None = None,
    tell: Tell | None = None,
) -> dict[str, Any]:
    """Make the folder ``out``, or go on with it; what is in it, as kept in ``data.json``.

    After ``until`` (a monotonic clock) no further part begins, and the folder holds what there
    is; the same call goes on from there."""
    wishes.check()
    command = wishes.command()
    engine = set_up(command, wishes.manner)
    title = engine.title
    engine.close()
    if wishes.positions != RANDOM:
        Positions(wishes.positions)
    settle_plan(out / _PLAN, wishes.plan(title), "labelled", (POSITIONS,))
    paths = [out / _PARTS / f"{number:06}.npz" for number in range(-(-wishes.count // _EACH))]
    missing = [number for number, path in enumerate(paths) if not path.exists()]
    _make(wishes, command, paths, missing, workers, until, tell)
    return _join(wishes, title, out, [path for path in paths if path.exists()], len(paths))


def _make(
    wishes: Wishes, command: tuple[str, ...], paths: list[Path], missing: list[int],
    workers: int | None, until: float | None, tell: Tell | None,
) -> None:  # fmt: skip
    made = len(paths) - len(missing)
    with jobs.executor(workers) as pool:
        running: set[Any] = set()
        queue = iter(missing)
        room, number = workers or jobs.cores(), next(queue, None)
        while running or number is not None:
            if number is not None and len(running) < room:
                if until is not None and time.monotonic() >= until:
                    number = None
                    continue
                job = (paths[number], command, wishes, number)
                running.add(pool.submit(make_part, *job))
                number = next(queue, None)
                continue
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                future.result()
            made += len(done)
            if tell:
                tell(min(made * _EACH, wishes.count), wishes.count)


def make_part(path: Path, command: tuple[str, ...], wishes: Wishes, number: int) -> None:
    """The walks of a part, until there are positions enough."""
    manner, lines = wishes.manner, wishes.manner.lines
    engine = _ENGINES.get((command, manner))
    if engine is None or not engine.is_running:
        engine = _ENGINES[command, manner] = set_up(command, manner)
    ask, game = asker(engine, manner), make("chess")
    data = None if wishes.positions == RANDOM else Positions(wishes.positions)
    rows: list[Any] = []
    told = np.zeros(0, labels.label_type(lines))
    facts: list[tuple[int, int, int, int, int]] = []
    walks: list[tuple[int, int, int]] = []  # result, positions, fold of the start or -1
    judged = 0
    while judged < _EACH:
        own = number * _WALKS + len(walks)
        chooser = np.random.default_rng(derive_seed(wishes.seed, 2 * own + 1))
        fold = -1
        if data is None:
            start = opening(game.start(), manner.opening, chooser)
        else:
            place = int(chooser.integers(len(data)))
            start, fold = data.state(place), int(data.array[place]["fold"])
        engine.send("ucinewgame")
        found = walk(start, ask, manner, wishes.seed, 2 * own)
        part = np.zeros(len(found.rows), labels.label_type(lines))
        part["actions"], part["scores"] = labels.NO_MOVE, labels.NO_SCORE
        for row, (actions, scores) in enumerate(zip(found.actions, found.scores, strict=True)):
            part[row]["actions"][: len(actions)] = actions[:lines]
            part[row]["scores"][: len(scores)] = scores[:lines]
        values = labels.values(part["scores"]) if len(part) else np.zeros(0)
        for k in range(len(part)):
            facts.append((found.actions[k][0], found.times[k], round(float(values[k])), 0, 0))
        told, rows = np.concatenate([told, part]), rows + found.rows
        judged += found.judged
        walks.append((found.result, len(part), fold))
    packed = np.empty((len(rows), 5), np.uint64)
    pack_rows(np.stack(rows), np.array(facts, np.int64), packed)
    file = io.BytesIO()
    np.savez(file, positions=packed, labels=told, walks=np.array(walks, np.int64))
    write_atomically(path, file.getvalue())


def _join(wishes: Wishes, title: str, out: Path, paths: list[Path], parts: int) -> dict[str, Any]:
    """Put the parts together: folds, boards in two of them, tables, facts."""
    loaded = [np.load(path) for path in paths]
    empty = np.zeros((0, 5), np.uint64), np.zeros(0, labels.label_type(wishes.manner.lines))
    packed = np.concatenate([empty[0], *(part["positions"] for part in loaded)])
    told = np.concatenate([empty[1], *(part["labels"] for part in loaded)])
    walks = np.concatenate([np.zeros((0, 3), np.int64), *(part["walks"] for part in loaded)])
    games = np.zeros(len(walks), GAME)
    games["game"], games["result"] = np.arange(len(walks)), walks[:, 0]
    games["plies"] = games["drawn"] = walks[:, 1]
    games["first"] = np.cumsum(walks[:, 1]) - walks[:, 1]
    dealt = deal(walks[:, 0].astype(np.int64), wishes.folds, wishes.seed)
    # A walk from a game's position stays with that game: it is no test of what it taught.
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
    facts = {
        **wishes.plan(title), "files": [title], "positions": len(packed), "walks": len(walks),
        "distinct_boards": distinct, "shared": int(both.sum()), "complete": len(paths) == parts,
        "white": int((walks[:, 0] > 0).sum()), "drawn": int((walks[:, 0] == 0).sum()),
        "black": int((walks[:, 0] < 0).sum()),
    }  # fmt: skip
    (out / FACTS).unlink(missing_ok=True)  # a kill leaves no facts of other positions
    write_atomically(out / POSITIONS, packed.astype("<u8").tobytes())
    write_atomically(out / labels.LABELS, told.tobytes())
    table = io.BytesIO()
    np.save(table, games)
    write_atomically(out / GAMES, table.getvalue())
    write_atomically(out / FACTS, json.dumps(facts, indent=1, ensure_ascii=False).encode())
    return facts
