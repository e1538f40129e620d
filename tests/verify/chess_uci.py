"""UCI at length: python-chess drives our engine through whole games on the clock, and our
alpha-beta plays Stockfish and is rated.  To run it alone:

python tests/verify/run.py chess-uci
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import chess
import chess.engine

from playproof.agents.engines.uci.rated import RatedEngine
from playproof.arena.database import GameDatabase
from playproof.arena.elo.run import EloMeasurement
from playproof.arena.tournament import MatchConfig, match
from tests.support.cli.running import command, environment
from tests.support.peers.programs import program

PLAYER = "alphabeta:nodes=10000,quiescence=true,table=1"
_INCREMENT = 0.05  # seconds


def on_the_clock(clock: float, ponder: bool) -> str:
    """A game of our engine against itself, refereed and timed by python-chess."""
    board, left = chess.Board(), [clock, clock]
    engines = [
        chess.engine.SimpleEngine.popen_uci(command("uci"), env=environment(), timeout=120.0)
        for _ in range(2)
    ]
    try:
        for engine in engines:
            engine.ping()
        while not board.is_game_over(claim_draw=True):
            side = 0 if board.turn else 1
            limit = chess.engine.Limit(
                white_clock=left[0], black_clock=left[1],
                white_inc=_INCREMENT, black_inc=_INCREMENT,
            )  # fmt: skip
            began = time.monotonic()
            played = engines[side].play(board, limit, ponder=ponder)
            left[side] -= time.monotonic() - began
            assert left[side] > 0.0, f"lost on time after {board.ply()} plies"
            left[side] += _INCREMENT
            assert played.move in board.legal_moves, f"{played.move} in {board.fen()}"
            board.push(played.move)
    finally:
        for engine in engines:
            engine.close()
    return f"{board.ply()} plies, {min(left):.2f} s left"


def against_stockfish() -> str:
    """100 games, all of which must end by the rules of chess."""
    program("stockfish")
    with tempfile.TemporaryDirectory() as folder:
        result = match(
            "chess", "alphabeta:time=0.05,quiescence=true", "uci:stockfish,elo=1500,movetime=20",
            100, path=Path(folder) / "games.sqlite", seed=1,
        )  # fmt: skip
    assert not result.failures, result.failures
    score = result.scores[0, 1]
    assert score.games == 100
    return f"+{score.wins} ={score.draws} -{score.losses} against Stockfish at 1500, 20 ms"


def rating() -> str:
    """Alpha-beta at 10,000 nodes a move against the levels around it, at 2,000."""
    program("stockfish")
    opponent = RatedEngine.of("uci:stockfish,nodes=2000", "chess")
    with (
        tempfile.TemporaryDirectory() as folder,
        GameDatabase(Path(folder) / "games.sqlite") as store,
    ):
        config = MatchConfig(pairs=100, seed=1)
        result = EloMeasurement("chess", PLAYER, opponent, [], config, store, bracket=True).run()
    failures = [level.failures for level in result.levels if level.failures]
    assert not failures, failures
    rated = result.rating
    assert rated.elo is not None
    assert rated.lower is not None
    assert rated.upper is not None
    assert rated.upper - rated.lower < 200
    games = sum(level.score.games for level in result.levels)
    levels = " and ".join(str(level.nominal) for level in result.levels)
    return (
        f"{rated.elo:.0f} [{rated.lower:.0f}, {rated.upper:.0f}] by {games} games against "
        f"{opponent.title} at {levels}, {opponent.limits}"
    )


def pieces() -> dict[str, Callable[[], str]]:
    clocks = {
        f"on the clock, {clock:g} s{', pondering' if ponder else ''}": partial(
            on_the_clock, clock, ponder
        )
        for clock, ponder in ((2.0, False), (10.0, False), (10.0, True))
    }
    return {**clocks, "100 games against Stockfish": against_stockfish, "rating": rating}
