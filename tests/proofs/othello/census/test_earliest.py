"""The earliest plies with many moves: naive boards play the games and look at all positions."""

from __future__ import annotations

import pytest

from playproof.core.errors import DataError, UsageError
from playproof.proofs.othello.census import earliest
from playproof.proofs.othello.census.earliest import (
    check_games,
    earliest_game,
    earliest_games,
    most_moves,
    prove_earliest,
    record_lines,
)
from playproof.proofs.othello.census.records import census_records
from tests.support.oracles.othello_naive import BLACK, NaiveOthello, naive_moves

GAMES = earliest_games()
LATE = "d3e3f2"  # 7 stones and 6 moves, of which 5 are possible with 6 stones


def replay(record: str, size: int = 8) -> NaiveOthello:
    """The naive position after a transcript."""
    position = NaiveOthello(size)
    for start in range(0, len(record), 2):
        column, row = record[start : start + 2]
        action = position.pass_action
        if column != "-":
            action = size * (int(row) - 1) + ord(column) - ord("a")
        position = position.play(action)
    return position


def mobility(position: NaiveOthello) -> int:
    return len(naive_moves(position.board, position.to_move))


def naive_most_moves(size: int, stones: int) -> dict[int, int]:
    """The most moves with each number of stones, by every game."""
    level = {NaiveOthello(size)}
    most = {}
    for count in range(5, stones + 1):
        after = {one.play(action) for one in level for action in one.legal() if not one.over}
        level = {
            one if mobility(one) else one.play(one.pass_action) for one in after if not one.over
        }
        most[count] = max(map(mobility, level))
    return most


def test_a_naive_board_plays_every_game_to_its_moves() -> None:
    for game in GAMES:
        end = replay(game.record)
        assert "--" not in game.record
        assert len(game.record) == 2 * game.plies
        assert game.at_least <= mobility(end) == game.moves
        assert sum(cell is not None for row in end.board for cell in row) == game.stones
        assert game.plies == game.stones - 4
        assert game.colour == ("Black" if end.to_move == BLACK else "White")


def test_the_plies_of_the_table() -> None:
    known = {k: game.plies for game in GAMES for k in range(game.at_least, game.moves + 1)}
    assert [known[k] for k in range(5, 23)] == [
        2, 3, 4, 4, 4, 5, 5, 6, 7, 7, 8, 9, 10, 10, 11, 11, 12, 13,
    ]  # fmt: skip
    assert known[33] == 25
    assert min(one.stones for one in census_records()) == earliest_game(33).stones


def test_the_games_of_the_census_have_30_and_32_moves_early() -> None:
    """What the page says of the numbers that are open."""
    most = dict.fromkeys((23, 24), 0)
    for one in census_records():
        for ply in most:
            if "pass" not in one.state.moves[:ply]:
                state = one.state.game.start().play(one.state.moves[:ply])
                most[ply] = max(most[ply], len(state.legal_actions()))
    assert most == {23: 30, 24: 32}


@pytest.mark.parametrize(("size", "stones"), [(4, 9), (6, 8), (8, 7)])
def test_no_position_has_more_moves(size: int, stones: int) -> None:
    results = list(most_moves(stones, size))
    assert {one.stones: one.moves for one in results} == naive_most_moves(size, stones)
    for one in results:
        assert mobility(replay(one.record, size)) == one.moves


def test_two_levels_beyond_the_table_are_counted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [(one.stones, one.moves) for one in most_moves(10, 6)]
    monkeypatch.setattr(earliest, "MAX_STONES", 8)
    beyond = list(most_moves(10, 6))
    assert [(one.stones, one.moves) for one in beyond] == whole
    assert mobility(replay(beyond[-1].record, 6)) == beyond[-1].moves


@pytest.mark.parametrize("moves", [5, 7])
def test_both_ways_exclude_fewer_stones(moves: int, monkeypatch: pytest.MonkeyPatch) -> None:
    by_enumeration = prove_earliest(moves)
    assert by_enumeration.holds is True
    assert by_enumeration.findings[-1].startswith(f"{by_enumeration.game.stones - 1} stones: ")
    monkeypatch.setattr(earliest, "ENUMERATED", 4)
    by_search = prove_earliest(moves)
    assert by_search.holds is True
    assert by_search.findings[0].startswith("constructible sets: ")


@pytest.mark.parametrize("enumerated", [17, 4])
def test_a_game_that_is_too_late_is_noticed(
    enumerated: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(earliest, "earliest_games", lambda: check_games([f"5 {LATE}"]))
    monkeypatch.setattr(earliest, "ENUMERATED", enumerated)
    assert prove_earliest(5).holds is False
    assert prove_earliest(6).holds is True


@pytest.mark.parametrize("enumerated", [17, 4])
def test_without_time_nothing_is_proved(enumerated: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earliest, "ENUMERATED", enumerated)
    assert prove_earliest(12, seconds=0.0).holds is None


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["d3e3"], "game 1: 'd3e3' is no number of moves and a transcript"),
        (["6 d3e3"], "game 1 ends with 5 legal moves: want 6"),
        (["1 d3e3f3e2f6g2e1d1h1f1--"], "game 1 has a pass"),
        (["5 d3e3", "5 d3e3f2"], "game 2 has no more moves, or no more stones"),
    ],
)
def test_a_wrong_game_is_named(lines: list[str], complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        check_games(lines)


def test_a_number_of_moves_without_a_game_is_refused() -> None:
    with pytest.raises(UsageError, match="want more than 4, not 4"):
        earliest_game(4)
    with pytest.raises(UsageError, match="want 33 or fewer"):
        earliest_game(34)
    games = check_games([record_lines()[0], record_lines()[-1]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(earliest, "earliest_games", lambda: games)
        with pytest.raises(UsageError, match="not known: with 5 it is 2, with 33 it is 25"):
            earliest_game(24)


def test_only_small_numbers_of_stones_are_enumerated() -> None:
    with pytest.raises(UsageError, match="18 stones cannot be enumerated: want 4 to 17"):
        next(most_moves(18))
