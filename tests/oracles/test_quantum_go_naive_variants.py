"""The naive Quantum Go's variants by hand-made cases, chance, and the laws on random games."""

from __future__ import annotations

import random

import pytest

from tests.support.longer import longer
from tests.support.oracles.quantum_go_naive import BLACK, CHANCE, PASS, WHITE, Naive, play
from tests.support.oracles.quantum_go_naive_board import names, point_of, single


def groups(game: Naive) -> list[str]:
    """The entangled groups by the names of their points, oldest first."""
    return [names(points) for _, points in game.pairs()]


# Weak: contact is diagonal as well, liberties are not.


def test_weak_contact_is_diagonal() -> None:
    assert groups(play(Naive(5, 5), "B2 E5", "A3 D1")) == ["B2 E5", "D1 A3"]
    game = play(Naive(5, 5, "weak"), "B2 E5", "A3 D1")
    assert (game.player(), game.decision()) == (BLACK, ("keep", 2))
    # A3 touches B2 diagonally, so it is bound to stay where B2 stays.
    assert names(play(game.copy(), "B2").legal()) == "A3"
    assert names(play(game.copy(), "E5").legal()) == "D1 A3"


def test_weak_play_captures_as_usual() -> None:
    shape = single("A1", "A2")
    game = play(Naive(5, 5, "weak+classical").set_up(shape, [], WHITE), "B1")
    assert game.stones() == single("", "A2 B1")
    # B2 touches A1 diagonally and takes no liberty of it.
    game = play(Naive(5, 5, "weak+classical").set_up(shape, [], WHITE), "B2")
    assert game.stones() == single("A1", "A2 B2")


# Symmetric: one point names the pair.


def test_symmetric_pairs_lie_opposite() -> None:
    game = Naive(3, 3, "symmetric")
    assert names(game.legal()) == "A1 B1 C1 A2 B2 pass"
    assert names(game.legal(either_order=True)) == "A1 B1 C1 A2 B2 C2 A3 B3 C3 pass"
    assert groups(play(game.copy(), "A1")) == ["A1 C3"]
    assert groups(play(game.copy(), "C3")) == ["A1 C3"]
    assert groups(play(Naive(4, 3, "symmetric"), "B1")) == ["B1 C3"]


def test_symmetric_singles_at_the_centre_and_beside_an_occupied_mirror() -> None:
    game = play(Naive(5, 5, "symmetric"), "C3")
    assert game.stones() == single("C3")
    assert game.player() == WHITE
    # C2 and C4 touch the centre: either may stay, and then the other's mirror is occupied.
    play(game, "C2", "C2", "C4")
    assert game.stones() == single("C3 C4", "C2")
    assert game.pairs() == []
    # Near the middle of an even board the two stones touch each other.
    game = play(Naive(2, 3, "symmetric"), "A2")
    assert (game.decision(), names(game.legal())) == (("keep", 3), "A2 B2")


def test_a_symmetric_single_settles_what_it_touches() -> None:
    pairs = [(WHITE, "A2 E4")]
    game = Naive(5, 5, "symmetric").set_up(single("E5"), pairs, BLACK)
    play(game, "A1")  # its mirror, E5, is occupied
    assert (game.player(), game.decision(), names(game.legal())) == (WHITE, ("keep", 2), "A2 E4")
    play(game, "E4")
    assert game.stones() == single("A1 E5", "E4")
    assert game.player() == WHITE


# Semi-Quantum: one side places pairs.


def test_semi_quantum_singles_have_no_third_step() -> None:
    game = play(Naive(5, 5, "semi-black"), "B2 D4")
    assert groups(game) == ["B2 D4"]
    play(game, "B3")
    assert (game.player(), game.decision(), names(game.legal())) == (BLACK, ("keep", 2), "B2 D4")
    play(game, "D4")
    assert game.stones() == single("D4", "B3")
    assert (game.player(), game.decision()) == (BLACK, ("point", 1))


