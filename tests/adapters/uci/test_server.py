"""The UCI server: what controllers rely on, and what no line may do to it."""

from __future__ import annotations

import io
import re
import threading
import time
from collections.abc import Iterator
from random import Random
from typing import ClassVar

import chess
import chess.engine
import pytest

from playproof import UsageError, make
from playproof.adapters.uci.clock import GoCommand, MalformedCommand
from playproof.adapters.uci.search import centipawns
from playproof.adapters.uci.server import Server
from playproof.agents.base import Agent, Decision
from playproof.agents.limits import Clock, move_time
from playproof.agents.registry import register_agent
from tests.support.paths import SYZYGY

AGENT = "alphabeta:quiescence=true"
MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"


class Talk:
    """A server in a thread of its own, and what it has said."""

    def __init__(self, agent: str = AGENT) -> None:
        self.server = Server(agent, seed=1)
        self.out = io.StringIO()
        self.server.serve([], self.out)  # sets its output
        self.server._running = True

    def tell(self, *lines: str) -> None:
        for line in lines:
            self.server.execute(line + "\n")

    def ask(self, *lines: str, seconds: float = 60.0) -> list[str]:
        """What is said until the search that the lines begin has answered."""
        begin = len(self.said)
        self.tell(*lines)
        end = time.monotonic() + seconds
        while not any(line.startswith("bestmove") for line in self.said[begin:]):
            assert time.monotonic() < end, self.said[begin:]
            time.sleep(0.005)
        return self.said[begin:]

    @property
    def said(self) -> list[str]:
        return self.out.getvalue().splitlines()


@pytest.fixture(scope="module")
def talk() -> Iterator[Talk]:
    made = Talk()
    made.tell("isready")
    yield made
    made.tell("quit")


# The protocol


def test_who_it_is_and_what_can_be_set() -> None:
    one = Talk("mcts:simulations=50")
    one.tell("uci")
    assert one.said[0].startswith("id name Playproof ")
    assert "(mcts:simulations=50)" in one.said[0]
    assert one.said[-1] == "uciok"
    for line in (
        "option name Hash type spin default 16 min 1 max 16384",
        "option name Ponder type check default false",
        "option name simulations type spin default 50 min 1 max 10000000",
        "option name exploration type string default 1.0",
        "option name net type string default <empty>",
    ):
        assert line in one.said


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("dance", "unknown command 'dance'"),
        ("position", "position: want startpos or fen"),
        ("position middle", "position: want startpos or fen"),
        ("position fen 8/8", "position: '8/8' is no position of Chess"),
        ("position startpos moves e2e5", "position: move 1: Chess: e2e5 is not legal here"),
        ("position startpos moves e2e4 \x1b[31m", "position: move 2:"),
        ("go wtime", "go: want a whole number after wtime, not ''"),
        ("go depth many", "go: want a whole number after depth, not 'many'"),
        ("go fast", "go: 'fast' is not known"),
        ("go movetime 10 searchmoves e2e5", "go: none of the searchmoves is legal here"),
        ("setoption", "setoption: want name NAME value VALUE"),
        ("setoption name nosuch value 3", "setoption: there is no option 'nosuch'"),
        ("setoption name depth value 0", "depth=0 is not a whole number from 1 to 100"),
        ("setoption name quiescence value maybe", "quiescence=maybe is not true or false"),
        ("debug", "debug: want on or off"),
        ("ponderhit", "ponderhit: not pondering"),
        ("register later", "no registration is needed"),
    ],
)
def test_what_cannot_be_understood_is_told(talk: Talk, line: str, says: str) -> None:
    talk.tell("position startpos")
    begin = len(talk.said)
    talk.tell(line)
    (answer,) = talk.said[begin:]
    assert answer.startswith("info string ")
    assert says in answer
    assert talk.server.board.free == make("chess", draws="none").start()


def test_unknown_words_before_a_command_are_passed_over(talk: Talk) -> None:
    begin = len(talk.said)
    talk.tell("joho isready", "", "   \t ", "\x00isready")
    assert talk.said[begin:] == ["readyok", "readyok"]


