"""The agent ``uci``: an engine that hangs, dies or lies is a line; none outlives us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

from playproof import Batch, UsageError, make
from playproof.agents.engines.uci import agent as uci
from playproof.agents.engines.uci.agent import UciAgent
from playproof.agents.engines.uci.client import EngineFailure, UciEngine
from playproof.agents.registry import make_agent, settled_spec
from playproof.arena.database import GameDatabase
from playproof.arena.standings_text import failure_lines
from playproof.arena.tournament import match
from playproof.core.spec import parse
from tests.agents.engines.gtp.test_agent import gone, in_session
from tests.support.arena.players_here import players_here
from tests.support.cli.running import SOURCES
from tests.support.paths import FAKE_UCI
from tests.support.peers.programs import program

FAKE = FAKE_UCI
CHESS = make("chess")


def command(mode: str, log: str = "") -> str:
    return f"{sys.executable} {FAKE} {mode} {log}".strip()


def fake(mode: str, log: str = "", game: str = "chess", **options: float) -> UciAgent:
    settings = "".join(f",{key}={value}" for key, value in options.items())
    agent = make_agent(f"uci:command={command(mode, log)}{settings}", make(game))
    assert isinstance(agent, UciAgent)
    return agent


def told(log: Path, *kinds: str) -> list[str]:
    lines = [line.strip() for line in log.read_text().splitlines()]
    return [line for line in lines if line.startswith(kinds)]


# Spec strings


def test_a_spec_names_the_version_that_it_is_about() -> None:
    spec = settled_spec(f"uci:command={command('sound')},elo=1400,depth=2")
    assert "version=Fake 1.0 sound," in spec
    assert settled_spec(spec) == spec
    with pytest.raises(UsageError, match=r"is Fake 1\.0 sound, not Fake 2"):
        make_agent(f"uci:command={command('sound')},version=Fake 2", CHESS).decide(CHESS.start())


@pytest.mark.parametrize(
    ("spec", "game", "says"),
    [
        ("uci", "chess", "name one engine, as in uci:stockfish"),
        ("uci:cat,command=x", "chess", "name one engine"),
        ("uci:/no/such/engine", "chess", "the program /no/such/engine is not installed"),
        (f"uci:{__file__}", "chess", "cannot be run: it is not executable"),
        ("uci:command='", "chess", "cannot be read: No closing quotation"),
        ("uci:cat,version=x,elo=1400,skill=3", "chess", "elo and skill both set the strength"),
        ("uci:cat,version=x,tc=60/40", "chess", "tc=60/40 is no time control: want seconds"),
        ("uci:cat,version=x,tc=0+1", "chess", "as in tc=60+0.6"),
        ("uci:cat,version=x,tc=nan", "chess", "as in tc=60+0.6"),
        ("uci:cat,version=x,tc=60,movetime=5", "chess", "tc and movetime both set the time"),
        ("uci:cat,version=x,set=Hash", "chess", "want Name=value;Name=value"),
        ("uci:cat,version=x,depth=-1", "chess", "depth=-1 is not a whole number"),
        ("uci:cat,version=x", "othello", "uci plays chess, not othello"),
    ],
)
def test_a_wrong_spec_is_one_line(spec: str, game: str, says: str) -> None:
    with pytest.raises(UsageError) as error:
        make_agent(spec, make(game))
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"elo": 2000}, "UCI_Elo=2000 is not a whole number from 1350 to 1650"),
        ({"skill": 3}, "has no option 'Skill Level'"),
        ({"set": "Nosuch=3"}, "has no option 'Nosuch'"),
    ],
)
def test_an_option_that_the_engine_has_not_is_a_line(options: dict, says: str) -> None:
    with pytest.raises(EngineFailure) as error:
        fake("sound", **options).decide(CHESS.start())
    assert says in str(error.value)


# What the engine is told


def test_options_and_limits_are_told(tmp_path: Path) -> None:
    log = tmp_path / "log"
    agent = fake("sound", str(log), elo=1400, depth=3, nodes=50, hash=2,
                 set="style of play=Risky;Clear Hash=")  # fmt: skip
    agent.decide(CHESS.start())
    assert told(log, "setoption", "go") == [
        "setoption name Hash value 2",
        "setoption name UCI_LimitStrength value true",
        "setoption name UCI_Elo value 1400",
        "setoption name Style of Play value Risky",
        "setoption name Clear Hash",
        "go depth 3 nodes 50",
    ]


def test_the_moves_are_found_again_in_a_batch(tmp_path: Path) -> None:
    log = tmp_path / "log"
    agent = fake("sound", str(log))
    knights = CHESS.start().play("g1f3 g8f6 f3g1 f6g8 g1f3")
    castled = CHESS.start().play("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1")
    promoted = CHESS.position("8/P6k/8/8/8/8/8/K7 w - - 0 1").play("a7a8r")
    agent.choose(Batch.of([knights, castled, promoted, promoted.play("h7g7 a8b8")]))
    assert told(log, "position", "go") == [
        "position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3", "go movetime 100",
        "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1", "go movetime 100",
        f"position fen {promoted.position}", "go movetime 100",  # its beginning is not known
        f"position fen {promoted.position} moves h7g7 a8b8", "go movetime 100",
    ]  # fmt: skip


def test_every_position_of_random_games_is_told_with_its_past(tmp_path: Path) -> None:
    from playproof.agents.engines.uci.position_command import PositionCommands

    games = PositionCommands(CHESS)
    batch = Batch.start(CHESS, 6, seed=5)
    states = [CHESS.start() for _ in range(6)]
    for _ in range(80):
        actions = batch.random_actions()
        batch.apply(actions)
        for row, action in enumerate(actions.tolist()):
            if action < 0:
                continue
            states[row] = states[row].apply(action)
            if not states[row].is_terminal:
                moves = " ".join(states[row].moves)
                assert games.command(batch[row]) == f"position startpos moves {moves}"


def test_a_game_that_goes_on_is_no_new_game_for_a_clock(tmp_path: Path) -> None:
    for options, count in (({"movetime": 10}, 1), ({"depth": 2}, 3)):
        log = tmp_path / f"log-{count}"
        agent = fake("sound", str(log), **options)
        state = CHESS.start()
        for reply in ("e7e5", "d7d5", "c7c5"):
            state = state.apply(agent.decide(state).action).apply(reply)
        assert len(told(log, "ucinewgame")) == count


# A clock for the game


def go_words(log: Path) -> list[dict[str, int]]:
    words = [line.split()[1:] for line in told(log, "go")]
    return [dict(zip(line[::2], map(int, line[1::2]), strict=True)) for line in words]


def test_every_game_has_a_clock_of_its_own(tmp_path: Path) -> None:
    log = tmp_path / "log"
    agent = fake("slow", str(log), tc="5+0.05", depth=9)
    states = [CHESS.start(), CHESS.start().play("e4 e5")]
    for replies in (("a7a6", "a7a6"), ("b7b6", "b7b6")):
        batch = Batch.of(states)
        batch.seeds[:] = [7, 8]
        decisions = agent.choose(batch)
        moves = zip(states, decisions, replies, strict=True)
        states = [state.apply(decision.action).apply(reply) for state, decision, reply in moves]
    batch = Batch.of(states[:1])
    batch.seeds[:] = 9  # another game, though it goes on like the first
    agent.choose(batch)
    first, second, third, fourth, fresh = go_words(log)
    full = {"wtime": 5000, "btime": 5000, "winc": 50, "binc": 50, "depth": 9}
    assert first == second == fresh == full
    # 0.12 s and some more were thought, 0.05 s came back.
    for later in (third, fourth):
        assert 3500 < later["wtime"] == later["btime"] <= 4930


def test_whoever_is_asked_again_has_lost_no_time(tmp_path: Path) -> None:
    log = tmp_path / "log"
    agent = fake("slow", str(log), tc="5")
    assert agent.decide(CHESS.start()) is agent.decide(CHESS.start())
    assert len(go_words(log)) == 1


def test_a_move_after_the_flag_loses_the_game(tmp_path: Path) -> None:
    agent = fake("slow", tc="0.05+9")
    for _ in range(2):
        with pytest.raises(EngineFailure, match=r"lost on time: .* too late \(tc=0\.05\+9\)"):
            agent.decide(CHESS.start())
    with players_here():
        found = match(
            "chess", "random", f"uci:command={command('slow')},tc=0.05", 2,
            path=tmp_path / "games.sqlite", seed=1, workers=1,
        )  # fmt: skip
    assert found.scores[0, 1].wins == 2
    assert all("lost on time" in reason for reason in found.failures)
    with GameDatabase(tmp_path / "games.sqlite") as store:
        tags = [kept.record.extra["tags"] for kept in store.find()]
    assert [one["Round"] for one in tags] == ["1.1", "1.2"]
    assert [one["BlackTimeControl"] for one in tags] == ["0.05+0", "-"]


def test_the_time_control_is_told() -> None:
    def control(spec: str) -> str:
        return UciAgent.time_control(
            UciAgent.settled({"engine": "x", "version": "y", **parse(spec)[1]})
        )

    assert control("uci:tc=60+0.6") == "60+0.6"
    assert control("uci:tc=60") == "60+0"
    assert control("uci:movetime=20") == "1/0.02"
    assert control("uci") == "1/0.1"
    assert control("uci:nodes=20") == "-"


@pytest.mark.parametrize(
    ("spec", "control"),
    [
        ("alphabeta", "1/1"),
        ("alphabeta:time=0.05", "1/0.05"),
        ("alphabeta:nodes=2000", "-"),
        ("alphabeta:depth=3", "-"),
        ("alphabeta:depth=3,time=2", "1/2"),
    ],
)
def test_an_agent_without_a_clock_says_so(spec: str, control: str) -> None:
    agent = make_agent(spec, CHESS)
    assert agent.time_control(agent.options) == control


def test_lost_on_time_is_one_line_however_late_the_moves_came() -> None:
    late = "slow lost on time: its move came {} s too late (tc=1+0.01)"
    failures = {late.format("0.97"): 3, late.format("10.02"): 1, late.format("0.98"): 1}
    found = failure_lines({**failures, "slow gave no answer within 3 s": 1})
    assert found == [
        f"5 games: {late.format('0.97 to 10.02')}",
        "1 game: slow gave no answer within 3 s",
    ]
    assert failure_lines({late.format("0.97"): 1}) == [f"1 game: {late.format('0.97')}"]


# What it answers


def test_value_and_line_are_read() -> None:
    state = CHESS.start().play("e2e4")
    for mode in ("sound", "noisy"):
        decision = fake(mode).decide(state)
        assert state.name(decision.action) == "a7a5"
        assert decision.value == -0.37  # White's side
        assert decision.line == (decision.action,)
        assert decision.statistics["nodes"] == 1234
        assert decision.statistics["engine"].startswith("Fake 1.0")
    assert fake("mate").decide(state).value == uci.MATE - 2


# Failures


@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("hang", "gave no answer to 'go depth 1' within 1 s and was ended"),
        ("crash", "ended with exit code 3 at 'go depth 1': memory"),
        ("segfault", "was ended by SIGSEGV at 'go depth 1'"),
        ("closed", "was killed or closed its output at 'go depth 1'"),
        ("endless", "and was ended"),
        ("illegal", "answered a1a8, which is not legal here"),
        ("nonsense", "answered banana, which is no move here"),
        ("nothing", "answered nothing, which is no move here"),
    ],
)
def test_a_failure_is_one_line_and_the_next_game_goes_on(mode: str, says: str) -> None:
    agent = fake(mode, limit=1.0 if mode == "hang" else 20.0, depth=1)
    for _ in range(1 if mode == "hang" else 2):  # it is started again
        with pytest.raises(EngineFailure) as error:
            agent.decide(CHESS.start())
        assert str(error.value).startswith("uci:python")
        assert says in str(error.value)
        assert "\n" not in str(error.value)
        assert "\x1b" not in str(error.value)
    agent.close()


def engine(mode: str, limit: float = 20.0) -> UciEngine:
    return UciEngine([sys.executable, str(FAKE), mode], name=mode, limit=limit)


@pytest.mark.parametrize("mode", ["hang", "crash", pytest.param("parent", marks=pytest.mark.slow)])
def test_a_lost_engine_leaves_nothing_behind(mode: str) -> None:
    made = engine(mode)
    leader = made._process.pid
    assert len(in_session(leader)) == 2  # the engine and its guard
    with pytest.raises(EngineFailure):
        made.search("position startpos", "depth 1", 0.5)
    assert not made.is_running
    assert gone(leader)


def test_a_program_that_speaks_no_uci_is_ended() -> None:
    with pytest.raises(EngineFailure, match="gave no answer to 'uci' within 1 s"):
        engine("mute", limit=1.0)


@pytest.mark.slow
def test_no_engine_outlives_its_parent() -> None:
    """The engine hangs in a move, has a child of its own, and does not read its input.

    The guard is that of engines for GTP, which are tried with other ends too.
    """
    script = f"""if True:
        import sys, threading
        from playproof.agents.engines.uci.client import UciEngine
        made = UciEngine([sys.executable, {str(FAKE)!r}, "parent"], name="e", limit=60)
        go = lambda: made.search("position startpos", "depth 1", 60)
        threading.Thread(target=go, daemon=True).start()
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
    parent.send_signal(signal.SIGKILL)
    parent.communicate(timeout=20)
    assert gone(leader)


