"""Agents with the tables of a probe server: they play as with the files, whatever becomes of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playproof import Batch, UsageError, make
from playproof.agents.registry import identity, make_agent, settled_spec
from playproof.arena.player_process import Player
from playproof.arena.referee import FinishedGame, GameTask, MatchJob, play
from playproof.arena.yardstick.measure import measure
from playproof.arena.yardstick.positions import make_set
from playproof.cli.main import main
from playproof.tables.choko.probe_server import client as client_module
from playproof.tables.choko.probe_server import protocol
from playproof.tables.choko.probe_server.client import NoServer, RemoteStore, TablesUnavailable
from playproof.tables.choko.slices import slice_of
from tests.support.arena import critical
from tests.support.arena.players_here import players_here
from tests.support.tables.probe_servers import ServerProcess, server
from tests.support.tables.small_tables import choko, copied, folder, positions


@pytest.fixture(scope="module")
def process() -> Iterator[ServerProcess]:
    with server() as running:
        yield running


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The cells of each request, as they are sent."""
    sent: list[int] = []
    read_part = RemoteStore._read_part

    def counted(self: RemoteStore, groups: Any) -> Any:
        sent.append(sum(len(cells) for _, cells in groups))
        return read_part(self, groups)

    monkeypatch.setattr(RemoteStore, "_read_part", counted)
    return sent


@pytest.mark.parametrize("cap", [0, 100])
def test_perfect_decides_as_from_files(process: ServerProcess, cap: int) -> None:
    game = choko(cap=cap)
    states = positions(game, 300, 1) + positions(game, 100, 2, ply=94)
    by_files = make_agent(f"perfect:tables={folder()}", game, seed=5)
    by_server = make_agent(f"perfect:choko,tables={process.address}", game, seed=5)
    batch = Batch.of(states, seed=3)
    assert by_server.choose(batch) == by_files.choose(batch)
    assert by_server.analyse(states[0]) == by_files.analyse(states[0])


def test_the_word_of_a_row_chooses_among_equal_moves_in_rising_order() -> None:
    game = choko()
    player = make_agent(f"perfect:tables={folder()}", game)
    tables = player.tables  # type: ignore[attr-defined]
    states, several = positions(game, 60, 4), 0
    for state in states:
        moves = tables._probe.moves(state)
        equal = sorted(action for action, value in moves if value == moves[0][1])
        several += len(equal) > 1
        words = [*range(len(equal)), 2**64 - 1]
        chosen = [one.action for one in tables.decisions([state] * len(words), words)]
        assert chosen == [*equal, equal[(2**64 - 1) % len(equal)]]
    assert several > 20


@pytest.mark.parametrize("name", ["perfect", "alphabeta", "mcts"])
def test_a_batch_is_one_request(process: ServerProcess, requests: list[int], name: str) -> None:
    game = choko()
    player = make_agent(f"{name}:tables={process.address}", game)
    states = positions(game, 200, 7)
    decisions = player.choose(Batch.of(states))
    assert len(requests) == 1
    assert all(one.statistics["proven"] for one in decisions)


@pytest.mark.parametrize("name", ["perfect", "alphabeta", "mcts"])
def test_where_the_tables_end_it_searches_without_them(process: ServerProcess, name: str) -> None:
    game = choko()
    limit = "simulations=50" if name == "mcts" else "time=0.02"
    player = make_agent(f"{name}:tables={process.address},{limit}", game)
    outside = positions(game, 3, 12, slices=[slice_of(0, 4, 4)], ply=30)
    known = positions(game, 3, 8)
    decisions = player.choose(Batch.of([*outside, *known]))
    for state, decision in zip([*outside, *known], decisions, strict=True):
        assert decision.action in state.legal_actions()
    for decision in decisions[3:]:
        assert decision.statistics["proven"]
        assert "nodes" not in decision.statistics


# A server that is killed in the middle of a match


