"""Agents: the same choices for the same seed, each row on its own, and what each is made to do."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playproof import Batch, Game, PlayproofError, State, UsageError, make
from playproof.agents.base import Agent, Decision
from playproof.agents.human import Human
from playproof.agents.registry import find, make_agent, names
from playproof.core.spec import Option
from tests.support.cli.running import SOURCES, Answer, command, environment

GAMES = ["othello", "othello:size=4", "choko", "choko:lone_jump"]
CHOOSERS = ["random", "greedy"]


def middle(game: Game, size: int, *, plies: int, seed: int) -> Batch:
    """Games that have gone on for a while, none of them over."""
    batch = Batch.start(game, 2 * size, seed=seed)
    for _ in range(plies):
        batch.apply(batch.random_actions())
    rows = np.flatnonzero(~batch.finished())[:size]
    assert len(rows) == size
    return part(batch, rows)


def part(batch: Batch, rows: np.ndarray) -> Batch:
    """Some rows, each with its own seed and ply."""
    chosen = Batch(batch.game, batch.rows[rows])
    chosen.seeds, chosen.plies = batch.seeds[rows], batch.plies[rows]
    return chosen


def actions(agent: Agent, batch: Batch) -> list[int]:
    return [decision.action for decision in agent.choose(batch)]


# Spec strings


def test_the_agents_are_known_by_name() -> None:
    assert set(names()) >= {"greedy", "human", "random"}
    assert names() == sorted(names())
    game = make("othello")
    for name in ("greedy", "human", "random"):
        agent = make_agent(f" {name} ", game, seed=5)
        assert isinstance(agent, find(name))
        assert agent.spec == agent.name == name
        assert agent.game is game
        assert agent.seed == 5
        assert agent.summary


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gredy", "there is no agent 'gredy'; did you mean greedy?"),
        ("zzz", "there is no agent 'zzz' (known: "),
        ("", "names nothing: write name or name:key=value,key=value"),
        ("random:", "write random:key=value,key=value"),
        ("random:,", "write random:key=value,key=value"),
        ("greedy:depth=3", "greedy has no option 'depth'; it has: none"),
        ("greedy:a=1,a=2", "sets a twice: once is enough"),
    ],
)
def test_a_wrong_spec_is_told_in_one_line(text: str, says: str) -> None:
    with pytest.raises(UsageError) as error:
        make_agent(text, make("othello"))
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_decision_says_what_it_knows_and_is_not_changed() -> None:
    decision = Decision(3)
    assert (decision.action, decision.value, decision.line) == (3, None, ())
    assert decision.statistics == {}
    with pytest.raises(FrozenInstanceError):
        decision.action = 4  # type: ignore[misc]


# What holds for every agent


@pytest.mark.parametrize("spec", CHOOSERS)
@pytest.mark.parametrize("name", GAMES)
def test_every_choice_is_legal(name: str, spec: str) -> None:
    game = make(name)
    batch = middle(game, 60, plies=7, seed=1)
    before = batch.rows.copy()
    chosen = actions(make_agent(spec, game, seed=1), batch)
    assert len(chosen) == len(batch)
    for row, action in enumerate(chosen):
        assert action in batch[row].legal_actions()
    assert (batch.rows == before).all()  # choosing is not playing


@pytest.mark.parametrize("spec", CHOOSERS)
@pytest.mark.parametrize("name", ["othello", "choko"])
def test_a_seed_decides_and_nothing_else(name: str, spec: str) -> None:
    game = make(name)
    batch = middle(game, 100, plies=3, seed=2)
    first = make_agent(spec, game, seed=9).choose(batch)
    assert make_agent(spec, game, seed=9).choose(batch) == first
    again = make_agent(spec, game, seed=9)
    again.choose(middle(game, 10, plies=2, seed=3))  # what was asked before leaves no trace
    assert again.choose(batch) == first
    assert make_agent(spec, game, seed=10).choose(batch) != first  # another agent
    assert make_agent(spec, game, seed=9).choose(middle(game, 100, plies=3, seed=4)) != first


@pytest.mark.parametrize("spec", CHOOSERS)
@pytest.mark.parametrize("name", ["othello", "choko"])
@settings(max_examples=15, deadline=None, derandomize=True)
@given(rows=st.lists(st.integers(0, 39), min_size=1, max_size=40))
def test_a_row_does_not_look_at_its_neighbours(spec: str, name: str, rows: list[int]) -> None:
    game = make(name)
    batch = middle(game, 40, plies=5, seed=5)
    agent = make_agent(spec, game, seed=5)
    everywhere = agent.choose(batch)
    assert agent.choose(part(batch, np.array(rows))) == [everywhere[row] for row in rows]


@pytest.mark.parametrize("spec", CHOOSERS)
def test_one_position_is_a_batch_of_one(spec: str) -> None:
    state = make("othello").start().play("f5d6c3")
    agent = make_agent(spec, state.game, seed=3)
    for seed in range(20):
        assert agent.decide(state, seed=seed) == agent.choose(Batch.of([state], seed=seed))[0]
    assert len({agent.decide(state, seed=seed).action for seed in range(60)}) == (
        len(state.legal_actions()) if spec == "random" else 1
    )


@pytest.mark.parametrize("spec", CHOOSERS)
def test_every_ply_of_a_game_is_a_new_draw(spec: str) -> None:
    game = make("choko")
    agent = make_agent(spec, game, seed=1)
    batch = Batch.start(game, 200, seed=1)
    first = actions(agent, batch)
    batch.plies += 1  # the same position, but later in the game
    later = actions(agent, batch)
    same = sum(a == b for a, b in zip(first, later, strict=True))
    assert same < 30  # of 200 by chance 8


# random


@pytest.mark.parametrize("name", ["othello", "choko"])
def test_random_is_uniform(name: str) -> None:
    game = make(name)
    legal = game.start().legal_actions()
    games = 200 * len(legal)
    chosen = actions(make_agent("random", game, seed=1), Batch.start(game, games, seed=1))
    counts = np.array([chosen.count(action) for action in legal])
    assert counts.sum() == games
    # Chi-square with k - 1 degrees of freedom: mean k - 1, deviation sqrt(2 (k - 1)).
    chi_square = float(((counts - 200) ** 2 / 200).sum())
    freedom = len(legal) - 1
    assert chi_square < freedom + 6 * (2 * freedom) ** 0.5


def test_random_has_no_opinion() -> None:
    state = make("othello").start()
    decision = make_agent("random", state.game).decide(state)
    assert decision == Decision(decision.action)


# greedy


def worth(state: State, action: int) -> tuple[float, float]:
    """What an action gives its player at once: the result first, the points after it."""
    sign = 1 if state.current_player == 0 else -1
    child = state.apply(action)
    return sign * (child.outcome or 0), sign * child.score


@pytest.mark.parametrize("name", GAMES)
def test_greedy_takes_the_most_at_once(name: str) -> None:
    game = make(name)
    rng = Random(1)
    states: list[State] = []
    while len(states) < 150:
        state = game.start()
        for _ in range(rng.randrange(11 if name.endswith("4") else 55)):
            if not state.is_terminal:
                state = state.apply(rng.choice(state.legal_actions()))
        if not state.is_terminal:
            states.append(state)
    assert {state.current_player for state in states} == {0, 1}
    decisions = make_agent("greedy", game, seed=1).choose(Batch.of(states, seed=1))
    for state, decision in zip(states, decisions, strict=True):
        best = max(worth(state, action) for action in state.legal_actions())
        assert worth(state, decision.action) == best
        assert decision.value == state.apply(decision.action).score
        assert decision.line == (decision.action,)


@pytest.mark.parametrize(
    ("name", "position", "best"),
    [
        # g5 turns two discs, every other move one.
        ("othello", "------------------X--------XX------OXX-----O-------------------- O", "g5"),
        # A jump takes two pieces, a placement or a step none.
        ("choko", "5/5/5/1r3/br3 b 9 9 - 30", "A1xC1,B2"),
        ("choko", "5/5/4b/5/rb3 r 5 5 - 41", "A1xC1,E3"),
        # The last two pieces: a win at once.
        ("choko", "5/5/1r3/5/br3 b 0 0 - 40", "A1xC1,B3"),
        ("choko:lone_jump", "r4/5/5/5/br3 b 0 0 - 40", "A1xC1,A5"),
        # The move with more discs ends the game and loses it; the other one goes on.
        ("othello:size=4", "OXOXXOO-OOO-OOOO X", "d3"),
        ("othello:size=4", "-XXXXXXXOOX-XXXO O", "d3"),
    ],
)
def test_greedy_sees(name: str, position: str, best: str) -> None:
    state = make(name).position(position)
    assert best in state.legal_names()
    for seed in range(10):
        decision = make_agent("greedy", state.game, seed=seed).decide(state)
        assert state.name(decision.action) == best
        assert decision.value == state.apply(best).score


@pytest.mark.parametrize("name", ["othello", "choko"])
def test_greedy_breaks_ties_evenly(name: str) -> None:
    game = make(name)
    legal = game.start().legal_actions()  # all worth the same
    games = 200 * len(legal)
    chosen = actions(make_agent("greedy", game, seed=1), Batch.start(game, games, seed=1))
    counts = np.array([chosen.count(action) for action in legal])
    assert counts.min() > 130
    assert counts.max() < 280


def result(game: Game, specs: tuple[str, str], games: int, seed: int) -> np.ndarray:
    """The outcomes of a match, played all at once."""
    agents = [make_agent(spec, game, seed=seed + side) for side, spec in enumerate(specs)]
    batch = Batch.start(game, games, seed=seed)
    while not (finished := batch.finished()).all():
        chosen = np.full(games, -1)
        for side, agent in enumerate(agents):
            rows = np.flatnonzero(~finished & (batch.players() == side))
            if len(rows):
                chosen[rows] = actions(agent, part(batch, rows))
        batch.apply(chosen)
    return batch.outcome()


@pytest.mark.parametrize(("name", "share"), [("othello", 0.55), ("choko", 0.9)])
def test_greedy_beats_random(name: str, share: float) -> None:
    game = make(name)
    first = result(game, ("greedy", "random"), 100, seed=1)
    second = -result(game, ("random", "greedy"), 100, seed=1)
    for outcomes in (first, second):
        assert outcomes.mean() > 0
    points = (np.concatenate([first, second]) + 1) / 2
    assert points.mean() > share


# human


def test_a_person_is_asked_for_every_row() -> None:
    game = make("othello")
    asked: list[str] = []

    def ask(state: State) -> int:
        asked.append(state.position)
        return state.legal_actions()[-1]

    states = [game.start(), game.start().play("f5d6")]
    decisions = Human(game, ask=ask).choose(Batch.of(states))
    assert asked == [state.position for state in states]
    assert [d.action for d in decisions] == [state.legal_actions()[-1] for state in states]
    assert decisions[0] == Decision(states[0].legal_actions()[-1])


def test_a_person_at_the_keyboard_is_asked_until_the_move_is_legal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    state = make("othello").start()
    monkeypatch.setattr("sys.stdin", io.StringIO("a1\nqueen\n F5 \n"))
    decision = make_agent("human", state.game).decide(state)
    assert state.name(decision.action) == "f5"
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("Your move: ") == 3
    assert "a1 is not legal here" in told.err
    with pytest.raises(PlayproofError, match="the input ended before a move was given"):
        make_agent("human", state.game).decide(state)


def test_an_agent_tells_the_options_that_were_changed() -> None:
    class Patient(Human):
        name = "patient"
        option_fields = (Option("turns", 3, "turns to wait", minimum=0, maximum=9),)

    game = make("othello")
    assert Patient(game).spec == Patient(game, turns=3).spec == "patient"
    assert Patient(game, turns="5").spec == "patient:turns=5"
    with pytest.raises(UsageError, match=r"^patient: turns=10 is not a whole number from 0 to 9$"):
        Patient(game, turns=10)


# Agents of another package

THEIRS = '''
from playproof.agents.base import Agent, Decision
from playproof.core.spec import Option


class Last(Agent):
    """The legal action with the highest number, or one so many before it."""

    name = "last"
    summary = "the last move in the list"
    option_fields = (Option("skip", 0, "moves to leave out", minimum=0, maximum=9),)

    def choose(self, batch):
        legal = [batch[row].legal_actions() for row in range(len(batch))]
        skip = self.options["skip"]
        return [Decision(moves[max(0, len(moves) - 1 - skip)]) for moves in legal]
'''

BROKEN = {
    "crash": "raise RuntimeError('out of\\nthoughts')",
    "hollow": "# nothing here",
    "plain": "class Player: pass",
    "quitter": "import sys; sys.exit('no game today')",
}


def install(folder: Path, modules: dict[str, str], points: dict[str, str]) -> Path:
    """A distribution as pip would leave it: its modules, and its entry points."""
    notes = folder / "their_agents-1.0.dist-info"
    notes.mkdir(parents=True)
    (notes / "METADATA").write_text("Metadata-Version: 2.1\nName: their-agents\nVersion: 1.0\n")
    lines = "".join(f"{name} = {target}\n" for name, target in points.items())
    (notes / "entry_points.txt").write_text(f"[playproof.agents]\n{lines}")
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def with_package(folder: Path, arguments: list[str]) -> Answer:
    path = os.pathsep.join([str(folder), str(SOURCES)])
    done = subprocess.run(
        arguments, env=environment(PYTHONPATH=path), capture_output=True, text=True, timeout=120
    )
    return Answer(done.returncode, done.stdout, done.stderr)


@pytest.mark.slow
def test_an_agent_from_an_entry_point_plays(tmp_path: Path) -> None:
    site = install(tmp_path, {"their_last": THEIRS}, {"last": "their_last:Last"})
    words = ["play", "othello:size=4", "--first", "last:skip=1", "--second", "last", "--json"]
    told = with_package(site, command(*words)).json()
    assert told["players"] == ["last:skip=1", "last"]
    state = make("othello:size=4").start()
    for move in told["moves"]:
        legal = state.legal_names()
        skip = 1 if state.current_player == 0 else 0
        assert move == legal[max(0, len(legal) - 1 - skip)]
        state = state.apply(move)
    assert state.is_terminal
    listed = with_package(site, command("games", "--json")).json()["agents"]
    assert {"name": "last", "summary": "the last move in the list", "options": ["skip"]} in listed


def test_a_broken_package_is_one_line_and_breaks_nothing_else(tmp_path: Path) -> None:
    modules = {f"{name}_agent": text for name, text in BROKEN.items()}
    points = {name: f"{name}_agent:Player" for name in BROKEN}
    # A foreign 'random' may be listed, but must not take the place of ours.
    site = install(tmp_path, modules, {**points, "absent": "no_such:X", "random": "crash_agent:X"})
    script = """if True:
        import json, sys
        from playproof import PlayproofError, make
        from playproof.agents.registry import find, make_agent, names
        errors = {}
        for name in sys.argv[1:]:
            try:
                make_agent(name, make("othello"))
            except PlayproofError as error:
                errors[name] = str(error)
            except BaseException as error:
                errors[name] = f"escaped: {error!r}"
        print(json.dumps([names(), errors, find("random").__module__]))
    """
    answer = with_package(site, [sys.executable, "-c", script, *BROKEN, "absent"])
    listed, errors, ours = json.loads(answer.out)
    assert {*BROKEN, "absent", "greedy"} <= set(listed)
    assert len(listed) == len(set(listed))
    assert ours == "playproof.agents.random"
    assert set(errors) == {*BROKEN, "absent"}
    assert "is not a playproof Agent" in errors["plain"]
    for name in ("crash", "hollow", "absent"):
        assert errors[name].startswith(f"the agent '{name}'")
        assert "cannot be loaded" in errors[name]
    assert errors["quitter"].startswith("the agent 'quitter'")
    for error in errors.values():
        assert "\n" not in error


@pytest.mark.slow
def test_a_broken_package_at_the_command_line(tmp_path: Path) -> None:
    site = install(
        tmp_path, {"quitter_agent": BROKEN["quitter"]}, {"quitter": "quitter_agent:Player"}
    )
    played = with_package(site, command("play", "othello", "--first", "quitter"))
    assert played.code == 1
    assert played.out == ""
    assert played.err.startswith("error: the agent 'quitter'")
    assert played.err.count("\n") == 1
