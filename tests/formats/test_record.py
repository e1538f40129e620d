"""Game records: one line of JSON that comes back as the very game it was."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playproof import DataError, IllegalAction, PlayproofError, State, make
from playproof.formats.record import RESULTS, Record, append_record, read_records
from tests.support.formats.played import games, walk

few = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # a file is written anew each time
)
texts = st.text(max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
KNOWN = {"game", "options", "players", "seed", "start", "moves", "result", "reason"}
extras = st.dictionaries(texts.filter(lambda key: key not in KNOWN), values, max_size=3)
WIPED_OUT = ("e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5")


def same(a: State, b: State) -> bool:
    return (a.game, a.position, a.actions, a.start) == (b.game, b.position, b.actions, b.start)


# There and back


@few
@given(games, st.tuples(texts, texts), st.none() | st.integers(0, 2**63 - 1), extras)
def test_a_record_comes_back_whole(
    state: State, players: tuple[str, str], seed: int | None, extra: dict[str, object]
) -> None:
    record = replace(Record.of(state, players, seed=seed), extra=extra)
    line = record.to_json()
    assert "\n" not in line
    again = Record.from_json(line)
    assert again == record
    assert again.to_json() == line
    assert same(again.replay(), state)


@few
@given(games)
def test_a_record_of_a_state_says_how_it_stands(state: State) -> None:
    record = Record.of(state)
    assert record.game == state.game.name
    assert record.options == state.game.options
    assert len(record.moves) == len(state.actions)
    assert record.result == RESULTS[state.outcome]
    assert (record.result == "*") == (not state.is_terminal)
    assert record.players == ("?", "?")
    assert record.seed is None
    assert record.reason is None


@few
@given(st.lists(st.tuples(games, st.tuples(texts, texts), extras), min_size=1, max_size=3))
def test_a_file_of_records_comes_back_whole(
    tmp_path: Path, played: list[tuple[State, tuple[str, str], dict[str, object]]]
) -> None:
    file = tmp_path / "games.jsonl"
    file.unlink(missing_ok=True)
    records = [replace(Record.of(s, players), extra=extra) for s, players, extra in played]
    for record in records:
        append_record(file, record)
    assert list(read_records(file)) == records


def test_names_with_odd_line_ends_survive_a_file(tmp_path: Path) -> None:
    # What str.splitlines takes for the end of a line may stand inside a text of JSON.
    file = tmp_path / "games.jsonl"
    record = Record.of(make("othello").start(), ("one\u2028two", "three\x85four"))
    append_record(file, record)
    assert list(read_records(file)) == [record]


def test_a_record_reads_like_this() -> None:
    state = make("othello:size=6").start().play("e4")
    record = Record.of(state, ("human", "greedy"), seed=7)
    assert record.to_json() == (
        '{"game": "othello", "options": {"size": 6, "empties_to_winner": false}, '
        '"players": ["human", "greedy"], "seed": 7, "moves": ["e4"], "result": "*"}'
    )
    begun = Record.of(make("choko").position("5/5/2b2/5/5 r 11 12 b 1"))
    assert json.loads(begun.to_json())["start"] == "5/5/2b2/5/5 r 11 12 b 1"


def test_the_least_record() -> None:
    record = Record.from_json('{"game": "choko", "moves": []}')
    assert record == Record("choko", {}, ("?", "?"), (), "*")
    assert record.replay() == make("choko").start()


def test_what_is_not_understood_is_kept() -> None:
    text = '{"game": "othello", "moves": ["f5"], "event": {"round": [1, 2.5, null]}, "Ω": "ω"}'
    record = Record.from_json(text)
    assert record.extra == {"event": {"round": [1, 2.5, None]}, "Ω": "ω"}
    again = json.loads(record.to_json())
    assert again["event"] == {"round": [1, 2.5, None]}
    assert again["Ω"] == "ω"


def test_a_serialised_state_is_a_record_too() -> None:
    state = walk("choko", 3, 40)
    assert same(Record.from_json(state.serialize()).replay(), state)
    assert same(State.parse(Record.of(state).to_json()), state)


# Results


@pytest.mark.parametrize(
    ("name", "moves", "result"),
    [
        ("othello", "e6f4e3f6g5d6e7f5c5", "1-0"),
        ("othello:size=4", "a2a3a4c1d1a1d3d4c4d2b1b4", "1/2-1/2"),
        ("choko:cap=2", "A1 B1", "1/2-1/2"),
        ("othello", "f5", "*"),
    ],
)
def test_the_result_of_a_finished_game(name: str, moves: str, result: str) -> None:
    record = Record.of(make(name).start().play(moves))
    assert record.result == result
    assert Record.from_json(record.to_json()).replay().is_terminal == (result != "*")


def test_the_second_player_wins() -> None:
    state = make("choko").position("5/5/1b3/5/rb3 r 0 0 - 41").apply("A1xC1,B3")
    assert Record.of(state).result == "0-1"


def test_a_resigned_game_is_kept_with_its_reason() -> None:
    state = make("othello").start().play("f5d6")
    record = Record.of(state, result="0-1", reason="Black resigned")
    again = Record.from_json(record.to_json())
    assert (again.result, again.reason) == ("0-1", "Black resigned")
    assert same(again.replay(), state)


@pytest.mark.parametrize("result", ["0-1", "1/2-1/2"])
def test_a_result_that_the_moves_deny_is_refused(result: str) -> None:
    record = Record("othello", {}, ("?", "?"), WIPED_OUT, result)
    with pytest.raises(DataError, match=f"^the record says {result}, but its moves end in 1-0$"):
        record.replay()
    for right in ("1-0", "*"):
        assert replace(record, result=right).replay().outcome == 1


def test_an_illegal_move_is_named_with_its_number() -> None:
    record = Record("othello", {}, ("?", "?"), ("f5", "d6", "a1"))
    with pytest.raises(IllegalAction, match=r"^move 3: Othello: a1 is not legal here; legal: "):
        record.replay()


# Files


def test_records_are_added_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    first, second = (Record.of(walk("othello", seed, 5)) for seed in (1, 2))
    append_record(file, first)
    before = file.read_bytes()
    append_record(str(file), second)
    assert file.read_bytes() == before + second.to_json().encode() + b"\n"
    assert list(read_records(file)) == [first, second]


def test_a_record_is_added_on_a_line_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    record = Record.of(walk("othello", 1, 5))
    file.write_text(record.to_json())  # as an editor may leave it
    append_record(file, record)
    assert list(read_records(file)) == [record, record]


def test_empty_lines_and_strange_line_ends_are_no_matter(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    line = Record.of(walk("choko", 1, 5)).to_json()
    file.write_bytes(f"\n{line}\r\n\r\n  \n{line}".encode())
    assert len(list(read_records(file))) == 2
    file.write_text("")
    assert list(read_records(file)) == []


def test_the_line_of_an_error_is_named_and_the_records_before_it_are_read(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    line = Record.of(walk("choko", 1, 5)).to_json()
    file.write_text(f"{line}\n\n{line}\n{{}}\n{line}\n")
    records = read_records(file)
    next(records), next(records)
    with pytest.raises(DataError) as error:
        next(records)
    says = f"{file}, line 4: a game record's 'game' must be the name of a game"
    assert str(error.value) == says


@pytest.mark.parametrize("name", ["", "missing/games.jsonl"])
def test_where_nothing_can_be_written_or_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with pytest.raises(DataError, match="cannot be written: "):
        append_record(path, Record.of(make("othello").start()))
    with pytest.raises(DataError, match="cannot be read: "):
        list(read_records(path))


def test_half_a_character_is_one_clear_error_or_none(tmp_path: Path) -> None:
    # JSON can spell what no UTF-8 file can hold.
    record = Record.from_json('{"game": "othello", "moves": [], "note": "\\ud83d"}')
    file = tmp_path / "games.jsonl"
    try:
        append_record(file, record)
    except PlayproofError:
        return
    assert list(read_records(file)) == [record]


# Wrong shapes; the table of the command line has more


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "broken JSON"),
        ("{", "broken JSON"),
        ("[" * 100_000, "broken JSON"),
        ("[]", "a game record is an object"),
        ("null", "a game record is an object"),
        ('"othello"', "a game record is an object"),
        ("{}", "'game' must be the name of a game"),
        ('{"game": "othello", "moves": {}}', "'moves' must be a list of move names"),
        ('{"game": "othello", "moves": [null]}', "'moves' must be a list of move names"),
        ('{"game": "othello", "moves": [], "players": []}', "'players' must be a list of two"),
        ('{"game": "othello", "moves": [], "players": [1, 2]}', "'players' must be a list of two"),
        ('{"game": "othello", "moves": [], "result": null}', "'result' must be 1-0, 0-1"),
        ('{"game": "othello", "moves": [], "seed": 1.5}', "'seed' must be a whole number"),
        ('{"game": "othello", "moves": [], "options": 8}', "'options' must be an object"),
    ],
)
def test_a_record_of_another_shape_is_refused(text: str, says: str) -> None:
    with pytest.raises(DataError) as error:
        Record.from_json(text)
    assert says in str(error.value)


@few
@given(values, st.sampled_from(sorted(KNOWN)))
def test_whatever_a_field_holds_the_answer_is_a_game_or_an_error_of_ours(
    value: object, field: str
) -> None:
    data = {"game": "othello", "moves": [], field: value}
    with suppress(PlayproofError):
        assert Record.from_json(json.dumps(data)).replay().game.name == "othello"
