"""ChokoZero's experiments: who meets whom, percentages, statements, curves, training."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playproof import DataError, UsageError, make
from playproof.agents.base import Decision
from playproof.agents.registry import make_agent
from playproof.arena.database import GameDatabase
from playproof.arena.standings import Standings
from playproof.arena.statistics.score import Score, wilson
from playproof.arena.tournament import MatchConfig
from playproof.core.batch import Batch
from playproof.learning.algorithms.dql.registration import ALGORITHM as DQL
from playproof.learning.runs.run import NET, Run
from playproof.nets import files, shipped
from playproof.papers.chokozero import costs, curves, games, openings, players, statements, trends
from playproof.papers.chokozero import empty_board as empty
from playproof.papers.chokozero import train as training
from tests.support.learning.run_folders import metrics, write_run
from tests.support.papers.tiny_training import tiny

PAPERS_FIVE = ("pgts", "v3", "v2", "v1", "minimax")


# Players and the paper's figures


def test_the_papers_table_is_whole() -> None:
    assert len(players.TABLE_1) == 20
    for (column, row), won in players.PAPER.items():
        assert column != row
        assert won + players.PAPER[row, column] <= 100
    # Its rows, as printed.
    rows = {row: [players.TABLE_1.get((column, row)) for column in PAPERS_FIVE]
            for row in PAPERS_FIVE}  # fmt: skip
    assert rows["pgts"] == [None, 0, 5, 0, 0]
    assert rows["v1"] == [30, 40, 35, None, 100]
    assert rows["minimax"] == [15, 0, 0, 0, None]


def test_the_papers_agents_all_meet_and_slow_ones_some() -> None:
    agents = players.AGENTS
    met = {frozenset((agents[i].name, agents[j].name)) for i, j in players.pairings(agents)}
    six = (*PAPERS_FIVE, "dql")
    assert all(frozenset((a, b)) in met for a in six for b in six if a != b)
    assert {name for pair in met if "pgts7" in pair for name in pair} == {
        "pgts7", "pgts", "minimax",
    }  # fmt: skip
    assert frozenset(("plus", "pgts-plus")) in met
    assert len(players.pairings(agents, all_pairs=True)) == 36


def test_every_statement_is_about_agents_who_meet() -> None:
    agents = players.AGENTS
    met = {frozenset((agents[i].name, agents[j].name)) for i, j in players.pairings(agents)}
    for one in statements.STATEMENTS:
        assert frozenset((one.one, one.two)) in met, one.text
    by_names = {(one.one, one.two): one for one in statements.STATEMENTS}
    assert by_names["v3", "v1"].paper == "+40 % =35 % -25 %"
    assert by_names["pgts7", "pgts"].paper == ""


# Percentages and statements


def results(**scores: Score) -> games.RoundRobinResults:
    """Of v3, v1 and minimax: ``v3_v1=Score(...)`` and so on."""
    agents = players.select_agents(["v3", "v1", "minimax"])
    places = {agent.name: place for place, agent in enumerate(agents)}
    result = {}
    for names, score in scores.items():
        one, two = names.split("_")
        result[places[one], places[two]] = score
    titles = [agent.title for agent in agents]
    facts: dict[Any, Any] = {pair: {"reasons": {}} for pair in result}
    return games.RoundRobinResults(agents, Standings("choko", titles, 1, "random", result, facts))


def test_percentages_count_wins_and_draws_apart() -> None:
    # 1 pair lost twice, 2 lost and drawn, 3 drawn, 4 won and lost, 5 won and drawn, 6 won twice
    result = results(v3_v1=Score((1, 2, 3, 4, 5, 6)))
    one, other = result.cells["v3", "v1"], result.cells["v1", "v3"]
    assert (one.games, one.won, one.drawn) == (42, 21 / 42, 13 / 42)
    assert other.won == 8 / 42
    assert other.drawn_interval == one.drawn_interval
    assert one.won_interval[0] < one.won < one.won_interval[1]
    # Pairs in which one game is won and one not say less than pairs that are alike.
    narrow = games.won(Score((0, 0, 0, 20, 0, 0))).interval()
    wide = games.won(Score((10, 0, 0, 0, 0, 10))).interval()
    assert wide[0] < narrow[0] < 0.5 < narrow[1] < wide[1]  # type: ignore[operator]
    assert games.won(Score((0, 0, 30, 0, 0, 0))).interval()[0] == 0.0  # draws are no wins
    assert games.drawn(Score((0, 0, 30, 0, 0, 0))).interval()[1] == 1.0
    assert ("v3", "minimax") not in result.cells


def test_a_figure_differs_if_the_intervals_are_apart() -> None:
    # The paper: Minimax wins all of about 20 games against V1, and half against V3.
    result = results(v1_minimax=Score((0, 0, 200, 0, 0, 0)), v3_minimax=Score((50, 0, 0, 0, 0, 50)))
    assert result.cells["minimax", "v1"].paper_interval == wilson(20, 20)
    assert result.cells["minimax", "v1"].differs
    assert not result.cells["minimax", "v3"].differs
    assert result.cells["v3", "minimax"].differs  # half of them here, none there
    assert not result.cells["v1", "minimax"].differs


@pytest.mark.parametrize(
    ("pairs", "holds"),
    [((0, 0, 0, 10, 0, 60), True), ((60, 0, 0, 10, 0, 0), False), ((9, 5, 9, 9, 5, 9), None)],
)
def test_a_statement_needs_an_interval_clear_of_even(pairs: Any, holds: bool | None) -> None:
    (result,) = statements.check(results(v3_v1=Score(pairs)))
    assert result.statement.text == "PPO V3 is stronger than PPO V1"
    assert result.holds is holds
    assert result.to_json()["holds"] is holds


def test_statements_are_seen_from_the_side_they_name() -> None:
    (result,) = statements.check(results(v1_minimax=Score((0, 0, 0, 0, 0, 30))))
    assert result.statement.text == "Minimax is stronger than PPO V1"
    assert result.verdict == "does not hold"


# Players, and the games that are stored


def test_games_are_stored_by_the_contents_of_a_net(tmp_path: Path) -> None:
    net = shipped.find("choko-ppo-v1")
    agents = players.select_agents(["v1", "v2", "minimax"])
    other = files.Net(net.architecture, net.weights * 2, net.game, net.observation)
    files.save(net, tmp_path / "same.safetensors")
    files.save(other, tmp_path / "other.safetensors")
    labels = []
    with GameDatabase(tmp_path / "games.sqlite") as store:
        for name in ("choko-ppo-v1", "same", "other"):
            nets = {} if "-" in name else {"choko-ppo-v1": str(tmp_path / f"{name}.safetensors")}
            tournament = games.prepare(store, agents, [(0, 1)], MatchConfig(pairs=1, seed=1), nets)
            labels.append([player.label for player in tournament.players])
    assert labels[0] == labels[1]
    assert labels[0][0] == labels[2][0]  # V2
    assert labels[0][1] != labels[2][1]
    assert labels[0][2] == "Minimax"


def test_nets_whose_files_cannot_be_named_are_refused(tmp_path: Path) -> None:
    agents = players.select_agents(["v1", "minimax"])
    with GameDatabase(tmp_path / "games.sqlite") as store:
        with pytest.raises(UsageError, match="without , and ="):
            games.prepare(
                store,
                agents,
                [(0, 1)],
                MatchConfig(pairs=1, seed=1),
                {"choko-ppo-v1": "a,b.safetensors"},
            )
        with pytest.raises(UsageError, match="needs a seed"):
            games.prepare(store, agents, [(0, 1)], MatchConfig(pairs=1), {})


# From the empty board


@pytest.mark.slow
def test_the_empty_board_is_played_by_stochastic_agents() -> None:
    agents = players.select_agents(["v1", "v2", "minimax", "pgts"])
    result = empty.play(agents, {}, 6, seed=3)
    assert [agent.name for agent in result.agents] == ["v2", "v1", "minimax"]
    assert {score.games for score in result.standings.scores.values()} == {6}
    again = empty.play(agents, {}, 6, seed=3)
    assert again.to_json() == result.to_json()
    assert result.standings.scores[0, 2].wins + result.standings.scores[1, 2].wins < 6


def test_both_start_games_and_the_score_is_the_first_agents() -> None:
    game = make("choko")
    strong, weak = make_agent("minimax:depth=2", game), make_agent("random", game)
    assert empty.play_pair(strong, weak, 6, seed=1).wins >= 5
    assert empty.play_pair(weak, strong, 6, seed=1).losses >= 5


# Openings


@pytest.mark.parametrize(
    ("name", "kind"),
    [("A1", "corner"), ("E5", "corner"), ("C1", "edge"), ("A3", "edge"), ("B2", "inner"),
     ("C3", "centre"), ("B3-B4", "move"), ("B1xD1,E1", "move")],
)  # fmt: skip
def test_kinds_of_first_actions(name: str, kind: str) -> None:
    assert openings.kind(name) == kind


def test_openings_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that places in the corners, then on edges, in every second game; else in order."""
    order = ["A1", "E1", "A5", "E5", "C1", "C5", "A3", "E3"]
    other = ["A1", "B2", "C3", "B3", "B4", "C2", "D3", "D4"]

    class ScriptedAgent:
        ply = -1

        def choose(self, batch: Batch) -> Iterator[Decision]:
            self.ply += 1
            for row in range(len(batch)):
                yield Decision(_named(batch[row], (order, other)[row % 2][self.ply]))

    monkeypatch.setattr(openings, "make_agent", lambda spec, game, seed: ScriptedAgent())
    (agent,) = (a for a in players.AGENTS if a.name == "v1")
    result = openings.openings(agent, {}, 4, seed=1)
    assert (result.games, result.corners(0), result.corners(1)) == (4, 1.0, 0.5)
    assert result.kinds[2] == (0.5, 0.0, 0.0, 0.5, 0.0)
    assert result.all_corners == (0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 0.5)


