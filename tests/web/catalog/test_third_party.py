"""Games that are not of this house: the lab has what the registry has, and bears what is broken."""

from __future__ import annotations

import random
import re
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import playproof
from playproof.core import registry
from playproof.web.catalog import house_games as offers
from playproof.web.catalog import listing as catalog
from playproof.web.catalog import third_party as other_games
from tests.support.core.ring_game import Ring
from tests.support.docs.reading import EXAMPLES
from tests.support.web import owner
from tests.support.web.people import Talker, any_move, eventually, running


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nim, Four in a Row and a walk with a coin, registered in this process while a test lasts."""
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.setattr(registry, "_registered", {})
    import four
    import nim

    from tests.support.toys.coin import Coin

    playproof.register(Coin)
    playproof.register(nim.Nim)
    playproof.register(four.FourInARow)


def post(client: TestClient, id: str | None, kind: str, **fields: Any) -> dict[str, Any]:
    path = "/api/games" if id is None else f"/api/games/{id}/{kind}"
    response = client.post(path, json=fields)
    assert response.is_success, response.text
    found: dict[str, Any] = response.json()
    return found


def entry(client: TestClient, name: str) -> dict[str, Any]:
    games = client.get("/api/catalog").json()["games"]
    return next(game for game in games if game["name"] == name)


def test_a_registered_game_is_in_the_catalog(examples: None, client: TestClient) -> None:
    games = client.get("/api/catalog").json()["games"]
    assert [game["name"] for game in games] == [*offers.GAMES, "coin", "four", "nim"]
    four = entry(client, "four")
    assert (four["title"], four["players"], four["colours"]) == (
        "Four in a Row", ["Yellow", "Red"], ["y", "r"]
    )  # fmt: skip
    specs = [one["spec"] for one in four["opponents"]]
    assert specs[:2] == ["random", "greedy"]
    assert all(spec.startswith("mcts:simulations=") for spec in specs[2:])
    assert {one["spec"].partition(":")[0] for one in four["analysts"]} == {"mcts", "alphabeta"}
    game = catalog.make_game("four", None)
    for one in (*four["opponents"], *four["analysts"]):
        assert catalog.check_agent(one["spec"], game) == one["spec"]
    assert catalog.hinter(game) == "mcts:simulations=20000,time=1.5"


def test_games_of_this_house_are_offered_as_before(client: TestClient) -> None:
    for name in offers.GAMES:
        told = entry(client, name)
        assert [one["id"] for one in told["variants"]] == [v.id for v in offers.VARIANTS[name]]
        assert (told["options"], told["rules"]) == ([], None)


def test_its_options_make_a_form(examples: None, client: TestClient) -> None:
    heap, most = entry(client, "nim")["options"]
    assert heap == {
        "name": "heap", "about": "counters at the start", "type": "int", "default": 21,
        "choices": [], "minimum": 1, "maximum": 26,
    }  # fmt: skip
    assert most["name"] == "most"
    state = post(client, None, "new", game="nim", variant={"heap": 5}, seats=["human", "human"])
    assert (state["options"], state["variant"]) == ({"heap": 5, "most": 3}, "custom")
    wrong = client.post("/api/games", json={"game": "nim", "variant": {"heap": 99}})
    assert wrong.status_code == 400
    assert "heap=99 is not a whole number from 1 to 26" in wrong.text
    assert "\n" not in wrong.json()["msg"]


def test_its_rules_are_parts_of_a_page(examples: None, client: TestClient) -> None:
    rules = entry(client, "four")["rules"]
    assert rules["lead"] == "Drop discs into seven columns; four in a line win."
    heads = [part["head"] for part in rules["parts"]]
    assert heads == ["In short", "A move", "The end", "The two sides", "Options"]
    assert rules["parts"][1]["text"][0].startswith("Choose a column that is not full. Your disc")
    assert len(rules["parts"][2]["list"]) == 2
    none = entry(client, "nim")["rules"]
    assert none["parts"][0]["text"] == ["This game comes without a description of its rules."]
    assert none["parts"][2]["list"][0] == (
        "heap: counters at the start. Default: 21. Allowed: a whole number from 1 to 26."
    )


@pytest.mark.parametrize("game", ["nim", "four", "coin"])
def test_it_is_played_to_its_end(examples: None, client: TestClient, game: str) -> None:
    dice = random.Random(game)
    state = post(client, None, "new", game=game, seats=["human", "human"])
    assert state["variant"] == "standard"
    assert list(state["view"]["sides"].values()) == state["players"]
    while state["result"] == "*":
        state = post(client, state["id"], "move", ver=state["ver"], c=any_move(state, dice))
    assert state["view"]["over"]
    assert state["formats"] == ["jsonl", "txt"]
    picture = client.get(f"/api/games/{state['id']}.svg")
    assert picture.status_code == 200
    # What was saved opens again; the record says which game it is.
    record = client.get(f"/api/games/{state['id']}.jsonl").text
    again = post(client, None, "new", game="auto", text=record, analysis=True)
    assert (again["game"], again["moves"]) == (game, state["moves"])


def test_moves_alone_are_not_guessed_to_be_of_another_package(
    examples: None, client: TestClient
) -> None:
    refused = client.post("/api/games", json={"game": "auto", "text": "3 2 1", "analysis": True})
    assert refused.status_code == 400
    named = post(client, None, "new", game="nim", text="3 2 1", analysis=True)
    assert named["moves"] == ["3", "2", "1"]


class NoPicture(Ring):
    name = "no-picture"

    def view(self, state: playproof.State) -> Any:
        raise ZeroDivisionError("there is no\npicture")


class NoRules(Ring):
    name = "no-rules"
    rules = None  # type: ignore[assignment]


def test_a_broken_game_breaks_nothing_else(
    monkeypatch: pytest.MonkeyPatch, client: TestClient
) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    missing = EntryPoint("missing", "no_such_module:Game", registry.GROUP)
    monkeypatch.setattr(registry, "_foreign", lambda: {"missing": missing})
    monkeypatch.setattr(catalog, "_installed", lambda: frozenset(registry.names()))
    playproof.register(NoPicture)
    playproof.register(NoRules)
    told = client.get("/api/catalog").json()
    assert [game["name"] for game in told["games"]] == list(offers.GAMES)
    errors = {one["name"]: one["error"] for one in told["broken"]}
    assert errors["no-picture"] == (
        "no-picture cannot be played: ZeroDivisionError: there is no picture"
    )
    assert errors["no-rules"] == "no-rules cannot be played: rules is NoneType: want a string"
    assert re.search("'missing' of no_such_module:Game cannot be loaded", errors["missing"])
    for name, error in errors.items():
        refused = client.post("/api/games", json={"game": name})
        assert refused.status_code == 400
        assert refused.json()["msg"] == error
    assert post(client, None, "new", game="othello")["game"] == "othello"


def test_points_become_shares_by_the_scale_of_random_games(examples: None) -> None:
    assert other_games.scale("nim") == 1.0
    assert catalog.share("nim", 0.0, "points") == 0.5
    assert catalog.share("nim", -1.0, "points") == pytest.approx(0.27, abs=0.01)


def test_the_computer_plays_a_game_that_only_this_process_knows(
    examples: None, talk: Talker
) -> None:
    talk.new("four", "human", "random", seed=3)
    talk.move("d1")
    state = talk.settled()
    assert (state["of"], state["view"]["turn"]["name"]) == (2, "Yellow")


def test_a_folder_of_games_outlives_its_package(tmp_path: Path, examples: None) -> None:
    """A game that is no longer installed hides no other."""
    from playproof.web.server import make_app

    with TestClient(make_app(tmp_path / "lab"), base_url="http://127.0.0.1") as client:
        client.get("/api/catalog")
        state = post(client, None, "new", game="nim")
    registry._registered.clear()
    with TestClient(make_app(tmp_path / "lab"), base_url="http://127.0.0.1") as again:
        again.cookies = client.cookies
        gone = again.get(f"/api/games/{state['id']}")
        assert gone.status_code in (404, 410)
        assert again.get("/api/games").status_code == 200


FILE = """
from playproof.games.othello.game import Othello

class Tiny(Othello):
    name = "tiny-othello"
    title = "Tiny Othello"
    summary = "Othello under another name"
"""


@pytest.mark.slow
def test_a_loaded_file_brings_its_game_to_the_lab_and_its_engines(tmp_path: Path) -> None:
    (tmp_path / "tiny_lab_game.py").write_text(FILE)
    load = ("--load", str(tmp_path / "tiny_lab_game.py"))
    with running(tmp_path / "lab", *load) as server, owner.client(server.base) as client:
        names = [game["name"] for game in client.get("/api/catalog").json()["games"]]
        assert names[-1] == "tiny-othello"
        fields = {"game": "tiny-othello", "seats": ["human", "random"]}
        state = client.post("/api/games", json=fields).raise_for_status().json()
        at = f"/api/games/{state['id']}"
        move = {"ver": state["ver"], "c": any_move(state, random.Random(1))}
        client.post(f"{at}/move", json=move).raise_for_status()
        # The computer answers in a process of its own.
        assert eventually(lambda: client.get(at).json()["of"] == 2, 120)
