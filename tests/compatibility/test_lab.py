"""The data folder of a lab that version 0.1 kept, and was killed in: the lab of today opens it.

``known.json`` has the key, the join code and the cookies of two persons, ``answers.json`` what the
old lab said of its games, jobs and tournaments just before it was killed.  The tests share one
lab, and look at games before they play on.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.compatibility.made import ANNA, MADE, json_of, names, rounded, rows, schema
from tests.support.web.people import eventually, running

GAMES = ("clock", "agent", "quantum", "analysis", "resigned", "guest")
Answer = dict[str, Any]


@dataclass(frozen=True)
class Lab:
    database: Path
    link: str
    known: Answer
    old: Answer
    stored: dict[str, Answer]  # by id, as the old version wrote it
    columns: set[tuple[str, ...]]
    owner: httpx.Client
    guest: httpx.Client

    def person(self, name: str) -> httpx.Client:
        return self.guest if name == "guest" else self.owner

    def ask(self, name: str, path: str = "") -> Any:
        """What one of those who play a game is told of it."""
        answer = self.person(name).get(f"/api/games/{self.known['ids'][name]}{path}")
        assert answer.status_code == 200, answer.text
        return answer

    def tell(self, name: str, kind: str, **fields: Any) -> Answer:
        path = f"/api/games/{self.known['ids'][name]}/{kind}"
        answer = self.person(name).post(path, json=fields)
        assert answer.status_code == 200, answer.text
        told: Answer = answer.json()
        return told

    def move(self, name: str, *clicks: str, **where: Any) -> Answer:
        ver = self.ask(name).json()["ver"]
        return self.tell(name, "move", ver=ver, c=list(clicks), **where)

    def now(self, name: str) -> Answer:
        """What is stored of a game now."""
        return stored(self.database)[self.known["ids"][name]]


def stored(database: Path) -> dict[str, Answer]:
    return {id: json.loads(data) for id, data in rows(database, "SELECT id, data FROM games")}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    home = tmp_path_factory.mktemp("lab")
    shutil.unpack_archive(MADE / "lab.tar.xz", home)
    home = home / "lab"
    for file in home.rglob("*"):
        if file.suffix in (".json", ".txt"):
            file.write_text(file.read_text("utf-8").replace(ANNA, str(home)), "utf-8")
    for file in home.glob("data/lab.sqlite*"):  # looking at it would tidy it up
        shutil.copy(file, home / file.name)
    before = home / "lab.sqlite"
    known, old = json_of(home / "known.json"), json_of(home / "answers.json")
    with running(home / "data", "--host", "127.0.0.1") as server:
        # What it prints is read, lest a lab with much to complain about waits for us.
        assert server.process.stdout is not None
        threading.Thread(target=server.process.stdout.read, daemon=True).start()
        people = [
            httpx.Client(base_url=server.base, cookies=known["cookies"][who], timeout=60)
            for who in ("owner", "guest")
        ]
        yield Lab(
            home / "data" / "lab.sqlite", server.url, known, old, stored(before), schema(before),
            *people,
        )  # fmt: skip
        for person in people:
            person.close()


def test_key_code_and_cookies_are_good(lab: Lab) -> None:
    assert lab.link.endswith(f"/#key={lab.known['key']}")
    joined = lab.owner.get("/api/join").json()
    assert (joined["owner"], joined["code"]) == (True, lab.known["code"])
    joined = lab.guest.get("/api/join").json()
    assert (joined["owner"], joined["entered"]) == (False, True)
    newcomer = httpx.post(lab.owner.base_url.join("/api/enter"), json={"code": lab.known["code"]})
    assert newcomer.status_code == 200, newcomer.text


def test_games_are_listed_as_they_were(lab: Lab) -> None:
    for who, old in ((lab.owner, lab.old["games"]), (lab.guest, lab.old["guest's games"])):
        listed = {game["id"]: game for game in who.get("/api/games").json()["games"]}
        for game in old["games"]:
            assert {name: listed[game["id"]][name] for name in game if name != "updated"} == {
                name: value for name, value in game.items() if name != "updated"
            }
    mine = {lab.known["ids"]["resigned"], lab.known["ids"]["guest"]}
    assert {game["id"] for game in lab.guest.get("/api/games").json()["games"]} == mine


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_told_as_it_was(name: str, lab: Lab) -> None:
    state, old = lab.ask(name).json(), lab.old["states"][name]
    same = (
        "id", "game", "title", "variant", "options", "seed", "players", "moves", "lines", "ply",
        "result", "reason", "analysis", "source", "shared", "yours", "can", "formats",
    )  # fmt: skip
    assert {field: state[field] for field in same} == {field: old[field] for field in same}
    assert [(seat["kind"], seat["spec"], seat["you"]) for seat in state["seats"]] == [
        (seat["kind"], seat["spec"], seat["you"]) for seat in old["seats"]
    ]
    assert names(old) - names(state) == set()  # scripts read these
    assert state["view"]["pieces"] == old["view"]["pieces"]
    assert state["view"]["legal"] == old["view"]["legal"]
    assert lab.ask(name, ".jsonl").text == lab.old["records"][name]


def test_a_clock_stood_still_and_a_move_is_played_again(lab: Lab) -> None:
    clock, old = lab.ask("clock").json()["clock"], lab.old["states"]["clock"]["clock"]
    assert (clock["seconds"], clock["increment"]) == (old["seconds"], old["increment"])
    assert clock["left"] == pytest.approx(old["left"], abs=60)
    ver = lab.ask("clock").json()["ver"]
    assert lab.tell("clock", "redo", ver=ver)["moves"] == ["f5", "d6", "c4"]  # what was taken back
    assert lab.move("clock", "d3")["moves"] == ["f5", "d6", "c4", "d3"]


def test_an_agent_answers(lab: Lab) -> None:
    state = lab.ask("agent").json()
    assert state["seats"][1]["spec"] == "greedy"
    told = lab.move("agent", *state["view"]["legal"][0]["c"])
    assert told["moves"][:4] == state["moves"]
    moves = eventually(lambda: lab.ask("agent").json()["moves"][5:], 60)
    assert len(moves) == 1


def test_a_turn_of_quantum_go_is_finished(lab: Lab) -> None:
    assert lab.move("quantum", "D5")["moves"] == ["D3", "C2", "C2", "D5", "B2", "D5"]


def test_an_analysis_gets_another_variation(lab: Lab) -> None:
    told = lab.move("analysis", "g8", "f6", line=1, ply=3)
    lines = {line["id"]: line["moves"] for line in told["lines"]}
    assert (lines[1], lines[2]) == (["c5", "Nf3", "d6"], ["d4"])
    assert lines[3] == ["Nf6"]
    assert "1. e4 e5 2. Nf3 Nc6 3. Bb5 *" in lab.ask("analysis", ".pgn").text


def test_a_guest_plays_on_and_nobody_plays_what_is_over(lab: Lab) -> None:
    assert lab.move("guest", "D3")["moves"] == ["C3", "pass", "D3"]
    id = lab.known["ids"]["resigned"]
    ended = lab.owner.get(f"/api/games/{id}").json()
    assert (ended["result"], ended["reason"]) == ("1-0", "White resigned")
    refused = lab.owner.post(f"/api/games/{id}/move", json={"ver": ended["ver"], "c": ["b4"]})
    assert (refused.status_code, refused.json()["code"]) == (409, "illegal")
    assert lab.guest.get(f"/api/games/{lab.known['ids']['clock']}").status_code == 403


def test_an_agent_that_was_to_move_moves_by_itself(lab: Lab) -> None:
    moves = eventually(lambda: lab.ask("waits").json()["moves"], 60)
    assert len(moves) == 1


def test_what_is_stored_has_the_same_fields(lab: Lab) -> None:
    eventually(lambda: lab.ask("waits").json()["moves"], 60)
    for name in (*GAMES, "waits"):
        if name == "resigned":
            lab.tell(name, "share", on=False)
        for on in (True, False):
            lab.tell(name, "share", on=on)  # so that all of it is written again
        old, new = lab.stored[lab.known["ids"][name]], lab.now(name)
        assert new["ver"] > old["ver"], name
        assert names(new) == names(old), name
        assert {
            field: new[field] for field in ("game", "options", "start", "creator", "seats")
        } == {field: old[field] for field in ("game", "options", "start", "creator", "seats")}
    assert schema(lab.database) == lab.columns
    entries = rows(lab.database, "SELECT id, entry FROM listed")
    (before,) = {frozenset(names(game) - names_of_options(game)) for game in old_entries(lab)}
    for _, entry in entries:
        data = json.loads(entry)
        assert names(data) - names_of_options(data) == before


def old_entries(lab: Lab) -> list[Answer]:
    file = lab.database.parent.parent / "lab.sqlite"
    return [json.loads(entry) for (entry,) in rows(file, "SELECT entry FROM listed")]


def names_of_options(data: Answer) -> set[str]:
    return {f"options.{name}" for name in data["options"]}


def test_a_tournament_is_shown_as_it_was(lab: Lab) -> None:
    table = lab.owner.get("/api/tournaments/1").json()
    old = lab.old["tournament"]
    assert rounded({name: table[name] for name in old}) == rounded(old)
    games = lab.owner.get("/api/tournaments/1/games?one=0&two=1").json()["games"]
    assert len(games) == 4
    svg = lab.owner.get("/api/tournaments/1/table.svg")
    assert (svg.status_code, "greedy" in svg.text) == (200, True)


def test_a_tournament_that_was_running_goes_on_by_itself(lab: Lab) -> None:
    id = lab.known["ids"]["interrupted"]
    job = eventually(
        lambda: (j := lab.owner.get(f"/api/jobs/{id}").json())["state"] == "done" and j, 60
    )
    assert (job["done"], job["total"], job["by"]) == (12, 12, "page")
    assert lab.owner.get("/api/tournaments/3").json()["played"] == 12


def test_a_proof_is_shown_as_it_was_and_checked(lab: Lab) -> None:
    proof = lab.owner.get(f"/api/proofs/jobs/{lab.known['ids']['proof']}").json()
    old = lab.old["proof"]
    same = ("question", "of", "checks", "certificate", "formula", "verdict", "checking")
    assert {name: proof[name] for name in same} == {name: old[name] for name in same}
    assert set(old) <= set(proof)
    packed = lab.owner.get(f"/api/proofs/certificates/{proof['certificate']}.zip")
    assert packed.content.startswith(b"PK")


def test_a_run_of_the_data_folder_is_on_the_page(lab: Lab) -> None:
    (run,) = lab.owner.get("/api/runs").json()["runs"]
    assert (run["preset"], run["game"], run["seed"]) == ("choko-ppo-v1", "othello:size=4", 9)
