"""Chess records and data, at length.  ``PLAYPROOF_PGN`` may name a file of your own games, which
are checked in addition to random ones."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import chess
import chess.pgn
import numpy as np

import playproof
from playproof.formats.pgn.split import BEGIN, END, START
from playproof.formats.pgn.stream import blocks, read, text_blocks
from playproof.learning.datasets.build import BuildConfig, build
from playproof.learning.datasets.positions import Positions
from tests.support.formats.pgn_play import corrupted, random_game, read_all, write
from tests.support.learning.chess_rederived import difference, tuples, valid_proposals

_TUPLES = 10_000
_SPOILED = 200
_GIGABYTE = 10**9
_MEGABYTES = 300  # allowed for a build


def pieces() -> dict[str, Callable[[], str]]:
    result = {
        "tuples of random games": partial(_with_games, _rederived, 400),
        "two builds and three kills": partial(_with_games, _killed, 400),
        "spoiled files": _read_or_reported,
        "a gigabyte": _gigabyte,
    }
    if named := os.environ.get("PLAYPROOF_PGN"):
        result[f"tuples of {Path(named).name}"] = partial(_rederived, Path(named))
        result[f"two builds of {Path(named).name}"] = partial(_twice, Path(named))
    return result


def _with_games(check: Callable[[Path], str], count: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "games.pgn"
        file.write_text(write([random_game(seed, 160) for seed in range(count)]))
        return check(file)


def _rederived(file: Path) -> str:
    """Build data, and derive the tuples of random games again, with Algorithm 3 on each."""
    with tempfile.TemporaryDirectory() as folder:
        metadata = build(BuildConfig((file,), 0.2, 1, 5), Path(folder))
        assert metadata["rejected"] == 0, metadata["first_rejected"]
        data = Positions(folder)
        order = list(range(len(data.games)))
        random.Random(1).shuffle(order)
        chosen_games: list[int] = []
        count = 0
        while count < _TUPLES and order:
            chosen_games.append(order.pop())
            count += int(data.games[chosen_games[-1]]["drawn"])
        texts = _texts(file, {int(data.games[place]["game"]) for place in chosen_games})
        checked = proposals = 0
        free = playproof.make("chess:draws=none")
        for place in chosen_games:
            line = data.games[place]
            game = chess.pgn.read_game(io.StringIO(texts[int(line["game"])]))
            assert game is not None
            assert not game.errors
            derived = tuples(game)
            for number in range(int(line["first"]), int(line["first"]) + int(line["drawn"])):
                kept, seen = data.array[number], data.samples([number]).observations[0]
                wrong = difference(kept, derived[int(kept["ply"]) - derived[0]["ply"]], seen)
                assert wrong == "", f"position {number}: {wrong}"
                position = data.state(number).position
                valid = valid_proposals(chess.Board(position))
                legal = set(free.position(position).legal_actions())
                assert {action for action, fits in valid.items() if fits} == legal, position
                checked, proposals = checked + 1, proposals + len(valid)
    summary = f"{metadata['games']:,} games, none rejected, {metadata['positions']:,} positions"
    return f"{summary}; {checked:,} derived again, {proposals:,} boards proposed"


def _texts(file: Path, numbers: set[int]) -> dict[int, str]:
    result = {}
    for block in blocks(file):
        for place, game in enumerate(block.games):
            if block.first + place in numbers:
                text = block.text[int(game[BEGIN]) : int(game[END])]
                result[block.first + place] = text.decode("utf-8", "replace")
    return result


def _content(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}


def _twice(file: Path) -> str:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        metadata = build(BuildConfig((file,), 0.2, 1, 5), Path(one), workers=1)
        build(BuildConfig((file,), 0.2, 1, 5), Path(two), workers=2)
        assert _content(Path(one)) == _content(Path(two)), "two builds differ"
    return f"{metadata['positions']:,} positions, the same bytes from one process and from two"


_BUILD = """
import sys
from pathlib import Path
from playproof.learning.datasets.build import BuildConfig, build
if __name__ == "__main__":
    build(BuildConfig((Path(sys.argv[1]),), 0.2, 1, 5, 50_000), Path(sys.argv[2]), workers=2)
"""


def _killed(file: Path) -> str:
    """Three SIGKILLs during a build leave the same bytes as an undisturbed one."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        script = home / "make.py"
        script.write_text(_BUILD)
        build(BuildConfig((file,), 0.2, 1, 5, 50_000), home / "alone", workers=1)
        command = [sys.executable, str(script), str(file), str(home / "killed")]
        for kill in range(1, 4):
            process = subprocess.Popen(command)
            while process.poll() is None and _parts(home / "killed") < 3 * kill:
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert _parts(home / "killed"), "it was over before the kill"
        subprocess.run(command, check=True)
        assert _content(home / "alone") == _content(home / "killed"), "a kill changed the data"
    return "the same bytes after three kills"


def _parts(folder: Path) -> int:
    return len(list((folder / "parts").glob("*.npz"))) if folder.exists() else 0


def _read_or_reported() -> str:
    """Read corrupted files, and compare the intact games with python-chess."""
    game = playproof.make("chess:draws=none")
    same = faults = 0
    for seed in range(1000, 1000 + _SPOILED):
        text = corrupted(write([random_game(5 * seed + k, 100) for k in range(5)]), seed)
        replayed = [read(block) for block in text_blocks(text.encode())]
        ours = [(r, i) for r in replayed for i in range(len(r.games))]
        for r, i in ours:
            if i in r.faults:
                faults += 1
                assert 1 <= r.faults[i].line <= text.count("\n") + 1
        theirs = read_all(text)
        if theirs is None or len(theirs) != len(ours):
            continue
        for other, (r, i) in zip(theirs, ours, strict=True):
            if i not in r.faults and not other.errors:
                start = playproof.State(game, r.starts[r.games[i, START]])
                names = start.names_of(r.actions(i).tolist())
                assert names == [move.uci() for move in other.mainline_moves()], seed
                same += 1
    return f"{_SPOILED} files: {same:,} games as python-chess reads them, {faults} reported"


_MEASURED = """
import json, sys
from pathlib import Path
from playproof.learning.datasets.build import BuildConfig, build
if __name__ == "__main__":
    facts = build(BuildConfig((Path(sys.argv[1]),), 0.2, 1, 5), Path(sys.argv[2]), workers=1)
    # Not getrusage, which counts memory of the parent when it started this process.
    told = Path("/proc/self/status").read_text()
    peak = int(told.partition("VmHWM:")[2].split()[0]) // 1024
    print(json.dumps({"peak": peak, "games": facts["games"], "positions": facts["positions"]}))
"""


def _gigabyte() -> str:
    """Build from a file of a gigabyte in one process, and measure its memory."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        text = write([random_game(seed, 160) for seed in range(200)]).encode()
        with (home / "large.pgn").open("wb") as file:
            for _ in range(-(-_GIGABYTE // len(text))):
                file.write(text)
        (home / "make.py").write_text(_MEASURED)
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, str(home / "make.py"), str(home / "large.pgn"), str(home / "out")],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        seconds = time.perf_counter() - began
        result = json.loads(done.stdout)
        size = np.memmap(home / "out" / "positions.bin", "u1", "r").shape[0]
        assert size == 40 * result["positions"]
    assert result["peak"] < _MEGABYTES, f"{result['peak']} MB"
    summary = f"{result['games']:,} games, {result['positions']:,} positions in {seconds:.0f} s"
    return f"{summary}, {result['peak']} MB of memory at most"