def _named(state: Any, name: str) -> int:
    return next(a for a in state.legal_actions() if state.name(a) == name)


# Curves


def test_the_shipped_curves_are_whole() -> None:
    result = {run.preset: run for run in curves.shipped()}
    assert list(result) == list(players.PRESETS)
    for preset, run in result.items():
        assert run.log.metrics, preset
        shares = run.results_between(0.0, 1.0)
        assert shares.games == 200 * len(run.log.metrics)
        assert (run.clipped is None) == (preset == "choko-dql")
    assert set(curves.training_seconds()) == set(players.PRESETS)
    assert [trend.text[:2] for trend in trends.check_trends(list(result.values()))] == [
        "V1", "V1", "V2", "V2", "V3", "V3", "V1",
    ]  # fmt: skip


def test_curves_are_read_from_runs_and_written_as_data(tmp_path: Path) -> None:
    lines = metrics(20)
    for number, facts in enumerate(lines):
        facts["clipped"] = 0.01 * number
    write_run(tmp_path / "v1", lines, preset="choko-ppo-v1", iterations=20)
    write_run(tmp_path / "other", metrics(5), preset="of-somebody")
    (run,) = curves.of_runs(tmp_path)
    assert [facts["iteration"] for facts in run.log.metrics] == [5, 10, 15, 20]
    assert run.log.metrics[1]["clipped"] == pytest.approx(0.07)
    assert run.clipped == pytest.approx(0.095)
    assert run.results_between(0.5, 1.0) == (20, 10, 10)
    (again,) = curves.read(json.loads(curves.as_text(curves.as_data([run]))))
    assert list(again.log.metrics) == [pytest.approx(facts) for facts in run.log.metrics]
    assert again.to_json()["tenths"] == run.to_json()["tenths"]
    assert again.title == "PPO V1"


