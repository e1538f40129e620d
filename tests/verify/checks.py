"""The checks of ``make verify``.

A check has a title and pieces: functions that return their result as text, or
raise AssertionError.  Pieces take minutes at most, so that little is lost when
a run is stopped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import playproof
from playproof.core.compiling import cache_home
from playproof.core.parallel import executor as jobs
from tests.support.arena.killing import (
    FOUR,
    begin,
    is_sound,
    kept,
    killed_and_resumed,
    left_alone,
    table,
)
from tests.support.arena.simulation import long_check
from tests.support.formats import sgf_play
from tests.support.games.chess_positions import PERFT as CHESS_PERFT
from tests.support.peers import go_referee, side_by_side
from tests.support.peers.chess_side_by_side import with_python_chess
from tests.support.peers.go_side_by_side import with_naive_quantum_go, with_open_spiel_go
from tests.support.search.agreement import alphabeta_equals_minimax
from tests.support.search.endgames import FFO
from tests.support.search.matches import score
from tests.verify import (
    chess_data,
    chess_uci,
    choko_tables,
    counting,
    first_start,
    lab,
    more_examples,
    proofs,
    self_play,
)

Pieces = dict[str, Callable[[], str]]

OTHELLO_PERFT = (
    4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288, 24_571_284, 212_258_800,
)  # fmt: skip
CHOKO_PERFT = {
    False: (25, 600, 15_640, 351_596, 9_266_516, 204_381_232, 5_253_952_400),
    True: (25, 600, 15_700, 353_192, 9_303_904, 205_313_644, 5_274_633_920),
}
OTHELLO_POSITIONS = (
    1, 1, 3, 14, 60, 322, 1_773, 10_649, 67_245, 433_993, 2_958_551, 19_785_690,
)  # fmt: skip
CHOKO_POSITIONS = (1, 6, 85, 989, 10_653, 77_561, 522_315, 2_634_445, 12_177_774)
RECORDS = (
    "F5D6C4F3C5B4B3E6C6G5F6C7C3D2C2B2F4G4G3G7G6E7D3G2H3B6",
    "F5F6E6F4G7C6G3E7D6F3E3D3B7D7C2G2G1C3B2B3B4F7G5C4C7C8E2",
)
MILLION = 1_000_000


@dataclass(frozen=True)
class Check:
    about: str
    pieces: Callable[[], Pieces]


def _perft(spec: str, expected: tuple[int, ...]) -> str:
    game = playproof.make(spec)
    result = tuple(playproof.perft(game, depth + 1) for depth in range(len(expected)))
    assert result == expected, f"{spec}: {result}, not {expected}"
    return f"depth {len(result)} = {result[-1]:,}"


def _perft_pieces() -> Pieces:
    return {
        "othello": partial(_perft, "othello", OTHELLO_PERFT),
        "choko": partial(_perft, "choko", CHOKO_PERFT[False]),
        "choko:lone_jump": partial(_perft, "choko:lone_jump", CHOKO_PERFT[True]),
    }


def _chess_perft(name: str) -> str:
    position, counts = CHESS_PERFT[name]
    state = playproof.make("chess").position(position)
    result = tuple(playproof.perft(state, depth + 1) for depth in range(len(counts)))
    assert result == counts, f"{name}: {result}, not {counts}"
    return f"depth {len(result)} = {result[-1]:,}"


def _chess_oracle_pieces() -> Pieces:
    """A million positions, half of them in games with claimed draws."""
    return {
        f"{draws} part {part + 1} of 5": partial(
            _compare, with_python_chess, (draws,), MILLION // 10, part
        )
        for draws in ("automatic", "claimed")
        for part in range(5)
    }


def _enumerate(arguments: list[str], expected: tuple[int, ...], limit_mb: int) -> str:
    """Enumerate in a process of its own, to measure its memory."""
    code = (
        "import resource, sys; from playproof.cli.main import main; "
        "code = main(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "enumerate", *arguments, "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    data = json.loads(done.stdout)
    result = tuple(data["positions"].values())
    assert result == expected, f"{result}, not {expected}"
    megabytes = int(done.stderr.split()[-1]) // 1024
    assert megabytes < limit_mb, f"{megabytes} MB, more than {limit_mb}"
    return f"{result[-1]:,} positions, {data['seconds']} s inside, {megabytes:,} MB"


def _enumeration_pieces() -> Pieces:
    return {
        "othello to 15 stones": partial(
            _enumerate, ["othello", "--stones", "15"], OTHELLO_POSITIONS, 2000
        ),
        "choko to ply 8": partial(_enumerate, ["choko", "--ply", "8"], CHOKO_POSITIONS, 2000),
    }


def _compare(compare: Callable[..., int], first: tuple[object, ...], count: int, seed: int) -> str:
    """Compare ``count`` positions, in one process per core."""
    cores = jobs.cores()
    work = [(*first, count // cores, seed * 1000 + core) for core in range(cores)]
    return f"{sum(jobs.run(compare, work)):,} positions agree"


def _million(compare: Callable[..., int], first: tuple[object, ...], parts: int) -> Pieces:
    return {
        f"{' '.join(map(str, first))} part {part + 1} of {parts}".strip(): partial(
            _compare, compare, first, MILLION // parts, part
        )
        for part in range(parts)
    }


def _oracle_pieces() -> Pieces:
    naive = side_by_side.with_naive_othello
    return {
        **{f"othello size {k}": v for k, v in _million(naive, (8,), 4).items()},
        "othello size 6": partial(_compare, naive, (6,), MILLION // 10, 6),
        "othello size 4": partial(_compare, naive, (4,), MILLION // 10, 4),
        **{
            f"choko lone_jump {k}": v
            for lone in (False, True)
            for k, v in _million(side_by_side.with_naive_choko, (lone,), 2).items()
        },
    }


def _records() -> str:
    for record in RECORDS:
        moves = len(playproof.make("othello").start().play(record).legal_actions())
        assert moves == 33, f"{record}: {moves} legal moves, not 33"
    return "33 legal moves after both records"


def _cold_start() -> str:
    """Both games with perft and playouts, from an empty compile cache."""
    code = (
        "import playproof\n"
        "for name in ('othello', 'choko'):\n"
        "    game = playproof.make(name)\n"
        "    playproof.perft(game, 3), playproof.playouts(game, 10, seed=1)\n"
    )
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "PLAYPROOF_CACHE": empty}
        times = []
        for _ in range(2):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, env=environment)
            times.append(time.perf_counter() - began)
        size = sum(file.stat().st_size for file in Path(empty).rglob("*") if file.is_file())
    assert times[0] < 60, f"compiling took {times[0]:.0f} s"
    return f"cold {times[0]:.1f} s, then {times[1]:.1f} s; cache {size / 1e6:.1f} MB"


def _agreement_pieces() -> Pieces:
    def compare(spec: str, depth: int) -> str:
        return f"{alphabeta_equals_minimax(spec, depth, 1000, depth):,} values agree"

    return {
        f"{spec} depth {depth}": partial(compare, spec, depth)
        for spec in ("othello", "choko")
        for depth in (1, 2, 3, 4)
    }


def _endgame(position: str, expected: int, best: str) -> str:
    from playproof.search.othello_endgame.solver import solve

    state = playproof.make("othello").position(position)
    result = solve(state)
    assert result.score == expected, f"{result.score}, not {expected}"
    move = state.name(result.best_move)
    assert move in best.split(), f"{move}, not {best}"
    end = state
    for action in result.line:
        end = end.apply(action)
    assert end.is_terminal
    sign = -1 if state.current_player == 1 else 1
    assert sign * end.score == expected, "the line does not keep the score"
    return f"{result.score:+d} {move}, {result.nodes:,} nodes"


def _strength(spec: str, first: str, second: str, lost: int, won: int) -> str:
    """100 games; at most ``lost`` lost and at least ``won`` won."""
    wins, draws, losses = score(spec, first, second, 100, seed=1)
    summary = f"{wins} won, {draws} drawn, {losses} lost"
    assert losses <= lost, summary
    assert wins >= won, summary
    return summary


QUANTUM_VARIANTS = ("standard", "weak", "symmetric", "semi-black", "semi-white")


def _strength_pieces() -> Pieces:
    strong, weak = "mcts:simulations=2000", "mcts:simulations=100"
    return {
        **{
            f"{spec}: 2000 simulations against random": partial(
                _strength, spec, strong, "random", 0, 97
            )
            for spec in ("othello", "choko")
        },
        **{
            f"{spec}: 800 simulations against 100": partial(
                _strength, spec, "mcts:simulations=800", weak, 35, 60
            )
            for spec in ("othello", "choko")
        },
        **{
            f"quantum-go {variant} 5x5: 1000 simulations against random": partial(
                _strength,
                f"quantum-go:board=5x5,variant={variant}",
                "mcts:simulations=1000",
                "random",
                3,
                97,
            )
            for variant in QUANTUM_VARIANTS
        },
    }


def _statistics() -> str:
    return "; ".join(long_check())


def _killed_tournament() -> str:
    """Four agents, 200 games a pair: left alone, killed three times, and on a cluster."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        alone = left_alone(FOUR, 200, home)
        assert killed_and_resumed(FOUR, 200, 3, home) == alone, "a kill changed the table"
        assert is_sound(home / "killed.sqlite"), "the file is corrupt"
    return _points_text(alone)


