"""The letter of ChokoZero's text: which readings meet, and how far they are from the paper."""

from __future__ import annotations

import pytest

from playproof import UsageError, make
from playproof.agents.registry import make_agent, settled_spec
from playproof.arena.standings import Standings
from playproof.arena.statistics.score import Score
from playproof.papers.chokozero import letter, players
from playproof.papers.chokozero.games import RoundRobinResults


def test_every_reading_meets_the_other_search_and_the_nets() -> None:
    agents = letter.AGENTS
    met = {(agents[i].name, agents[j].name) for i, j in letter.pairings(agents)}
    searches = {agent.name for agent in letter.SEARCHES} - {"largest-leaf-6"}
    for minimax in letter.MINIMAXES:
        assert {two for one, two in met if one == minimax.name} >= searches | {"v1", "v2", "v3"}
    for search in searches:
        assert {two for one, two in met if one == search} == {"v3", "v2", "v1", "dql"}
    assert ("minimax", "largest-leaf-6") in met
    assert ("published", "largest-leaf-6") not in met  # slow
    assert not met & {("v3", "v1"), ("pgts", "largest"), ("minimax", "points")}


def test_the_agents_of_table_1_are_the_same_here() -> None:
    """So that their games are found again in the arena's file."""
    for name in ("minimax", "pgts", "v3", "dql"):
        assert players.BY_NAME[name] in letter.AGENTS
    specs = {settled_spec(agent.spec(agent.preset)) for agent in letter.AGENTS}
    assert len(specs) == len(letter.AGENTS)
    assert len({agent.title for agent in letter.AGENTS}) == len(letter.AGENTS)


def test_agents_are_chosen_by_name() -> None:
    names = [agent.name for agent in letter.select_agents(["v1", "points"])]
    assert names == ["points", "v1"]
    with pytest.raises(UsageError, match="no agent 'plus' in this part: want minimax, random"):
        letter.select_agents(["plus"])
    with pytest.raises(UsageError, match="do not meet"):
        letter.select_agents(["v1", "v2"])


def results(**scores: tuple[int, int, int]) -> RoundRobinResults:
    """``points_v1=(won pairs, drawn pairs, lost pairs)`` and so on."""
    agents = letter.AGENTS
    places = {agent.name: place for place, agent in enumerate(agents)}
    played = {}
    for names, (won, drawn, lost) in scores.items():
        one, two = (name.replace("9", "-") for name in names.split("_"))
        played[places[one], places[two]] = Score((lost, 0, drawn, 0, 0, won))
    titles = [agent.title for agent in agents]
    return RoundRobinResults(agents, Standings("choko", titles, 1, "random", played, {}))


def test_the_distance_counts_the_games_that_would_have_to_change() -> None:
    assert letter.paper_result(letter.SEARCHES[1], letter.MINIMAXES[2]) == (15, 85, 0)
    assert letter.paper_result(letter.MINIMAXES[4], players.BY_NAME["v1"]) == (100, 0, 0)
    assert letter.paper_result(letter.MINIMAXES[4], players.BY_NAME["dql"]) is None
    played = results(
        points_pgts=(0, 85, 15), points_v1=(50, 50, 0), minimax_pgts9published=(60, 40, 0),
        points_dql=(1, 1, 1),
    )  # fmt: skip
    readings = {reading.agent.name: reading for reading in letter.readings(played)}
    points = readings["points"]
    assert [pair.distance for pair in points.comparisons] == [0.0, 50.0]
    assert points.distance == 25.0
    assert [pair.two.name for pair in points.comparisons] == ["pgts", "v1"]
    # The pair as PGTS sees it, the nearest to the paper first.
    near, far = letter.grid(played)
    assert (near.one.name, near.two.name, near.percent) == ("pgts", "points", (15, 85, 0))
    assert (far.one.name, far.percent, far.distance) == ("pgts-published", (0, 40, 60), 60.0)
    low, high = near.won_interval
    assert 0 < low < 15 < high < 30


def test_games_from_the_empty_board() -> None:
    agents = letter.select_agents(["points", "points-random", "v1", "pgts"])
    seen: list[tuple[int, int]] = []
    played = letter.play_from_empty(agents, {}, 4, 3, lambda *done: seen.append(done))
    games = {name: score.games for name in ("points", "points-random", "pgts")
             if (score := played.score(name, "v1"))}  # fmt: skip
    assert games == {"points": 4, "points-random": 4, "pgts": 4}
    both = played.score("points", "pgts")
    assert both is not None
    assert both.games == 2  # nothing is drawn at random
    assert seen[-1] == (5, 5)
    again = letter.play_from_empty(letter.select_agents(["points-random", "v1"]), {}, 4, 3)
    assert again.score("points-random", "v1") == played.score("points-random", "v1")


def test_every_spec_makes_an_agent() -> None:
    game = make("choko")
    for agent in letter.AGENTS:
        decision = make_agent(agent.spec(agent.preset), game, seed=1).decide(game.start())
        assert decision.action < 25