def test_curves_of_something_else_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not curves of ChokoZero"):
        curves.read({"format": "playproof choko truth 1"})
    write_run(tmp_path / "v1", metrics(3, every=5), preset="choko-ppo-v1")
    with pytest.raises(DataError, match="holds no run of ChokoZero with evaluations"):
        curves.of_runs(tmp_path)


def run_with_results(preset: str, results: list[tuple[int, int, int]]) -> curves.EvaluatedRun:
    facts = [
        {"iteration": 10.0 * (i + 1), "clipped": 0.01 if preset.endswith("1") else 0.02,
         **dict(zip(curves.RESULTS, counts, strict=True))}
        for i, counts in enumerate(results)
    ]  # fmt: skip
    log = curves.RunLog(Path(preset), "ppo", preset, {"iterations": 40}, tuple(facts))
    return curves.EvaluatedRun(log)


@pytest.mark.parametrize("falls", [True, False])
def test_trends_follow_the_games(falls: bool) -> None:
    few, many = (20, 170, 10), (120, 50, 30)
    four = [many, many, many, few] if falls else [few, few, few, many]
    result = {
        t.text: t.holds for t in trends.check_trends([run_with_results("choko-ppo-v1", four)])
    }
    assert result["V1: the win rate falls, first to last quarter"] is falls
    assert result["V1: wins stay ahead of losses"] is True
    result = {
        t.text: t.holds for t in trends.check_trends([run_with_results("choko-ppo-v2", four)])
    }
    assert result["V2: the win rate grows slightly, second to last quarter"] is not falls