def test_no_line_ends_the_server(talk: Talk) -> None:
    random = Random(7)
    words = [
        "position", "startpos", "moves", "fen", "e2e4", "e7e5", "a1a1", "0000", "setoption",
        "name", "value", "Hash", "Threads", "Move Overhead", "-1", "99999999999999999999", "stop",
        "debug", "on", "off", "ponderhit", "isready", "uci", "register", "\x7f", "é", "/", "w",
        "ucinewgame", "quiescence", "true", "nan", "1e400", "searchmoves", "register",
    ]  # fmt: skip
    for _ in range(400):
        talk.tell(" ".join(random.choice(words) for _ in range(random.randrange(1, 8))))
    talk.tell("setoption name Hash value 64", "debug off", "position startpos")
    assert talk.ask("go depth 2")[-1].startswith("bestmove ")
    assert not [line for line in talk.said if "Error:" in line]


# Searches


@pytest.mark.parametrize(
    "limits",
    [
        "depth 3", "nodes 2000", "movetime 60", "wtime 2000 btime 2000 winc 10 binc 10",
        "wtime 500 btime 500 movestogo 2", "wtime 0 btime 0", "wtime -5 btime -5", "mate 2",
        "depth 2 nodes 10 movetime 1000",
    ],
)  # fmt: skip
def test_every_limit_is_kept(talk: Talk, limits: str) -> None:
    talk.tell("position startpos moves e2e4 e7e5")
    began = time.monotonic()
    said = talk.ask(f"go {limits}")
    assert time.monotonic() - began < 2.0
    board = chess.Board()
    board.push_san("e4")
    board.push_san("e5")
    answer = said[-1].split()
    board.push_uci(answer[1])
    if len(answer) > 2:
        assert answer[2] == "ponder"
        board.push_uci(answer[3])
    infos = [line.split() for line in said[:-1]]
    assert all(words[:2] == ["info", "depth"] for words in infos)
    depths = [int(words[2]) for words in infos]
    assert depths == sorted(depths)
    if "depth" in limits:
        assert depths[-1] <= int(limits.split()[1])
    assert {"score", "nodes", "time", "pv"} <= set(infos[-1])


def test_the_line_is_legal_and_the_score_is_the_movers(talk: Talk) -> None:
    up = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR {} KQkq - 0 1"  # Black has no queen
    for side, sign in (("w", 1), ("b", -1)):
        talk.tell(f"position fen {up.format(side)}")
        info = talk.ask("go depth 3")[-2].split()
        assert sign * int(info[info.index("cp") + 1]) > 500
        board = chess.Board(up.format(side))
        for move in info[info.index("pv") + 1 :]:
            board.push_uci(move)


