"""The one contract of thinking: limits, stopping, progress and lines, for every agent."""

from __future__ import annotations

import ast
import math
import random
import runpy
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import playproof
from playproof import Batch, PlayproofError, State, UsageError
from playproof.agents import base, registry
from playproof.agents.base import Agent, Decision, MoveReport
from playproof.agents.game_clocks import LostOnTime
from playproof.agents.limits import Clock, Limits, move_time
from playproof.agents.registry import make_agent
from playproof.core.stopping import StopFlag, stop_flag
from tests.support.paths import EXAMPLES
from tests.support.search.positions import random_position
from tests.support.toys import reference
from tests.support.toys.coin import Coin

OTHELLO = playproof.make("othello")
SOURCE = Path(base.__file__).parents[1]
EXAMPLE = EXAMPLES / "mobility.py"
# Each with a game, and whether it tells of several lines.
AGENTS = {
    "random": ("othello", False),
    "greedy": ("othello", False),
    "minimax:depth=2": ("choko", True),
    "alphabeta:depth=3": ("chess", True),
    "alphabeta": ("othello", True),
    "mcts:simulations=200": ("othello", True),
    "mcts:net=othello6-zero,simulations=40": ("othello:size=6", True),
    "net:choko-ppo-v3": ("choko", True),
    "pgts:net=choko-ppo-v3": ("choko", True),
}


def mobility() -> Agent:
    """The agent of the docs, whose ``choose`` takes a batch alone."""
    return runpy.run_path(str(EXAMPLE))["Mobility"](OTHELLO, seed=1)  # type: ignore[no-any-return]


def middle(spec: str, seed: int = 1) -> State:
    return random_position(playproof.make(spec), 14, random.Random(seed))


def played(state: State, line: tuple[int, ...]) -> State:
    for action in line:
        state = state.apply(action)
    return state


# Limits


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_takes_the_whole_contract(agent: str) -> None:
    game, _ = AGENTS[agent]
    states = [middle(game, seed) for seed in range(3)]
    limits = Limits(seconds=0.2, nodes=2000, simulations=50, depth=2, lines=2)
    heard: list[int] = []
    decisions = make_agent(agent, states[0].game, seed=1).choose(
        Batch.of(states),
        limits=limits,
        stop=stop_flag(),
        on_progress=lambda row, d: heard.append(row),
    )
    for state, decision in zip(states, decisions, strict=True):
        assert decision.action in state.legal_actions()
        played(state, decision.line)
    assert set(heard) <= {0, 1, 2}


def test_a_limit_replaces_a_default_and_goes_below_what_was_asked_for() -> None:
    state = middle("othello")

    def facts(agent: str, limits: Limits) -> base.Statistics:
        return make_agent(agent, OTHELLO).decide(state, limits=limits).statistics

    assert facts("alphabeta", Limits(depth=3))["depth"] == 3
    assert facts("alphabeta:depth=2", Limits(depth=3))["depth"] == 2
    assert float(facts("alphabeta", Limits(seconds=0.1))["seconds"] or 9) < 0.6
    assert int(facts("alphabeta", Limits(nodes=500))["nodes"] or 0) <= 501
    assert int(facts("alphabeta:nodes=300", Limits(nodes=500))["nodes"] or 0) <= 301
    assert facts("mcts", Limits(simulations=1234))["simulations"] == 1234
    assert facts("mcts", Limits(nodes=77))["simulations"] == 77
    assert facts("mcts:simulations=90", Limits(simulations=1234))["simulations"] == 90
    assert facts("mcts:simulations=90", Limits(simulations=10))["simulations"] == 10
    assert float(facts("mcts:simulations=5000000", Limits(seconds=0.1))["seconds"] or 9) < 1.0
    assert facts("pgts:widths=3/3/3", Limits(depth=2))["depth"] == 2


def test_an_agent_is_as_it_was_after_a_limit() -> None:
    state = middle("othello")
    for spec in ("alphabeta:depth=4", "mcts:simulations=120"):
        agent = make_agent(spec, OTHELLO, seed=3)
        before, options = agent.decide(state), dict(agent.options)
        agent.decide(state, limits=Limits(depth=1, simulations=3, nodes=9, lines=4))
        after = agent.decide(state)
        assert (after.action, after.value, after.line) == (before.action, before.value, before.line)
        assert agent.options == options


@pytest.mark.parametrize(
    "wrong",
    [{"depth": 0}, {"nodes": -1}, {"simulations": 0}, {"seconds": -1.0}, {"seconds": math.nan},
     {"lines": 0}],
)  # fmt: skip
def test_wrong_limits_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=r"limits: .*want"):
        Limits(**wrong)  # type: ignore[arg-type]


def test_a_clock_gives_a_move_its_share() -> None:
    assert Limits(clock=Clock(60.0)).thinking_seconds == pytest.approx(2.0)
    assert Limits(clock=Clock(60.0), seconds=0.5).thinking_seconds == 0.5
    assert Limits(seconds=math.inf).thinking_seconds is None
    assert not Limits(seconds=math.inf).is_own_pace
    assert Limits(lines=3).is_own_pace
    assert move_time(Clock(10.0, moves_to_go=1)) <= 9.0


