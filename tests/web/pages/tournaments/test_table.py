"""Looking at tournaments: the list, tables, games by pages, and what is new."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from playproof.arena.database import GameDatabase
from playproof.arena.statistics.score import Score
from playproof.arena.statistics.sprt import Sprt
from playproof.arena.tournament import MatchConfig, Tournament
from playproof.cli.match_options import report_tournament
from playproof.core.jobs.index import JobIndex as Jobs
from playproof.core.jobs.recorder import JobRecorder, new_record
from playproof.web.pages.tournaments.database import TournamentDatabase
from playproof.web.pages.tournaments.table import TournamentTables
from tests.support.web.people import Talker
from tests.support.web.tournaments.played import PLAYERS, add_pair, play


def get(client: TestClient, path: str, status: int = 200) -> Any:
    response = client.get(path)
    assert response.status_code == status, response.text
    return response.json()


def file_of(data: Path) -> Path:
    return data / "arena.sqlite"


def test_looking_makes_no_book(client: TestClient, data: Path) -> None:
    assert get(client, "/api/tournaments")["tournaments"] == []
    get(client, "/api/tournaments/1", 404)
    get(client, "/api/tournaments/games/1", 404)
    assert not file_of(data).exists()


def test_a_book_that_is_being_made_is_empty(client: TestClient, data: Path) -> None:
    sqlite3.connect(file_of(data)).close()
    file_of(data).touch()
    assert get(client, "/api/tournaments")["tournaments"] == []


def test_a_file_of_another_program_is_refused_in_a_line(client: TestClient, data: Path) -> None:
    base = sqlite3.connect(file_of(data))
    base.execute("CREATE TABLE runs (id)")
    base.commit()
    base.close()
    before = file_of(data).read_bytes()
    assert "no file of games" in get(client, "/api/tournaments", 404)["msg"]
    assert file_of(data).read_bytes() == before
    file_of(data).write_text("not a database, but a text that is long enough" * 20)
    assert "cannot be read" in get(client, "/api/tournaments", 404)["msg"]


def test_files_that_commands_name_are_looked_into(
    client: TestClient, data: Path, tmp_path: Path
) -> None:
    play(file_of(data), seed=1, pairs=1)
    other = tmp_path / "far away" / "mine.sqlite"
    made = play(other, seed=2, pairs=2, done=False)
    for words in (
        ["--file", "mine.sqlite"],
        ["--file=none.sqlite"],
        ["--file", str(file_of(data))],
    ):
        card = new_record(
            "tournament", "", ["tournament", *words], by="command line", mine=True,
            cwd=str(other.parent),
        )  # fmt: skip
        job = Jobs(data).add(card)
        if "mine.sqlite" in words:
            mine = job
            tell(JobRecorder(card, job.path), made, other)
    listed = get(client, "/api/tournaments")["tournaments"]
    far, own = sorted(listed, key=lambda one: -one["id"])
    assert (own["id"], own["file"]) == (1, None)
    assert (far["seed"], far["file"], far["state"]) == (2, str(other), "running")
    assert far["id"] < 2**53
    assert Jobs(data).entry(mine.id).to_json()["link"] == f"#/tournaments/{far['id']}"
    table = get(client, f"/api/tournaments/{far['id']}")
    assert (table["seed"], table["job"]) == (2, mine.id)
    games = get(client, f"/api/tournaments/{far['id']}/games?one=0&two=1")["games"]
    assert get(client, f"/api/tournaments/games/{games[0]['id']}")["of"] == games[0]["plies"]
    assert client.get(f"/api/tournaments/{far['id']}/all/jsonl").text.count("\n") == 12
    assert get(client, f"/api/tournaments?before={far['id']}")["tournaments"] == []
    get(client, f"/api/tournaments/{far['id'] + 2**32}", 404)


def tell(job: JobRecorder, made: Tournament, path: Path) -> None:
    """What the command tells its job."""
    with GameDatabase(path) as database, pytest.MonkeyPatch.context() as patch:
        patch.setattr("playproof.core.jobs.recorder._current", job)
        report_tournament(replace(made, database=database))
    job.flush()


def test_the_table_is_that_of_the_arena(client: TestClient, data: Path) -> None:
    made = play(file_of(data), pairs=9)
    with GameDatabase(file_of(data)) as database:
        made.database = database
        wanted = made.standings()
    table = get(client, "/api/tournaments/1")
    assert table["players"] == wanted.players
    assert table["order"] == wanted.order
    assert (table["played"], table["games"], table["state"]) == (54, 54, "done")
    for told in table["pairings"]:
        score = wanted.scores[tuple(told["players"])]
        assert (told["wins"], told["draws"], told["losses"]) == (
            score.wins, score.draws, score.losses,
        )  # fmt: skip
        assert told["interval"] == pytest.approx(score.interval())
    for told, rating in zip(table["ratings"], wanted.ratings.players, strict=True):
        assert told["text"] == str(rating)
        assert (told["points"], told["games"]) == (rating.points, rating.games)
    assert client.get("/api/tournaments/1/table.svg").text.startswith("<svg")


def test_a_table_counts_on_as_games_come(data: Path) -> None:
    made = play(file_of(data), pairs=9, only=3, done=False)
    tables = TournamentTables(TournamentDatabase(file_of(data)))
    assert tables.table(1)["played"] == 18
    for pair in range(3, 9):
        for pairing in ((0, 1), (1, 2)):
            add_pair(file_of(data), made, pairing, pair)
            counted = tables.table(1)
            afresh = TournamentTables(TournamentDatabase(file_of(data))).table(1)
            assert counted == afresh
    assert tables.table(1)["played"] == 18 + 24


def test_games_of_others_in_the_same_event_do_not_count(data: Path) -> None:
    play(file_of(data), pairs=4)
    tables = TournamentTables(TournamentDatabase(file_of(data)))
    before = tables.table(1)
    play(file_of(data), players=("greedy", "random"), pairs=6)  # same game, openings and seed
    assert tables.table(1) == before
    # What the two have in common is counted for both, up to the pairs each asked for.
    assert TournamentTables(TournamentDatabase(file_of(data))).table(2)["played"] == 12


def test_a_sequential_test_counts_up_to_its_decision(client: TestClient, data: Path) -> None:
    test = Sprt(0, 800)
    with GameDatabase(file_of(data)) as database:
        config = MatchConfig(pairs=40, seed=3, sprt=test)
        made = Tournament.prepare("othello:size=4", ["greedy", "random"], config, database)
        made.register_run()
    play(file_of(data), players=("greedy", "random"), pairs=40)
    with GameDatabase(file_of(data)) as database:
        made.database = database
        wanted = made.standings()
    table = get(client, "/api/tournaments/1")
    assert table["test"]["decision"] == wanted.verdict
    assert table["played"] == wanted.scores[0, 1].games < 80
    assert table["test"]["llr"] == pytest.approx(test.llr(wanted.scores[0, 1]))


def test_failures_are_told(client: TestClient, data: Path) -> None:
    play(file_of(data), reason="random gave no answer within 60 s")
    table = get(client, "/api/tournaments/1")
    assert table["failures"] == {"random gave no answer within 60 s": 1}
    last = get(client, "/api/tournaments/games/36/views?from=0&count=40")["views"][-1]
    assert last["over"] == "random gave no answer within 60 s."


def test_the_list_is_read_by_pages(client: TestClient, data: Path) -> None:
    for seed in range(3):
        play(file_of(data), pairs=1, seed=seed)
    play(file_of(data), pairs=4, only=1, seed=9, done=False)
    found = get(client, "/api/tournaments")["tournaments"]
    assert [one["id"] for one in found] == [4, 3, 2, 1]
    assert (found[0]["state"], found[0]["played"], found[0]["games"]) == ("stopped", 6, 24)
    assert found[3]["board"] == "4 \u00d7 4"
    later = get(client, "/api/tournaments?before=3")["tournaments"]
    assert [one["id"] for one in later] == [2, 1]


# Games


def all_games(client: TestClient, query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    after = 0
    while after is not None:
        answer = get(client, f"/api/tournaments/1/games?{query}&after={after}")
        found += answer["games"]
        after = answer["next"]
    return found


def test_a_cell_has_its_games_either_way_round(client: TestClient, data: Path) -> None:
    play(file_of(data), pairs=40)
    table = get(client, "/api/tournaments/1")
    cell = next(one for one in table["pairings"] if one["players"] == [0, 2])
    games = all_games(client, "one=0&two=2")
    assert [(game["pair"], game["leg"]) for game in games] == [
        (pair, leg) for pair in range(40) for leg in (0, 1)
    ]
    assert len({game["id"] for game in games}) == 80
    count = {result: len(all_games(client, f"one=0&two=2&result={result}"))
             for result in ("won", "drawn", "lost")}  # fmt: skip
    assert count == {"won": cell["wins"], "drawn": cell["draws"], "lost": cell["losses"]}
    assert len(all_games(client, "one=2&two=0&result=won")) == cell["losses"]
    won = all_games(client, "one=2&two=0&result=won")[0]
    assert won["result"] == ("1-0" if won["first"] == PLAYERS[2] else "0-1")
    for wrong in ("one=0&two=0", "one=0&two=3", "one=x&two=1", "one=0&two=1&result=*"):
        get(client, f"/api/tournaments/1/games?{wrong}", 400)


@pytest.mark.slow
def test_a_game_is_stepped_through_and_taken_away(client: TestClient, data: Path) -> None:
    play(file_of(data), game="chess", players=("greedy", "random"), pairs=1)
    game = get(client, "/api/tournaments/games/1")
    assert [side["player"] for side in game["sides"]] == ["greedy", "random"]
    assert game["of"] == len(game["moves"])
    first = get(client, "/api/tournaments/games/1/views")["views"]
    assert len(first) == 40
    assert first[0]["say"].startswith("White to move")
    again = get(client, "/api/tournaments/games/1/views?from=39&count=2")["views"]
    assert again[0] == first[39]
    assert set(game["formats"]) == {"jsonl", "txt", "pgn"}
    pgn = client.get("/api/tournaments/games/1/pgn")
    assert pgn.text.startswith("[Event")
    assert 'filename="game-1.pgn"' in pgn.headers["content-disposition"]
    new = {"game": "chess", "text": game["record"], "analysis": True}
    state = client.post("/api/games", json=new)
    assert state.json()["moves"] == game["moves"]
    whole = client.get("/api/tournaments/1/all/jsonl").text.splitlines()
    assert [json.loads(line)["players"] for line in whole] == [
        ["greedy", "random"], ["random", "greedy"],
    ]  # fmt: skip
    assert client.get("/api/tournaments/1/all/pgn").text.count("[Event") == 2
    assert client.get("/api/tournaments/1/all/sgf").status_code == 404
    assert client.get("/api/tournaments/games/1/exe").status_code == 404


@pytest.mark.parametrize("id", ["0", "-1", "2", "x", "1e3", "9" * 40, "%2e%2e"])
def test_numbers_that_mean_nothing_are_not_found(client: TestClient, data: Path, id: str) -> None:
    play(file_of(data), pairs=1)
    assert client.get(f"/api/tournaments/{id}").status_code == 404


def test_a_watched_tournament_tells_its_table(client: TestClient, data: Path) -> None:
    made = play(file_of(data), pairs=4, only=1, done=False)
    with Talker(client) as talk:
        talk.send("watch", topic="tournament:1")
        assert talk.until(lambda m: m["type"] == "table")["played"] == 6
        add_pair(file_of(data), made, (0, 2), 1)
        news = talk.until(lambda m: m["type"] == "table")
        assert news["played"] == 8
        assert news["topic"] == "tournament:1"


def test_scores_add_up_however_pairs_end() -> None:
    # Every kind of pair has its place in the tally.
    results = [(a, b) for a in (0.0, 0.5, 1.0) for b in (0.0, 0.5, 1.0)]
    from playproof.web.pages.tournaments.table import _KINDS

    for first, second in results:
        counts = [0] * 6
        counts[_KINDS[min(first, second), max(first, second)]] += 1
        assert Score(tuple(counts)) == Score.from_results([(first, second)])  # type: ignore[arg-type]
