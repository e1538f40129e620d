"""The naive Quantum Go, held to the paper: its Example 1, its figures, the counts, the values."""

from __future__ import annotations

import random

import pytest

from tests.support import paths
from tests.support.oracles.quantum_go_naive import BLACK, PASS, WHITE, Naive, play
from tests.support.oracles.quantum_go_naive_board import Board, names, point_of, points_of, single
from tests.support.oracles.quantum_go_naive_values import Solver, reachable
from tests.support.oracles.quantum_go_record import Record, read_record

EXAMPLE_1 = read_record(paths.EXAMPLE_1)


def replay(game: Naive, record: Record) -> Naive:
    """Play a record and compare all that it says; a failure names the move."""
    for turn in record.turns:
        move = f"move {turn.number}:"
        assert game.player() == turn.side, f"{move} the wrong side is to move"
        before, older, offered = game.stones(), {}, []
        try:
            for point in turn.points or [PASS]:
                game.play(point)
            while game.decision()[0] == "keep":
                question, offered = game.questions[0], game.legal()
                kept = turn.kept if question.step == 3 else turn.older[question.age]
                if question.step < 3:
                    older[question.age] = kept
                game.play(kept)
        except (ValueError, KeyError) as wrong:
            raise AssertionError(f"{move} {wrong}") from wrong
        assert older == turn.older, f"{move} other pairs collapsed"
        still = [owner for owner, points in game.pairs() if set(points) == set(turn.points)]
        assert bool(still) == (turn.kept is None and bool(turn.points)), f"{move} entangled?"
        if turn.note == "free":
            assert set(offered) == set(turn.points), f"{move} the choice is not free"
        elif turn.note:
            assert offered == [turn.kept], f"{move} the choice is free"
        gone = before.keys() - game.stones().keys()
        assert gone == turn.captured, f"{move} captured {names(gone)}"
    return game


# Example 1.


def test_example_1_replays_exactly() -> None:
    game = replay(Naive(6, 6), EXAMPLE_1)
    assert game.is_over()
    assert game.board.area(game.stones()) == (20, 16)
    assert game.score() == EXAMPLE_1.results["area"] == 4
    assert game.board.territory(game.stones()) == (9, 3)
    assert game.prisoners == [1, 3]
    by_territory = replay(Naive(6, 6, scoring="territory"), EXAMPLE_1)
    assert by_territory.score() == EXAMPLE_1.results["territory"] == 4
    assert replay(Naive(6, 6, komi=5.5), EXAMPLE_1).score() == -1.5


def test_the_record_has_every_turn_of_the_paper() -> None:
    turns = EXAMPLE_1.turns
    assert [turn.number for turn in turns] == list(range(1, 31))
    assert all(turn.side == (turn.number + 1) % 2 for turn in turns)
    assert [t.number for t in turns if t.points and t.kept is None] == [1, 2, 7, 15]
    assert {t.number: t.note for t in turns if t.note} == {
        3: "free",
        8: "free",
        16: "forced",
        24: "ko",
    }


class SinglesBind(Naive):
    """Rule 5 inverted: a neighbour that was already single binds as well."""

    def bound(self):
        return {p for p in self.new if any(q in self.singles for q in self.touching(p))}


class NothingBinds(Naive):
    """Rule 5 left out."""

    def bound(self):
        return set()


class CaptureBeforeCollapse(Naive):
    """Rule 7 inverted: captures are looked for while both new stones lie there."""

    def put_down(self):
        pair = dict.fromkeys(self.new, self.to_move)
        stones = self.everything() | pair
        for point in self.board.without_liberties(stones, 1 - self.to_move):
            self.singles.pop(point, None)
        super().put_down()

    def capture(self):
        """Nothing is left to be captured."""


class OwnFirst(Naive):
    """Rule 7 inverted: the mover's own chains are taken off first."""

    def capture(self):
        if self.take(self.to_move) and not self.suicide:
            self.barred = "suicide"
        self.take(1 - self.to_move)


