"""Go before a real referee.  ``make verify`` plays 2,000 games of all sizes."""

from __future__ import annotations

import pytest

from playproof import make
from tests.support.oracles.quantum_go_record import read_record
from tests.support.paths import EXAMPLE_1
from tests.support.peers import go_referee
from tests.support.peers.go_referee import Played, Ruling
from tests.support.peers.programs import program


@pytest.mark.parametrize(("size", "games"), [(5, 12), (7, 6), (9, 4), (19, 1)])
def test_random_games_are_ruled_alike(size: int, games: int) -> None:
    program("gnugo")
    ruling = go_referee.referee(size, games, seed=7)
    assert ruling.positions > games * size * size / 2
    assert ruling.captures > games
    assert ruling.finished > games // 3
    assert ruling.superko == []  # in games of this length GNU Go forgets nothing


def played(name: str, moves: list[str]) -> Played:
    states = [make(name).start()]
    for move in moves:
        states.append(states[-1].apply(move))
    return Played([("bw"[i % 2], move) for i, move in enumerate(moves)], states)


def test_a_forged_board_is_seen() -> None:
    program("gnugo")
    sound = played("go:board=5x5", ["C3", "D3", "B2"])
    go_referee.compare(sound, Ruling(), "sound")
    other = played("go:board=5x5", ["C3", "D3", "B1"])
    with pytest.raises(AssertionError, match=r"ply 3 \(b B2\): the boards differ"):
        go_referee.compare(Played(sound.moves, other.states), Ruling(), "forged")


def test_a_forgotten_ko_is_seen() -> None:
    """White has taken a ko: positions without a past would let Black take back at once."""
    program("gnugo")
    there = played("go:board=5x5", ["C4", "D4", "B3", "E3", "C2", "D2", "D3", "C3", "A1"])
    go_referee.compare(there, Ruling(), "sound")
    forgetful = [make("go:board=5x5").position(state.position) for state in there.states]
    with pytest.raises(AssertionError, match=r"ply 9 .* only we allow \['D3'\]"):
        go_referee.compare(Played(there.moves, forgetful), Ruling(), "forged")


def test_a_forged_count_is_seen() -> None:
    program("gnugo")
    go_referee.compare(played("go:board=5x5,komi=2", ["C3", "pass", "pass"]), Ruling(), "sound")
    lopsided = played("go:board=5x5", ["C3", "D3", "pass", "pass"])
    with pytest.raises(AssertionError, match="GNU Go counts"):
        go_referee.compare(lopsided, Ruling(), "White's stone is dead to GNU Go")


def test_the_kept_stones_of_example_1_are_plain_go() -> None:
    """Quantum Go's paper, Example 1: every kept stone as an ordinary move, and Black wins by 4."""
    program("gnugo")
    record = read_record(EXAMPLE_1)
    later = {number: kept for turn in record.turns for number, kept in turn.older.items()}
    names = make("go:board=6x6").points.names
    lines = ["boardsize 6", "clear_board", "komi 0"]
    for turn in record.turns:
        kept = turn.kept or later.get(turn.number)
        move = names[6 * kept[1] + kept[0]] if kept else "pass"
        lines += [f"play {'bw'[turn.side]} {move}", "list_stones black", "list_stones white"]
    answers = go_referee.answers([*lines, "final_score"])
    assert answers[-1] == "B+4.0"
    before: set[str] = set()
    for i, turn in enumerate(record.turns):
        black, white = answers[4 + 3 * i : 6 + 3 * i]
        now = {*black.split(), *white.split()}
        assert before - now == {names[6 * row + column] for column, row in turn.captured}
        before = now