def test_a_crash_loses_the_game_with_its_reason_and_the_next_is_played(tmp_path: Path) -> None:
    with players_here():
        found = match(
            "chess", "random", f"uci:command={command('crash')},depth=1", 2,
            path=tmp_path / "games.sqlite", seed=1, workers=1,
        )  # fmt: skip
    assert found.scores[0, 1].wins == 2
    (reason,) = found.failures
    assert found.failures[reason] == 2
    assert "ended with exit code 3 at 'go depth 1': memory" in reason


# Stockfish itself


def test_stockfish_beats_random_and_is_who_it_says() -> None:
    program("stockfish")
    agent = make_agent("uci:stockfish,elo=1350,depth=2", CHESS)
    assert isinstance(agent, UciAgent)
    assert "version=Stockfish" in agent.spec
    batch = Batch.start(CHESS, 4, seed=3)
    for _ in range(400):
        finished = batch.finished()
        if finished.all():
            break
        actions = batch.random_actions()
        for row in range(4):
            if not finished[row] and batch.players()[row] == row % 2:
                actions[row] = agent.choose(batch.take([row]))[0].action
        batch.apply(actions)
    outcomes = batch.outcome().tolist()
    assert all(outcome in (0, 1 if row % 2 == 0 else -1) for row, outcome in enumerate(outcomes))
    assert sum(map(abs, outcomes)) >= 3