# Stopping and progress


@pytest.mark.parametrize("spec", ["alphabeta", "mcts:simulations=5000000", "minimax:depth=12"])
def test_another_thread_stops_it(spec: str) -> None:
    agent, flag = make_agent(spec, OTHELLO, seed=1), stop_flag()
    agent.decide(OTHELLO.start(), limits=Limits(seconds=0.05))  # all is compiled
    threading.Timer(0.2, lambda: flag.fill(1)).start()
    began = time.perf_counter()
    decision = agent.decide(OTHELLO.start(), limits=Limits(seconds=math.inf), stop=flag)
    assert time.perf_counter() - began < 5.0
    assert decision.action in OTHELLO.start().legal_actions()


@pytest.mark.parametrize("spec", ["alphabeta", "mcts:simulations=3000000"])
@pytest.mark.parametrize("lines", [1, 3])
def test_progress_streams_decisions_that_grow(spec: str, lines: int) -> None:
    heard: list[Decision] = []
    state = middle("othello")
    last = make_agent(spec, OTHELLO, seed=1).decide(
        state, limits=Limits(seconds=0.6, lines=lines), on_progress=heard.append
    )
    assert len(heard) >= 2
    key = "depth" if "alphabeta" in spec else "simulations"
    counts = [int(decision.statistics[key] or 0) for decision in (*heard, last)]
    assert counts == sorted(counts)
    for decision in heard:
        assert decision.action in state.legal_actions()
        told = [move for move in decision.moves if move.line]
        assert len(told) == lines if lines > 1 else len(told) <= 1


def test_progress_says_which_row() -> None:
    states = [middle("othello", seed) for seed in range(4)]
    heard: dict[int, Decision] = {}
    agent = make_agent("alphabeta:depth=3", OTHELLO)
    decisions = agent.choose(Batch.of(states), on_progress=heard.__setitem__)
    assert [heard[row].action for row in range(4)] == [one.action for one in decisions]


# Lines


@pytest.mark.parametrize("agent", [agent for agent, (_, several) in AGENTS.items() if several])
def test_several_lines_have_a_value_and_can_be_played(agent: str) -> None:
    game, _ = AGENTS[agent]
    state = middle(game, 2)
    sign = -1 if state.current_player == 1 else 1
    limits = Limits(lines=3, depth=3 if agent == "alphabeta" else None)
    decision = make_agent(agent, state.game, seed=1).decide(state, limits=limits)
    lines = [move for move in decision.moves if move.line]
    assert len(lines) == 3
    assert [move.action for move in lines] == [move.line[0] for move in lines]
    assert len({move.action for move in lines}) == 3
    for move in lines:
        assert move.value is not None
        played(state, move.line)
    if agent.startswith(("alphabeta", "minimax")):
        values = [sign * (move.value or 0.0) for move in lines]
        assert values == sorted(values, reverse=True)
    if not agent.startswith(("net", "pgts")):  # which draws by its policy
        assert decision.action == lines[0].action


def test_lines_near_the_end_of_othello_are_solved() -> None:
    state = random_position(OTHELLO, 52, random.Random(3))
    legal = state.legal_actions()
    assert len(legal) > 2
    decision = make_agent("alphabeta", OTHELLO).analyse(state)
    assert decision.statistics["proven"]
    assert sorted(move.action for move in decision.moves) == legal
    for move in decision.moves:
        after = played(state, move.line)
        assert after.is_terminal
        assert move.value == pytest.approx(after.score + 10_000 * np.sign(after.score))


def test_an_analysis_is_a_decision_with_all_lines() -> None:
    state = middle("choko")
    agent = make_agent("alphabeta:depth=3", state.game)
    assert sorted(m.action for m in agent.analyse(state).moves) == state.legal_actions()
    assert len(agent.analyse(state, lines=2).moves) == 2


# Some moves alone


@pytest.mark.parametrize(
    "spec", ["alphabeta:depth=3", "mcts:simulations=60", "greedy", "random", "mobility"]
)
def test_of_some_moves_the_best(spec: str) -> None:
    state = middle("othello", 5)
    some = tuple(state.legal_actions()[1:3])
    agent = mobility() if spec == "mobility" else make_agent(spec, OTHELLO, seed=1)
    decision = agent.decide(state, limits=Limits(actions=some))
    assert decision.action in some
    with pytest.raises(UsageError, match="none of the moves"):
        agent.decide(state, limits=Limits(actions=(64,)))


def test_of_some_moves_the_one_that_wins() -> None:
    """Chance among what follows: the mean of it counts."""
    game = Coin()
    values = reference.values(game.start())
    agent = make_agent("mcts:simulations=400", game, seed=1)
    best = max(values, key=lambda action: values[action])
    decision = agent.decide(game.start(), limits=Limits(actions=tuple(values), lines=3))
    assert decision.action == best
    assert decision.value == pytest.approx(values[best], abs=0.25)
    assert [move.action for move in decision.moves] == sorted(values, key=lambda a: -values[a])


# Agents of others


