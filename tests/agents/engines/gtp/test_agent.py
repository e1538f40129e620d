"""The agent ``gtp``: an engine that hangs, dies or lies is a line; none outlives us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from playproof import Batch, State, UsageError, make
from playproof.agents.engines.gtp.agent import GtpAgent
from playproof.agents.engines.gtp.client import EngineFailure, GtpEngine
from playproof.agents.registry import make_agent, settled_spec
from tests.support.cli.running import SOURCES
from tests.support.paths import FAKE_GTP
from tests.support.peers.programs import program

FAKE = FAKE_GTP
SMALL = "go:board=5x5"


def fake(mode: str, log: str = "", **options: float) -> GtpAgent:
    command = f"{sys.executable} {FAKE} {mode} {log}".strip()
    agent = make_agent(f"gtp:command={command}", make(SMALL))
    assert isinstance(agent, GtpAgent)
    agent.options |= options
    return agent


def move(agent: GtpAgent, state: State) -> str:
    return state.name(agent.decide(state).action)


def in_session(leader: int) -> list[int]:
    """The processes of a session, zombies too."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == leader:
                found.append(int(entry.name))
    return found


def gone(leader: int, seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while in_session(leader) and time.monotonic() < end:
        time.sleep(0.02)
    return not in_session(leader)


# Spec strings


def test_an_engine_is_named_by_a_bare_word_or_by_its_command() -> None:
    assert settled_spec("gtp:gnugo") == settled_spec("gtp:engine=gnugo") == "gtp:gnugo"
    assert settled_spec("gtp:gnugo,level=3") == "gtp:gnugo,level=3"
    assert settled_spec(" gtp: level=3 ,engine=gnugo") == "gtp:gnugo,level=3"
    assert settled_spec("gtp:command=a -b=c") == "gtp:command=a -b=c"


@pytest.mark.parametrize(
    ("spec", "game", "says"),
    [
        ("gtp", SMALL, "name one engine, as in gtp:gnugo"),
        ("gtp:gnugo,command=x", SMALL, "name one engine"),
        ("gtp:nosuch", SMALL, "gtp: nosuch is not gnugo or command="),
        ("gtp:gnugo,engine=gnugo", SMALL, "engine twice"),
        ("gtp:gnugo,nosuch", SMALL, "gtp has no option 'nosuch'"),
        ("gtp:gnugo,level=99", SMALL, "level=99 is not a whole number from 0 to 20"),
        ("gtp:command=/no/such/engine", SMALL, "the program /no/such/engine is not installed"),
        ("gtp:command='", SMALL, "cannot be read: No closing quotation"),
        ("gtp:gnugo", "othello", "gtp plays go, not othello"),
        ("gtp:gnugo", "go:board=5x6", "gtp plays on square boards, not on 5x6"),
    ],
)
def test_a_wrong_spec_is_one_line(spec: str, game: str, says: str) -> None:
    with pytest.raises(UsageError) as error:
        make_agent(spec, make(game))
    assert says in str(error.value)
    assert "\n" not in str(error.value)


# What the engine is told


def test_the_moves_are_found_again_in_a_batch(tmp_path: Path) -> None:
    log = tmp_path / "log"
    agent = fake("sound", str(log))
    game = make(SMALL)
    ko = game.start().play("C4 D4 B3 E3 C2 D2 D3 C3")
    passed = game.start().play("C3 pass D3 pass")
    assert [d.action for d in agent.choose(Batch.of([ko, passed]))] == [0, 0]
    told = [line.split(" ", 1)[1].strip() for line in log.read_text().splitlines()]
    first = [line for line in told if line.startswith(("play", "genmove", "clear"))]
    assert first == [
        "clear_board", "play b C4", "play w D4", "play b B3", "play w E3", "play b C2",
        "play w D2", "play b D3", "play w C3", "genmove b", "clear_board", "play b C3",
        "play w pass", "play b D3", "play w pass", "genmove b",
    ]  # fmt: skip


def test_a_game_that_goes_on_is_not_told_again(tmp_path: Path) -> None:
    log = tmp_path / "log"
    agent = fake("sound", str(log))
    state = make(SMALL).start().play("C3")
    for reply in ("B3", "D3"):
        state = state.apply(agent.decide(state).action).apply(reply)
    told = [line.split(" ", 1)[1].strip() for line in log.read_text().splitlines()]
    plays = [line for line in told if line.startswith(("play", "genmove", "clear"))]
    assert plays == ["clear_board", "play b C3", "genmove w", "play b B3", "genmove w"]
    agent.close()


def test_handicap_komi_and_time_are_told(tmp_path: Path) -> None:
    log = tmp_path / "log"
    game = make("go:board=7x7,handicap=2,komi=0.5")
    command = f"{sys.executable} {FAKE} sound {log}"
    agent = make_agent(f"gtp:time=3,command={command}", game)
    agent.decide(game.start())
    told = [line.split(" ", 1)[1].strip() for line in log.read_text().splitlines()]
    assert told == [
        "list_commands", "boardsize 7", "clear_board", "komi 0.5", "time_settings 0 3 1",
        "play b C3", "play b E5", "time_left w 3 1", "genmove w",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "position"),
    [
        (SMALL, "5/2XO1/1XO1O/2XO1/5 b 0 - 0 1"),
        ("go:board=5x5,ko=simple", "5/2XO1/1XO1O/2XO1/5 b 0 D3 0 1"),
        ("go:board=5x5,ko=simple", "5/2XO1/1X1XO/2XO1/5 w 0 C3 1 0"),
    ],
)
def test_stones_that_were_set_up_are_put_down_legally(
    tmp_path: Path, spec: str, position: str
) -> None:
    log = tmp_path / "log"
    state = make(spec).position(position)
    agent = make_agent(f"gtp:command={sys.executable} {FAKE} sound {log}", make(spec))
    agent.decide(state)
    told = [line.split()[1:] for line in log.read_text().splitlines()]
    board = make(spec).start()
    for word in told:
        if word[0] == "play":
            if "bw"[board.current_player] != word[1]:
                board = board.apply("pass")
            board = board.apply(word[2])
    if "bw"[board.current_player] != told[-1][1]:
        board = board.apply("pass")
    assert board.game.stones(board.row) == state.game.stones(state.row)
    if "simple" in spec:
        assert board.legal_actions() == state.legal_actions()  # the ko is known


