"""Reading a position or a game from whatever text there is."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playproof import DataError, Game, PlayproofError, State, make
from playproof.formats.any_text import read_state
from playproof.formats.record import Record
from tests.support.formats.played import games, whole_games

few = settings(max_examples=50, deadline=None, derandomize=True)
OTHELLO = make("othello")
CHOKO = make("choko")


def same(a: State, b: State) -> bool:
    return (a.game, a.position, a.actions, a.start) == (b.game, b.position, b.actions, b.start)


# Every kind of text


@few
@given(whole_games.filter(lambda state: state.actions))
def test_a_transcript(state: State) -> None:
    names = [state.name(action) for action in state.actions]
    text = state.game.join_moves(names)
    for written in (text, text.upper(), text.lower(), f"  {text}\n", "\n".join(names)):
        assert same(read_state(state.game, written), state)


@few
@given(games)
def test_a_position(state: State) -> None:
    read = read_state(state.game, state.position)
    assert read == state
    assert read.position == state.position
    assert read.actions == ()
    assert read.legal_actions() == state.legal_actions()
    assert read.outcome == state.outcome


@few
@given(games)
def test_a_record_and_a_serialised_state(state: State) -> None:
    for text in (state.serialize(), Record.of(state).to_json(), f"\n {state.serialize()} \n"):
        assert same(read_state(state.game, text), state)


def test_a_transcript_with_spaces_numbers_and_passes() -> None:
    moves = "c4c3f5b4a4a5c2a3"
    passed = OTHELLO.start().play(moves).apply("pass")
    for written in ("--", "pa", "PA", " pass", "Pass ", "ps"):
        assert same(read_state(OTHELLO, moves + written), passed)
    numbered = read_state(CHOKO, "1. C3 A1 2. C3-C4 b2 3.D4")
    assert [numbered.name(action) for action in numbered.actions] == [
        "C3", "A1", "C3-C4", "B2", "D4",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "board",
    [
        "---------------------------OX------XO---------------------------X",
        "...........................ox......xo........................... x",
        "___________________________WB______BW___________________________ B",
        "---------------------------O*------*O---------------------------*",
        "--------\n--------\n--------\n---OX---\n---XO---\n--------\n--------\n--------\nX",
    ],
)
def test_a_board_of_64_letters(board: str) -> None:
    assert read_state(OTHELLO, board) == OTHELLO.start()


def test_a_position_of_choko_without_its_age() -> None:
    state = read_state(CHOKO, "5/5/2b2/5/5 r 11 12 b")
    assert state == CHOKO.start().play("C3")
    assert state.ply == 1


def test_the_options_of_a_record_are_its_own() -> None:
    small = make("othello:size=4").start().play("c4")
    assert read_state(OTHELLO, small.serialize()).game is small.game


# Files


@pytest.mark.parametrize("name", ["game.txt", "game.rec", "game.jsonl", "GAME.TXT", "game", "g.me"])
@pytest.mark.parametrize("kind", ["moves", "position", "record"])
def test_a_file_of_each_kind(name: str, kind: str, tmp_path: Path) -> None:
    for game, moves in ((OTHELLO, "f5d6c4"), (CHOKO, "C3 A1 C3-C4")):
        state = game.start().play(moves)
        texts = {"moves": moves, "position": state.position, "record": Record.of(state).to_json()}
        file = tmp_path / name
        file.write_text(f"{texts[kind]}\n")
        assert read_state(game, str(file)) == state
        assert read_state(game, f" {file}\n") == state


def test_which_record_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    states = [OTHELLO.start().play(moves) for moves in ("f5", "f5d6", "f5d6c4")]
    file.write_text("\n".join(Record.of(state).to_json() for state in states))
    assert same(read_state(OTHELLO, str(file)), states[0])
    for number, state in enumerate(states, 1):
        assert same(read_state(OTHELLO, str(file), number=number), state)
    for number in (0, 4, -1):
        with pytest.raises(DataError, match=f"holds 3 records: there is no number {number}$"):
            read_state(OTHELLO, str(file), number=number)


def test_a_record_spread_over_several_lines(tmp_path: Path) -> None:
    text = '{\n  "game": "othello",\n  "moves": [\n    "f5"\n  ]\n}\n'
    assert read_state(OTHELLO, text) == OTHELLO.start().play("f5")
    file = tmp_path / "pretty.json"
    file.write_text(text)
    assert read_state(OTHELLO, str(file)) == OTHELLO.start().play("f5")


@pytest.mark.parametrize("text", ["f5d6", '{"game": "othello", "moves": ["f5", "d6"]}'])
def test_a_file_with_a_byte_order_mark_and_dos_lines(text: str, tmp_path: Path) -> None:
    # As some editors save a text.
    file = tmp_path / "game.txt"
    file.write_bytes(b"\xef\xbb\xbf" + text.encode() + b"\r\n")
    assert read_state(OTHELLO, str(file)) == OTHELLO.start().play("f5d6")


def test_a_text_too_long_for_a_file_name_is_no_file() -> None:
    for text in ("f5" * 5000, "x" * 5000, "C3 " * 5000, "f5\0d6"):
        for game in (OTHELLO, CHOKO):
            with pytest.raises(PlayproofError):
                read_state(game, text)


# What cannot be read


@pytest.mark.parametrize("text", ["", "   ", "\n\t\n"])
def test_nothing_is_not_a_game(text: str) -> None:
    for game in (OTHELLO, CHOKO):
        with pytest.raises(DataError, match="nothing to read: give a record or a position of"):
            read_state(game, text)


def test_a_record_of_another_game_is_refused() -> None:
    with pytest.raises(DataError, match=r"^this is a record of choko, not of othello$"):
        read_state(OTHELLO, CHOKO.start().serialize())


def test_a_position_that_its_moves_do_not_lead_to_is_refused() -> None:
    state = OTHELLO.start().play("f5d6")
    text = state.serialize().replace(state.position, OTHELLO.start().position)
    with pytest.raises(DataError, match=r"^the moves lead to"):
        State.parse(text)
    with pytest.raises(DataError, match=r"^the moves lead to"):
        read_state(OTHELLO, text)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.sampled_from([OTHELLO, CHOKO]),
    st.text(max_size=80) | st.text("abcdefghABCDEX12345678-xr/., ", max_size=40),
)
def test_any_text_is_a_state_or_an_error_of_ours(game: Game, text: str) -> None:
    with suppress(PlayproofError):
        assert read_state(game, text).game.name == game.name