def _cluster_tournament() -> str:
    with tempfile.TemporaryDirectory() as near, tempfile.TemporaryDirectory() as far:
        alone = left_alone(FOUR, 200, Path(near))
        # Ray must not write into the home folder; the kernels and our records of jobs are
        # elsewhere.
        home = Path(far) / "home"
        home.mkdir()
        elsewhere = {
            "HOME": str(home),
            "PLAYPROOF_CACHE": str(cache_home().parent),
            "PLAYPROOF_DATA": str(Path(far) / "data"),
        }
        result = left_alone(FOUR, 200, Path(far), "--cluster", "local", **elsewhere)
        assert result == alone, "not the same"
        assert list(home.iterdir()) == [], "something was written into the home folder"
    return _points_text(alone)


def _two_processes() -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shared.sqlite"
        tables = [table(p, 1800.0) for p in [begin(FOUR, 200, file) for _ in range(2)]]
        assert tables[0] == tables[1], "two processes on one file differ"
        assert is_sound(file), "the file is corrupt"
        assert kept(file) == 6 * 200, f"{kept(file)} games"
    return _points_text(tables[0])


def _points_text(result: dict[str, Any]) -> str:
    players = result["ratings"]["players"]
    return ", ".join(f"{p['name']} {p['points']:g}/{p['games']}" for p in players)