def test_semi_quantum_the_other_way_round() -> None:
    game = play(Naive(5, 5, "semi-white"), "B2")
    assert game.stones() == single("B2")
    assert groups(play(game, "A5 E5")) == ["A5 E5"]
    play(game, "A4")
    assert (game.player(), game.decision()) == (WHITE, ("keep", 2))
    assert play(game, "A5").stones() == single("B2 A4", "A5")


# GHZ: contact leaves one of k.


def test_ghz_contact_leaves_exactly_one() -> None:
    game = play(Naive(5, 5, "ghz-3"), "A1 C1 E1")
    assert groups(game) == ["A1 C1 E1"]
    play(game, "A2 C5 E5")
    assert (game.player(), game.decision(), names(game.legal())) == (BLACK, ("keep", 2), "A1 C1 E1")
    assert names(play(game.copy(), "E1").legal()) == "A2 C5 E5"
    assert names(play(game, "A1").legal()) == "A2"
    assert play(game, "A2").stones() == single("A1", "A2")
    assert game.pairs() == []


def test_ghz_needs_as_many_empty_points_as_stones() -> None:
    game = Naive(3, 2, "ghz-4").set_up(single("A1", "C1 C2"), [], BLACK)
    assert names(game.legal()) == PASS
    assert names(Naive(3, 2, "ghz-4").legal()) == "A1 B1 C1 pass"


# W: contact removes one of k.


def test_w_contact_removes_one_and_binds_a_set() -> None:
    game = play(Naive(5, 5, "w-3"), "A1 C1 E1", "A2 C5 E5")
    assert (game.player(), game.decision()) == (BLACK, ("remove", 2))
    assert names(game.legal()) == "A1 C1 E1"
    # Without A1 nothing binds White; with it the set that stays must contain A2.
    assert names(play(game.copy(), "A1").legal()) == "A2 C5 E5"
    play(game, "E1")
    assert (game.player(), game.decision(), names(game.legal())) == (WHITE, ("remove", 3), "C5 E5")
    play(game, "C5")
    assert groups(game) == ["A1 C1", "A2 E5"]
    # The next contact leaves single stones, the untouched group stays as it is.
    play(game, "B3 D3 E4", "A2", "B3")
    assert game.stones() == single("", "E5")
    assert groups(game) == ["A1 C1", "D3 E4"]


def test_w_of_two_is_a_pair_whose_removed_stone_is_named() -> None:
    game = play(Naive(5, 5, "w-2"), "A1 C1", "A2 E5", "C1")
    assert names(game.legal()) == "E5"
    assert play(game, "E5").stones() == single("A1", "A2")


def test_a_captured_member_of_a_w_group_is_absent_and_no_prisoner() -> None:
    trio = [(BLACK, "A1 C3 E5")]
    game = Naive(5, 5, "w-3+semi-black").set_up(single("", "A2"), trio, WHITE)
    play(game, "B1")
    away = play(game.copy(), "A1")
    assert groups(away) == ["C3 E5"]
    play(game, "C3")  # leaves A1, without a liberty, and E5, which is now alone
    assert game.pairs() == []
    assert game.stones() == single("E5", "A2 B1")
    assert game.prisoners == [0, 0]


def test_a_whole_w_group_captured_is_one_prisoner() -> None:
    trio = [(BLACK, "A1 B1 E5")]
    game = Naive(5, 5, "w-3+semi-black").set_up(single("", "A2 B2"), trio, WHITE)
    play(game, "C1", "E5")
    assert game.pairs() == []
    assert game.stones() == single("", "A2 B2 C1")
    assert game.prisoners == [0, 1]


