"""What games between runs say: comparisons over seeds, medians, Table 1, statements, curves, and
the file that keeps them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from playproof.arena.statistics.crossed import crossed_mean
from playproof.arena.statistics.score import PAIR_KINDS
from playproof.core.errors import DataError, UsageError
from playproof.learning.runs.log import RunLog
from playproof.papers.chokozero.curves import RESULTS, EvaluatedRun, condense
from playproof.papers.chokozero.seeds import agents, recorded, statements, tournament
from playproof.papers.chokozero.seeds import curves as seed_curves
from playproof.papers.chokozero.seeds.agents import AGENT_BY_NAME, Entry
from playproof.papers.chokozero.seeds.results import SeedResults

LL, LD, DD, WL, WD, WW = range(len(PAIR_KINDS))


def entries(*names: str) -> tuple[Entry, ...]:
    """``v1-2`` is V1 with seed 2; in the usual order."""
    made = []
    for name in names:
        agent, _, seed = name.rpartition("-")
        made.append(
            Entry(AGENT_BY_NAME[agent], int(seed), digest=f"d-{name}")
            if agent
            else Entry(AGENT_BY_NAME[name])
        )
    return tuple(made)


def results(players: tuple[Entry, ...], level: dict[str, int]) -> SeedResults:
    """Pairs of games end by the difference of the players' levels, -2..2; the last of four openings
    is always drawn."""
    kind = {-2: LL, -1: LD, 0: DD, 1: WD, 2: WW}
    levels = [level[f"{e.agent.name}-{e.seed}" if e.seed else e.agent.name] for e in players]
    kinds = {
        (i, j): (*[kind[max(-2, min(2, levels[i] - levels[j]))]] * 3, DD)
        for i, j in tournament.pairings(players)
    }
    return SeedResults(players, kinds, 1, "random:plies=4")


SIX = entries("v3-1", "v3-2", "v3-3", "v1-1", "v1-2", "v1-3")
LEVELS = {"v3-1": 2, "v3-2": 1, "v3-3": 0, "v1-1": 0, "v1-2": 0, "v1-3": -1}


def test_runs_of_one_agent_do_not_meet_and_pgts_meets_its_own_net() -> None:
    players = entries("pgts-1", "pgts-2", "v3-1", "v3-2", "v1-1", "minimax")
    met = {(players[i].title, players[j].title) for i, j in tournament.pairings(players)}
    assert ("PGTS, seed 1", "PPO V3, seed 1") in met
    assert ("PGTS, seed 1", "PPO V3, seed 2") not in met
    assert ("PGTS, seed 1", "PGTS, seed 2") not in met
    assert ("PGTS, seed 2", "PPO V1, seed 1") in met
    assert len(met) == 2 + 2 + 2 + 2 + 2 + 1  # own V3, V1 twice, Minimax three times


def test_a_comparison_is_the_mean_over_runs_and_openings() -> None:
    comparison = results(SIX, LEVELS).compare("v3", "v1")
    assert comparison is not None
    assert (comparison.seeds, comparison.score.games) == ((3, 3), 9 * 8)
    # By run of V3: wins in 2, 2 and 2 (at most); in 1, 1, 2; in 0, 0, 1 of the levels.
    points = {0: 0.5, 1: 0.75, 2: 1.0}
    cells = [[points[min(2, a - b)] for b in (0, 0, -1)] for a in (2, 1, 0)]
    expected = np.array([[[cell] * 3 + [0.5] for cell in row] for row in cells])
    assert comparison.mean == pytest.approx(expected.mean())
    assert comparison.over_runs == crossed_mean(expected)
    assert (comparison.lowest, comparison.highest) == (0.5, 0.875)
    # Interval over runs, not over 72 games.
    assert comparison.interval is not None
    games = comparison.score.interval()
    assert comparison.interval[0] < games[0]  # type: ignore[operator]
    assert comparison.verdict == "not decided by 3 seeds"
    assert comparison.holds is None
    # And from the other side.
    other = results(SIX, LEVELS).compare("v1", "v3")
    assert other is not None
    assert other.mean == pytest.approx(1.0 - comparison.mean)
    assert other.interval == pytest.approx([1.0 - end for end in comparison.interval[::-1]])


def test_verdicts_follow_the_interval() -> None:
    level = {name: 2 if name.startswith("v3") else -2 for name in LEVELS}
    many = SeedResults(SIX, {k: v * 10 for k, v in results(SIX, level).kinds.items()}, 1, "random")
    assert (many.compare("v3", "v1").verdict, many.compare("v1", "v3").verdict) == (  # type: ignore[union-attr]
        "holds", "does not hold",
    )  # fmt: skip
    assert many.compare("v3", "dql") is None


def test_runs_that_agree_are_no_more_certain_than_their_games() -> None:
    drawn = SeedResults(SIX, dict.fromkeys(tournament.pairings(SIX), (DD,) * 4), 1, "random")
    comparison = drawn.compare("v3", "v1")
    assert comparison is not None
    assert comparison.over_runs.error == 0.0
    assert comparison.interval == comparison.score.interval()
    assert comparison.holds is None


def test_one_seed_gives_no_interval() -> None:
    players = entries("v3-1", "v1-1", "v1-2", "minimax")
    found = results(players, {"v3-1": 2, "v1-1": 0, "v1-2": 0, "minimax": 1})
    comparison = found.compare("v3", "v1")
    assert comparison is not None
    assert (comparison.interval, comparison.holds) == (None, None)
    assert comparison.verdict == "no interval from one seed"
    against_minimax = found.compare("minimax", "v1")
    assert against_minimax is not None
    assert (against_minimax.seeds, against_minimax.sample) == ((None, 2), "2 seeds")
    assert against_minimax.over_runs.levels == (2, 4)  # the runs of V1, and openings


def test_fewer_seeds_give_wider_intervals() -> None:
    few = results(SIX[:2] + SIX[3:5], LEVELS).compare("v3", "v1")
    many = results(SIX, LEVELS).compare("v3", "v1")
    assert few is not None and many is not None  # noqa: PT018
    assert few.over_runs.interval()[0] < many.over_runs.interval()[0]  # type: ignore[index]
    unequal = results(SIX[:2] + SIX[3:], LEVELS).compare("v3", "v1")
    assert unequal is not None
    assert unequal.sample == "2 and 3 seeds"


def test_pgts_and_its_net_are_paired() -> None:
    players = entries("pgts-1", "pgts-2", "v3-1", "v3-2", "v1-1")
    level = {"pgts-1": 2, "pgts-2": 1, "v3-1": 0, "v3-2": 0, "v1-1": 1}
    comparison = results(players, level).compare("pgts", "v3")
    assert comparison is not None
    assert (comparison.paired, comparison.over_runs.levels) == (True, (2, 4))
    assert comparison.sample == "2 seeds"
    assert statements.text_of(comparison) == "PGTS is stronger than its own PPO V3"


def test_the_median_run_stands_for_its_agent() -> None:
    found = results(SIX, LEVELS)
    assert [found.entries[i].title for i in found.medians.values()] == [
        "PPO V3, seed 2", "PPO V1, seed 1",
    ]  # fmt: skip
    # V1's runs 1 and 2 are alike, and the third is weaker: the first of the two is the median.
    cell = found.table["v3", "v1"]
    assert (cell.column.seed, cell.row.seed) == (2, 1)
    assert (cell.won, cell.drawn) == (3 / 8, 5 / 8)
    assert (cell.lowest, cell.highest) == (0.0, 6 / 8)
    assert cell.paper == 0.4
    # Of an even number the weaker of the two in the middle.
    found = results(SIX[:2] + SIX[3:], LEVELS)
    assert found.entries[found.medians["v3"]].seed == 2


def test_pgts_has_the_net_of_the_median_v3() -> None:
    players = entries("pgts-1", "pgts-2", "pgts-3", "v3-1", "v3-2", "v3-3", "v1-1")
    level = {"pgts-1": 2, "pgts-2": 0, "pgts-3": 1, "v1-1": 1, "v3-1": 2, "v3-2": 0, "v3-3": 0}
    found = results(players, level)
    assert found.entries[found.medians["v3"]].seed == found.entries[found.medians["pgts"]].seed
    assert ("pgts", "v3") in found.table


def test_a_statement_of_several_comparisons() -> None:
    players = entries("v3-1", "v3-2", "v2-1", "v2-2", "v1-1", "v1-2")

    def order(v1: int, v2: int, v3: int) -> statements.OrderResult:
        level = {f"v{n}-{s}": v for n, v in ((1, v1), (2, v2), (3, v3)) for s in (1, 2)}
        found = results(players, level)
        kinds = {pair: kinds[:3] * 20 for pair, kinds in found.kinds.items()}
        return statements.check(SeedResults(players, kinds, 1, "random"))[0]

    assert (order(0, 1, 2).holds, order(0, 1, 2).verdict) == (True, "holds")
    assert order(0, 1, 0).verdict == "does not hold"
    assert order(0, 0, 1).verdict == "not decided"
    data = order(0, 1, 2).to_json()
    assert data["comparisons"][0]["paper"] == "+35 % =45 % -20 %"  # type: ignore[index]
    # A comparison that was not played leaves the statement open.
    found = results(players[2:], {"v2-1": 2, "v2-2": 2, "v1-1": 0, "v1-2": 0})
    wins = {pair: kinds[:3] * 20 for pair, kinds in found.kinds.items()}
    (alone,) = statements.check(SeedResults(players[2:], wins, 1, "random"))
    assert (alone.comparisons[0].holds, alone.holds) == (True, None)
    assert "PPO V3" in statements.missing([alone])


def test_agents_are_chosen_by_name() -> None:
    assert [a.name for a in agents.select(["minimax", "v3-literal"])] == ["v3-literal", "minimax"]
    with pytest.raises(UsageError, match="no agent 'plus' over several seeds"):
        agents.select(["plus"])
    with pytest.raises(UsageError, match="name two or more"):
        agents.select(["v1"])


# Curves


def evaluated(preset: str, seed: int, shares: list[tuple[int, int, int]]) -> EvaluatedRun:
    rows = tuple(
        {
            "iteration": 10.0 * (n + 1),
            "clipped": 0.01 * seed,
            **dict(zip(RESULTS, row, strict=True)),
        }
        for n, row in enumerate(shares)
    )
    settings = {"iterations": 10 * len(shares), "seed": seed, "game": "choko"}
    return EvaluatedRun(RunLog(Path(preset), "ppo", preset, settings, rows))


def test_a_run_is_condensed_without_changing_its_sums() -> None:
    run = evaluated("choko-ppo-v1", 1, [(n, 10, 10 - n) for n in range(8)])
    short = condense(run, 4)
    assert [row["iteration"] for row in short.log.metrics] == [20, 40, 60, 80]
    assert [row["earlier_wins"] for row in short.log.metrics] == [1, 5, 9, 13]
    for part in ((0.0, 0.25), (0.5, 1.0), (0.0, 1.0)):
        assert short.results_between(*part) == run.results_between(*part)
    assert short.clipped == pytest.approx(run.clipped)
    assert condense(short, 4).log.metrics == short.log.metrics


RUNS = [
    evaluated("choko-ppo-v1", 1, [(10, 0, 10), (5, 10, 5)]),
    evaluated("choko-ppo-v1", 2, [(16, 0, 4), (7, 6, 7)]),
    evaluated("choko-ppo-v1", 3, [(12, 4, 4), (0, 20, 0)]),
    evaluated("choko-ppo-v2", 1, [(10, 0, 10), (15, 0, 5)]),
]


def test_curves_have_a_median_and_a_range() -> None:
    one, two = seed_curves.curves(RUNS)
    assert (one.title, one.seeds, two.title) == ("PPO V2", (1,), "PPO V1")
    assert two.iterations.tolist() == [5.0, 15.0]  # the middles of the parts
    assert two.median[:, 0].tolist() == [0.6, 0.25]
    low, high = two.range
    assert (low[:, 1].tolist(), high[:, 1].tolist()) == ([0.0, 0.3], [0.2, 1.0])
    drawn = seed_curves.chart(RUNS).svg()
    assert "PPO V1 (Figure 1, 3 runs)" in drawn
    assert "PPO V2 (Figure 2, 1 run)" in drawn
    assert two.to_json()["won"] == {
        "median": [0.6, 0.25], "lowest": [0.5, 0.0], "highest": [0.8, 0.35],
    }  # fmt: skip


def test_statements_about_curves_are_counted_over_runs() -> None:
    falls = [(150, 40, 10)] * 2 + [(60, 100, 40)] * 2
    rises = falls[::-1]
    runs = [evaluated("choko-ppo-v1", seed, rows) for seed, rows in ((1, falls), (2, rises))]
    counts = {count.text: count for count in seed_curves.count_trends(runs)}
    assert counts["V1: wins stay ahead of losses"].result == "holds in 2 of 2"
    assert counts["V1: the win rate falls, first to last quarter"].result == (
        "holds in 1, does not hold in 1 of 2"
    )
    assert not any("at the end" in text for text in counts)


# The file


def test_a_record_is_read_as_it_was_written() -> None:
    players = entries("v3-1", "v3-2", "v1-1", "minimax")
    found = results(players, {"v3-1": 2, "v3-2": 0, "v1-1": 0, "minimax": 1})
    record = recorded.SeedRecord(found, tuple(condense(run, 2) for run in RUNS))
    text = recorded.as_text(record)
    assert '[0, 2, "5552"]' in text
    again = recorded.read(text)
    assert again.results == found
    assert recorded.as_text(again) == text
    assert seed_curves.curves(again.curves)[1].median.tolist() == (
        seed_curves.curves(RUNS)[1].median.tolist()
    )


@pytest.mark.parametrize("text", ["", "[]", '{"format": "other"}', '{"format": 3, "players": []}'])
def test_something_else_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="want a file that --only seeds"):
        recorded.read(text)
