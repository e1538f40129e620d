"""The file of games: nothing lost, nothing twice, and no other file taken for one."""

from __future__ import annotations

import multiprocessing
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from playproof import DataError, Record
from playproof.arena.database import GameDatabase, default_path
from playproof.arena.game_query import matching_players
from playproof.arena.openings import Opening
from playproof.arena.referee import FinishedGame, GameTask
from tests.support.longer import longer


def played(pair: int, leg: int, result: int, one: str = "a", two: str = "b") -> FinishedGame:
    players = (one, two) if leg == 0 else (two, one)
    text = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}[result]
    record = Record("othello", {}, players, ("f5", "d6"), text, seed=pair)
    return FinishedGame(
        GameTask(pair, leg, pair, None, ("f5",)), players, result, None, record, (0.1, 0.2)
    )


@pytest.fixture
def store(tmp_path: Path) -> GameDatabase:
    store = GameDatabase(tmp_path / "games.sqlite")
    event = store.event("othello", "random", 1)
    games = [played(0, 0, 1), played(0, 1, 0), played(1, 0, -1), played(1, 1, -1)]
    store.add(event, "a", "b", games, {0: "f5d6", 1: "f5f4"})
    return store


def test_results_are_those_of_the_first_named(store: GameDatabase) -> None:
    event = store.event("othello", "random", 1)
    assert store.results(event, "a", "b") == {0: (1.0, 0.5), 1: (0.0, 1.0)}
    assert store.results(event, "b", "a") == {}


def test_a_game_is_recorded_once(store: GameDatabase) -> None:
    event = store.event("othello", "random", 1)
    store.add(event, "a", "b", [played(0, 0, -1), played(0, 1, 1)], {0: "f5d6"})
    assert store.results(event, "a", "b")[0] == (1.0, 0.5)
    assert len(store.find()) == 4


def test_half_a_pair_does_not_count(store: GameDatabase) -> None:
    event = store.event("othello", "random", 1)
    store.add(event, "a", "b", [played(2, 0, 1)], {2: "f5f6"})
    assert 2 not in store.results(event, "a", "b")


def test_what_fails_half_way_leaves_nothing(store: GameDatabase) -> None:
    event = store.event("othello", "random", 1)
    with pytest.raises(KeyError):
        store.add(event, "a", "b", [played(2, 0, 1), played(3, 0, 1)], {2: "f5f6"})
    assert len(store.find()) == 4


def test_games_are_found_by_player_result_and_opening(store: GameDatabase) -> None:
    def count(**what: object) -> int:
        return len(store.find(**what))  # type: ignore[arg-type]

    assert count(player="a") == count(player="b") == count(player="*") == 4
    assert count(player="c") == 0
    assert count(player="a", result="won") == 2
    assert count(player="b", result="won") == 1
    assert count(player="a", result="lost") == 1
    assert count(player="a", result="drawn") == 1
    assert count(result="1-0") == 1
    assert count(player="a", against="b") == 4
    assert count(player="a", against="c") == 0
    assert count(opening="f5d6") == count(opening="f5f4") == 2
    assert count(opening="f5") == 4
    assert count(game="othello") == 4
    assert count(game="choko") == 0
    assert count(failed=True) == 0
    assert [kept.id for kept in store.find(limit=2)] == [3, 4]


def test_an_engine_is_found_without_its_version() -> None:
    named = [f"uci:/no/such/engine,version=Old {n},nodes=500" for n in (1, 2)]
    assert matching_players("uci:/no/such/engine,nodes=500,hash=16", [*named, "random"]) == named
    assert matching_players("uci:/no/such/engine,version=Old 2,nodes=500", named) == named[1:]
    assert matching_players("uci:/no/such/engine,nodes=50", named) == []
    quiet = "alphabeta:nodes=2000,quiescence=true"
    assert matching_players("alphabeta:quiescence,nodes=2000", [quiet, "mine"]) == [quiet]
    assert matching_players("mine", [quiet, "mine"]) == ["mine"]
    assert matching_players("alpha*", [quiet]) is None


def test_openings_come_back(store: GameDatabase) -> None:
    event = store.event("othello", "random", 1)
    openings = [Opening(None, ("f5", "d6")), Opening("a position", ())]
    store.add_openings(event, openings)
    store.add_openings(event, [*openings, Opening(None, ())])
    assert store.openings(event) == [*openings, Opening(None, ())]


def test_a_file_is_there_again_after_it_was_closed(store: GameDatabase) -> None:
    store.close()
    with GameDatabase(store.path) as again:
        assert len(again.find()) == 4
        assert again.find()[0].record.moves == ("f5", "d6")


def open_at_once(path: Path, gate: Any, said: Any) -> None:
    gate.wait()
    try:
        with GameDatabase(path) as store:
            store.event("othello", "random", 1)
        said.put("opened")
    except DataError as error:
        said.put(str(error))


def test_several_may_begin_one_file_at_the_same_moment(tmp_path: Path) -> None:
    fork = multiprocessing.get_context("fork")
    for turn in range(longer(3, 8)):
        gate, said = fork.Barrier(4), fork.Queue()
        path = tmp_path / f"{turn}.sqlite"
        crowd = [fork.Process(target=open_at_once, args=(path, gate, said)) for _ in range(4)]
        for one in crowd:
            one.start()
        assert {said.get(timeout=60) for _ in crowd} == {"opened"}
        for one in crowd:
            one.join()


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE precious (thing TEXT)")
    before = path.read_bytes()
    with pytest.raises(DataError, match=r"is a database of another program: "):
        GameDatabase(path)
    assert path.read_bytes() == before


def test_a_file_of_another_version_is_refused(store: GameDatabase) -> None:
    store.close()
    with sqlite3.connect(store.path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(DataError, match="was written by another version of Playproof"):
        GameDatabase(store.path)


@pytest.mark.parametrize("content", [b"only some text " * 90, b"\x00" * 2000])
def test_what_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "text"
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be used as a file of games"):
        GameDatabase(path)
    assert path.read_bytes() == content


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be used as a file of games"):
        GameDatabase(tmp_path)


def test_a_truncated_file_is_one_line(store: GameDatabase) -> None:
    store.close()
    content = store.path.read_bytes()
    store.path.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError), GameDatabase(store.path) as cut:
        cut.find()


def test_the_default_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PLAYPROOF_DATA", str(tmp_path / "data"))
    assert default_path() == tmp_path / "data" / "arena.sqlite"
    monkeypatch.delenv("PLAYPROOF_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path() == tmp_path / "playproof" / "arena.sqlite"