@pytest.mark.parametrize("mode", ["noisy", "lower", "unnumbered"])
def test_other_manners_of_speaking_are_understood(mode: str) -> None:
    state = make(SMALL).start().play("A1")
    assert move(fake(mode), state) == "B1"


def test_who_resigns_passes() -> None:
    agent = fake("resign")
    assert move(agent, make(SMALL).start()) == "pass"
    assert move(agent, make(SMALL).start().play("A1 B1")) == "pass"


# Failures


@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("hang", "gave no answer to 'genmove w' within 1 s and was ended"),
        ("crash", "ended with exit code 3 at 'genmove w': stones"),
        ("segfault", "was ended by SIGSEGV at 'genmove w'"),
        ("closed", "was killed or closed its output at 'genmove w'"),
        ("endless", "and was ended"),
        ("illegal", "answered A1, which is not legal here"),
        ("nonsense", "answered banana [31m, which is no move here"),
        ("refusing", "refused 'play b A1': I do not like it"),
    ],
)
def test_a_failure_is_one_line_and_the_next_game_goes_on(mode: str, says: str) -> None:
    agent = fake(mode, limit=1.0 if mode == "hang" else 20.0)
    state = make(SMALL).start().play("A1")
    for _ in range(1 if mode == "hang" else 2):  # it is started again
        with pytest.raises(EngineFailure) as error:
            agent.decide(state)
        told = str(error.value)
        assert told.startswith("gtp:python")
        assert says in told.replace("\N{REPLACEMENT CHARACTER}", "")
        assert "\n" not in told
        assert "\x1b" not in told
    agent.close()


