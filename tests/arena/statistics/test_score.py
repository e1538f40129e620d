"""What a match says: closed forms, symmetry, open sides, and simulations with known truth."""

from __future__ import annotations

import itertools
import json
import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from playproof.arena.statistics.score import (
    PAIR_KINDS,
    Score,
    elo_of_score,
    format_elo,
    format_estimate,
    score_of_elo,
)
from playproof.arena.statistics.sprt import Sprt
from playproof.core.errors import UsageError
from tests.support.arena.simulation import coverage, sprt_errors

counts = st.one_of(st.integers(0, 3), st.sampled_from([0, 0, 40, 5000]))
scores = st.tuples(*[counts] * 6).map(Score)
played = scores.filter(lambda score: score.games > 0)
sprts = st.sampled_from([Sprt(0, 5), Sprt(-3, 1), Sprt(0, 100), Sprt(-400, 400), Sprt(50, 60)])


# Counting


def test_pairs_are_counted_by_kind() -> None:
    results = [(1, 1), (1, 0), (0, 1), (0.5, 0.5), (0, 0.5), (0.5, 1), (0, 0), (1, 1)]
    score = Score.from_results(results)
    assert dict(zip(PAIR_KINDS, score.pairs, strict=True)) == {
        "LL": 1, "LD": 1, "DD": 1, "WL": 2, "WD": 1, "WW": 2,
    }  # fmt: skip
    assert score.pentanomial == (1, 1, 3, 1, 2)
    assert (score.wins, score.draws, score.losses, score.games) == (7, 4, 5, 16)
    assert score.points == 9
    assert score.mean == 9 / 16


def test_the_variance_is_that_of_pairs() -> None:
    apart, together = Score((0, 0, 0, 8, 0, 0)), Score((4, 0, 0, 0, 0, 4))
    assert (apart.wins, apart.losses) == (together.wins, together.losses)
    assert apart.variance == 0
    assert together.variance == 0.25


@given(scores, scores)
def test_scores_add_up(a: Score, b: Score) -> None:
    assert (a + b).points == a.points + b.points
    assert (a + b).pair_count == a.pair_count + b.pair_count
    assert (a + b).swapped() == a.swapped() + b.swapped()


@pytest.mark.parametrize("bad", [(1, 2), (0.3, 1), (-1, 0), (2, 2)])
def test_what_is_no_result_is_refused(bad: tuple[float, float]) -> None:
    with pytest.raises(UsageError, match=r"two of 1, 0\.5 and 0"):
        Score.from_results([bad])


