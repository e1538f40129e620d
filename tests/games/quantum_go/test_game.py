"""Quantum Go: the paper's game, the laws of the specification, and its counts."""

from __future__ import annotations

import os
import subprocess
import sys
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playproof import DataError, State, UsageError, make
from playproof.games.go import rows as go_rows
from playproof.games.quantum_go import rows
from playproof.rules import quantum_go as law
from tests.support.games import example1


def played(moves: str, **options: Any) -> State:
    return make("quantum-go", **options).start().play(moves)


# Example 1, and the clauses that it forces


@pytest.mark.parametrize("scoring", ["area", "territory"])
def test_example_1_ends_with_black_four_ahead(scoring: str) -> None:
    end = example1.replay(scoring=scoring)
    assert end.is_terminal
    assert end.score == 4.0 == example1.RECORD.results[scoring]
    assert end.game.prisoners(end) == (1, 3)


@pytest.fixture(scope="module")
def outcomes() -> dict[str, str]:
    """How a replay ends, uncompiled, with a clause inverted, or with none."""
    names = ["none", *(inversion.__name__ for inversion in example1.INVERSIONS)]
    out = subprocess.run(
        [sys.executable, str(example1.__file__), *names],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    lines = (line.partition(" ") for line in out.splitlines())
    return {name: outcome for name, _, outcome in lines}


@pytest.mark.slow
@pytest.mark.parametrize("inversion", [None, *example1.INVERSIONS])
def test_a_clause_that_is_inverted_breaks_example_1(
    inversion: Any, outcomes: dict[str, str]
) -> None:
    outcome = outcomes["none" if inversion is None else inversion.__name__]
    expected = "whole 4.0" if inversion is None else f"move {example1.INVERSIONS[inversion]}:"
    assert outcome.startswith(expected), outcome


def test_superko_sees_the_pairing() -> None:
    """Singles alone are refuted by move 1, which adds none."""
    game = make("quantum-go", board="6x6")
    before, after = game.start(), game.start().play("D3 C2")
    assert game.stones(before.row) == game.stones(after.row)
    bits = go_rows.superko_bits(game.option_words)
    kernel = game.kernels.hash
    hashes = [int(kernel(game.option_words, s.row.copy())) & int(bits) for s in (before, after)]
    assert hashes[0] != hashes[1]
    bare = after.row.copy()  # the same without its pairing is the start again
    bare[2 * game.board_words : 4 * game.board_words] = 0
    bare[game.ledger + 3 :] = 0
    assert int(kernel(game.option_words, bare)) & int(bits) == hashes[0]


# Collapse


def test_figures_1_and_2() -> None:
    state = played("D3 C5 D2 E6", board="6x6")
    assert state.game.question(state) == "Black keeps one of D3, C5: step 2"
    forced = state.apply("D3")
    assert forced.current_player == 1
    assert forced.legal_names() == ["D2"]
    assert sorted(state.apply("C5").legal_names()) == ["D2", "E6"]


def test_two_new_stones_that_touch_collapse() -> None:
    state = played("C3 C4", board="6x6")
    assert sorted(state.legal_names()) == ["C3", "C4"]
    assert state.game.step(state.row) == law.NEW_GROUP


def test_older_pairs_collapse_oldest_first_and_the_movers_before_the_opponents() -> None:
    state = played("A1 F1 A6 F6 C1 C6 D3 D5 B1 E6", board="6x6")
    questions = []
    while state.game.step(state.row) != law.NEW_GROUP:
        questions.append(state.game.question(state))
        state = state.apply(state.legal_names()[0])
    assert questions == [
        "Black keeps one of A1, F1: step 1",
        "Black keeps one of C1, C6: step 1",
        "White keeps one of A6, F6: step 2",
    ]


def test_left_over_pairs_are_settled_by_the_last_passer_first() -> None:
    state = played("A1 C3 C1 A3 pass pass", board="3x3")
    assert state.current_player == 1
    assert state.game.question(state) == "White keeps one of C1, A3: a pair left over"
    state = state.apply("A3")
    assert (state.current_player, state.legal_names()) == (0, ["A1", "C3"])
    assert state.apply("A1").is_terminal


def test_one_empty_point_is_too_few_for_a_pair() -> None:
    game = make("quantum-go", board="2x2")
    state = game.position("1O/XX w 0 - 0 0 - -")
    assert state.legal_names() == ["pass"]


def test_variants() -> None:
    touching = "C3 F6 D4 A1"
    assert played(touching, board="6x6").game.step(played(touching, board="6x6").row) == law.PLACE
    weak = played(touching, board="6x6", variant="weak")
    assert weak.game.question(weak) == "Black keeps one of C3, F6: step 2"
    mirrored = played("A1 C2", board="5x5", variant="symmetric")
    assert mirrored.game.groups(mirrored.row) == [(0, (0, 24)), (1, (7, 17))]
    centre = played("C3", board="5x5", variant="symmetric")
    assert centre.game.stones(centre.row) == ([12], [])
    semi = played("A1 E5 C3", board="5x5", variant="semi-black")
    assert semi.game.stones(semi.row) == ([], [12])
    assert played("C3", board="5x5", variant="semi-white").current_player == 1


def test_a_ghz_triplet_leaves_one_and_a_w_triplet_loses_one() -> None:
    ghz = played("A1 E5 A5 B1 E1 C3 A1", board="5x5", group="ghz", k=3)
    assert ghz.game.stones(ghz.row)[0] == [0]
    w = played("A1 E5 A5 B1 E1 C3 A5", board="5x5", group="w", k=3)
    assert w.game.groups(w.row)[0] == (0, (0, 24))
    assert w.game.question(w) == "White removes one of B1, E1, C3: step 3"
    assert w.legal_names() == ["E1", "C3"]  # B1 touches A1, which has just survived


def test_chance_collapses_by_borns_rule() -> None:
    state = played("A2 B1 A1 C3", board="3x3", collapse="born", alpha=0.6)
    assert state.is_chance
    odds = {state.name(a): p for a, p in state.chance_outcomes()}
    assert odds == pytest.approx({"A2": 0.64, "B1": 0.36}, abs=1e-9)
    assert state.view().turn.name == "Chance"


def test_suicide_cannot_be_chosen() -> None:
    game = make("quantum-go", board="4x4")
    state = game.position("4/4/OO2/1O2 b 0 - 0 0 - -").play("A1 D4")
    assert state.legal_names() == ["D4"]


# Laws, over random play


VARIANTS: list[dict[str, Any]] = [
    {},
    {"variant": "weak"},
    {"variant": "symmetric"},
    {"variant": "semi-black"},
    {"variant": "semi-white", "collapse": "born"},
    {"k": 3},
    {"collapse": "born"},
    {"suicide": True},
]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
@settings(max_examples=6, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.sampled_from(["4x4", "5x3", "6x6"]))
def test_entangled_stones_have_empty_neighbours_and_no_board_returns(
    options: dict[str, Any], seed: int, board: str
) -> None:
    game: Any = make("quantum-go", board=board, **options)
    rng, state = Random(seed), game.start()
    seen, before = {_key(state)}, state
    while not state.is_terminal:
        legal = state.legal_actions()
        quiet = legal[:-1] if legal[-1] == game.pass_action and rng.random() < 0.9 else legal
        action = rng.choice(quiet or legal)
        state = state.apply(action)
        if game.step(state.row) != law.PLACE or game.new_group(state.row):
            continue
        _check_position(game, state)
        if action != game.pass_action:
            assert _key(state) not in seen
            _check_units(game, before, state)
        seen.add(_key(state))
        before = state


def _key(state: State) -> tuple[Any, ...]:
    game: Any = state.game
    black, white = game.stones(state.row)
    return tuple(black), tuple(white), frozenset(game.groups(state.row))


def _check_position(game: Any, state: State) -> None:
    occupied = {p for side in game.stones(state.row) + game.entangled(state.row) for p in side}
    grouped = [p for _, group in game.groups(state.row) for p in group]
    assert sorted(grouped) == sorted(p for side in game.entangled(state.row) for p in side)
    for point in grouped:
        row, column = divmod(point, game.width)
        for r, c in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
            if 0 <= r < game.height and 0 <= c < game.width:
                assert game.width * r + c not in occupied, "an entangled stone is touched"
    row_words = state.row.copy()
    game.fill_derived(row_words)
    assert (row_words == state.row).all(), "what follows from the stones was not kept up"


def _check_units(game: Any, before: State, after: State) -> None:
    """A turn adds one unit, a single stone or a group; prisoners take units away."""

    def units(state: State) -> int:
        return sum(map(len, game.stones(state.row))) + len(game.groups(state.row))

    gone = sum(game.prisoners(after)) - sum(game.prisoners(before))
    assert units(after) == units(before) + 1 - gone


# Counts


@pytest.mark.parametrize(
    ("spec", "positions"),
    [("go:board=2x2", 57), ("quantum-go:board=2x2", 61), ("go:board=3x2", 489),
     ("quantum-go:board=3x2", 529)],
)  # fmt: skip
def test_reachable_positions(spec: str, positions: int) -> None:
    """Boards with their pairing that turns lead to, whoever moves, ko aside."""
    assert len(reachable(make(spec))) == positions


def reachable(game: Any) -> set[str]:
    """Positions as text, Black to move; either side may move anywhere, and nothing is
    remembered, so that no board is barred."""
    texts = [game.start().position]
    seen = set(texts)
    while texts:
        text = texts.pop()
        for side in "bw":
            for state in _turns(game.position(_with_side(text, side))):
                after = _with_side(state.position, "b")
                if after not in seen:
                    seen.add(after)
                    texts.append(after)
    return seen


def _with_side(text: str, side: str) -> str:
    """The same board with this side to move; the groups' ages do not tell boards apart."""
    board, _, _, _, _, _, *rest = text.split()
    groups = [",".join(sorted(rest[0].split(","))), rest[1]] if rest else []
    return " ".join([board, side, "0", "-", "0", "0", *groups])


def _turns(state: State) -> list[State]:
    game: Any = state.game
    if state.actions and (game.name == "go" or _turn_over(game, state)):
        return [state]
    ends = []
    for action in state.legal_actions():
        if action != game.pass_action:
            ends += _turns(State(game, state.apply(action).row, actions=(action,)))
    return ends


def _turn_over(game: Any, state: State) -> bool:
    return bool(game.step(state.row) == law.PLACE and not game.new_group(state.row))


# Options, text, rows


def test_combinations_that_make_no_sense_are_refused() -> None:
    for options in (
        {"variant": "symmetric", "k": 3},
        {"variant": "symmetric", "order": "rising"},
        {"group": "w", "ko": "simple"},
        {"k": 8},
        {"variant": "strong"},
    ):
        with pytest.raises(UsageError):
            make("quantum-go", **options)


@pytest.mark.parametrize(
    "text",
    [
        "3/3/3 b 0 - 0 0 -",
        "3/x2/3 b 0 - 0 0 - -",
        "3/xX1/1x1 w 0 - 0 0 A2+B1 -",
        "3/x2/1o1 w 0 - 0 0 A2+B1 -",
        "3/3/3 b 2 - 0 0 - -",
        "3/3/3 b 0 - 0 0 - 3:A1+B1:9:0:0:0:0",
        "3/3/3 b 0 - 0 0 - 1:A1+B1:0:0:0:0:0",
        "3/3/3 b 0 - 0 0 - 9:A1:0:0:0:0:0",
        "3/3/3 b 0 - 0 0 - 0:Z9:0:0:0:0:0",
        "3/3/3 b 0 - 0 0 - nonsense",
    ],
)
def test_a_position_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(DataError) as refused:
        make("quantum-go", board="3x3").position(text)
    assert "\n" not in str(refused.value)


def test_figure_7_as_text() -> None:
    state = make("quantum-go", board="3x3").position("3/x1O/1x1 b 0 - 0 0 B1+A2 -")
    assert state.game.groups(state.row) == [(0, (1, 3))]
    view = state.view()
    assert [(link.a, link.b) for link in view.links] == [("B1", "A2")]
    assert {p.at: p.weight for p in view.pieces} == {"C2": 1.0, "B1": 0.5, "A2": 0.5}


@pytest.mark.parametrize("board", ["2x2", "4x3"])
def test_rising_order_offers_each_pair_once(board: str) -> None:
    pairs = {}
    for order in ("any", "rising"):
        game = make("quantum-go", board=board, order=order)
        start = game.start()
        firsts = [a for a in start.legal_actions() if a != game.pass_action]
        pairs[order] = [(a, b) for a in firsts for b in start.apply(a).legal_actions()]
    points = make("quantum-go", board=board).pass_action
    assert sorted(pairs["any"]) == [(a, b) for a in range(points) for b in range(points) if a != b]
    assert pairs["rising"] == [pair for pair in pairs["any"] if pair[0] < pair[1]]


def test_rows_are_as_small_as_documented() -> None:
    words = {
        (name, board): make(name, board=board).words
        for name in ("go", "quantum-go")
        for board in ("9x9", "19x19")
    }
    assert words == {
        ("go", "9x9"): 7,
        ("go", "19x19"): 19,
        ("quantum-go", "9x9"): 24,
        ("quantum-go", "19x19"): 79,
    }


def test_the_hash_of_a_started_turn_is_no_boards_hash() -> None:
    game = make("quantum-go", board="4x4")
    state = game.start()
    rng = Random(5)
    while not state.is_terminal:
        h = int(game.kernels.hash(game.option_words, state.row.copy()))
        begins = bool(rows.is_turn_start(state.row, game.ledger))
        assert bool(h & go_rows.START) == begins
        state = state.apply(rng.choice(state.legal_actions()))
