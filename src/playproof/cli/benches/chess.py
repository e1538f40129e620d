"""Chess against its own peers: perft against Stockfish, random play against python-chess."""

from __future__ import annotations

import random
import re
import resource
import subprocess
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

from playproof.agents.engines.gtp.agent import find_program
from playproof.cli.benches.peers import best_rate
from playproof.core.perft import perft
from playproof.core.registry import make

# The start and "Kiwipete": few moves, and many.
_POSITIONS = (
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5),
)
_ROUNDS = 4
_NODES = re.compile(r"Nodes searched: (\d+)")


def python_chess() -> str | None:
    """Its version, or None if it is not installed."""
    try:
        return version("chess")
    except PackageNotFoundError:
        return None


def stockfish() -> str | None:
    """Its version, or None if it is not installed."""
    program = find_program("stockfish")
    return _run(program, "uci").split("\n")[0].split()[1] if program else None


def python_chess_rate(seconds: float) -> float:
    """Steps per CPU second of random play, with the list of moves and all draws at every step."""
    import chess

    chooser = random.Random(1)

    def work() -> int:
        board, steps = chess.Board(), 0
        while True:
            legal = list(board.legal_moves)
            drawn = board.halfmove_clock >= 100 or board.is_repetition(3)
            if not legal or drawn or board.is_insufficient_material():
                return steps
            board.push(chooser.choice(legal))
            steps += 1

    return best_rate(work, seconds)


def perft_rates(seconds: float) -> tuple[float, float | None]:
    """Leaves per CPU second, ours and Stockfish's (None if it is not installed).

    Both count from the same positions in turn; the best of several rounds counts."""
    less = 0 if seconds >= 1.0 else 1  # plies, for a short measurement
    program = find_program("stockfish")
    for fen, _ in _POSITIONS:
        perft(make("chess").position(fen), 3)  # warm
    ours, theirs = 0.0, 0.0
    began, rounds = time.perf_counter(), 0
    while rounds == 0 or (rounds < _ROUNDS and time.perf_counter() - began < 3 * seconds):
        ours = max(ours, _rate(lambda fen, depth: _ours(fen, depth), less))
        if program:
            theirs = max(theirs, _rate(lambda fen, depth: _theirs(program, fen, depth), less))
        rounds += 1
    return ours, theirs or None


def _rate(count: Callable[[str, int], tuple[int, float]], less: int) -> float:
    """Leaves a second over all positions."""
    counted = [count(fen, depth - less) for fen, depth in _POSITIONS]
    return sum(leaves for leaves, _ in counted) / sum(seconds for _, seconds in counted)


def _ours(fen: str, depth: int) -> tuple[int, float]:
    """Leaves, and the CPU seconds they took."""
    state = make("chess").position(fen)
    began = time.process_time()
    leaves = perft(state, depth)
    return leaves, time.process_time() - began


def _theirs(program: str, fen: str, depth: int) -> tuple[int, float]:
    # The start of the program is not counted.
    idle = _run_perft(program, fen, 1)[1]
    leaves, seconds = _run_perft(program, fen, depth)
    return leaves, max(seconds - idle, 1e-3)


def _run_perft(program: str, fen: str, depth: int) -> tuple[int, float]:
    before = _child_seconds()
    output = _run(program, f"position fen {fen}\ngo perft {depth}")
    nodes = _NODES.search(output)
    return int(nodes[1]) if nodes else 0, _child_seconds() - before


def _child_seconds() -> float:
    """CPU seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(program: str, commands: str) -> str:
    process = subprocess.run(
        [program], input=f"{commands}\nquit\n", capture_output=True, text=True, check=False
    )
    return process.stdout