class SinglesAlone(Naive):
    """Rule 10 inverted: only the single stones must not come back."""

    def key(self):
        return frozenset(self.singles.items()), frozenset()


class EveryCompletion(Naive):
    """Rule 11 inverted: a pair is playable only if no choice could make it illegal."""

    def completes(self, either_order=False):
        if not self.new:
            return self.barred is None
        if not self.questions:
            return super().completes(either_order)
        return all(self.leads_on(d) for d in self.options())


class NoLookAhead(Naive):
    """Rule 11 left out: choices that end in an illegal position are offered."""

    def completes(self, either_order=False):
        return True


@pytest.mark.parametrize(
    ("wrong", "move"),
    [
        (SinglesBind, 8),
        (NothingBinds, 16),
        (CaptureBeforeCollapse, 24),  # C6 and F6 together would take what move 26 takes
        (OwnFirst, 23),
        (SinglesAlone, 1),
        (EveryCompletion, 24),
        (NoLookAhead, 24),
    ],
)
def test_every_clause_that_example_1_forces_is_needed(wrong: type[Naive], move: int) -> None:
    with pytest.raises(AssertionError, match=f"^move {move}:"):
        replay(wrong(6, 6), EXAMPLE_1)


def test_own_chains_first_fails_even_where_suicide_is_allowed() -> None:
    with pytest.raises(AssertionError, match=r"^move 23:"):
        replay(OwnFirst(6, 6, suicide=True), EXAMPLE_1)


def test_the_ko_of_move_24_is_a_simple_one() -> None:
    first_23 = Record(6, 6, EXAMPLE_1.turns[:23], {})
    for ko, offered in (("superko", "C6"), ("simple", "C6"), ("none", "C6 F6")):
        game = play(replay(Naive(6, 6, ko=ko), first_23), "C6 F6")
        assert names(game.legal()) == offered


# The other examples, as far as the text names points.


def test_figures_1_and_2() -> None:
    game = play(Naive(19, 19), "D3 C5", "D2 E6")
    assert (game.player(), game.decision(), names(game.legal())) == (BLACK, ("keep", 2), "D3 C5")
    other = play(game.copy(), "C5")
    assert (other.player(), other.decision(), names(other.legal())) == (WHITE, ("keep", 3), "D2 E6")
    assert names(play(game, "D3").legal()) == "D2"
    assert play(game, "D2").stones() == single("D3", "D2")
    assert game.pairs() == []
    assert game.player() == BLACK


def test_figure_g1_both_new_stones_touch_one_that_collapsed() -> None:
    pairs = [(BLACK, "R16 K10"), (BLACK, "Q3 O4")]
    game = play(Naive(19, 19).set_up({}, pairs, WHITE), "R17 R3")
    assert game.player() == BLACK
    assert names(play(game, "R16 Q3").legal()) == "R3 R17"
    assert play(game, "R17").stones() == single("R16 Q3", "R17")


def test_figure_g2_the_mover_first_then_the_opponent_then_the_new_pair() -> None:
    # The text names the kept stones; the partners that it leaves out are made up.
    pairs = [(BLACK, "R8 D17"), (WHITE, "P14 K4"), (BLACK, "Q13 E3")]
    game = play(Naive(19, 19).set_up({}, pairs, WHITE), "P13 D18")
    assert (game.player(), game.decision(), names(game.legal())) == (WHITE, ("keep", 1), "K4 P14")
    play(game, "P14")
    assert (game.player(), game.decision(), names(game.legal())) == (BLACK, ("keep", 2), "R8 D17")
    play(game, "R8")
    assert (game.player(), game.decision(), names(game.legal())) == (BLACK, ("keep", 2), "E3 Q13")
    play(game, "Q13")
    assert (game.player(), game.decision(), names(game.legal())) == (WHITE, ("keep", 3), "P13")


def test_figure_g9_a_stone_that_lost_its_contact_binds_no_more() -> None:
    game = play(Naive(19, 19).set_up({}, [(BLACK, "F3 Q9")], WHITE), "F4 C14", "Q9")
    assert names(game.legal()) == "F4 C14"


