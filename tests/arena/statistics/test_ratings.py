"""Joint ratings: closed forms, another optimiser, open sides, and tournaments with known truth."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playproof.arena.statistics.ratings import Ratings, rate
from playproof.arena.statistics.score import Score
from playproof.core.errors import UsageError
from tests.support.arena.simulation import ratings_coverage

NAT = 400 / math.log(10)
MIXED, WON = Score((3, 4, 5, 6, 7, 9)), Score((0, 0, 0, 0, 0, 5))

small = st.tuples(*[st.sampled_from([0, 0, 0, 1, 2, 30])] * 6).map(Score)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], dict[tuple[int, int], Score]]:
    players = draw(st.integers(0, 5))
    met = [pair for pair in itertools.permutations(range(players), 2) if draw(st.booleans())]
    return [f"p{i}" for i in range(players)], {pair: draw(small) for pair in met}


def elos(ratings: Ratings) -> list[float | None]:
    return [player.elo for player in ratings.players]


def expected_points(ratings: Ratings, met: dict[tuple[int, int], Score]) -> list[float]:
    points = [0.0] * len(ratings.players)
    for (i, j), score in met.items():
        points[i] += score.games * ratings.expected(i, j)
        points[j] += score.games * ratings.expected(j, i)
    return points


# Closed forms


def test_two_players_have_the_closed_form() -> None:
    ratings = rate(["a", "b"], {(0, 1): MIXED})
    difference = math.log(MIXED.wins / MIXED.losses)
    draw = MIXED.draws / math.sqrt(MIXED.wins * MIXED.losses)
    assert ratings.draw == pytest.approx(draw)
    assert elos(ratings)[0] == pytest.approx(difference * NAT * 2 / (2 + draw) / 2)
    assert sum(elos(ratings)) == pytest.approx(0, abs=1e-9)
    assert ratings.expected(0, 1) == pytest.approx(MIXED.mean)
    assert ratings.expected(1, 0) == pytest.approx(1 - MIXED.mean)


def test_without_draws_it_is_bradley_and_terry() -> None:
    score = Score((10, 0, 0, 20, 0, 20))
    ratings = rate(["a", "b"], {(0, 1): score})
    assert ratings.draw == 0
    assert elos(ratings)[0] - elos(ratings)[1] == pytest.approx(score.elo)


def test_close_players_differ_by_their_elo_and_its_interval() -> None:
    score = Score((200, 400, 500, 300, 420, 210))
    player = rate(["a", "b"], {(0, 1): score}).players[0]
    assert 2 * player.elo == pytest.approx(score.elo, rel=0.01)
    lower, upper = score.elo_interval()
    assert 2 * player.lower == pytest.approx(lower, abs=0.2)
    assert 2 * player.upper == pytest.approx(upper, abs=0.2)


@pytest.mark.parametrize("pairs", [(30, 60, 200, 100, 400, 300), (3, 9, 60, 20, 300, 900)])
def test_two_players_have_the_error_of_the_closed_form(pairs: tuple[int, ...]) -> None:
    """By small changes of the six counts; the scale moves with the draws, and counts too."""

    def elo(counts: np.ndarray) -> float:
        of_kind = [[0, 0, 0, 1, 1, 2], [0, 1, 2, 0, 1, 0], [2, 1, 0, 1, 0, 0]]
        wins, draws, losses = of_kind @ counts
        return NAT * math.log(wins / losses) / (2 + draws / math.sqrt(wins * losses))

    counts = np.array(pairs, dtype=float)
    changes = [(elo(counts + unit) - elo(counts - unit)) / 2e-3 for unit in np.eye(6) * 1e-3]
    total = counts.sum()
    error = math.sqrt(np.dot(counts, np.square(changes)) * total / (total - 1))
    player = rate(["a", "b"], {(0, 1): Score(pairs)}).players[0]
    assert player.elo == pytest.approx(elo(counts))
    assert player.upper - player.elo == pytest.approx(1.959964 * error, rel=1e-4)
    assert player.elo - player.lower == pytest.approx(1.959964 * error, rel=1e-4)


def test_games_of_a_pair_that_go_together_say_less() -> None:
    together, alone = (
        rate(["a", "b"], {(0, 1): Score(pairs)}).players[0]
        for pairs in ((100, 0, 0, 0, 0, 100), (50, 0, 0, 100, 0, 50))
    )
    assert together.upper / alone.upper == pytest.approx(math.sqrt(2), rel=0.01)


# Another optimiser


def random_table(players: int, seed: int) -> dict[tuple[int, int], Score]:
    random = np.random.default_rng(seed)
    strengths = random.normal(0, 0.8, players)
    nu = random.uniform(0.05, 4)
    met = {}
    for i, j in itertools.combinations(range(players), 2):
        if j != i + 1 and random.random() < 0.3:
            continue
        odds = np.exp((strengths[i] - strengths[j]) / 2)
        chances = np.array([1 / odds, nu, odds]) / (1 / odds + nu + odds)
        games = random.choice([0, 0.5, 1], (int(random.integers(15, 40)), 2), p=chances)
        met[i, j] = Score.from_results([*games.tolist(), (1, 0)])
    return met


@pytest.mark.parametrize("players", [3, 4, 5, 6, 8])
@pytest.mark.parametrize("seed", [1, 2])
def test_another_optimiser_finds_the_same(players: int, seed: int) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    met = random_table(players, seed)

    def chances(at: np.ndarray, i: int, j: int) -> tuple[float, float, float]:
        pi = np.exp(np.append(at[:-1], -at[:-1].sum()))
        drawn = np.exp(at[-1]) * math.sqrt(pi[i] * pi[j])
        total = pi[i] + pi[j] + drawn
        return pi[i] / total, drawn / total, pi[j] / total

    def loss(at: np.ndarray) -> float:
        return -sum(
            np.dot([score.wins, score.draws, score.losses], np.log(chances(at, *pair)))
            for pair, score in met.items()
        )

    def moments(at: np.ndarray) -> list[float]:
        """At the top every player scores, and draws are, what is expected."""
        gaps = np.zeros(players + 1)
        for (i, j), score in met.items():
            win, drawn, _ = chances(at, i, j)
            surplus = score.points - score.games * (win + drawn / 2)
            gaps[i] += surplus
            gaps[j] -= surplus
            gaps[players] += score.draws - score.games * drawn
        return np.delete(gaps, players - 1).tolist()

    rough = optimize.minimize(loss, np.zeros(players), method="BFGS").x
    best = optimize.root(moments, rough, tol=1e-12).x
    assert loss(best) <= loss(rough) + 1e-9
    nu = math.exp(best[-1])
    expected = np.append(best[:-1], -best[:-1].sum()) * NAT * 2 / (2 + nu)
    ratings = rate([str(i) for i in range(players)], met)
    assert elos(ratings) == pytest.approx(expected.tolist(), abs=1e-3)
    assert ratings.draw == pytest.approx(nu, abs=1e-6)


# Open sides


def test_a_perfect_score_gives_the_bound_of_the_match() -> None:
    ratings = rate(["a", "b"], {(0, 1): Score((0, 0, 0, 0, 0, 50))})
    anchor, other = ratings.players
    assert (anchor.elo, anchor.lower, anchor.upper) == (0, 0, 0)
    assert other.elo is None
    assert other.lower is None
    assert other.upper == pytest.approx(Score((50, 0, 0, 0, 0, 0)).elo_interval()[1])
    assert ratings.expected(0, 1) is None


def test_a_chain_of_perfect_scores_is_bounded_link_by_link() -> None:
    ratings = rate(list("abcde"), {(i, i + 1): WON for i in range(4)})
    link = WON.elo_interval()[0]
    # The middle three have most games, and b is the first of them.
    assert elos(ratings) == [None, 0, None, None, None]
    assert ratings.players[0].lower == pytest.approx(link)
    assert [player.upper for player in ratings.players[2:]] == pytest.approx(
        [-link, -2 * link, -3 * link]
    )
    assert [player.lower for player in ratings.players[2:]] == [None] * 3


def test_a_group_above_is_bounded_as_a_whole() -> None:
    table = {
        (0, 1): MIXED, (1, 2): MIXED, (2, 0): MIXED,  # rated
        (3, 4): Score((1, 2, 3, 4, 5, 6)), (3, 0): WON, (4, 1): WON, (4, 2): WON,  # above
        (5, 4): WON, (5, 6): WON,  # farther above; and one of whom only that is known
    }  # fmt: skip
    ratings = rate(list("abcdefg"), table)
    players = ratings.players
    assert None not in elos(ratings)[:3]
    assert elos(ratings)[3:] == [None] * 4
    assert [player.upper for player in players[3:]] == [None] * 4
    assert players[6].lower is None
    # Independently of the code: the chance of these fifteen pairs at the bounds is 5 %.
    nat = NAT * 2 / (2 + ratings.draw)

    def expected(difference: float) -> float:
        odds = math.exp(difference / nat / 2)
        return (odds + ratings.draw / 2) / (odds + 1 / odds + ratings.draw)

    seen = [(3, 0), (4, 1), (4, 2)]
    chance = math.prod(expected(players[i].lower - players[j].elo) ** 5 for i, j in seen)
    assert chance == pytest.approx(0.05)
    assert expected(players[5].lower - players[4].lower) ** 5 == pytest.approx(0.05)
    assert players[5].lower > players[4].lower


def test_a_player_without_games_is_not_rated() -> None:
    ratings = rate(["a", "b", "c"], {(0, 1): MIXED, (0, 2): Score()})
    idle = ratings.players[2]
    assert (idle.elo, idle.lower, idle.upper, idle.games) == (None, None, None, 0)
    assert elos(ratings)[:2] == elos(rate(["a", "b"], {(0, 1): MIXED}))
    assert rate([], {}).players == ()


def test_separate_tournaments_are_not_compared() -> None:
    ratings = rate(list("abcde"), {(0, 1): MIXED, (2, 3): MIXED, (3, 4): MIXED})
    assert elos(ratings)[:2] == [None, None]
    assert [str(player) for player in ratings.players[:2]] == ["n/a", "n/a"]
    assert None not in elos(ratings)[2:]


@pytest.mark.parametrize(
    "table",
    [
        {(0, 1): Score((0, 0, 3, 0, 3, 5))},  # wins and draws, no loss
        {(0, 1): Score((0, 0, 50, 0, 0, 0))},
        {(0, 1): WON + Score((0, 0, 1, 0, 0, 0)), (1, 2): Score((0, 0, 4, 0, 0, 0)),
         (2, 0): Score((0, 0, 4, 0, 0, 0))},
    ],
)  # fmt: skip
def test_draws_that_outgrow_the_model_are_held(table: dict[tuple[int, int], Score]) -> None:
    players = 1 + max(max(pair) for pair in table)
    ratings = rate([str(i) for i in range(players)], table)
    assert ratings.draw < 1000
    assert expected_points(ratings, table) == pytest.approx(
        [player.points for player in ratings.players], abs=1
    )
    for player in ratings.players:
        assert player.lower < player.elo < player.upper
        assert player.upper - player.lower > 5


@pytest.mark.parametrize("pairs", [(0, 0, 50, 0, 0, 0), (0, 0, 0, 50, 0, 0)])
def test_pairs_that_all_ended_alike_are_no_certainty(pairs: tuple[int, ...]) -> None:
    player = rate(["a", "b"], {(0, 1): Score(pairs)}).players[0]
    assert 2 * player.upper == pytest.approx(Score(pairs).elo_interval()[1], rel=0.1)


# Whatever the results


@given(tables())
def test_the_report_is_finite(table: tuple[list[str], dict[tuple[int, int], Score]]) -> None:
    ratings = rate(*table)
    json.dumps(ratings.to_json(), allow_nan=False)
    rated = [elo for elo in elos(ratings) if elo is not None]
    assert sum(rated) == pytest.approx(0, abs=1e-6)
    assert bool(rated) == any(score.games for score in table[1].values())
    for player in ratings.players:
        if player.elo is not None:
            assert player.lower <= player.elo <= player.upper
        else:
            assert player.lower is None or player.upper is None
    for i, j in itertools.permutations(range(len(ratings.players)), 2):
        chance = ratings.expected(i, j)
        assert chance is None or 0 <= chance <= 1


@given(tables())
def test_results_turned_round_turn_ratings_round(
    table: tuple[list[str], dict[tuple[int, int], Score]],
) -> None:
    names, met = table
    before = rate(names, met)
    after = rate(names, {pair: score.swapped() for pair, score in met.items()})
    named_the_other_way = rate(names, {(j, i): score for (i, j), score in met.items()})
    for own, *turned in zip(
        before.players, after.players, named_the_other_way.players, strict=True
    ):
        for other in turned:
            mirror = (None if x is None else -x for x in (other.elo, other.upper, other.lower))
            assert (own.elo, own.lower, own.upper) == tuple(
                None if x is None else pytest.approx(x, abs=1e-4) for x in mirror
            )


@pytest.mark.parametrize("pair", [(0, 0), (0, 2), (-1, 0)])
def test_what_is_no_pairing_is_refused(pair: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match="want two different players of 2"):
        rate(["a", "b"], {pair: MIXED})


def test_intervals_hold_the_truth() -> None:
    assert 0.92 <= ratings_coverage(players=4, pairs=30, tournaments=150, seed=1) <= 0.98


def test_expected_scores_fit_what_was_scored() -> None:
    met = random_table(5, 3)
    ratings = rate(list("abcde"), met)
    assert expected_points(ratings, met) == pytest.approx(
        [player.points for player in ratings.players]
    )
