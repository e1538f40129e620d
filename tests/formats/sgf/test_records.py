"""SGF: what is written is read back, and shown alike by others; broken files are told apart."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from playproof import DataError, State, UsageError, make
from playproof.cli.main import main
from playproof.formats import sgf
from playproof.formats.any_text import read_state
from playproof.formats.record import Record
from tests.support.formats.sgf_play import (
    GAMES,
    QUANTUM_GAMES,
    is_between_turns,
    random_state,
    round_trips,
    sgfmill_sees,
    visible_stones,
)
from tests.support.oracles.quantum_go_naive_board import Point
from tests.support.oracles.quantum_go_record import read_record
from tests.support.paths import EXAMPLE_1

EXAMPLE = EXAMPLE_1
PLACE = re.compile(r"line (\d+), column (\d+): .")


def example() -> State:
    """Example 1 of the paper, as played by our engine."""
    record = read_record(EXAMPLE)
    state = make("quantum-go", board=f"{record.width}x{record.height}").start()
    points = state.game.points

    def name(point: Point) -> str:
        return points.names[point[1] * record.width + point[0]]

    groups: dict[int, set[str]] = {}
    for turn in record.turns:
        if not turn.points:
            state = state.apply("pass")
            continue
        groups[turn.number] = {name(point) for point in turn.points}
        for point in turn.points:
            state = state.apply(name(point))
        older = {frozenset(groups[n]): name(kept) for n, kept in turn.older.items()}
        while group := state.game.collapsing_group(state.row):
            names = frozenset(points.names[p] for p in group)
            kept = older.get(names) or (name(turn.kept) if turn.kept else "")
            state = state.apply(kept)
    return state


# There and back


@pytest.mark.parametrize("spec", [*GAMES, *QUANTUM_GAMES])
def test_random_records_come_back(spec: str) -> None:
    assert round_trips(spec, 8, seed=1) == 8


@pytest.mark.parametrize("spec", [*GAMES, *QUANTUM_GAMES])
def test_another_program_shows_the_same_board(spec: str) -> None:
    rng = Random(spec)
    for _ in range(3):
        state = random_state(spec, rng)
        while not is_between_turns(state):
            state = state.apply(state.legal_actions()[0])
        seen = sgfmill_sees(sgf.write(state).encode())
        assert seen in (None, visible_stones(state))
        assert (seen is None) == (state.game.width != state.game.height)


def test_example_1_is_written_as_the_specification_says() -> None:
    state = example()
    assert state.score == 4
    text = sgf.write(state, ("Black", "White"))
    nodes = text.split("\n;")
    assert "RE[B+4]" in nodes[0]
    assert "SZ[6]" in nodes[0]
    assert nodes[1] == "QB[ce:dd]AB[ce][dd]PL[W]LN[ce:dd]"
    assert nodes[3].startswith("QB[cd:dc]QC[ce:dd=dd][cc:db=cc]QK[dc]")
    assert len(nodes) == 31
    assert not re.search(r"(?<![A-Z])[BW]\[", text)
    assert sgf.read(text)[0].position == state.position


def test_a_position_that_was_set_up_comes_back() -> None:
    for game, position, moves in [
        ("go:board=5x5,komi=0.5", "5/2XO1/1XO1O/2XO1/5 b 0 - 0 1", "A1 B1"),
        ("quantum-go:board=3x3", "2X/x2/1x1 w 0 - 0 0 B1+A2 -", ""),
    ]:
        state = make(game).position(position).play(moves)
        read = sgf.read(sgf.write(state))[0]
        assert read.position == state.position
        assert read.start.position == position


@pytest.mark.parametrize(
    ("result", "reason", "written", "read"),
    [
        ("1-0", "White resigned", "RE[B+R]", "White resigned"),
        ("0-1", "mcts gave no answer within 5 s", "RE[W+F]", "Black forfeited"),
        ("*", None, "", None),
    ],
)
def test_results_without_a_count(
    result: str, reason: str | None, written: str, read: str | None
) -> None:
    state = make("go:board=5x5").start().play("C3 D3")
    text = sgf.write(state, ("a", "b"), result=result, reason=reason)
    assert (written in text) if written else ("RE[" not in text)
    record = sgf.read(text)[1]
    assert (record.result, record.reason) == (result, read)


# Files of other people


def last(text: str | bytes, **options: int) -> State:
    return sgf.read(text, **options)[0]


def test_what_other_programs_write_is_read() -> None:
    head = "(;FF[3]GaMe[1]SiZe[9]KoMi[5.5]RU[Japanese]PlayerBlack[M\u00fcller]"
    state, record = sgf.read(
        (head + ";Black[cc];W[tt]C[a \\] b];B[dd](;W[ee])(;W[ff];B[aa]))").encode()
    )
    assert state.game.options["komi"] == 5.5
    assert state.game.options["scoring"] == "territory"
    assert state.game.options["ko"] == "simple"
    assert [state.name(a) for a in state.actions] == ["C7", "pass", "D6", "E5"]
    assert record.players == ("M\u00fcller", "?")


def test_files_in_other_alphabets_are_read() -> None:
    text = "(;GM[1]CA[Shift_JIS]SZ[9]PB[\u8868];B[aa])"
    assert sgf.read(text.encode("shift_jis"))[1].players[0] == "\u8868"
    latin = "(;GM[1]SZ[9]PB[\u00c5se];B[aa])"
    assert sgf.read(latin.encode("latin-1"))[1].players[0] == "\u00c5se"


def test_handicap_is_known_where_it_is_the_usual_one() -> None:
    usual = last("(;GM[1]SZ[9]HA[2]AB[gc][cg];W[ee])")
    assert usual.game.options["handicap"] == 2
    assert usual.start.position == usual.game.start().position
    free = last("(;GM[1]SZ[9]HA[2]AB[aa][bb];W[ee])")
    assert free.game.options["handicap"] == 0
    assert free.start.position.startswith("X8/1X7/9/9/9/9/9/9/9 w")
    placed_by_moves = last("(;GM[1]SZ[9]HA[2];B[aa];B[bb];W[ee])")
    assert [placed_by_moves.name(a) for a in placed_by_moves.actions] == ["A9", "pass", "B8", "E5"]


def test_a_problem_is_set_up_and_a_rectangle_filled() -> None:
    state = last("(;GM[1]SZ[5:4]AB[aa:ba][ad]AW[cb:db]PL[W])")
    assert state.position == "XX3/2OO1/5/X4 w 0 - 0 0"
    assert state.game.options["board"] == "5x4"


def test_a_collection_is_read_game_by_game() -> None:
    text = "(;GM[1]SZ[5];B[aa])\n(;GM[1]SZ[7];B[ab])"
    assert last(text).game.width == 5
    assert last(text, number=2).game.width == 7
    with pytest.raises(DataError, match="holds 2 games: there is no number 3"):
        last(text, number=3)


def test_nodes_for_viewers_may_be_left_out() -> None:
    state = last("(;GM[1]SZ[6];QB[ce:dd];QW[cc:db];QB[dc:cd]QC[ce:dd=dd][cc:db=cc]QK[dc])")
    assert state.position == example().start.play("D3 C2 C4 D5 D4 C3 D3 C4 D4").position


# Broken files


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("", 1, 1, "the end of the file instead of a game"),
        ("hello", 1, 1, "'h' instead of a game"),
        ("(;GM[1]\n;B[aa]", 2, 7, "the end of the file instead of a node"),
        ("(;GM[1]\n;B[aa", 2, 4, "has no ] at its end"),
        ("(GM[1])", 1, 2, "'G' instead of a node"),
        ("(;GM[1];B)", 1, 10, "')' instead of the value of B"),
        ("(;GM[1](;B[aa]);W[bb])", 1, 16, "no node may follow a variation"),
        ("(;GM[2])", 1, 6, "is not Go"),
        ("(;SZ[20])", 1, 6, "SZ[20] is no board: want 2 to 19"),
        ("(;SZ[9]\n  KM[x])", 2, 6, "KM[x] is no komi"),
        ("(;SZ[9]KM[3.75])", 1, 11, "KM[3.75] is no komi in half points"),
        ("(;SZ[9]HA[x])", 1, 11, "HA[x] is no number of stones"),
        ("(;SZ[9];B[aa]\n;W[aa])", 2, 4, "A9 is not legal here"),
        ("(;SZ[9];B[jj])", 1, 11, "B[jj] is no point of this board: want aa to ii"),
        ("(;SZ[9];B[aa]W[bb])", 1, 16, "one node holds one move"),
        ("(;SZ[9];B[aa][bb])", 1, 15, "one value of B at most"),
        ("(;SZ[9];B[aa];AB[bb])", 1, 18, "AB sets stones up after the first move"),
        ("(;SZ[9]AB[aa]AW[aa])", 1, 2, "name the same point"),
        ("(;SZ[9]PL[x])", 1, 11, "PL[x] is not B or W"),
        ("(;SZ[2]AB[aa][ab][ba][bb])", 1, 2, "a chain has no liberty"),
        ("(;QG[chess]SZ[9])", 1, 6, "is not go or quantum-go and options"),
        ("(;QG[quantum-go:variant=odd]SZ[9])", 1, 6, "variant=odd is not"),
        ("(;SZ[6];QB[aa:bb];W[cc])", 1, 21, "W is no turn of quantum-go"),
        ("(;SZ[6];QB[aa:bb:cc])", 1, 12, "more stones than a turn places"),
        ("(;SZ[6];QB[aa:aa])", 1, 12, "names a point twice"),
        ("(;SZ[6];QB[aa:cc];QB[ee:ff])", 1, 22, "it is White's turn, so want QW"),
        ("(;SZ[6];QB[aa];QW[cc:ee])", 1, 19, "the turn before this one is not finished"),
        ("(;SZ[6];QB[aa:cc]QK[aa])", 1, 21, "QK[aa] comes at the wrong time"),
        ("(;SZ[6];QB[aa:ba]QK[cc])", 1, 21, "cannot be left here: want aa or ba"),
        ("(;SZ[6];QB[aa:cc];QW[ba:ee]QC[aa:dd=aa])", 1, 31, "next group to collapse is [cc:aa"),
        ("(;SZ[6];QB[aa:cc]AB[aa])", 1, 21, "AB does not fit the turn: want AB[cc][aa]"),
        ("(;SZ[6];QB[aa:cc]PL[W])", 1, 8, "AB does not fit the turn"),
        ("(;SZ[6];QB[];QW[];QB[aa:cc])", 1, 22, "the game is over"),
        ("(;AP[Playproof:1]SZ[5]RE[W+1];B[aa];W[];B[])", 1, 26, "the moves end in B+25"),
    ],
)
def test_a_broken_file_is_one_line_with_its_place(
    text: str, line: int, column: int, says: str
) -> None:
    with pytest.raises(DataError) as error:
        sgf.read(text)
    message = str(error.value)
    assert says in message
    assert message.startswith(f"line {line}, column {column}: ")
    assert "\n" not in message


def mutated(text: str, rng: Random) -> str:
    """A file with one thing wrong, or cut short."""
    at = rng.randrange(len(text))
    kind = rng.randrange(5)
    if kind == 0:
        return text[:at]
    if kind == 1:
        return text[:at] + text[at + rng.randrange(1, 5) :]
    if kind == 2:
        return text[:at] + rng.choice("[]();:=\\abgzBWQ0\u00e9\0\n") + text[at + 1 :]
    if kind == 3:
        return text[:at] + rng.choice("[]();:=\\abgzBWQ0 \n") + text[at:]
    end = at + rng.randrange(1, 12)
    return text[:end] + text[at:]


def test_mutated_files_are_refused_with_their_place_or_read_correctly() -> None:
    rng = Random(5)
    read = 0
    for number in range(100):
        spec = rng.choice([*GAMES, *QUANTUM_GAMES])
        text = mutated(sgf.write(random_state(spec, rng), ("a", "b")), rng)
        result = read_or_refused(text)
        if isinstance(result, State):
            read += 1
            if is_between_turns(result):
                assert sgfmill_sees(text.encode()) in (None, visible_stones(result)), (number, text)
            continue
        place = PLACE.match(result)
        assert place, (number, result)
        assert "\n" not in result
        lines = text.split("\n")
        assert int(place[1]) <= len(lines)
        assert int(place[2]) <= len(lines[int(place[1]) - 1]) + 1
    assert 10 < read < 90


def read_or_refused(text: str) -> State | str:
    try:
        return last(text)
    except DataError as error:
        return str(error)


# Where people meet it


def test_show_reads_and_writes_sgf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = example()
    record = tmp_path / "games.jsonl"
    record.write_text(Record.of(state, ("Alice", "Bob")).to_json())
    file = tmp_path / "game.sgf"
    assert main(["show", "quantum-go", str(record), "--sgf", str(file)]) == 0
    assert "PB[Alice]PW[Bob]RE[B+4]" in file.read_text()
    assert main(["show", "quantum-go", str(file), "--json"]) == 0
    assert state.position in capsys.readouterr().out
    assert read_state(make("quantum-go"), file.read_text()).position == state.position
    assert main(["show", "quantum-go", str(file), "--ply", "4", "--sgf", str(file)]) == 0
    assert "RE[" not in file.read_text()
    assert main(["show", "go", str(file)]) == 3
    assert main(["show", "othello", str(file)]) == 3
    assert main(["show", "othello", "f5", "--sgf", str(file)]) == 2
    assert main(["show", "go", str(tmp_path / "none.sgf")]) == 3
    file.write_text("(;SZ[9];B[aa]\n;W[aa])")
    capsys.readouterr()
    assert main(["show", "go", str(file)]) == 3
    assert f"error: {file}, line 2, column 4: Go: A9 is not legal here" in capsys.readouterr().err


def test_only_games_on_a_go_board_are_written() -> None:
    with pytest.raises(UsageError, match="SGF is for go and quantum-go, not for othello"):
        sgf.write(make("othello").start())
