"""The GTP server: what controllers rely on, and what no line may do to it."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path
from random import Random
from typing import ClassVar

import pytest

from playproof import Batch, UsageError, make
from playproof.adapters.gtp import server as gtp
from playproof.adapters.gtp.clock import GtpClock
from playproof.adapters.gtp.server import Server
from playproof.agents.base import Agent, Decision
from playproof.agents.limits import Limits
from playproof.agents.registry import make_agent
from playproof.cli.main import main
from tests.support.cli.running import command, environment
from tests.support.peers.programs import program

EXAMPLE_3 = ("D3+C2", "C4+D5", "D4+C3>D3>C4>D4")  # the first three turns of Example 1


def server(game: str = "go:board=5x5", agent: str = "random", seed: int = 1) -> Server:
    return Server(make(game), agent, seed=seed)


def said(engine: Server, *lines: str) -> list[str]:
    """Answers, without their empty lines."""
    out = io.StringIO()
    engine.serve([f"{line}\n" for line in lines], out)
    blocks = out.getvalue().split("\n\n")
    assert blocks.pop() == ""
    return blocks


def board(engine: Server) -> tuple[list[str], list[str]]:
    black, white = engine.board.stone_names()
    return black, white


# The protocol


def test_numbers_comments_and_empty_lines() -> None:
    told = said(
        server(), "1 protocol_version", "", "  # a remark", "name # who", "17 version\t",
        "\x01known_command play\x02", "2147483647 known_command dance", "list_commands", "99 quit",
        "name",
    )  # fmt: skip
    assert told[0] == "=1 2"
    assert told[1] == "= Playproof (random)"
    assert told[2].startswith("=17 0.")
    assert told[3] == "= true"
    assert told[4] == "=2147483647 false"
    assert {"play", "genmove", "playproof-pairs"} <= set(told[5][2:].split("\n"))
    assert told[6:] == ["=99"]  # after quit nothing is read


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("dance", "? unknown command"),
        ("12", "?12 syntax error: a number without a command"),
        ("3 play", "?3 syntax error: want a colour and a vertex"),
        ("play b", "? syntax error: want a colour and a vertex"),
        ("play green C3", "? syntax error: green is not black or white"),
        ("play b I3", "? invalid vertex I3: want A1 to E5 (no column I) or pass"),
        ("play b tt", "? invalid vertex tt"),
        ("play b C3 D4", "? syntax error: want one vertex"),
        ("boardsize", "? syntax error: want one argument, not 0"),
        ("boardsize x", "? syntax error: x is not a whole number"),
        ("boardsize 20", "? unacceptable size"),
        ("boardsize 1", "? unacceptable size"),
        ("rectangular_boardsize 5", "? syntax error: want columns and rows"),
        ("komi nan", "? syntax error: nan is not a number"),
        ("komi 3.75", "? go: komi=3.75 is not in half points"),
        ("undo", "? cannot undo"),
        ("fixed_handicap 2", "? invalid number of stones"),
        ("set_free_handicap C3", "? bad vertex list"),
        ("set_free_handicap C3 C3", "? bad vertex list"),
        ("set_free_handicap C3 Z3", "? bad vertex list"),
        ("time_settings 1 2", "? syntax error: want main time"),
        ("time_settings -1 2 3", "? syntax error: -1 is no time in seconds"),
        ("time_left b 5", "? syntax error: want a colour, seconds and stones"),
        ("loadsgf", "? syntax error: want a file"),
        ("loadsgf /etc/passwd", "? cannot load file: its name does not end in .sgf"),
        ("loadsgf /no/such.sgf", "? cannot load file: /no/such.sgf cannot be read"),
        ("final_status_list odd", "? syntax error: want alive, dead or seki"),
        ("genmove", "? syntax error: want one argument, not 0"),
    ],
)
def test_what_is_wrong_is_one_line(line: str, says: str) -> None:
    engine = server()
    (told,) = said(engine, line)
    assert told.startswith(says)
    assert "\n" not in told
    assert said(engine, "protocol_version") == ["= 2"]


def test_no_line_ends_the_server() -> None:
    engine = server("quantum-go:board=4x4")
    rng = Random(3)
    words = [
        *engine._commands,
        "b",
        "w",
        "C3",
        "A1+B2",
        "A1>B2",
        "pass",
        "5",
        "-1",
        "1e999",
        "#",
        "\0",
    ]
    words = [word for word in words if word not in ("quit", "loadsgf")]
    for _ in range(400):
        line = " ".join(rng.choices(words, k=rng.randrange(1, 5)))
        answer = engine.answer(line + rng.choice(["\n", "\r\n", ""]))
        assert answer is None or answer[0] in "=?"
        assert answer is None or (answer.endswith("\n\n") and "\n\n" not in answer[:-2])


# Boards


def test_a_game_is_played_taken_back_and_shown() -> None:
    engine = server()
    assert said(engine, "play black c3", "play WHITE D3", "play b A1") == ["="] * 3
    assert board(engine) == (["A1", "C3"], ["D3"])
    assert said(engine, "play w C3")[0].startswith("? illegal move: Go: C3 is not legal here")
    assert said(engine, "undo", "undo", "undo", "undo") == ["=", "=", "=", "? cannot undo"]
    assert board(engine) == ([], [])
    picture = said(engine, "play b C3", "showboard")[1]
    assert "\n 3  .  . [#] .  ." in picture


def test_colours_come_in_any_order_and_the_game_has_no_end() -> None:
    engine = server()
    assert said(engine, "play b A1", "play b B1", "play w pass", "play b pass") == ["="] * 4
    assert engine.board.state.is_terminal
    assert said(engine, "play b C1", "play w A2") == ["=", "="]
    assert board(engine) == (["A1", "B1", "C1"], ["A2"])
    assert said(engine, "genmove w")[0] != "= pass"


def test_superko_holds_whoever_moved_last() -> None:
    """The past is not lost when a colour moves twice."""
    engine = server()
    lines = [f"play b {p}" for p in ("C4", "B3", "C2", "D3")]
    lines += [f"play w {p}" for p in ("D4", "E3", "D2", "C3")]
    assert set(said(engine, *lines)) == {"="}
    assert said(engine, "play b D3")[0].startswith("? illegal move")
    assert said(engine, "play w pass") == ["="]
    assert said(engine, "play b D3")[0].startswith("? illegal move")


def test_the_score_counts_what_stands() -> None:
    engine = server("go:board=5x5,komi=0.5")
    assert said(engine, "final_score", "play b C3", "final_score") == ["= W+0.5", "=", "= B+24.5"]
    assert said(engine, "komi 25", "final_score") == ["=", "= 0"]
    assert said(engine, "final_status_list alive", "final_status_list dead") == ["= C3", "="]
    assert said(engine, "undo", "clear_board", "final_score") == ["=", "=", "= W+25"]


def test_sizes() -> None:
    engine = server()
    assert said(engine, "boardsize 9", "play b J9", "playproof-game") == [
        "=",
        "=",
        "= go:board=9x9",
    ]
    assert said(engine, "rectangular_boardsize 4 7", "play b D7") == ["=", "="]
    assert said(engine, "boardsize 19", "clear_board", "playproof-game") == ["=", "=", "= go"]


def test_handicap() -> None:
    engine = server("go:board=9x9")
    assert said(engine, "fixed_handicap 3") == ["= C3 G7 C7"]
    assert engine.board.state.current_player == 1
    assert said(engine, "fixed_handicap 2", "set_free_handicap A1 B1") == ["? board not empty"] * 2
    assert said(engine, "undo", "set_free_handicap A1 B1", "genmove w")[:2] == ["=", "="]
    assert board(engine)[0] == ["A1", "B1"]
    assert said(engine, "clear_board", "place_free_handicap 9")[1].count(" ") == 9
    assert said(engine, "clear_board", "fixed_handicap 10")[1] == "? invalid number of stones"


def test_fixed_handicap_is_where_gnugo_puts_it() -> None:
    for size in (7, 8, 9, 13, 19):
        for stones in (2, 3, 4, *((5, 6, 7, 8, 9) if size in (9, 13, 19) else ())):
            lines = f"boardsize {size}\nclear_board\nfixed_handicap {stones}\nquit\n"
            done = subprocess.run(
                [program("gnugo"), "--mode", "gtp"], input=lines, capture_output=True, text=True
            )
            theirs = done.stdout.split("\n\n")[2][1:].split()
            ours = said(server(f"go:board={size}x{size}"), f"fixed_handicap {stones}")[0][
                1:
            ].split()
            assert sorted(ours) == sorted(theirs)


def test_sgf_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "a game.sgf"
    file.write_text("(;SZ[7]KM[2.5];B[aa];W[bb];B[cc])")
    engine = server()
    assert said(engine, f"loadsgf {file}", "playproof-game") == ["=", "= go:board=7x7,komi=2.5"]
    assert board(engine) == (["C5", "A7"], ["B6"])
    assert said(engine, "undo", "genmove b")[0] == "="
    assert said(engine, f"loadsgf {file} 2", "final_score") == ["=", "= B+46.5"]
    file.write_text("(;SZ[7];B[aa];W[aa])")
    assert "line 1, column 17" in said(engine, f"loadsgf {file}")[0]


# Agents


def test_genmove_plays_and_reg_genmove_only_says() -> None:
    engine, again = server(), server()
    told = said(engine, "reg_genmove b", "playproof-position", "genmove b")
    assert told[0] == told[2]
    assert "X" not in told[1]
    assert [*board(engine)[0]] == [told[2][2:]]
    assert said(again, "genmove b") == [told[2]]  # the same seed
    move = make_agent("random", make("go:board=5x5"), seed=1).decide(
        make("go:board=5x5").start(), seed=1
    )
    assert told[2][2:] == make("go:board=5x5").action_name(move.action)


class Failing(Agent):
    name, summary = "failing", "fails"

    def choose(self, batch: object) -> list[Decision]:
        raise RuntimeError("no\nidea")


class Cheating(Agent):
    name, summary = "cheating", "plays where a stone is"

    def choose(self, batch: object) -> list[Decision]:
        return [Decision(0)]


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        (Failing, "? the agent failing failed: no idea"),
        (Cheating, "? the agent cheating failed: Go: A1 is not legal here"),
    ],
)
def test_an_agents_failure_is_a_line(
    agent: type[Agent], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gtp, "make_agent", lambda spec, game, seed: agent(game, seed=seed))
    engine = server(agent=agent.name)
    told = said(engine, "play b A1", "genmove w", "showboard")
    assert told[1].startswith(says)
    assert told[2].startswith("=")


def test_who_cannot_serve_is_refused() -> None:
    with pytest.raises(UsageError, match="GTP is for go and quantum-go, not for othello"):
        server("othello")
    with pytest.raises(UsageError, match="human asks a person"):
        server(agent="human")


# Clocks


def test_a_budget_follows_from_the_clock() -> None:
    assert GtpClock.of(0, 30, 0) is None  # no limit
    main = GtpClock.of(600, 0, 0)
    assert main is not None
    assert 4 < main.budget(empty=200) < 7
    main.spend(595)
    assert main.budget(empty=200) < 0.1
    assert main.budget(empty=2) < 0.6
    byo = GtpClock.of(10, 30, 5)
    assert byo is not None
    assert 4 < byo.budget(empty=300) < 6  # byo-yomi is to come
    byo.spend(11)
    assert (byo.left, byo.stones) == (30, 5)
    byo.spend(20)
    assert (byo.left, byo.stones) == (10, 4)
    assert byo.budget(empty=300) < 10 / 4
    byo.update(2, 4)
    assert byo.budget(empty=300) < 2 / 4
    at_once = GtpClock.of(0, 10, 1)
    assert at_once is not None
    assert at_once.stones == 1
    assert 0 < GtpClock(0, 0, 0).budget(empty=1) < 0.1


class Patient(Agent):
    name, summary = "patient", "remembers its time"
    budgets: ClassVar[list[float | None]] = []

    def choose(self, batch: Batch, *, limits: Limits = Limits()) -> list[Decision]:  # type: ignore[override]
        self.budgets.append(limits.seconds)
        return [Decision(batch[0].legal_actions()[0])]


def test_the_agent_is_given_its_share_of_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gtp, "make_agent", lambda spec, game, seed: Patient(game, seed=seed))
    Patient.budgets.clear()
    engine = server(agent="patient")
    said(
        engine, "genmove b", "time_settings 1000 0 0", "genmove b", "time_left b 12 0", "genmove b"
    )
    said(engine, "time_left b 10 5", "genmove b", "genmove w", "time_settings 0 1 0", "genmove b")
    first, second, third, fourth, other, last = Patient.budgets
    assert first is None  # there is no clock yet: its own pace
    assert second is not None
    assert 50.0 < second < 100.0
    assert third is not None
    assert 0.5 < third < 1.2
    assert fourth is not None
    assert 1.0 < fourth < 2.0
    assert other is not None
    assert 50.0 < other < 100.0  # White has a clock of its own
    assert last is None  # as it has without a limit
    Patient.budgets.clear()
    said(server("quantum-go:board=4x4", "patient"), "time_left b 10.1 1", "genmove b")
    assert Patient.budgets[:2] == pytest.approx([8 / 3, 8 / 3])  # a turn is about three decisions


# Quantum Go


def test_a_turn_may_be_told_whole_or_decision_by_decision() -> None:
    whole, steps = server("quantum-go:board=6x6"), server("quantum-go:board=6x6")
    for colour, turn in zip("bwb", EXAMPLE_3, strict=True):
        assert said(whole, f"play {colour} {turn}") == ["="]
    assert said(steps, "play b D3+C2", "play w C4+D5", "playproof-pairs") == [
        "=", "=", "= B C2 D3\nW C4 D5",
    ]  # fmt: skip
    assert said(steps, "play b D4+C3", "playproof-asked", "playproof-choices") == [
        "=", "= Black keeps one of C2, D3: step 1", "= C2 D3",
    ]  # fmt: skip
    assert said(steps, "play w A1")[0].startswith(
        "? illegal move: first, Black keeps one of C2, D3"
    )
    assert said(steps, "playproof-choose D3", "playproof-asked") == [
        "=", "= White keeps one of C4, D5: step 2",
    ]  # fmt: skip
    assert said(steps, "playproof-choose E1")[0].startswith("? illegal move")
    assert said(steps, "play w C4", "playproof-choose D4") == ["=", "="]
    assert said(steps, "playproof-position") == said(whole, "playproof-position")
    assert said(steps, "playproof-pairs", "playproof-asked") == [
        "=", "= White places the first of 2 entangled stones, or passes",
    ]  # fmt: skip
    assert said(steps, "undo", "playproof-asked")[1].startswith(
        "= Black keeps one of C3, D4: step 3"
    )


def test_the_agent_makes_its_decisions_and_no_others() -> None:
    engine = server("quantum-go:board=4x4", seed=5)
    sides, asked = 0, 0
    for _ in range(60):
        state = engine.board.state
        if state.is_terminal:
            break
        if engine.board.begins_turn(state):
            (told,) = said(engine, f"genmove {'bw'[state.current_player or 0]}")
            assert told[:2] == "= "
            sides += 1
        else:
            (told,) = said(engine, "playproof-genchoice")
            assert told[2:] in state.legal_names()
            asked += 1
    assert sides > 10
    assert asked > 3


def test_chance_decides_at_once_unless_its_decision_is_told() -> None:
    spec = "quantum-go:board=5x5,collapse=born"
    seen = set()
    for seed in range(12):
        engine = server(spec, seed=seed)
        assert said(engine, "play b B2+B3") == ["="]
        assert said(engine, "playproof-asked")[0].startswith("= White places")
        seen.add(said(engine, "playproof-position")[0])
        told = server(spec, seed=seed)
        assert said(told, "play b B2+B3>B3", "final_score") == ["=", "= B+25"]
        assert told.board.stone_names() == [["B3"], []]
    assert len(seen) == 2
    engine = server(spec)
    move = said(engine, "play w B2+C2>B2", "genmove b")[1]
    assert engine.board.begins_turn(engine.board.state), move


# At the command line


@pytest.mark.slow
def test_the_command_serves_until_its_input_ends() -> None:
    lines = b"1 boardsize 5\nplay b C3\n\xff\xfe\n2 genmove w\n"
    done = subprocess.run(
        command("gtp", "--game", "go:board=9x9", "--agent", "random", "--seed", "1"),
        input=lines,
        capture_output=True,
        env=environment(),
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    told = done.stdout.decode().split("\n\n")
    assert told[:3] == ["=1", "=", "? unknown command"]
    assert told[3].startswith("=2 ")
    assert done.stderr == b""


def test_the_command_refuses_what_cannot_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gtp", "--game", "othello"]) == 2
    told = capsys.readouterr()
    assert told == ("", "error: GTP is for go and quantum-go, not for othello\n")
