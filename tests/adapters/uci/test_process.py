"""The UCI server as a process, driven by python-chess."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator

import chess
import chess.engine
import pytest

from tests.support.cli.running import command, environment
from tests.support.longer import longer

AGENT = "alphabeta:quiescence=true"


@pytest.fixture(scope="module")
def engine() -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci(
        command("uci", AGENT), env=environment(), timeout=60.0
    ) as made:
        made.ping()
        yield made


@pytest.mark.parametrize(
    "limit",
    [
        chess.engine.Limit(depth=3),
        chess.engine.Limit(nodes=1000),
        chess.engine.Limit(time=0.05),
        chess.engine.Limit(white_clock=2.0, black_clock=2.0, white_inc=0.01, black_inc=0.01),
        chess.engine.Limit(mate=1),
    ],
)
@pytest.mark.parametrize("ponder", [False, True])
def test_python_chess_plays_with_every_limit(
    engine: chess.engine.SimpleEngine, limit: chess.engine.Limit, ponder: bool
) -> None:
    board = chess.Board()
    for _ in range(longer(2, 4)):
        played = engine.play(board, limit, ponder=ponder, info=chess.engine.INFO_ALL, game=limit)
        assert played.move in board.legal_moves
        assert "score" in played.info
        board.push(played.move)
        board.push(played.ponder if ponder and played.ponder else next(iter(board.legal_moves)))


def test_python_chess_analyses(engine: chess.engine.SimpleEngine) -> None:
    found = engine.analyse(chess.Board(), chess.engine.Limit(depth=4))
    assert found["depth"] == 4
    assert found["nodes"] > 0
    assert found["pv"]
    mate = chess.Board("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1")
    found = engine.analyse(mate, chess.engine.Limit(depth=4))
    assert found["score"].relative == chess.engine.Mate(1)
    only = [chess.Move.from_uci("a2a3")]
    found = engine.analyse(chess.Board(), chess.engine.Limit(time=0.1), root_moves=only)
    assert found["pv"][0] == only[0]
    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 4:
                break


def test_python_chess_sets_options_and_is_refused_wrong_ones(
    engine: chess.engine.SimpleEngine,
) -> None:
    engine.configure({"Hash": 16, "quiescence": False, "depth": 2})
    assert engine.play(chess.Board(), chess.engine.Limit(time=1.0)).move is not None
    engine.configure({"Hash": 64, "quiescence": True, "depth": 100})
    with pytest.raises(chess.engine.EngineError):
        engine.configure({"NoSuch": 3})


@pytest.mark.slow
@pytest.mark.parametrize("ending", [b"", *longer([], [b"quit\n"])])
def test_the_end_during_a_search_is_the_end(ending: bytes) -> None:
    process = subprocess.Popen(
        command("uci", AGENT),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"isready\n\xff\xfe garbage\nposition startpos\ngo infinite\n")
    process.stdin.flush()
    while not process.stdout.readline().startswith(b"info depth 3"):
        pass
    began = time.monotonic()
    process.stdin.write(ending)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert time.monotonic() - began < 3.0
    assert b"Traceback" not in err
    assert out.splitlines()[-1].startswith(b"bestmove ")