# Counts and values.


@pytest.mark.parametrize(
    ("width", "height", "variant", "count"),
    [
        (2, 2, "classical", 57),
        (2, 2, "standard", 61),
        (3, 2, "classical", 489),
        (3, 2, "standard", 529),
    ],
)
def test_reachable_positions(width: int, height: int, variant: str, count: int) -> None:
    assert len(reachable(width, height, variant)) == count


@pytest.mark.parametrize(
    ("variant", "margin"),
    [
        ("classical", 1),
        ("standard", 4),
        ("semi-black", 4),
        ("semi-white", 4),
        ("weak", 1),
        ("symmetric", 4),
    ],
)
def test_values_of_2x2_with_superko(variant: str, margin: int) -> None:
    solver = Solver(2, 2, variant)
    assert solver.at_least(margin)
    assert not solver.at_least(margin + 1)


# The rules one by one.


def test_a_pair_is_unordered() -> None:
    game = Naive(3, 3)
    assert names(game.legal()) == "A1 B1 C1 A2 B2 C2 A3 B3 pass"
    assert names(game.legal(either_order=True)) == "A1 B1 C1 A2 B2 C2 A3 B3 C3 pass"
    assert names(play(game.copy(), "B3").legal()) == "C3"
    assert names(play(game.copy(), "B3").legal(either_order=True)) == "A1 B1 C1 A2 B2 C2 A3 C3"
    assert names(play(game.copy(), "C3").legal()) == "A1 B1 C1 A2 B2 C2 A3 B3"
    one, other = play(game.copy(), "A1 C3"), play(game.copy(), "C3 A1")
    assert one.pairs() == other.pairs() == [(BLACK, (point_of("A1"), point_of("C3")))]


def test_two_new_stones_that_touch_each_other_collapse() -> None:
    game = play(Naive(3, 3), "A1 B1")
    assert (game.player(), game.decision(), names(game.legal())) == (BLACK, ("keep", 3), "A1 B1")
    assert play(game, "B1").stones() == single("B1")


def test_with_one_empty_point_left_a_pair_cannot_be_played() -> None:
    full = single("A1 B1 C1", "A2 C2")
    game = Naive(3, 2).set_up(full, [], BLACK)
    assert names(game.legal()) == PASS
    # A single stone has room there: it takes both white ones.
    game = play(Naive(3, 2, "classical").set_up(full, [], BLACK), "B2")
    assert game.stones() == single("A1 B1 C1 B2")
    assert game.prisoners == [2, 0]


def test_choices_of_one_side_come_oldest_first() -> None:
    pairs = [(WHITE, "C1 E5"), (WHITE, "A3 E3"), (WHITE, "A1 E1")]
    game = play(Naive(5, 5).set_up({}, pairs, BLACK), "B1 C5")
    assert names(game.legal()) == "C1 E5"
    assert names(play(game, "E5").legal()) == "A1 E1"
    assert names(play(game, "E1").legal()) == "B1 C5"
    assert [names(points) for _, points in game.pairs()] == ["A3 E3", "B1 C5"]


def test_suicide_is_an_option() -> None:
    shape = single("A1", "B1 B2 A3")
    barred = Naive(4, 4, "classical").set_up(shape, [], BLACK)
    assert point_of("A2") not in barred.legal()
    game = Naive(4, 4, "classical", suicide=True).set_up(shape, [], BLACK)
    play(game, "A2")
    assert game.stones() == single("", "B1 B2 A3")
    assert game.prisoners == [0, 2]
    # One stone's suicide changes nothing, which superko bars.
    alone = Naive(4, 4, "classical", suicide=True).set_up(single("", "B1 A2"), [], BLACK)
    assert point_of("A1") not in alone.legal()