def test_w_leftovers_go_one_by_one() -> None:
    game = play(Naive(5, 5, "w-3"), "A1 C1 E1", "pass pass")
    assert (game.player(), game.decision(), names(game.legal())) == (
        BLACK,
        ("remove", 4),
        "A1 C1 E1",
    )
    assert names(play(game, "C1").legal()) == "A1 E1"
    assert play(game, "E1").stones() == single("A1")
    assert game.is_over()


# Born: chance measures what is touched.


def chances(game: Naive) -> dict[str, float]:
    """Outcomes by name."""
    assert game.player() == CHANCE
    text = {
        d: f"{d[0]} {names([d[1]])}" if isinstance(d[0], str) else names([d]) for d in game.legal()
    }
    assert [d for d, _ in game.chance()] == list(text)
    return {text[d]: pytest.approx(p, abs=1e-12) for d, p in game.chance()}


def test_born_measures_a_touched_pair() -> None:
    game = play(Naive(5, 5, "semi-black", collapse="born"), "B2 D4", "B3")
    assert game.decision() == ("measure", 2)
    assert chances(game) == {"B2": 0.5, "D4": 0.5}
    assert play(game, "B2").stones() == single("B2", "B3")
    assert game.player() == BLACK


def test_born_amplitudes_as_in_figure_7() -> None:
    # a|0>_A2 |1>_B1 - b|1>_A2 |0>_B1: B1 is the one with probability |a|^2.
    game = Naive(3, 3, "semi-black", collapse="born", amplitudes=(0.8, -0.6j))
    game.set_up(single("", "C2"), [(BLACK, "A2 B1")], WHITE)
    assert chances(play(game, "A3")) == {"B1": 0.64, "A2": 0.36}


def test_born_by_age_then_the_new_pair_and_rule_5_stands() -> None:
    pairs = [(BLACK, "A1 E1"), (WHITE, "B3 E5")]
    game = Naive(5, 5, collapse="born").set_up({}, pairs, WHITE)
    play(game, "A2 C3")
    assert game.decision() == ("measure", 2)
    assert chances(game) == {"A1": 0.5, "E1": 0.5}
    play(game, "A1")
    assert game.decision() == ("measure", 1)
    assert chances(game) == {"B3": 0.5, "E5": 0.5}
    assert chances(play(game.copy(), "B3")) == {"A2": 0.5, "C3": 0.5}
    assert play(game, "E5").decision() == ("measure", 3)
    assert chances(game) == {"A2": 1}
    # The other reading: the mover's pairs before the opponent's, as in the steps.
    game = Naive(5, 5, collapse="born").set_up({}, pairs, WHITE)
    game.born_by_age = False
    assert play(game, "A2 C3").decision() == ("measure", 1)
    # And the one where chance knows no rule 5.
    game.born_keeps_rule_5 = False
    assert chances(play(game, "E5 A1")) == {"A2": 0.5, "C3": 0.5}


def test_born_outcomes_without_a_legal_completion_are_excluded() -> None:
    game = Naive(4, 4, collapse="born").set_up(single("", "B1 A2"), [], BLACK)
    assert chances(play(game, "A1 D4")) == {"D4": 1}
    # Where A1, the first of every pair here, is sure to stay, no pair with A1 is a move.
    sure = Naive(4, 4, collapse="born", amplitudes=(0, 1)).set_up(single("", "B1 A2"), [], BLACK)
    assert point_of("A1") not in sure.legal(either_order=True)
    assert point_of("D4") in sure.legal(either_order=True)


def test_born_ghz_is_measured_by_its_label() -> None:
    game = play(Naive(5, 5, "ghz-3+semi-black", collapse="born"), "A1 C1 E1", "A2")
    assert chances(game) == {"A1": 1 / 3, "C1": 1 / 3, "E1": 1 / 3}