def job(tables: str, games: int = 12) -> MatchJob:
    players = (Player("perfect", f"perfect:tables={tables}", 1), Player("random", "random", 2))
    starts = positions(choko(), games // 2, 9, ply=40)
    tasks = tuple(
        GameTask(i // 2, i % 2, 100 + i, starts[i // 2].position, ()) for i in range(games)
    )
    return MatchJob("choko", players, (0, 1), tasks, 60.0)


def games_of(finished: list[FinishedGame]) -> list[tuple[Any, ...]]:
    return [(one.record.moves, one.result, one.reason) for one in finished]


def test_a_match_goes_on_when_the_server_was_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    with players_here():
        expected = games_of(play(job(str(folder()))))
    assert len({moves for moves, _, _ in expected}) == len(expected)
    with server() as process, players_here():
        send, asked = protocol.send, 0

        def interrupted(connection: Any, kind: int, body: Any) -> None:
            nonlocal asked
            asked += kind == protocol.READ
            if asked in (5, 11):
                asked += 1
                process.kill()
                process.start()
            send(connection, kind, body)

        monkeypatch.setattr(protocol, "send", interrupted)
        assert games_of(play(job(process.address))) == expected
        assert asked > 11


def test_a_match_ends_if_the_server_stays_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(client_module.WAIT, "0.2")
    with server() as process, players_here():
        send, asked = protocol.send, 0

        def cut_off(connection: Any, kind: int, body: Any) -> None:
            nonlocal asked
            asked += kind == protocol.READ
            if asked == 4:
                process.kill()
            send(connection, kind, body)

        monkeypatch.setattr(protocol, "send", cut_off)
        with pytest.raises(NoServer, match=r"^perfect:tables=unix:.*: no probe server answers"):
            play(job(process.address))


@pytest.mark.slow
def test_other_tables_in_the_middle_of_a_match_end_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    copied(tmp_path, "h0-*.distance")
    with server() as process, players_here():
        send, asked = protocol.send, 0

        def exchanged(connection: Any, kind: int, body: Any) -> None:
            nonlocal asked
            asked += kind == protocol.READ
            if asked == 4:
                asked += 1
                process.kill()
                process.start("choko", "--out", str(tmp_path))
            send(connection, kind, body)

        monkeypatch.setattr(protocol, "send", exchanged)
        with pytest.raises(TablesUnavailable, match=r"no table of h1-1v1 any more"):
            play(job(process.address))


# Specs and commands


def test_the_fingerprint_is_the_identity(process: ServerProcess, tmp_path: Path) -> None:
    game = choko()
    spec = f"perfect:choko,tables={process.address}"
    assert settled_spec(spec) == f"perfect:tables={process.address}"
    assert dict(identity(spec, game).digests) == {
        "tables": RemoteStore(process.socket).hello.fingerprint
    }
    assert identity(f"perfect:tables=unix:{tmp_path / 'nobody'}", game).digests == ()


def test_wrong_specs(process: ServerProcess, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^perfect: the server at .* has tables of choko, not"):
        make_agent(f"perfect:tables={process.address}", choko(lone_jump=True))
    with pytest.raises(NoServer, match=r"^perfect: no probe server answers at"):
        make_agent(f"perfect:tables=unix:{tmp_path / 'nobody'}", choko())
    copied(tmp_path, "*.outcome")
    no_distances = pytest.raises(UsageError, match=r"perfect: the tables in unix:.* have no dist")
    with server("choko", "--out", str(tmp_path)) as plain, no_distances:
        make_agent(f"perfect:tables={plain.address}", choko())


def test_the_yardstick_keeps_all_values_and_asks_large_batches(
    process: ServerProcess, requests: list[int]
) -> None:
    yardstick = make_set(critical.lines(), make("choko", cap=0), per_phase=400)
    report = measure(yardstick, f"perfect:choko,tables={process.address}", seed=1)
    everything = report.phases["all"].kept
    assert everything.kept == everything.positions > 100
    assert len(requests) == 1  # all of them at once


@pytest.mark.parametrize("command", ["probe", "line", "stats"])
def test_commands_answer_as_from_files(
    process: ServerProcess, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    state = random.Random(2).choice(positions(choko(), 20, 3))
    words = ["table", command, *([] if command == "stats" else [state.position]), "--json"]
    assert main([*words, "--out", str(folder())]) == 0
    expected = capsys.readouterr().out
    assert main([*words, "--out", process.address]) == 0
    assert capsys.readouterr().out == expected


def test_a_sample_is_verified_through_the_server(
    process: ServerProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["table", "verify", "--samples", "20", "--seed", "1", "--out", process.address]
    assert main(words) == 0
    assert "0 wrong" in capsys.readouterr().out
    assert main([*words, "--all"]) == 2
    assert "want the folder of their files" in capsys.readouterr().err


def test_a_server_is_no_folder_to_build_in(
    process: ServerProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["table", "build", "choko", "--pieces", "4", "--out", process.address]
    assert main(words) == 2
    assert "is a server, which only answers: want a folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--pieces", "4"], "--device go with --in-memory"),
        (["--in-memory"], "no part of the game given"),
        (["--in-memory", "--all", "--out", "x"], "leave out --out"),
        (["--in-memory", "--pieces", "4", "--device", "abacus"], "want cpu or cuda"),
        (["--out", "nowhere"], "there are no tables in nowhere"),
    ],
)
def test_a_server_that_cannot_start_says_why(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["table", "serve", "choko", "--socket", "unused-socket", *words]) != 0
    errors = capsys.readouterr().err
    assert says in errors
    assert errors.count("\n") == 1
