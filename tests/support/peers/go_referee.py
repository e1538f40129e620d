"""GNU Go 3.8 as the referee of random games of Go: legality, captures and the final area.

GNU Go plays by positional superko here, as we do, but forgets what lies more
than 500 moves back.  A move that it allows and we do not is therefore held
against a plain list of all boards so far: it must repeat one, and is listed.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random

from playproof import State, make
from tests.support.peers.programs import program

_OPTIONS = ["--mode", "gtp", "--quiet", "--chinese-rules", "--positional-superko"]
_KOMI = (0.0, 0.5, 5.5, 7.0, 7.5)

Board = tuple[frozenset[str], frozenset[str]]  # Black's and White's stones


@dataclass
class Ruling:
    """What the referee was asked, and where superko told us apart."""

    positions: int = 0
    captures: int = 0  # stones
    finished: int = 0  # games whose area was compared
    superko: list[str] = field(default_factory=list)


@dataclass
class Played:
    """One of our games: (side, move) ply by ply, and the states before them and at the end."""

    moves: list[tuple[str, str]]
    states: list[State]


def with_gnugo(size: int, games: int, seed: int) -> int:
    """Referee random games on one size; how many positions were compared."""
    return referee(size, games, seed).positions


def verify_pieces(games: int = 2_000) -> dict[str, Callable[[], str]]:
    """For ``make verify``: so many games in all, on every size from 5 to 19."""

    def piece(size: int) -> str:
        ruling = referee(size, -(-games // len(sizes)), seed=2026)
        cases = "; ".join(ruling.superko) or "none"
        return (
            f"{ruling.positions:,} positions, {ruling.captures:,} stones captured, "
            f"{ruling.finished} areas alike; superko told apart: {cases}"
        )

    sizes = range(5, 20)
    return {f"{size}x{size}": partial(piece, size) for size in sizes}


def referee(size: int, games: int, seed: int) -> Ruling:
    rng = Random(f"{size}/{seed}")
    ruling = Ruling()
    for number in range(games):
        # A game in which nobody fills an eye comes to an end; the others try everything.
        played = random_game(size, rng, sensible=number % 2 == 0)
        compare(played, ruling, f"{size}x{size}, seed {seed}, game {number}")
    return ruling


def random_game(size: int, rng: Random, *, sensible: bool) -> Played:
    state = make("go", board=f"{size}x{size}", komi=rng.choice(_KOMI)).start()
    states, moves = [state], []
    longest = 3 * size * size if sensible else rng.randrange(size * size, 2 * size * size)
    while not state.is_terminal and len(moves) < longest:
        legal = [action for action in state.legal_actions() if action != size * size]
        if sensible:
            own = set(state.game.stones(state.row)[state.current_player])
            legal = [action for action in legal if not is_eye(action, own, size)]
        action = rng.choice(legal) if legal else size * size
        moves.append(("bw"[state.current_player], state.name(action)))
        state = state.apply(action)
        states.append(state)
    return Played(moves, states)


def is_eye(point: int, own: set[int], size: int) -> bool:
    """All neighbours are the own side's, and so are the diagonals but one; at the edge, all."""
    column, row = point % size, point // size

    def inside(cells: list[tuple[int, int]]) -> list[int]:
        return [r * size + c for c, r in cells if 0 <= c < size and 0 <= r < size]

    beside = inside([(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)])
    across = inside([(column + dc, row + dr) for dc in (-1, 1) for dr in (-1, 1)])
    missing = sum(cell not in own for cell in across)
    return own.issuperset(beside) and missing <= (1 if len(across) == 4 else 0)


def answers(lines: list[str]) -> list[str]:
    """What GNU Go says to each of the commands."""
    done = subprocess.run(
        [program("gnugo"), *_OPTIONS],
        input="".join(f"{line}\n" for line in [*lines, "quit"]),
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    replies = done.stdout.split("\n\n")[: len(lines)]
    assert len(replies) == len(lines), f"{len(replies)} answers to {len(lines)} commands"
    for line, answer in zip(lines, replies, strict=True):
        assert answer.lstrip("\n").startswith("="), f"GNU Go to '{line}': {answer}"
    return [answer.lstrip("\n")[1:].strip() for answer in replies]


def compare(played: Played, ruling: Ruling, name: str) -> None:
    """Hold one game against the referee's rulings; AssertionError names the first difference."""
    size, komi = played.states[0].game.width, played.states[0].game.options["komi"]
    over = played.states[-1].is_terminal
    lines = [f"boardsize {size}", "clear_board", f"komi {komi}"]
    for side, move in played.moves:
        lines += [f"all_legal {side}", f"play {side} {move}"]
        lines += ["list_stones black", "list_stones white"]
    lines += ["final_score"] if over else []
    replies = answers(lines)[3:]
    boards = [board(state) for state in played.states]
    for ply, (side, move) in enumerate(played.moves):
        where = f"{name}, ply {ply + 1} ({side} {move})"
        legal, _, black, white = replies[4 * ply : 4 * ply + 4]
        past = boards[: ply + 1]
        compare_legality(played.states[ply], set(legal.split()), past, ruling, where)
        theirs = frozenset(black.split()), frozenset(white.split())
        assert boards[ply + 1] == theirs, f"{where}: the boards differ"
        before, after = (sum(map(len, b)) for b in boards[ply : ply + 2])
        ruling.captures += before + (move != "pass") - after
        ruling.positions += 1
    if over:
        margin = played.states[-1].score
        ours = "0" if margin == 0 else f"{'B' if margin > 0 else 'W'}+{abs(margin):.1f}"
        assert replies[-1] == ours, f"{name}: GNU Go counts {replies[-1]}, we {ours}"
        ruling.finished += 1


def compare_legality(
    state: State,
    theirs: set[str],
    past: list[Board],
    ruling: Ruling,
    where: str,
) -> None:
    ours = {state.name(action) for action in state.legal_actions()} - {"pass"}
    theirs -= {"PASS"}
    assert ours <= theirs, f"{where}: only we allow {sorted(ours - theirs)}"
    for move in sorted(theirs - ours):
        loose = make("go", **{**state.game.options, "ko": "simple"})
        again = loose.position(state.position).apply(move)
        assert board(again) in past, f"{where}: only GNU Go allows {move}"
        ruling.superko.append(f"{where}: {move}")


def board(state: State) -> Board:
    names, (black, white) = state.game.points.names, state.game.stones(state.row)
    return frozenset(names[p] for p in black), frozenset(names[p] for p in white)
