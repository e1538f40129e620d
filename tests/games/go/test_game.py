"""Go: rules that a person can check by eye, options, text, and the two widths of a board."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import playproof
from playproof import DataError, UsageError, make
from playproof.games.go.game import Go
from playproof.games.go.kernels import fill_derived
from playproof.games.quantum_go.game import QuantumGo
from playproof.rules import go, go_board


def played(moves: str, **options: Any) -> playproof.State:
    return make("go", **options).start().play(moves)


def stones(state: playproof.State) -> tuple[str, str]:
    """Black's and White's points, by name."""
    game: Any = state.game
    black, white = (" ".join(map(state.name, side)) for side in game.stones(state.row))
    return black, white


def test_a_chain_without_liberties_leaves_the_board() -> None:
    state = played("A2 A1 B1", board="3x3")
    assert stones(state) == ("B1 A2", "")
    assert make("go", board="3x3").prisoners(state) == (1, 0)


def test_several_chains_are_captured_at_once() -> None:
    state = make("go", board="4x3").position("4/X2X/O1O1 b 0 - 0 0").play("D1 pass B1")
    assert stones(state) == ("B1 D1 A2 D2", "C1")
    state = make("go", board="4x3").position("2X1/X2X/O1OX b 0 - 0 0").apply("B1")
    assert stones(state) == ("B1 D1 A2 D2 C3", "C1")
    state = make("go", board="4x3").position("4/X1XX/O1OX b 0 - 0 0").apply("B1")
    assert stones(state) == ("B1 D1 A2 C2 D2", "")


def test_suicide_is_barred_or_allowed() -> None:
    text = "3/OO1/1O1 b 0 - 0 0"
    assert "A1" not in make("go", board="3x3").position(text).legal_names()
    # A lone stone's suicide brings the same board back, which superko bars as well.
    assert "A1" not in make("go", board="3x3", suicide=True).position(text).legal_names()
    text = "OO1/XO1/1O1 b 0 - 0 0"
    assert "A1" not in make("go", board="3x3").position(text).legal_names()
    state = make("go", board="3x3", suicide=True).position(text).apply("A1")
    assert stones(state) == ("", "B1 B2 A3 B3")
    assert state.game.prisoners(state) == (0, 2)


KO = "1XO1/X1XO/1XO1/4 w 0 - 0 0"


@pytest.mark.parametrize("ko", ["superko", "simple"])
def test_a_ko_is_not_retaken_at_once(ko: str) -> None:
    start = make("go", board="4x4", ko=ko).position(KO)
    taken = start.apply("B3")
    assert "C3" not in stones(taken)[0]
    assert "C3" not in taken.legal_names()
    later = taken.play("A1 D1")
    assert "C3" in later.legal_names()


def test_boards_return_under_simple_ko_and_never_under_superko() -> None:
    boards = [state.position.split()[0] for state in _random_walk("simple")]
    assert len(set(boards)) < len(boards)
    boards = [state.position.split()[0] for state in _random_walk("superko")]
    assert len(set(boards)) == len(boards)


def _random_walk(ko: str) -> list[playproof.State]:
    """A long random game on a tiny board; states after passes are left out."""
    rng, state = Random(3), make("go", board="2x2", ko=ko).start()
    walk = [state]
    while not state.is_terminal and len(walk) < 60:
        legal = state.legal_actions()
        action = rng.choice(legal[:-1] or legal)
        state = state.apply(action)
        if action != 4:
            walk.append(state)
    return walk


def test_area_and_territory() -> None:
    text = "1X1O1/XX1OO/1X1O1/1X1O1/1X1O1 b 1 - 3 1"
    area = make("go", board="5x5", komi=0.5).position(text).apply("pass")
    assert (area.score, area.outcome) == (-0.5, -1)
    territory = make("go", board="5x5", scoring="territory").position(text).apply("pass")
    assert (territory.score, territory.outcome) == (2.0, 1)
    assert "Black wins by 2 points" in territory.view().say


def test_dead_stones_by_agreement() -> None:
    state = make("go", board="5x5").position("5/XXXXX/5/1O3/5 w 1 - 0 0").apply("pass")
    game: Any = state.game
    assert state.score == 9.0
    assert game.score_without(state, ["B2"]) == 25.0
    with pytest.raises(UsageError, match="no stone on C2"):
        game.score_without(state, ["C2"])


def test_handicap_stones_stand_on_the_stars_and_white_begins() -> None:
    state = make("go", board="9x9", handicap=5).start()
    assert stones(state) == ("C3 G3 E5 C7 G7", "")
    assert state.current_player == 1
    assert stones(make("go", handicap=2).start()) == ("D4 Q16", "")
    for board, number in (("5x5", 2), ("9x9", 1), ("8x8", 5)):
        with pytest.raises(UsageError, match="handicap"):
            make("go", board=board, handicap=number)


@pytest.mark.parametrize("board", ["1x5", "20x19", "9", "axb", "9x9x9", "09x9", ""])
def test_a_board_that_cannot_be_is_refused(board: str) -> None:
    with pytest.raises(UsageError, match="such as 9x9"):
        make("go", board=board)


def test_komi_comes_in_halves() -> None:
    assert make("go:board=5x5,komi=6.5").start().score == -6.5
    with pytest.raises(UsageError, match="half points"):
        make("go", komi=0.3)


@pytest.mark.parametrize(
    "text",
    ["X2/3/3 b 0 - 0", "OX1/OX1/X2 b 0 - 0 0", "3/3/3 b 3 - 0 0", "3/3/3 b 0 A1 0 0",
     "4/3/3 b 0 - 0 0", "3/3 b 0 - 0 0", "X3/3/3 b 0 - 0 0", "3/3/3 b 0 - -1 0"],
)  # fmt: skip
def test_a_position_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(DataError):
        make("go", board="3x3").position(text)


def test_points_have_the_usual_names() -> None:
    game = make("go")
    assert [game.action_name(a) for a in (0, 8, 18, 19, 360, 361)] == [
        "A1", "J1", "T1", "A2", "T19", "pass",
    ]  # fmt: skip
    assert game.parse_action("j1") == 8
    with pytest.raises(DataError, match="no column I"):
        game.parse_action("I1")


def test_atari_is_what_the_stones_say() -> None:
    """The board of stones in atari is kept along; it must be what a fresh look gives."""
    for seed, board in enumerate(("4x4", "7x5", "12x11")):
        game, rng = make("go", board=board, suicide=True), Random(seed)
        state = game.start()
        for _ in range(250):
            if state.is_terminal:
                break
            legal = state.legal_actions()
            state = state.apply(rng.choice(legal[:-1] or legal))
            row = state.row.copy()
            assert fill_derived(game.option_words, row) == 0
            assert (row == state.row).all()


@pytest.mark.parametrize(
    ("cls", "options"),
    [(Go, {}), (QuantumGo, {}), (QuantumGo, {"variant": "weak"}), (QuantumGo, {"group": "w"})],
)
def test_six_words_play_like_two(
    cls: type[Any], options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A board's width in words is a matter of speed alone."""
    narrow = cls(board="5x4", **options)
    assert narrow.option_words[2] == 2  # settled before the widths change
    monkeypatch.setattr(go_board, "WIDTHS", (6,))
    wide = cls(board="5x4", **options)
    assert (narrow.board_words, wide.board_words) == (2, 6)
    rng = Random(7)
    for _ in range(4):
        a, b = narrow.start(), wide.start()
        while not a.is_terminal:
            legal = a.legal_actions()
            assert legal == b.legal_actions()
            assert a.position == b.position
            assert a.score == b.score
            assert np.array_equal(a.observation(), b.observation())
            assert a.transformed(3).position == b.transformed(3).position
            if legal[-1] == 20 and len(legal) > 1 and rng.random() < 0.8:
                legal.pop()
            action = rng.choice(legal)
            a, b = a.apply(action), b.apply(action)
        assert b.is_terminal
        assert a.outcome == b.outcome


