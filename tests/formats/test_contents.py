"""What a text holds: games, players, variations, comments."""

from __future__ import annotations

import pytest

from playproof import DataError, make
from playproof.formats.any_text import read_state
from playproof.formats.contents import games_in, variations_of
from playproof.formats.record import Record
from playproof.formats.sgf.records import write

TWO = """[Event "Café de la Régence"]
[Date "1858.??.??"]
[White "Müller, \\"Max\\""]
[Black "?"]
[Result "1-0"]

1. e4 {best} e5 (1... c5 2. Nf3 (2. Nc3 Nc6) d6) (1... e6) 2. Nf3! 1-0

[Event "?"]
[White "Anna"]
[Black "Berta"]
[Result "1/2-1/2"]

1. d4 d5 1/2-1/2
"""


def test_games_of_pgn() -> None:
    for text in (TWO, TWO.replace("\n", "\r\n")):
        first, second = games_in(text)
        assert (first.number, first.result, first.date) == (1, "1-0", "1858")
        assert first.event == "Café de la Régence"
        assert (first.players[0].startswith("Müller"), first.players[1]) == (True, "")
        assert (second.players, second.result, second.event) == (("Anna", "Berta"), "1/2-1/2", "")
        alone = read_state(make("chess"), text[second.begin : second.end])
        assert alone.moves == ["d2d4", "d7d5"]
        assert read_state(make("chess"), text[first.begin : first.end]).moves[0] == "e2e4"


def test_variations_of_pgn() -> None:
    chess = make("chess")
    beside = variations_of(TWO, read_state(chess, TWO))
    lines = [chess.start().display_names(*path) for path in beside.paths]
    assert lines == [["e4", "c5", "Nf3", "d6"], ["e4", "c5", "Nc3", "Nc6"], ["e4", "e6"]]
    assert (beside.comments, beside.broken) == (2, 0)


SGF = """(;GM[1]SZ[9]PB[Ali]PW[Bo]RE[W+R]DT[2001-02-03]EV[Cup];B[ee];W[cc]C[why]
(;B[gg];W[cg])(;B[cg](;W[gc])(;W[ee])))
(;GM[1]SZ[9]PB[Cy];B[aa])"""


def test_games_and_variations_of_sgf() -> None:
    first, second = games_in(SGF)
    assert (first.players, first.result, first.date, first.event) == (
        ("Ali", "Bo"), "0-1", "2001-02-03", "Cup",
    )  # fmt: skip
    assert (second.players, second.result) == (("Cy", ""), "*")
    assert read_state(make("go"), SGF[second.begin : second.end]).moves == ["A9"]
    end = read_state(make("go"), SGF[first.begin : first.end])
    beside = variations_of(SGF, end)
    assert [len(path) for path in beside.paths] == [4]
    assert (beside.broken, beside.comments) == (1, 1)  # W[ee] is on a stone


def test_variations_of_quantum_go() -> None:
    game = make("quantum-go", board="5x5")
    text = write(game.start().play("A1 B2 C3 D4"))
    head, _, last = text.strip().removesuffix(")").rpartition(";")
    forked = f"{head}(;{last})(;{last.replace('cc', 'dd', 1)}))" if "cc" in last else ""
    end = read_state(game, text)
    assert variations_of(text, end).paths == ()
    if forked:
        beside = variations_of(forked, end)
        assert len(beside.paths) + beside.broken == 1


def test_records_and_other_texts() -> None:
    records = [Record.of(make("othello").start().play(m), ("A", "?")) for m in ("f5", "f5d6")]
    text = "\n\n".join(record.to_json() for record in records) + "\n"
    first, second = games_in(text)
    assert first.players == ("A", "")
    assert len(read_state(make("othello"), text[second.begin : second.end]).actions) == 2
    assert len(games_in(records[0].to_json())) == 1
    for other in ("f5d6", "1. e4 e5", "", "{broken", "hello"):
        assert games_in(other) == []
        assert variations_of(other, make("chess").start()).paths == ()


@pytest.mark.parametrize("text", ["(;GM[1", '[White "A"]\n\n1. e4 (1. d4'])
def test_a_broken_text_is_no_crash(text: str) -> None:
    with pytest.raises(DataError):
        variations_of(text, make("chess").start())
