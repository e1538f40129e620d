"""``playproof solve`` and ``playproof analyse``, as a person calls them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from playproof import Agent, Batch, Decision
from playproof.agents import registry
from playproof.agents.engines.process import find_program
from playproof.cli.main import main

ENDING = "-OOOOOOOXOXXXXOOXXOXXXOOXXXOXXXOXXXXOXXOXXXXXOXO-XXXXXXO--XXXXX- X"


def test_an_ending_is_solved(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "othello", ENDING, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["finished"]
    assert told["exact"]
    assert told["lower"] == told["score"] == told["upper"]
    assert told["best"] == told["line"][0]


def test_who_wins_is_the_sign_of_the_score(capsys: pytest.CaptureFixture[str]) -> None:
    main(["solve", "othello", ENDING, "--json"])
    score = json.loads(capsys.readouterr().out)["score"]
    main(["solve", "othello", ENDING, "--wld", "--json"])
    assert json.loads(capsys.readouterr().out)["score"] == (score > 0) - (score < 0)


def test_a_position_without_end_is_given_up_with_its_bounds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["solve", "othello", "--seconds", "0"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: not solved in")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["solve", "choko"], "no solver for choko: want othello"),
        (["solve", "othello:size=4", "XXXXXXXXXXXXXXXX X"], "nothing to solve"),
        (["analyse", "othello:size=4", "XXXXXXXXXXXXXXXX X"], "nothing to analyse"),
        (["analyse", "othello", "--agent", "alphabeta:depth=0"], "depth=0 is not"),
        (["analyse", "othello", "--agent", "pgts:widths=a"], "widths=a is not a list"),
        (["analyse", "choko", "--agent", "mcts:simulations=none"], "a whole number"),
    ],
)
def test_what_cannot_be_is_one_line(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) != 0
    told = capsys.readouterr()
    assert says in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""


def test_an_agent_reports_on_every_move(capsys: pytest.CaptureFixture[str]) -> None:
    for agent in ("alphabeta:depth=2", "minimax:depth=2", "mcts:simulations=50", "pgts"):
        command = ["analyse", "othello", "f5", "--agent", agent, "--json", "--seed", "1"]
        assert main(command) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert {line["move"] for line in lines[:-1]} == {"d6", "f4", "f6"}
        assert lines[-1]["best"] == lines[0]["move"] or agent.startswith("mcts")
        assert main(command) == 0  # the same seed, the same report
        again = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert again[:-1] == lines[:-1]


class Chatty(Agent):
    """Tells of itself in more than numbers."""

    name = "chatty"
    summary = "the first legal move, with much to say"

    def choose(self, batch: Batch) -> list[Decision]:
        told = {"engine": "Nimble 1", "nodes": np.int64(2000), "rate": np.float32(0.5),
                "proven": True, "mate": None, "where": Path("here")}  # fmt: skip
        return [
            Decision(batch[row].legal_actions()[0], 0.25, (), told) for row in range(len(batch))
        ]


def test_what_an_agent_counts_may_be_anything(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    registry.register_agent(Chatty)
    command = ["analyse", "othello", "f5", "--agent", "chatty", "--seed", "1"]
    assert main(command) == 0
    assert capsys.readouterr().err == (
        "engine Nimble 1, nodes 2,000, rate 0.5, proven yes, mate None, where here; seed 1\n"
    )
    assert main([*command, "--json"]) == 0
    line = json.loads(capsys.readouterr().out)
    assert (line["engine"], line["nodes"], line["proven"]) == ("Nimble 1", 2000, True)


@pytest.mark.skipif(find_program("stockfish") is None, reason="needs Stockfish")
def test_stockfish_is_asked_for_its_opinion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", "chess", "e4 e5", "--agent", "uci:stockfish,nodes=2000"]) == 0
    told = capsys.readouterr()
    assert "\nbest " in told.out
    assert "engine Stockfish" in told.err
    command = ["analyse", "chess", "e4 e5", "--agent", "uci:stockfish,nodes=3000", "--lines", "3"]
    assert main([*command, "--json"]) == 0
    *lines, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert [line["rank"] for line in lines] == [1, 2, 3]
    assert len({line["move"] for line in lines}) == 3
    assert all(line["value"] is not None and line["line"][0] == line["move"] for line in lines)
    assert last["best"] == lines[0]["move"]