def engine(mode: str, limit: float = 20.0) -> GtpEngine:
    return GtpEngine([sys.executable, str(FAKE), mode], name=mode, limit=limit)


@pytest.mark.parametrize("mode", ["hang", "crash", "closed", "parent"])
def test_a_lost_engine_leaves_nothing_behind(mode: str) -> None:
    made = engine(mode)
    leader = made._process.pid
    assert made.request("komi 0") == ""
    assert len(in_session(leader)) == 2  # the engine and its guard
    with pytest.raises(EngineFailure):
        made.request("genmove b", limit=0.5)
    assert not made.is_running
    assert gone(leader)
    with pytest.raises(EngineFailure, match="is not running"):
        made.request("komi 0")


def test_an_engine_that_is_forgotten_is_ended() -> None:
    made = engine("sound")
    leader = made._process.pid
    made.request("komi 0")
    del made
    assert gone(leader)


def test_a_program_that_is_none_is_a_line() -> None:
    made = GtpEngine(["/etc/passwd"], name="no engine", limit=5.0)
    with pytest.raises(EngineFailure, match="no engine ended with exit code 126 at 'name'"):
        made.request("name")


@pytest.mark.parametrize("ending", [pytest.param("exit", marks=pytest.mark.slow), "SIGKILL"])
def test_no_engine_outlives_its_parent(tmp_path: Path, ending: str) -> None:
    """The engine hangs in a move, has a child of its own, and does not read its input."""
    script = f"""if True:
        import os, sys, threading, time
        from playproof.agents.engines.gtp.client import GtpEngine
        made = GtpEngine([sys.executable, {str(FAKE)!r}, "parent"], name="e", limit=60)
        threading.Thread(target=lambda: made.request("genmove b"), daemon=True).start()
        print(made._process.pid, flush=True)
        sys.stdin.readline()
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", str(SOURCES))},
    )
    assert parent.stdin is not None
    assert parent.stdout is not None
    leader, end = int(parent.stdout.readline()), time.monotonic() + 20
    while len(in_session(leader)) < 3:  # guard, engine and its child
        assert time.monotonic() < end
        time.sleep(0.02)
    if ending == "SIGKILL":
        parent.send_signal(signal.SIGKILL)
    parent.communicate("go\n", timeout=20)
    assert gone(leader)


# GNU Go itself


@pytest.mark.slow
def test_gnugo_plays_by_our_rules_and_beats_random() -> None:
    program("gnugo")
    game = make("go:board=7x7,komi=3")
    agent = make_agent("gtp:gnugo,level=1", game, seed=1)
    batch = Batch.start(game, 4, seed=3)
    rows = np.arange(4)
    for _ in range(300):
        finished = batch.finished()
        if finished.all():
            break
        actions = batch.random_actions()
        ours = rows[~finished & (batch.players() == rows % 2)]
        if len(ours):
            actions[ours] = [d.action for d in agent.choose(batch.take(ours))]
        batch.apply(actions)
    assert batch.finished().all()
    wins = [(1 if row % 2 == 0 else -1) == batch.outcome()[row] for row in rows]
    assert all(wins)


def test_gnugo_answers_the_same_for_the_same_seed() -> None:
    program("gnugo")
    game = make("go:board=9x9")
    state = game.start().play("E5 C3")
    first = make_agent("gtp:gnugo,level=1", game, seed=4)
    decision = first.decide(state)
    first.decide(state.play("D4 E4"))
    assert first.decide(state).action == decision.action
    again = make_agent("gtp:gnugo,level=1", game, seed=4)
    assert again.decide(state).action == decision.action
    assert decision.statistics["engine"] == "gtp:gnugo"