@pytest.mark.parametrize("bad", [(1, 2, 3, 4, 5), (0, 0, 0, 0, 0, -1)])
def test_what_are_no_counts_is_refused(bad: tuple[int, ...]) -> None:
    with pytest.raises(UsageError, match="want six numbers from 0"):
        Score(bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("confidence", [0, 1, 95, float("nan")])
def test_a_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(UsageError, match="want 0 < it < 1"):
        Score((1, 1, 1, 1, 1, 1)).interval(confidence)


# Elo and its interval


def test_elo_is_logistic() -> None:
    assert elo_of_score(10 / 11) == pytest.approx(400)
    assert score_of_elo(400) == pytest.approx(10 / 11)
    assert score_of_elo(-400) == pytest.approx(1 / 11)
    assert score_of_elo(1e9) == 1
    assert Score((10, 0, 0, 0, 0, 30)).elo == pytest.approx(400 * math.log10(3))


def test_a_long_match_has_the_interval_of_its_pentanomial_variance() -> None:
    score = Score((900, 1500, 2000, 600, 1800, 1200))
    error = 1.959964 * math.sqrt(score.variance / score.pair_count)
    lower, upper = score.interval()
    assert (lower, upper) == (
        pytest.approx(score.mean - error, abs=1e-4),
        pytest.approx(score.mean + error, abs=1e-4),
    )


def test_games_of_a_pair_that_go_together_say_less() -> None:
    kinds = ((100, 0, 0, 0, 0, 100), (50, 0, 0, 100, 0, 50), (5, 0, 0, 190, 0, 5))
    together, alone, apart = (
        upper - lower for lower, upper in (Score(pairs).interval() for pairs in kinds)
    )
    assert together / alone == pytest.approx(math.sqrt(2), rel=0.01)
    assert alone / apart > 2.5


@given(played)
def test_the_other_player_sees_the_mirror_image(score: Score) -> None:
    other = score.swapped()
    assert other.swapped() == score
    assert other.mean == pytest.approx(1 - score.mean)
    assert other.superiority == pytest.approx(1 - score.superiority, abs=1e-9)
    if score.elo is not None:
        assert other.elo == pytest.approx(-score.elo, abs=1e-6)
    for own, mirrored in zip(score.elo_interval(), other.elo_interval()[::-1], strict=True):
        assert (own is None) == (mirrored is None)
        assert own is None or own == pytest.approx(-mirrored, abs=1e-3)


def changed(score: Score, before: int, after: int) -> Score | None:
    """With one pair of one kind as another, if there is one."""
    pairs = list(score.pairs)
    pairs[before] -= 1
    pairs[after] += 1
    return Score(tuple(pairs)) if pairs[before] >= 0 else None


@given(played)
def test_the_interval_holds_the_score_and_grows_with_confidence(score: Score) -> None:
    lower, upper = score.interval()
    assert 0 <= lower <= score.mean <= upper <= 1
    assert lower < upper
    wider = score.interval(0.99)
    assert wider[0] <= lower
    assert wider[1] >= upper


@given(played, sprts, st.data())
def test_a_better_result_is_never_held_against_a_player(
    score: Score, test: Sprt, data: st.DataObject
) -> None:
    others = [changed(score, *places) for places in itertools.permutations(range(6), 2)]
    improved = [other for other in others if other is not None and other.points > score.points]
    assume(improved)  # all but a perfect score
    better = data.draw(st.sampled_from(improved))
    for old, new in zip(score.interval(), better.interval(), strict=True):
        assert new >= old - 1e-9
    assert better.superiority >= score.superiority - 1e-9
    assert test.llr(better) > test.llr(score) - 1e-6


@pytest.mark.parametrize("n", [1, 2, 50, 100_000])
def test_a_perfect_score_is_bounded_on_one_side(n: int) -> None:
    perfect = Score((0, 0, 0, 0, 0, n))
    assert perfect.elo is None
    assert perfect.interval() == (pytest.approx(0.05 ** (1 / n)), 1)
    lower, upper = perfect.elo_interval()
    assert upper is None
    # The least favourable truth: a pair is won twice or lost twice.
    assert score_of_elo(lower) ** n == pytest.approx(0.05)
    assert perfect.swapped().elo_interval() == (None, pytest.approx(-lower))


@pytest.mark.parametrize("n", [1, 2, 5, 50, 1000])
def test_no_result_claims_more_than_the_perfect_one(n: int) -> None:
    perfect, nearly = Score((0, 0, 0, 0, 0, n)), Score((0, 0, 0, 0, 1, n - 1))
    assert nearly.interval()[0] <= perfect.interval()[0]
    assert nearly.swapped().interval()[1] >= perfect.swapped().interval()[1]


@pytest.mark.parametrize("pairs", [(0, 0, 50, 0, 0, 0), (0, 0, 0, 50, 0, 0), (0, 50, 0, 0, 0, 0)])
def test_pairs_that_all_ended_alike_are_no_certainty(pairs: tuple[int, ...]) -> None:
    score = Score(pairs)
    lower, upper = score.elo_interval()
    assert score.variance == 0
    assert 5 < score.elo - lower < 60
    assert 5 < upper - score.elo < 60


def test_no_games_say_nothing() -> None:
    nothing = Score()
    assert (nothing.mean, nothing.variance, nothing.elo, nothing.superiority) == (None,) * 4
    assert nothing.interval() == nothing.elo_interval() == (None, None)
    assert nothing.points == 0


@given(scores)
def test_the_report_is_finite(score: Score) -> None:
    told = json.loads(json.dumps(score.to_json(), allow_nan=False))
    assert told["games"] == told["wins"] + told["draws"] + told["losses"]
    assert "nan" not in format_elo(score)
    assert "inf" not in format_elo(score)


def test_superiority_is_the_confidence_of_being_stronger() -> None:
    assert Score((5, 3, 2, 1, 3, 5)).superiority == 0.5
    assert Score((20, 0, 0, 0, 0, 30)).superiority == pytest.approx(0.92, abs=0.01)
    assert Score((0, 0, 0, 0, 0, 100)).superiority > 1 - 1e-9
    assert 0.5 < Score((0, 0, 0, 0, 0, 1)).superiority < 0.9


@given(played)
def test_superiority_and_interval_say_the_same(score: Score) -> None:
    # With fewer pairs even the perfect score cannot show that a player is stronger.
    assume(score.pair_count >= 5)
    assume(abs(score.superiority - 0.975) > 1e-6)
    assert (score.superiority > 0.975) == (score.interval()[0] > 0.5)


def test_elo_as_text() -> None:
    assert format_elo(Score()) == "n/a"
    assert format_elo(Score((0, 0, 0, 0, 0, 50))) == "≥ +484"
    assert format_elo(Score((50, 0, 0, 0, 0, 0))) == "≤ \N{MINUS SIGN}484"
    assert format_elo(Score((0, 0, 50, 0, 0, 0))) == "0 [\N{MINUS SIGN}14, +14]"
    assert format_estimate(35.2, 11.9, 58.4) == "+35 [+12, +58]"
    assert format_estimate(35.2, 11.9, None) == "+35 [+12, open]"


# The sequential test


def test_the_bounds_are_walds() -> None:
    assert Sprt(0, 5).bounds == (pytest.approx(-math.log(19)), pytest.approx(math.log(19)))
    assert Sprt(0, 5, 0.01, 0.1).bounds == (
        pytest.approx(math.log(0.1 / 0.99)), pytest.approx(math.log(0.9 / 0.01)),
    )  # fmt: skip


def test_two_outcomes_have_the_ratio_of_the_binomial() -> None:
    test = Sprt(0, 100)
    s0, s1 = 0.5, score_of_elo(100)
    expected = 700 * math.log(s1 / s0) + 500 * math.log((1 - s1) / (1 - s0))
    assert test.llr(Score((500, 0, 0, 0, 0, 700))) == pytest.approx(expected, abs=0.02)


def test_a_long_match_has_the_ratio_of_the_normal() -> None:
    score, test = Score((900, 1500, 2000, 600, 1800, 1300)), Sprt(5, 10)
    s0, s1 = score_of_elo(5), score_of_elo(10)
    expected = score.pair_count * (s1 - s0) * (2 * score.mean - s0 - s1) / (2 * score.variance)
    assert test.llr(score) == pytest.approx(expected, rel=0.02)


@given(played, sprts)
def test_the_other_player_tests_the_mirror_image(score: Score, test: Sprt) -> None:
    mirror = Sprt(-test.elo1, -test.elo0)
    assert mirror.llr(score.swapped()) == pytest.approx(-test.llr(score), abs=1e-6, rel=1e-6)


def test_the_decision_follows_the_results() -> None:
    test = Sprt(0, 10)
    decided = [test.decision(Score((1000 - k, 0, 0, 0, 0, 1000 + k))) for k in range(-400, 401, 25)]
    words = ["accept H0", None, "accept H1"]
    assert [words.index(word) for word in decided] == sorted(words.index(w) for w in decided)
    assert set(decided) == set(words)


@given(st.lists(st.integers(0, 5), max_size=3))
def test_the_first_pairs_decide_nothing(kinds: list[int]) -> None:
    score = Score(tuple(kinds.count(kind) for kind in range(6)))
    for test in (Sprt(0, 5), Sprt(-25, 25), Sprt(0, 50)):
        assert test.decision(score) is None
        assert math.isfinite(test.llr(score))
    assert Sprt(0, 5).llr(Score()) == 0


def test_an_sprt_is_read_from_text() -> None:
    assert Sprt.parse("0,5") == Sprt(0, 5)
    assert Sprt.parse(" -3, 1, 0.1, 0.02") == Sprt(-3, 1, 0.1, 0.02)
    assert json.loads(json.dumps(Sprt(0, 5).to_json(), allow_nan=False))["elo1"] == 5


@pytest.mark.parametrize(
    "text", ["", "5", "a,b", "5,0", "3,3", "0,nan", "0,inf", "0,5,1", "0,5,0,0.1", "0,5,0.05,0.5"]
)
def test_a_broken_sprt_is_one_line(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        Sprt.parse(text)
    assert "want" in str(caught.value)
    assert "\n" not in str(caught.value)


# Simulations: small here, at full size in ``simulation.long_check``


@pytest.mark.parametrize(
    ("elo", "draw_rate", "pairs"), [(0, 0.9, 100), (100, 0.3, 50), (-300, 0.0, 50), (300, 0.6, 200)]
)
def test_intervals_hold_the_truth(elo: float, draw_rate: float, pairs: int) -> None:
    assert 0.92 <= coverage(elo, draw_rate, pairs, matches=400, seed=1) <= 0.98


def test_the_sprt_keeps_its_errors() -> None:
    for truth, wrong in ((0, 0), (60, 1)):
        shares = sprt_errors(truth, 0, 60, trials=400, seed=1)
        assert shares[wrong] <= 0.07
        assert shares[wrong] + shares[1 - wrong] == 1
        assert 20 < shares[3] < 100


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 0.5, 1.0])] * 2), max_size=60), sprts)
def test_a_test_is_decided_by_the_first_pair_that_decides(
    results: list[tuple[float, float]], test: Sprt
) -> None:
    lengths = range(1, len(results) + 1)
    wanted = next((n for n in lengths if test.decision(Score.from_results(results[:n]))), None)
    assert test.decided_after(results) == wanted