def test_born_w_measures_every_touched_stone() -> None:
    game = play(Naive(5, 5, "w-3+semi-black", collapse="born"), "A1 C1 E1", "B1")
    assert chances(game) == {"absent A1": 2 / 3, "present A1": 1 / 3}
    there = game.copy()
    there.play(("present", point_of("A1")))
    assert there.stones() == single("A1", "B1")
    assert there.player() == BLACK
    game.play(("absent", point_of("A1")))
    assert groups(game) == ["C1 E1"]
    assert chances(game) == {"absent C1": 0.5, "present C1": 0.5}
    game.play(("absent", point_of("C1")))
    assert game.stones() == single("E1", "B1")


def test_born_w_measures_the_new_stones_that_touch_something() -> None:
    game = Naive(5, 5, "w-3", collapse="born").set_up(single("", "A2 D1"), [], BLACK)
    play(game, "A1 C3 E1")
    assert game.decision() == ("measure", 3)
    assert chances(game) == {"absent A1": 2 / 3, "present A1": 1 / 3}
    game.play(("absent", point_of("A1")))
    assert chances(game) == {"absent E1": 0.5, "present E1": 0.5}
    game.play(("present", point_of("E1")))
    assert game.stones() == single("E1", "A2 D1")


def test_born_leftovers_are_measured() -> None:
    game = play(Naive(5, 5, collapse="born"), "A1 E5", "pass pass")
    assert chances(game) == {"A1": 0.5, "E5": 0.5}
    game = play(Naive(5, 5, "w-3", collapse="born"), "A1 C1 E5", "pass pass")
    assert chances(game) == {"absent A1": 2 / 3, "present A1": 1 / 3}


# Random games: rule 8, and laws that every variant keeps.

VARIANTS = [
    "classical",
    "standard",
    "weak",
    "symmetric",
    "semi-black",
    "semi-white",
    "ghz-3",
    "w-2",
    "w-3",
    "weak+ghz-3",
    "weak+symmetric",
    "semi-white+w-3",
]


def check_position(game: Naive) -> None:
    """What holds between two turns."""
    stones = game.everything()
    assert len(stones) == len(game.stones()) + sum(len(points) for _, points in game.pairs())
    for colour in (BLACK, WHITE):
        assert not game.board.without_liberties(stones, colour)
    ages = [group.age for group in game.groups]
    assert ages == sorted(set(ages))
    if not game.shrinks:
        for _, points in game.pairs():
            for point in points:
                assert not any(near in stones for near in game.touching(point))


def random_game(game: Naive, rng: random.Random, most_turns: int) -> tuple[int, int]:
    """Play to the end, checking on the way; turns, and turns that left entangled stones."""
    turns = entangled = 0
    while not game.is_over():
        legal = game.legal()
        assert legal, "somebody is stuck"
        weights = None
        if game.player() == CHANCE:
            assert [decision for decision, _ in game.chance()] == legal
            weights = [probability for _, probability in game.chance()]
            assert sum(weights) == pytest.approx(1, abs=1e-12)
        elif PASS in legal and len(legal) > 1:
            legal = [PASS] if turns >= most_turns else legal[:-1]
        game.play(rng.choices(legal, weights)[0])
        if game.decision() == ("point", 1):
            turns += 1
            check_position(game)
            entangled += bool(game.groups)
    return turns, entangled


@pytest.mark.parametrize("collapse", ["choice", "born"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_random_games_keep_the_laws(variant: str, collapse: str) -> None:
    entangled = 0
    for seed in range(2):
        game = Naive(6, 5 + seed, variant, collapse=collapse, suicide=seed == 1)
        entangled += random_game(game, random.Random(seed), longer(10, 20))[1]
        assert game.pairs() == []
        assert abs(game.score()) <= len(game.board.points)
    assert bool(entangled) == (variant != "classical")


def test_the_invariant_of_rule_8_over_many_turns() -> None:
    rng = random.Random(8)
    played = [random_game(Naive(6, 6), rng, 30) for _ in range(10)]
    assert sum(turns for turns, _ in played) > 250
    assert sum(entangled for _, entangled in played) > 40