def test_random_games_end() -> None:
    lengths = playproof.playouts(make("go", board="5x5"), 200, seed=1)
    assert (lengths.results != 2).all()


def test_the_board_after_a_stone_is_the_one_that_playing_leaves() -> None:
    """Superko asks for the board alone; suicides and captures included, both must agree."""
    game, chooser = make("go", board="5x5", suicide=True), Random(3)
    ground = go_board.ground(5, 5)
    seen = {"captured": 0, "lost": 0, "quiet": 0}
    for _ in range(6):
        state = game.start()
        while not state.is_terminal and len(state.actions) < 60:
            side, words = state.current_player, [np.uint64(w) for w in state.row[:6]]
            boards = tuple(words[:2]), tuple(words[2:4])
            own, opponent, atari = boards[side], boards[1 - side], tuple(words[4:])
            stones_on = own[0] | opponent[0]
            for point in (p for p in range(25) if not int(stones_on) >> p & 1):
                whole = go.play(own, opponent, atari, point, ground)
                assert go.stones_after(own, opponent, atari, point, ground) == whole[:2]
                kind = "captured" if any(whole[3]) else "lost" if any(whole[4]) else "quiet"
                seen[kind] += 1
            state = state.apply(chooser.choice(state.legal_actions()))
    assert min(seen.values()) > 20
