"""PGN for people: read, shown, written, and read again."""

from __future__ import annotations

from pathlib import Path

import pytest

import playproof
from playproof import DataError, UsageError
from playproof.formats import epd, pgn
from playproof.formats.any_text import read_game
from playproof.formats.record import Record, append_record, check_writable
from tests.support.formats.pgn_play import random_game, read_all, write

CHESS = playproof.make("chess")
COMMENTED = """[Event "A \\"great\\" game"]
[White "Anna"]
[Black "Béla"]
[Result "0-1"]

{To begin with} 1. e4 $1 {best} 1... e5 (1... c5 $5 2. Nf3 (2. Nc3 {closed} 2... Nc6)
2... d6) 2. f4 exf4 {taken} 0-1
"""


@pytest.mark.parametrize("seed", range(6))
def test_what_is_written_is_what_python_chess_reads(seed: int) -> None:
    tree = pgn.read_tree(write([random_game(seed)]))
    text = pgn.write_game(tree)
    assert pgn.read_tree(text) == tree
    (theirs,) = read_all(text) or []
    assert theirs.errors == []
    expected = random_game(seed)
    # All that python-chess knows of a game: its moves, signs, comments and variations.
    assert theirs.accept(_plain()).split() == expected.accept(_plain()).split()


def _plain():  # type: ignore[no-untyped-def]
    import chess.pgn

    return chess.pgn.StringExporter(headers=False, columns=None)


def test_comments_signs_and_variations_are_kept() -> None:
    tree = pgn.read_tree(COMMENTED)
    first, second, third, _ = tree.line
    assert (first.before, first.name, first.after) == ("To begin with", "e4", "best")
    assert first.nags == [1]
    (sicilian,) = second.variations
    assert [move.name for move in sicilian] == ["c5", "Nf3", "d6"]
    assert [move.name for move in sicilian[1].variations[0]] == ["Nc3", "Nc6"]
    assert third.name == "f4"
    assert pgn.write_game(tree).split("\n\n")[1].split() == COMMENTED.split("\n\n")[1].split()


def test_a_record_goes_out_and_comes_back() -> None:
    state = CHESS.start().play("e4 e5 Nf3")
    record = Record.of(state, ("a", 'b "c"'), result="1-0", reason="Black resigned")
    back, reread = pgn.read(pgn.write_record(record))
    assert back == state
    assert back.actions == state.actions
    assert reread == record


def test_a_position_that_was_set_up_goes_along() -> None:
    state = CHESS.position("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 3 40").play("Kg3 Rb1")
    text = pgn.write(state)
    assert "40... Kg3 41. Rb1 *" in text
    back, record = pgn.read(text)
    assert back.position == state.position
    assert record.start == state.start.position


def test_options_and_claims_are_kept() -> None:
    people = playproof.make("chess:draws=claimed")
    state = people.start().play(["Nf3", "Nf6", "Ng1", "Ng8"] * 2)
    claimed = state.apply("draw")
    back, record = pgn.read(pgn.write(claimed))
    assert back.position == claimed.position
    assert back.game == people
    assert record.result == "1/2-1/2"


def test_a_game_that_went_on_after_a_repetition_is_read_under_other_draws() -> None:
    moves = " ".join(["Nf3", "Nf6", "Ng1", "Ng8"] * 2)
    back, _ = pgn.read(f'[Event "x"]\n\n{moves} e4 e5 1-0\n')
    assert back.game.options["draws"] == "claimed"
    lost, _ = pgn.read(f'[Event "x"]\n\n{moves} 1-0\n')  # on time, say: no draw was claimed
    assert lost.outcome is None
    people = playproof.make("chess:draws=claimed")  # asked for by name: no other is tried
    with pytest.raises(playproof.PlayproofError, match=r"line 1: .*the game is over"):
        pgn.read(f'[Event "x"]\n\n{moves} {moves} e4 1-0\n', game=people)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[Event "x"]\n\n1. e4 e5\n2. Ke3 *', "line 4: Ke3 is not legal here"),
        ('[Event "x"]\n\n1. e4 (1. d4\n(1. c4 *', "line 3: a variation without )"),
        ('[Event "x"\n\n1. e4 *', "line 1: a broken tag"),
        ('[Event "x"]\n\n(1. e4 *', "line 3: a variation before the first move"),
        ('[Event "x"]\n[FEN "8/8 w - -"]\n\n1. e4 *', "line 2: bad FEN"),
        ('[Event "x"]\n\n' + "1. e4 " + "(1. d4 " * 300 + ")" * 300 + "*", "deeper than 100"),
        ('[Event "x"]\n\n1. f3 e5 2. g4 Qh4# 1-0', "says 1-0, but its moves end in 0-1"),
        ('[Event "x"]\n[Variant "Atomic"]\n\n1. f3 *', "a game of atomic"),
        ('[Event "x"]\n\n1. e4 {', "line 3: a comment without }"),
    ],
)
def test_what_is_wrong_is_a_line(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        pgn.read(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_is_read_by_its_name_or_by_its_looks(tmp_path: Path) -> None:
    file = tmp_path / "two.pgn"
    file.write_text(f"{COMMENTED}\n{COMMENTED.replace('exf4', 'd5')}")
    state, record = read_game(CHESS, str(file), number=2)
    assert state.moves[-1] == "d7d5"
    assert record.players == ("Anna", "Béla")
    assert record.extra == {"tags": {"Event": 'A "great" game'}}
    assert read_game(CHESS, COMMENTED)[0].moves[-1] == "e5f4"
    with pytest.raises(DataError, match="holds 2 games: there is no number 3"):
        read_game(CHESS, str(file), number=3)
    with pytest.raises(DataError, match="PGN holds games of chess: want"):
        read_game(playproof.make("othello"), str(file))


def test_saving_appends_games(tmp_path: Path) -> None:
    file = tmp_path / "saved.pgn"
    for moves in ("e4", "d4 d5"):
        append_record(file, Record.of(CHESS.start().play(moves), ("a", "b")))
    assert [len(list(game.mainline_moves())) for game in read_all(file.read_text()) or []] == [1, 2]
    with pytest.raises(UsageError, match="PGN is for chess"):
        check_writable(file, playproof.make("othello"))


def test_lines_of_fen_and_epd(tmp_path: Path) -> None:
    lines = [
        "# two positions",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 5 30",
        "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - "
        'bm Ng5 O-O; id "a; b"; hmvc 4;',
    ]
    file = tmp_path / "suite.epd"
    file.write_text("\n".join(lines))
    assert read_game(CHESS, str(file))[0].position == lines[1]
    assert read_game(CHESS, str(file), number=2)[0].position.endswith("KQkq - 4 1")
    _, entry = epd.read("\n".join(lines))
    assert entry.operations == {"bm": "Ng5 O-O", "id": '"a; b"', "hmvc": "4"}
    file.write_text("\n".join([*lines, "8/8/8/8 w - -"]))
    with pytest.raises(DataError, match="line 4"):
        read_game(CHESS, str(file))