def test_a_stone_that_would_be_suicide_cannot_be_kept() -> None:
    game = play(Naive(4, 4).set_up(single("", "B1 A2"), [], BLACK), "A1 D4")
    assert names(game.legal()) == "D4"
    # With both stones in such corners there is nothing to keep, so the pair is no move.
    corners = single("", "B1 A2 C4 D3")
    game = play(Naive(4, 4).set_up(corners, [], BLACK), "A1")
    assert point_of("D4") not in game.legal()
    with pytest.raises(ValueError, match="not legal"):
        play(game, "D4")


def test_no_position_comes_back_with_superko_but_some_do_with_simple_ko() -> None:
    def repeats(ko: str, seed: int) -> bool:
        game, rng, turns = Naive(2, 2, "classical", ko=ko), random.Random(seed), 0
        while not game.is_over() and turns < 40:
            stones = [d for d in game.legal() if d != PASS]
            play_pass = not stones or rng.random() < 0.1
            game.play(PASS if play_pass else rng.choice(stones))
            turns += 1
        moved = [
            k for last, k in zip(game.positions, game.positions[1:], strict=False) if k != last
        ]
        return len(set(moved)) < len(moved)

    assert not any(repeats("superko", seed) for seed in range(30))
    assert any(repeats("simple", seed) for seed in range(30))


def test_leftovers_belong_to_the_last_passer_first() -> None:
    pairs = [(BLACK, "A1 E1"), (WHITE, "A3 E3"), (BLACK, "A5 E5")]
    game = play(Naive(5, 5).set_up({}, pairs, BLACK), "pass pass")
    assert not game.is_over()
    assert (game.player(), game.decision(), names(game.legal())) == (WHITE, ("keep", 4), "A3 E3")
    play(game, "E3")
    assert (game.player(), game.decision(), names(game.legal())) == (BLACK, ("keep", 5), "A1 E1")
    play(game, "A1")
    assert (game.player(), game.decision(), names(game.legal())) == (BLACK, ("keep", 5), "A5 E5")
    with pytest.raises(ValueError, match="played to its end"):
        game.score()
    play(game, "A5")
    assert game.is_over()
    assert (game.player(), game.decision(), game.legal()) == (None, ("over", 0), [])
    assert game.stones() == single("A1 A5", "E3")
    assert game.score() == 1


def test_passes_end_the_game_only_in_a_row() -> None:
    game = play(Naive(3, 3, "classical"), "B2 pass A1 pass pass")
    assert game.is_over()
    assert game.score() == 9
    assert not play(Naive(3, 3, "classical"), "pass B2 pass").is_over()


def test_resignation_ends_the_game_without_a_score() -> None:
    game = play(Naive(3, 3), "A1 C3", "resign")
    assert game.is_over()
    assert game.resigned == WHITE
    with pytest.raises(ValueError, match="played to its end"):
        game.score()


def test_handicap_stones_are_black_and_white_starts() -> None:
    game = Naive(5, 5, handicap=points_of("B2 D4"), komi=0.5)
    assert game.player() == WHITE
    assert game.stones() == single("B2 D4")
    assert play(game, "pass pass").score() == 24.5


def test_area_and_territory_of_a_divided_board() -> None:
    board, wall = Board(4, 3), single("B1 B2 B3", "C1 C2 C3")
    assert board.area(wall) == (6, 6)
    assert board.territory(wall) == (3, 3)
    assert board.area({}) == (0, 0)
    # A gap that reaches both colours is nobody's.
    assert board.area(single("A1", "D3")) == (1, 1)


def test_stones_removed_by_a_collapse_are_no_prisoners() -> None:
    game = play(Naive(5, 5, scoring="territory"), "A1 E5", "A2 E1", "A1", "A2")
    assert game.prisoners == [0, 0]


@pytest.mark.parametrize(("width", "height"), [(1, 5), (5, 20)])
def test_a_board_has_2_to_19_points_a_side(width: int, height: int) -> None:
    with pytest.raises(ValueError, match="2 to 19"):
        Naive(width, height)
    assert names(Naive(19, 2, "classical").legal()[-2:]) == "T2 pass"