def test_trends_that_games_do_not_decide() -> None:
    even = [(50, 100, 50)] * 4
    both = [run_with_results("choko-ppo-v1", even), run_with_results("choko-ppo-v2", even)]
    result = {t.text: t for t in trends.check_trends(both)}
    assert result["V1: wins stay ahead of losses"].holds is None
    assert result["V2: the win rate grows slightly, second to last quarter"].verdict == "-"
    assert result["V1 is clipped less than V2: 3.41 % and 4.1 %"].holds is True
    assert "+0 %" in result["V2: at the end 140 % more wins than losses"].result


# Training and costs


def test_a_net_comes_after_the_one_it_starts_from(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    assert sorted(training.training_order()) == sorted(players.PRESETS)
    changed = replace(DQL.presets["choko-dql"], start="choko-ppo-plus")
    monkeypatch.setitem(DQL.presets, "choko-dql", changed)  # type: ignore[arg-type]
    order = training.training_order()
    assert order.index("choko-ppo-plus") < order.index("choko-dql")
    changes = training.settings("choko-dql", Path("there"), small=True, seed=4)
    assert changes == {
        "start": str(Path("there") / "choko-ppo-plus" / NET), "seed": "4", "iterations": "10",
        "evaluate_every": "5",
    }  # fmt: skip


@pytest.mark.slow
def test_all_nets_are_trained_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reports: list[tuple[str, int]] = []

    def on_iteration(run: Run, metrics: dict[str, float]) -> None:
        reports.append((run.preset, int(metrics["iteration"])))

    monkeypatch.setattr(training, "settings", tiny)
    training.train(tmp_path, on_iteration=on_iteration)
    assert reports == [(preset, i) for preset in training.training_order() for i in (1, 2)]
    weights = {
        name: files.load(file).weights for name, file in games.trained_nets(tmp_path).items()
    }
    reports.clear()
    training.train(tmp_path, on_iteration=on_iteration)
    assert reports == []  # all runs had ended already
    for name, file in games.trained_nets(tmp_path).items():
        assert np.array_equal(files.load(file).weights, weights[name])
    with pytest.raises(UsageError, match="holds a run with other settings"):
        training.train(tmp_path, seed=9)
    assert [run.preset for run in curves.of_runs(tmp_path)] == list(players.PRESETS)
    sizes = {cost.preset: cost for cost in costs.net_costs(games.trained_nets(tmp_path))}
    assert sizes["choko-ppo-v3"].parameters == 180_738
    assert sizes["choko-ppo-v3"].seconds == {}


def test_sizes_and_times_of_the_shipped_nets() -> None:
    result = {cost.preset: cost for cost in costs.net_costs({})}
    assert [result[name].parameters for name in players.PRESETS[:4]] == [
        180_609, 176_514, 176_514, 180_738,
    ]  # fmt: skip
    assert result["choko-ppo-v1"].seconds["one core"] == 469
    assert result["choko-ppo-v3"].to_json()["paper_seconds"] == 82_800
