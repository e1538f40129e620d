"""The compiled PGN reader: every game as python-chess reads it, or reported with its line."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import zipfile
from pathlib import Path

import chess
import pytest

import playproof
from playproof import DataError
from playproof.formats import pgn
from playproof.formats.pgn.split import DRAW, RESULT, START, WHITE
from playproof.formats.pgn.stream import GameBlock, ReplayedBlock, blocks, read, text_blocks
from tests.support.formats.pgn_play import corrupted, random_game, read_all, write
from tests.support.longer import longer

HEAD = '[Event "x"]\n[Result "1-0"]\n\n'


def moves(replayed_block: ReplayedBlock, place: int) -> list[str]:
    game = playproof.make("chess:draws=none")
    start = playproof.State(game, replayed_block.starts[replayed_block.games[place, START]])
    return start.names_of(replayed_block.actions(place).tolist())


def one(text: str) -> ReplayedBlock:
    (block,) = text_blocks(text.encode())
    return read(block)


def test_games_are_read_as_python_chess_reads_them() -> None:
    games = [random_game(seed) for seed in range(40)]
    replayed_block = one(write(games))
    assert replayed_block.faults == {}
    assert [moves(replayed_block, i) for i in range(40)] == [
        [move.uci() for move in game.mainline_moves()] for game in games
    ]
    results = {"1-0": 1, "0-1": 2, "1/2-1/2": 3}
    assert replayed_block.games[:, RESULT].tolist() == [results[g.headers["Result"]] for g in games]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1.e4 e5 2.Nf3 Nc6", "e2e4 e7e5 g1f3 b8c6"),
        ("e2e4 e7-e5 Ng1f3 Nb8-c6", "e2e4 e7e5 g1f3 b8c6"),
        ("1. e4!? $14 e5?? 2. Nf3 +/- D N = Nc6", "e2e4 e7e5 g1f3 b8c6"),
        ("1. e4 e5 2. Bc4 Bc5 3. Nf3 Nf6 4. 0-0 O-O", "e2e4 e7e5 f1c4 f8c5 g1f3 g8f6 e1g1 e8g8"),
        ("1. e4 a6 2. e5 d5 3. exd6 e.p. cxd6", "e2e4 a7a6 e4e5 d7d5 e5d6 c7d6"),
        ("% 1. d4\n1. e4 ; 1... d5\n{ ( } e5 ({ ) } 1... c5 (1... d5)) 2. f4", "e2e4 e7e5 f2f4"),
        ("1. e4 d5 2. exd5 e6 3. dxe6 a6 4. exf7+ Ke7 5. fxg8=N+ Ke8 6. Nh6 a5",
         "e2e4 d7d5 e4d5 e7e6 d5e6 a7a6 e6f7 e8e7 f7g8n e7e8 g8h6 a6a5"),
    ],
)  # fmt: skip
def test_what_may_stand_among_moves(text: str, names: str) -> None:
    replayed_block = one(f"{HEAD}{text} 1-0\n")
    assert replayed_block.faults == {}
    assert moves(replayed_block, 0) == names.split()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("1. e4 e5\n2. Ke3 1-0", 5, "illegal move 'Ke3' (ply 3)"),
        ("1. e4 e5 2. Nf3 Nf6 3. d3 d6\n4. Nd2 1-0", 5, "ambiguous move 'Nd2' (ply 7)"),
        ("1. e4\ne5 2. d5x 1-0", 5, "not a move 'd5x' (ply 3)"),
        ("1. e4 e5 2. -- d5 1-0", 4, "null move"),
        ("1. e4 {never closed\n\n", 4, "comment without }"),
        ("1. e4\n(1. d4 d5\n1-0", 5, "variation without )"),
        ("1. e4 ) 1-0", 4, "stray character ')' (ply 2)"),
        ("1. e4 é 1-0", 4, "stray character 'é' (ply 2)"),
        ("1. e4 e5 0-1", 4, "tag and moves give different results"),
        ("1. f3 e5 2. g4 Qh4# 1-0", 4, "the result is not that of the last position"),
        ("1. e4 e5 2. e8=K 1-0", 4, "not a move 'e8=K' (ply 3)"),
        ("1. d4 e5 2. e5 1-0", 4, "illegal move 'e5' (ply 3)"),
    ],
)
def test_what_is_wrong_has_its_line_and_the_rest_is_read(
    text: str, line: int, message: str
) -> None:
    replayed_block = one(f"{HEAD}{text}\n\n{HEAD}1. e4 1-0\n")
    assert len(replayed_block.games) == 2
    assert list(replayed_block.faults) == [0]
    assert str(replayed_block.faults[0]) == f"line {line}: {message}"
    assert moves(replayed_block, 1) == ["e2e4"]


def test_a_broken_tag_a_variant_and_a_bad_position_are_told() -> None:
    tags = ['[White "x]', '[Variant "Atomic"]', '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]']
    text = "".join(f'[Event "x"]\n{tag}\n[Result "1-0"]\n\n1-0\n\n' for tag in tags)
    messages = [str(fault) for fault in one(text).faults.values()]
    assert messages == [
        'line 2: broken tag: want [Name "value"]',
        "line 8: another variant: want chess",
        "line 14: bad FEN: White has 0 kings: want one",
    ]


def test_games_without_tags_or_without_moves_or_without_a_result() -> None:
    text = '1. e4 1-0\n1. d4 d5 1/2-1/2 [Event "a"]\n\n\n[Event "b"]\n\n*\n'
    text += '[Event "c"]\n\n1. c4 c5\n'
    replayed_block = one(text)
    assert [moves(replayed_block, i) for i in range(len(replayed_block.games))] == [
        ["e2e4"], ["d2d4", "d7d5"], [], [], ["c2c4", "c7c5"],
    ]  # fmt: skip
    assert replayed_block.games[0, RESULT] == WHITE
    assert replayed_block.games[1, RESULT] == DRAW


@pytest.mark.parametrize("size", [300, 1000, 7777])
def test_blocks_of_any_size_hold_the_same_games(tmp_path: Path, size: int) -> None:
    text = write([random_game(seed, 20) for seed in range(30)])
    file = tmp_path / "games.pgn"
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    whole = one(text)
    parts = [read(block) for block in blocks(file, size=size)]
    assert len(parts) > 1
    assert [m for p in parts for m in p.moves.tolist()] == whole.moves.tolist()
    firsts = [p.block.first for p in parts]
    assert firsts == [sum(len(p.games) for p in parts[:i]) for i in range(len(parts))]
    lines = [p.block.line + int(game[2]) for p in parts for game in p.games]
    assert lines == [int(game[2]) for game in whole.games]


def _zip(file: Path, data: bytes) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("games.pgn", data)


def _zstd(file: Path, data: bytes) -> None:
    zstandard = pytest.importorskip("zstandard")
    half = len(data) // 2
    packed = [zstandard.ZstdCompressor().compress(part) for part in (data[:half], data[half:])]
    file.write_bytes(b"".join(packed))  # two frames


PACKERS = {
    ".gz": lambda file, data: file.write_bytes(gzip.compress(data)),
    ".bz2": lambda file, data: file.write_bytes(bz2.compress(data)),
    ".xz": lambda file, data: file.write_bytes(lzma.compress(data)),
    ".zip": _zip,
    ".zst": _zstd,
}


@pytest.mark.parametrize("suffix", PACKERS)
def test_packed_files_give_the_same_blocks(tmp_path: Path, suffix: str) -> None:
    data = write([random_game(seed, 20) for seed in range(12)]).encode()
    plain, packed = tmp_path / "games.pgn", tmp_path / f"games.pgn{suffix}"
    plain.write_bytes(data)
    PACKERS[suffix](packed, data)

    def texts(file: Path) -> list[tuple[bytes, int, int]]:
        return [(b.text, b.first, b.line) for b in blocks(file, size=2000)]

    assert texts(packed) == texts(plain)


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_broken_packed_file_is_one_line(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"games.pgn{suffix}"
    data = write([random_game(seed, 20) for seed in range(12)]).encode()
    PACKERS[suffix](file, data)
    file.write_bytes(file.read_bytes()[: file.stat().st_size * 2 // 3])
    with pytest.raises(DataError, match="cannot be read"):
        list(blocks(file))


def test_many_tiny_games_do_not_pile_up(tmp_path: Path) -> None:
    file = tmp_path / "stars.pgn"
    file.write_bytes(b"* " * 300_000)
    parts: list[GameBlock] = list(blocks(file, size=100_000))
    assert sum(len(block.games) for block in parts) == 300_000
    assert max(len(block.text) for block in parts) <= 200_000


@pytest.mark.parametrize("part", range(longer(2, 40)))
def test_spoiled_files_are_read_or_reported_never_more(part: int) -> None:
    """Fifty files each: no traceback, a line for every fault, and where python-chess and we
    both find nothing wrong, the same moves."""
    same = faults = 0
    for seed in range(50 * part, 50 * part + 50):
        text = corrupted(write([random_game(3 * seed + k, 30) for k in range(3)]), seed)
        replayed = [read(block) for block in text_blocks(text.encode())]
        all_games = [(r, i) for r in replayed for i in range(len(r.games))]
        for number, (r, i) in enumerate(all_games, 1):
            fault = r.faults.get(i)
            if fault:
                faults += 1
                assert 1 <= fault.line <= text.count("\n") + 1
            # The reader for people looks into variations too, so it may refuse more.
            with contextlib.suppress(DataError):
                tree = pgn.read_tree(text, number=number)
                assert fault or tree.actions == r.actions(i).tolist()
        theirs = read_all(text)
        if theirs is None or len(theirs) != len(all_games):
            continue
        lines = [[move.uci() for move in game.mainline_moves()] for game in theirs]
        # Two blank lines after the tags end a game for python-chess, a second [Event] for us:
        # with such a game without moves the others are not pairs.
        ours = [i in r.faults or len(r.actions(i)) > 0 for r, i in all_games]
        if not all(ours) or not all(
            line or game.errors for line, game in zip(lines, theirs, strict=True)
        ):
            continue
        for game, line, (r, i) in zip(theirs, lines, all_games, strict=True):
            if i not in r.faults and not game.errors:
                same += 1
                assert moves(r, i) == line, seed
    assert same > 40
    assert faults > 20


def test_positions_that_python_chess_sets_up_are_ours() -> None:
    replayed_block = one(write([random_game(3, 20), random_game(7, 20)]))
    boards = [chess.Board(replayed_block.fen(i) or "") for i in range(2)]
    game = playproof.make("chess:draws=none")
    for i, board in enumerate(boards):
        state = playproof.State(game, replayed_block.starts[replayed_block.games[i, START]])
        assert state.position.split()[:3] == board.fen().split()[:3]