class Plain(Agent):
    """As short as an agent can be."""

    name, summary = "plain", "the first legal move"

    def choose(self, batch: Batch) -> list[Decision]:  # type: ignore[override]
        return [Decision(batch[row].legal_actions()[0]) for row in range(len(batch))]


class Half(Agent):
    """One that wants limits, and nothing else."""

    name, summary = "half", "remembers its limits"

    def choose(self, batch: Batch, *, limits: Limits = Limits()) -> list[Decision]:  # type: ignore[override]
        self.seen = limits
        return [Decision(batch[0].legal_actions()[0])]


def test_an_agent_takes_what_it_has_use_for() -> None:
    limits = Limits(seconds=1.0, lines=2)
    keywords = {"limits": limits, "stop": stop_flag(), "on_progress": lambda row, decision: None}
    batch = Batch.of([OTHELLO.start()])
    assert Plain(OTHELLO).choose(batch, **keywords)[0].action == 19  # type: ignore[call-arg]
    half = Half(OTHELLO)
    half.choose(batch, **keywords)  # type: ignore[call-arg]
    assert half.seen is limits
    assert Plain(OTHELLO).decide(OTHELLO.start(), limits=limits).action == 19
    assert Plain(OTHELLO).analyse(OTHELLO.start()).moves == ()


def test_the_example_of_an_agent_works_as_it_stands() -> None:
    agent = mobility()
    assert agent.decide(OTHELLO.start(), limits=Limits(seconds=1.0)).action in (19, 26, 37, 44)


# Clocks


def test_any_searching_agent_can_have_a_clock() -> None:
    state, spent = OTHELLO.start(), []
    agent = make_agent("alphabeta:tc=1.5+0.01", OTHELLO)
    while not state.is_terminal and len(spent) < 20:
        if state.current_player == 0:
            spent.append(float(agent.decide(state, seed=7).statistics["seconds"] or 0.0))
        state = state.apply(state.legal_actions()[0])
    assert 0.3 < sum(spent) < 1.7
    assert spent[0] > min(spent)  # less is left for later
    assert agent.time_control(agent.options) == "1.5+0.01"
    trees = make_agent("mcts:simulations=1000000,tc=2", OTHELLO)
    assert float(trees.decide(OTHELLO.start()).statistics["seconds"] or 9.0) < 0.5
    with pytest.raises(UsageError, match="mcts: tc=soon is no time control"):
        make_agent("mcts:tc=soon", OTHELLO)


class Dawdler(Agent):
    name, summary = "dawdler", "thinks for a tenth of a second"
    option_fields = (base.TIME_CONTROL,)

    def choose(self, batch: Batch) -> list[Decision]:  # type: ignore[override]
        time.sleep(0.1)
        return [Decision(batch[0].legal_actions()[0])]


def test_who_is_late_has_lost() -> None:
    agent = Dawdler(OTHELLO, tc="0.25")
    for plies in (0, 2):
        agent.decide(random_position(OTHELLO, plies, random.Random(1)))
    later = random_position(OTHELLO, 4, random.Random(1))
    for _ in range(2):  # asked again it is as late as before
        with pytest.raises(LostOnTime, match=r"dawdler lost on time: .* too late \(tc=0\.25\+0\)"):
            agent.decide(later)
    assert isinstance(LostOnTime("x"), PlayproofError)
    agent.decide(OTHELLO.start())  # another game, with a full clock


# Nobody reaches into an agent


def _modules() -> list[Path]:
    outside = [
        f
        for f in SOURCE.rglob("*.py")
        if f.relative_to(SOURCE).parts[0] not in ("agents", "search")
    ]
    assert len(outside) > 300
    return outside


def _classes() -> set[str]:
    found = {registry.find(name).__name__ for name in registry._BUILTIN}
    return found - {"Agent"}


def test_no_module_asks_an_agents_class() -> None:
    classes = _classes()
    assert {"AlphaBetaAgent", "MonteCarlo", "NetAgent", "UciAgent", "Human"} <= classes
    found = []
    for file in _modules():
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            if named and node.func.id in ("isinstance", "issubclass"):  # type: ignore[attr-defined]
                names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
                found += [f"{file.relative_to(SOURCE)}:{node.lineno}"] if names & classes else []  # type: ignore[attr-defined]
    assert found == []


def test_no_module_sets_what_is_an_agents() -> None:
    found = []
    for file in _modules():
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            targets = node.targets if isinstance(node, ast.Assign) else []
            for target in targets:
                while isinstance(target, ast.Subscript):
                    target = target.value
                text = ast.unparse(target) if isinstance(target, ast.Attribute) else ""
                owner = text.rpartition(".")[0].rpartition(".")[2].lstrip("_")
                if owner in ("agent", "hinter") or (".options" in text and "agent" in text):
                    found.append(f"{file.relative_to(SOURCE)}:{node.lineno} {text}")
    assert found == []


def test_reports_are_plain_values() -> None:
    """What a lab sends to another process."""
    report = MoveReport(3, 0.5, 7, 0.25, (3, 4))
    assert (report.action, report.line) == (3, (3, 4))
    flag: StopFlag = stop_flag()
    assert flag.tolist() == [0]