# Variants as the oracle names them.
GO_VARIANTS = (
    "classical", "standard", "weak", "symmetric", "semi-black", "semi-white", "ghz-3", "w-3",
    "standard born", "w-3 born",
)  # fmt: skip


def _go_oracle(case: str, part: int) -> str:
    """A hundred thousand decisions; ten parts make the million."""
    variant, _, collapse = case.partition(" ")
    boards = [(2, 2), (3, 2), (3, 3), (4, 3), (4, 4), (5, 5), (6, 4), (7, 7)]
    cores, seed = jobs.cores(), 1000 * part
    compare = partial(with_naive_quantum_go, **({"collapse": collapse} if collapse else {}))
    work = [
        (variant, *boards[(part + i) % len(boards)], MILLION // 10 // cores, seed + i)
        for i in range(cores)
    ]
    return f"{sum(jobs.run(compare, work)):,} decisions agree"


def _go_pieces() -> Pieces:
    return {
        f"{variant} part {part + 1} of 10": partial(_go_oracle, variant, part)
        for part in range(10)
        for variant in GO_VARIANTS
    }


CHECKS = {
    "records": Check("both records of the Othello paper", lambda: {"replay": _records}),
    "perft": Check("perft to the last published depth", _perft_pieces),
    "chess-perft": Check(
        "perft of six positions of chess to the last published depth",
        lambda: {name: partial(_chess_perft, name) for name in CHESS_PERFT},
    ),
    "chess-oracle": Check("chess against python-chess, a million positions", _chess_oracle_pieces),
    "chess-uci": Check("UCI: clocks, Stockfish and a rating", chess_uci.pieces),
    "chess-data": Check("PGN and positions from games, beside python-chess", chess_data.pieces),
    "enumeration": Check("distinct positions, in under 2 GB", _enumeration_pieces),
    "compiling": Check("from an empty cache in under 60 s", lambda: {"both games": _cold_start}),
    "conformance": Check(
        "the laws of every game, and its pictures in a browser, on many more games",
        more_examples.pieces,
    ),
    "longer": Check("tests of which `make test` runs a sample", more_examples.longer_pieces),
    "slow": Check("tests that `make test` leaves to `make slow`", more_examples.slow_pieces),
    "open-spiel": Check(
        "Othello against OpenSpiel, a million positions",
        lambda: _million(side_by_side.with_open_spiel, (), 2),
    ),
    "alpha-beta": Check("the values of full-width minimax, 1,000 positions", _agreement_pieces),
    "endgame": Check(
        "five positions of the FFO suite, exactly",
        lambda: {f"number {40 + i}": partial(_endgame, *ffo) for i, ffo in enumerate(FFO)},
    ),
    "strength": Check(
        "tree search against random play and against fewer simulations", _strength_pieces
    ),
    "statistics": Check(
        "intervals, sequential test and ratings, by simulation", lambda: {"all": _statistics}
    ),
    "arena": Check(
        "a tournament of 4 agents, 200 games a pair, on Choko",
        lambda: {
            "killed three times": _killed_tournament,
            "two processes on one file": _two_processes,
            "through a local Ray": _cluster_tournament,
        },
    ),
    "go-open-spiel": Check(
        "Go under simple ko against OpenSpiel, 9x9",
        lambda: {
            f"part {part + 1} of 4": partial(_compare, with_open_spiel_go, (9,), MILLION // 4, part)
            for part in range(4)
        },
    ),
    "gnugo": Check("random games of Go, refereed by GNU Go", go_referee.verify_pieces),
    "sgf": Check("records of every variant, written and read", sgf_play.verify_pieces),
    "quantum-go": Check("Go and its variants against the naive boards, by the million", _go_pieces),
    "choko-tables": Check("parts of Choko, solved and derived again", choko_tables.pieces),
    "self-play": Check(
        "self-play: perfect play from scratch, the same run however often it is killed, and equal "
        "strength when run in legs",
        self_play.pieces,
    ),
    "wheel": Check("the lab from its wheel alone", lab.wheel),
    "lab-start": Check(
        "make lab in a fresh clone: moves answered soon, and every page shows what it waits for",
        first_start.pieces,
    ),
    "lab-messages": Check("every message and reply on values of its own schema", lab.protocol),
    "lab-load": Check(
        "the lab with 200 people, and with hostile guests: no move lost, memory flat, the owner "
        "answered at once",
        lab.load,
    ),
    "lab-kills": Check("the lab killed 20 times: nothing lost, nothing left running", lab.kills),
    "lab-soak": Check("a day of use in an hour: nothing grows", lab.soak),
    "counting": Check("at least k of 64, for every k, with certificates", counting.pieces),
    "proofs": Check("the Othello paper, certified, and beyond it", proofs.pieces),
    "oracle": Check("both games against the naive boards, by the million", _oracle_pieces),
}