def test_stockfish_answers_the_same_at_a_depth() -> None:
    program("stockfish")
    state = CHESS.start().play("e2e4 e7e5 g1f3")
    agent = make_agent("uci:stockfish,depth=6", CHESS)
    decision = agent.decide(state)
    agent.decide(state.play("b8c6 f1b5"))
    assert agent.decide(state).action == decision.action
    assert decision.line[0] == decision.action
    assert len(decision.line) > 1
    mate = CHESS.position("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1")
    assert agent.decide(mate).value == uci.MATE - 1


def test_many_positions_are_shared_among_engines(tmp_path: Path) -> None:
    """Each engine has its part; the answers are those of one."""
    states = [CHESS.start()]
    while len(states) < 17:
        states.append(states[-1].apply(states[-1].legal_actions()[len(states) % 3]))
    agent = fake("sound", depth=2)
    alone = [agent.decide(state) for state in states]
    before = numba.get_num_threads()
    numba.set_num_threads(2 if before > 1 else 1)
    try:
        shared = agent.choose(Batch.of(states))
        assert [d.action for d in shared] == [d.action for d in alone]
        assert len(agent._helpers) == (1 if before > 1 else 0)
        timed = fake("sound", movetime=5)
        timed.choose(Batch.of(states[:9]))
        assert not timed._helpers  # a clock is for one game after the other
    finally:
        numba.set_num_threads(before)
    others = [other.engine() for other in agent._helpers]
    agent.close()
    assert not any(engine.is_running for engine in others)
