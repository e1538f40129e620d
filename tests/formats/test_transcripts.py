"""Transcripts as people publish them, and which game a text is of."""

from __future__ import annotations

import pytest

from playproof import DataError, IllegalAction, make
from playproof.formats.any_text import read_any, read_state
from playproof.formats.transcripts import AmbiguousText

GAMES = ("othello", "choko", "quantum-go", "chess", "go")
OTHELLO = make("othello")
# A whole game in which White must pass once, before the last three moves.
WHOLE = (
    "c4c5c6e3f6b4f2b7a3e6e7b5a8a4b6d6c7f5g6g1a5d7b3a6c3f7g8d8c8h6h5f8e2e1h7g4f3h8d1b8f1h3"
    "g7e8a7g3f4g5d3c2h4a2a1g2h1d2h2--b1c1b2"
)
NAMES = OTHELLO.split_moves(WHOLE)
PAIRS = [" ".join(NAMES[i : i + 2]) for i in range(0, len(NAMES), 2)]
PLACED = [name for name in NAMES if name != "--"]


def numbered(names: list[str], form: str) -> str:
    return "".join(form.format(n, name) for n, name in enumerate(names, 1))


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        "".join(PLACED),
        "".join(PLACED).upper(),
        " ".join(PLACED),
        "\n".join(PLACED),
        "\r\n".join(PLACED) + "\r\n",
        ", ".join(PLACED),
        WHOLE.replace("--", "PA"),
        " ".join(NAMES).replace("--", "pass").title(),
        "\ufeff" + "".join(PLACED),
        numbered(PLACED, "{}. {} "),
        numbered(PLACED, "{}.{}"),
        numbered(PLACED, "{}) {}\n"),
        numbered(PLACED, "{} {}\t"),
        numbered(PLACED, " {}{}"),
        numbered(NAMES, "{}. {} "),
        numbered(PAIRS, "{}. {} "),
    ],
)  # fmt: skip
def test_a_game_of_othello_as_it_is_published(text: str) -> None:
    expected = OTHELLO.start().play(NAMES)
    for state in (read_state(OTHELLO, text), read_any(text, GAMES)[0]):
        assert state == expected
        assert state.moves == expected.moves  # the pass among them
        assert state.is_terminal


def test_a_pass_that_is_not_forced_is_not_put_in() -> None:
    with pytest.raises(IllegalAction, match=r"^move 2: Othello: c4 is not legal here; legal: f4"):
        read_state(OTHELLO, "f5 c4")
    with pytest.raises(IllegalAction, match="pass is not legal"):
        read_state(OTHELLO, "f5 --")


def test_an_error_names_the_move_and_the_position() -> None:
    broken = " ".join([*PLACED[:57], "a1", *PLACED[57:]])  # where a disc is
    before = OTHELLO.start().play(NAMES[:58])
    with pytest.raises(IllegalAction) as error:
        read_state(OTHELLO, broken)
    assert str(error.value).startswith("move 58: Othello: a1 is not legal here; legal: b1")
    assert str(error.value).endswith(f"; the position is {before.position}")
    for text, what in (("f5d6c", "'c'"), ("f5d6 33-31", "'33'"), ("f5 7 d6 7", "'7'")):
        with pytest.raises(DataError, match=f"^move 3: {what} is not a move of Othello"):
            read_state(OTHELLO, text)


@pytest.mark.parametrize(
    ("text", "game", "moves"),
    [
        ("f5d6c3", "othello", 3),
        ("f5", "othello", None),
        ("1. f5 2. d6", "othello", 2),
        ("f5 d6 c3 d3", "othello", 4),
        ("e4 e5 Nf3", "chess", 3),
        ("1. e4 e5", "chess", 2),
        ("e2e4 e7e5", "chess", 2),
        ("e4 e5 d4 d5", "chess", 4),
        ("Q16 D4", "go", None),
        ("A1 E1 E3 E4", "choko", 4),
        ("C3 A1 C3-C4", "choko", 3),
    ],
)
def test_which_game(text: str, game: str, moves: int | None) -> None:
    """None: it may be of several, and nobody guesses."""
    if moves is None:
        with pytest.raises(AmbiguousText, match=r"choose the game$") as error:
            read_any(text, GAMES)
        assert game in error.value.games
    else:
        state = read_any(text, GAMES)[0]
        assert (state.game.name, len(state.actions)) == (game, moves)


def test_no_other_game_is_made_of_a_broken_one() -> None:
    with pytest.raises(AmbiguousText) as error:
        read_any("f5 d6 c3 d3 a1", GAMES)  # all of them are points of Go, too
    assert "Go or Othello (move 5: a1 is not legal here): choose" in str(error.value)
    assert error.value.games == ("go", "othello")
    for text in ("f5d6c3d3a1", "1. f5 2. d6 3. c3 4. d3 5. a1", "F5 D6 C3 D3 A1X"):
        with pytest.raises((IllegalAction, DataError), match=r"^move 5: .*Othello"):
            read_any(text, GAMES)
    with pytest.raises(DataError, match="name the game"):
        read_any("what is this?", GAMES)
