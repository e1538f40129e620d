"""A player is what is behind its name: games of another net are never counted as its own."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from playproof import Agent, Batch, Decision, PlayproofError, make
from playproof.agents import registry
from playproof.agents.registry import identity
from playproof.arena.database import GameDatabase
from playproof.arena.player_process import AgentHost, Player
from playproof.arena.standings import Standings
from playproof.arena.tournament import MatchConfig, Tournament, match
from playproof.nets.files import save
from playproof.web.pages.tournaments.database import TournamentDatabase
from playproof.web.pages.tournaments.table import TournamentTables
from tests.support.nets.made_nets import random_net
from tests.support.paths import FAKE_UCI

pytest.importorskip("safetensors")
pytestmark = pytest.mark.usefixtures("here")

GAME = "othello:size=4"


def write_net(path: Path, seed: int) -> str:
    save(random_net(GAME, "planes", (8,), seed=seed), path)
    return f"net:{path}"


def play(folder: Path, one: str, games: int = 8, two: str = "random") -> Standings:
    return match(GAME, one, two, games, path=folder / "games.sqlite", seed=5, workers=1)


def records(folder: Path) -> list[str]:
    with GameDatabase(folder / "games.sqlite") as store:
        return [" ".join(kept.record.moves) for kept in store.find()]


def test_another_net_at_the_same_path_has_games_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    spec = write_net(path, 1)
    first = play(tmp_path, spec)
    write_net(path, 2)
    second = play(tmp_path, spec)
    assert len(records(tmp_path)) == 16
    assert set(records(tmp_path)[8:]) != set(records(tmp_path)[:8])
    (told,) = second.reuse
    assert (told.player, told.games, told.others) == (spec, 0, 8)
    assert told.lines() == [
        f"does not reuse 8 games of {spec}: kept with other content, "
        f"now it is net {told.digests[0][1][:8]}"
    ]
    # The true score is that of a file in which no other net has played.
    (tmp_path / "other").mkdir()
    assert play(tmp_path / "other", spec).to_json() == second.to_json()
    assert first.reuse == ()


def test_the_same_net_at_another_path_has_the_same_games(tmp_path: Path) -> None:
    spec = write_net(tmp_path / "a.safetensors", 1)
    first = play(tmp_path, spec)
    (tmp_path / "b").mkdir()
    copy = shutil.copy(tmp_path / "a.safetensors", tmp_path / "b" / "b.safetensors")
    again = play(tmp_path, f"net:{copy}")
    assert len(records(tmp_path)) == 8
    assert again.scores == first.scores
    assert [(one.player, one.games, one.others) for one in again.reuse] == [
        (f"net:{copy}", 8, 0),
        ("random", 8, 0),
    ]
    digest = again.reuse[0].digests[0][1][:8]
    assert again.reuse[0].lines() == [f"reuses 8 games of net:{copy} (net {digest})"]
    more = play(tmp_path, f"net:{copy}", 12)
    assert len(records(tmp_path)) == 12
    assert more.to_json()["pairings"] != first.to_json()["pairings"]


def test_a_net_in_a_search_and_in_a_run_is_known_by_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYPROOF_DATA", str(tmp_path))
    run = tmp_path / "runs" / "mine" / "net.safetensors"
    run.parent.mkdir(parents=True)
    write_net(run, 1)
    game = make(GAME)
    before = [identity(f"{spec}net=run/mine", game) for spec in ("pgts:", "mcts:leaves=4,")]
    write_net(run, 2)
    after = [identity(f"{spec}net=run/mine", game) for spec in ("pgts:", "mcts:leaves=4,")]
    for old, new in zip(before, after, strict=True):
        assert old != new
        assert "run/mine" not in old.text
    assert before[0].digests == before[1].digests


def test_games_that_were_kept_by_a_path_alone_are_not_reused(tmp_path: Path) -> None:
    spec = write_net(tmp_path / "a.safetensors", 1)
    play(tmp_path, spec)
    with GameDatabase(tmp_path / "games.sqlite") as store, store._writing():
        store._db.execute("UPDATE games SET one = ?", [spec])  # as before there were keys
    again = play(tmp_path, spec)
    assert len(records(tmp_path)) == 16
    assert [(one.games, one.others) for one in again.reuse] == [(0, 8)]


def test_who_names_no_file_keeps_its_games_of_before(tmp_path: Path) -> None:
    assert identity("mcts:simulations=20", make(GAME)).text == "mcts:simulations=20"
    assert identity("random", make(GAME)).digests == ()


def test_the_lab_counts_the_games_of_the_right_net(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    spec = write_net(path, 1)
    scores = [play(tmp_path, spec).scores]
    write_net(path, 2)
    scores.append(play(tmp_path, spec).scores)
    book = TournamentDatabase(tmp_path / "games.sqlite")
    newest, oldest = book.runs()
    tables = TournamentTables(book)
    assert [tables.standings(run).scores for run in (oldest, newest)] == scores
    assert newest.players == oldest.players == (spec, "random")


def test_a_stopped_run_does_not_go_on_with_another_net(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    spec = write_net(path, 1)
    with GameDatabase(tmp_path / "games.sqlite") as store:
        first = Tournament.prepare(GAME, [spec, "random"], MatchConfig(pairs=2), store)
        first.register_run()
        same = Tournament.prepare(GAME, [spec, "random"], MatchConfig(pairs=2), store)
        write_net(path, 2)
        other = Tournament.prepare(GAME, [spec, "random"], MatchConfig(pairs=2), store)
    assert same.resumed
    assert not other.resumed


def test_a_net_that_is_replaced_under_way_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    spec = write_net(path, 1)
    who = identity(spec, make(GAME))
    bench = AgentHost(GAME, (Player(spec, spec, 1, who.text, who.digests),), ())
    write_net(path, 2)
    assert isinstance(complaint := bench.prepare(0), PlayproofError)
    assert "changed while its games were played" in str(complaint)


def test_files_of_any_option_and_code_that_is_not_ours_count(tmp_path: Path) -> None:
    weights = tmp_path / "weights.npz"
    weights.write_bytes(b"one")

    class Mine(Agent):
        name = "mine"
        summary = "reads a file"
        option_fields = (registry.spec.Option("weights", "", "a file"),)

        def choose(self, batch: Batch) -> list[Decision]:
            return []

    registry.register_agent(Mine)
    first = identity(f"mine:weights={weights}", make(GAME))
    weights.write_bytes(b"two")
    second = identity(f"mine:weights={weights}", make(GAME))
    assert [name for name, _ in first.digests] == ["weights", "code"]
    assert first.digests[0] != second.digests[0]
    assert first.digests[1] == second.digests[1]
    assert identity("mine", make(GAME)).short.startswith("code ")


def test_an_engine_is_known_by_its_program(tmp_path: Path) -> None:
    engine, net = tmp_path / "engine", tmp_path / "a.nnue"
    engine.write_text(f"#!/bin/sh\nexec {sys.executable} {FAKE_UCI} good\n")
    engine.chmod(0o755)
    net.write_bytes(b"one")
    game = make("chess")
    spec = f"uci:{engine},set=EvalFile={net}"
    first = identity(spec, game)
    net.write_bytes(b"two")
    second = identity(spec, game)
    engine.write_text(engine.read_text() + "# built again\n")
    third = identity(spec, game)
    assert len({first.text, second.text, third.text}) == 3
    assert second.digests[0] == first.digests[0] != third.digests[0]


def test_tables_are_known_by_what_is_in_them(tmp_path: Path) -> None:
    (tmp_path / "KQvK.rtbw").write_bytes(b"q")
    spec = f"alphabeta:depth=2,tables={tmp_path}"
    first = identity(spec, make("chess"))
    (tmp_path / "KRvK.rtbw").write_bytes(b"r")
    assert identity(spec, make("chess")) != first
    assert str(tmp_path) not in first.text