def test_mates_are_announced(talk: Talk) -> None:
    for fen, score, move in (
        ("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "mate 1", "a1a8"),
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", "mate 2", "f6f7"),
        ("7k/R7/8/8/8/8/8/1R5K b - - 0 1", "mate -1", "h8g8"),
    ):
        talk.tell(f"position fen {fen}")
        said = talk.ask("go depth 5")
        assert f"score {score} " in said[-2], said
        assert said[-1].split()[1] == move


def test_finished_games_have_no_move(talk: Talk) -> None:
    talk.tell(f"position fen {MATED}")
    assert talk.ask("go depth 3") == ["info depth 0 score mate 0", "bestmove (none)"]
    talk.tell("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert talk.ask("go movetime 5") == ["info depth 0 score cp 0", "bestmove (none)"]


@pytest.mark.parametrize(
    "position",
    [
        "startpos moves " + " ".join(["g1f3 g8f6 f3g1 f6g8"] * 6),  # long since a draw
        "fen 7k/8/8/8/8/8/R7/K7 w - - 120 90",  # a hundred half-moves are past
        "fen 7k/8/8/8/8/8/8/K7 w - - 0 1",  # nobody can mate
    ],
)
def test_a_game_that_a_referee_lets_go_on_is_played_on(talk: Talk, position: str) -> None:
    talk.tell(f"position {position}")
    assert talk.ask("go depth 2")[-1] != "bestmove (none)"


def test_repetitions_are_known(talk: Talk) -> None:
    """A move that makes the position come a third time is worth nothing."""
    queen = "fen 6k1/8/8/8/8/8/1Q6/K7 w - - 0 1 moves"
    talk.tell(f"position {queen} b2c2 g8h8 c2b2 h8g8 b2c2 g8h8 c2d2 h8g8")
    assert "score cp 0 " in talk.ask("go depth 1 searchmoves d2c2")[-2]
    talk.tell(f"position {queen} b2c2 g8h8 c2d2 h8g8")
    assert "score cp 0 " not in talk.ask("go depth 1 searchmoves d2c2")[-2]


def test_only_the_moves_that_are_asked_for(talk: Talk) -> None:
    talk.tell("position startpos")
    for moves in (["a2a3"], ["h2h4", "a2a3", "e2e9"]):
        said = talk.ask("go movetime 80 searchmoves " + " ".join(moves))
        assert said[-1].split()[1] in moves


def test_infinite_waits_for_stop(talk: Talk) -> None:
    talk.tell("position fen 6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "go infinite")
    time.sleep(0.3)  # it sees the mate at once
    begin = len(talk.said)
    talk.tell("isready")
    assert talk.said[begin:] == ["readyok"]
    assert talk.server.is_thinking
    assert talk.ask("stop", seconds=1.0)[-1] == "bestmove a1a8"


def test_a_stop_is_answered_at_once(talk: Talk) -> None:
    talk.tell("position startpos", "go depth 60")
    time.sleep(0.2)
    began = time.monotonic()
    assert talk.ask("stop", seconds=2.0)[-1].startswith("bestmove ")
    assert time.monotonic() - began < 0.5
    begin = len(talk.said)
    talk.tell("stop")  # a second one has nothing to stop
    assert talk.said[begin:] == []


def test_pondering_ends_by_a_hit_or_a_stop(talk: Talk) -> None:
    talk.tell("position startpos moves e2e4", "go ponder wtime 1000 btime 1000")
    time.sleep(0.3)
    assert talk.server.is_thinking
    began = time.monotonic()
    assert talk.ask("ponderhit")[-1].startswith("bestmove ")
    assert time.monotonic() - began < 0.5
    talk.tell("go ponder wtime 1000 btime 1000")
    time.sleep(0.1)
    assert talk.ask("stop", seconds=1.0)[-1].startswith("bestmove ")


def test_options_reach_the_agent(talk: Talk) -> None:
    talk.tell("setoption name depth value 2", "position startpos")
    assert int(talk.ask("go movetime 500")[-2].split()[2]) == 2
    talk.tell("setoption name Hash value 8", "setoption name DEPTH value 100")
    assert talk.server.options.settings["table"] == 8
    begin = len(talk.said)
    talk.tell("setoption name tables value /no/such/folder")
    assert "info string" in talk.said[begin]
    assert talk.ask("go depth 2")[-1].startswith("bestmove ")
    talk.tell("setoption name tables value <empty>", "setoption name Hash value 64")


def test_endings_are_played_from_syzygy_tables(talk: Talk) -> None:
    folder = SYZYGY
    talk.tell(f"setoption name SyzygyPath value {folder}")
    won = talk.ask("position fen 8/8/8/3k4/8/8/8/K6R b - - 0 1", "go movetime 100")
    assert re.search(r"score cp -199\d\d ", won[-2])  # no mate is announced: none was counted
    drawn = talk.ask("position fen 8/8/8/3k4/8/8/4P3/4K3 w - - 0 1", "go infinite", "stop")
    assert " score cp 0 " in drawn[-2]
    talk.tell("setoption name SyzygyPath value <empty>")
    searched = talk.ask("position fen 8/8/8/3k4/8/8/8/K6R w - - 0 1", "go depth 2")
    assert "depth 2" in searched[-2]


# Other agents


@pytest.mark.parametrize("agent", ["random", "greedy", "mcts:simulations=2000000", "minimax"])
def test_any_agent_is_an_engine(agent: str) -> None:
    one = Talk(agent)
    one.tell("isready", "position startpos moves e2e4")
    said = one.ask("go movetime 100")
    assert said[-1].startswith("bestmove ")
    assert said[-2].startswith("info depth ")
    began = time.monotonic()
    one.tell("go infinite")
    time.sleep(0.1)
    assert one.ask("stop")[-1].startswith("bestmove ")
    assert time.monotonic() - began < 10.0


@register_agent
class Careless(Agent):
    name = "careless-uci"
    summary = "raises, or answers what is not legal"
    answer: ClassVar[int | None] = None

    def choose(self, batch: object) -> list[Decision]:
        if self.answer is None:
            raise ValueError("no idea\nat all")
        return [Decision(self.answer)]


@pytest.mark.parametrize("answer", [None, 3, -1, 10**9])
def test_an_agent_that_fails_still_has_a_legal_move(
    answer: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Careless, "answer", answer)
    one = Talk("careless-uci")
    one.tell("isready", "position startpos")
    said = one.ask("go movetime 10")
    assert any(line.startswith("info string the agent") for line in said)
    assert chess.Move.from_uci(said[-1].split()[1]) in chess.Board().legal_moves


def test_a_person_cannot_sit_at_a_server() -> None:
    with pytest.raises(UsageError, match="not at a UCI server's keyboard"):
        Server("human")


# Clocks


@pytest.mark.parametrize(
    "agent",
    ["alphabeta:quiescence=true", "mcts:simulations=60", "mcts:net=chess-10x128,simulations=6"],
)
def test_several_lines_are_told_with_score_and_continuation(agent: str) -> None:
    talk = Talk(agent)
    talk.tell("setoption name MultiPV value 3", "position startpos moves e2e4")
    said = talk.ask("go depth 3" if "alphabeta" in agent else "go nodes 60")
    last = [line for line in said if " multipv " in line][-3:]
    board = chess.Board()
    board.push_uci("e2e4")
    firsts = []
    for place, line in enumerate(last, 1):
        words = line.split()
        assert words[words.index("multipv") + 1] == str(place)
        assert "score" in words
        moves = words[words.index("pv") + 1 :]
        firsts.append(moves[0])
        check = board.copy()
        for move in moves:
            check.push_uci(move)  # raises if it is not legal
    assert len(set(firsts)) == 3
    best = next(line for line in said if line.startswith("bestmove")).split()[1]
    assert best == firsts[0]
    talk.tell("setoption name MultiPV value 1")
    assert not any("multipv" in line for line in talk.ask("go depth 1"))
    talk.tell("quit")


def test_a_budget_never_loses_on_time() -> None:
    """Whatever is left, the moves of a long game fit in."""
    for left, increment, togo in ((60.0, 0.0, None), (1.0, 0.1, None), (10.0, 0.0, 40)):
        clock = left
        for move in range(300):
            to_control = togo and togo - move % togo
            share = move_time(Clock(clock, increment, to_control), 0.03)
            assert share <= max(clock, 0.0051)
            clock += increment - share
            if togo and to_control == 1:
                clock += left
            if clock < 0.05:
                break
        assert clock >= 0.0
    assert move_time(Clock(300.0), 0.03) == pytest.approx(10.0, rel=0.01)
    assert move_time(Clock(0.0), 0.03) == 0.005
    assert move_time(Clock(1.0, 60.0)) <= 0.5  # an increment comes after the move
    assert move_time(Clock(1.0, 0.0, 1)) <= 0.9


def test_limits_are_read() -> None:
    go = GoCommand.read(["infinite", "searchmoves", "e2e4", "d2d4", "depth", "5"])
    assert (go.infinite, go.searchmoves, go.depth) == (True, ("e2e4", "d2d4"), 5)
    assert GoCommand.read(["movetime", "1000"]).seconds(0, 0.03) == pytest.approx(0.97)
    assert GoCommand.read(["wtime", "1", "btime", "60000"]).seconds(1, 0.0) == pytest.approx(2.0)
    with pytest.raises(MalformedCommand):
        GoCommand.read(["depth", "1.5"])


def test_expected_results_become_pawns() -> None:
    assert centipawns(0.0) == 0
    assert centipawns(0.28) == pytest.approx(100, abs=2)
    assert centipawns(-1.0) == -centipawns(1.0)


def test_threads_do_not_mix_lines() -> None:
    """Lines of the thread that thinks and of the one that reads come whole."""
    one = Talk()
    one.tell("isready", "position startpos", "go movetime 300")
    askers = [threading.Thread(target=one.tell, args=(["isready"] * 50)) for _ in range(3)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    one.tell("stop", "ucinewgame")
    starts = ("info depth ", "readyok", "bestmove ")
    assert all(line.startswith(starts) for line in one.said)
