"""Truth over HTTP: what scripts and the page get, and what is refused."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from playproof import make
from playproof.core.state import State
from playproof.papers.quantum_go.boards import game_of
from playproof.tables import small_boards
from playproof.web.pages.truth import othello_endings as truth_endings
from playproof.web.pages.truth import small_boards as truth_small
from playproof.web.server import make_app
from tests.support.longer import longer
from tests.support.web.jobs.plain_job import job_told

LOST = "1brb1/1brb1/5/5/5 b 0 0 - 24"


def look(client: TestClient, **query: Any) -> Any:
    answer = client.get("/api/truth/look", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_whole(client: TestClient) -> None:
    told = client.get("/api/truth").json()
    assert told["value"] == 59
    assert told["first"]["A1"] == 59
    assert told["tables"]["largest"] == 6
    assert told["tables"]["jobs"] == []
    sizes = {size["pieces"]: size for size in told["tables"]["sizes"]}
    assert list(sizes) == list(range(4, 25, 2))
    assert [n for n, size in sizes.items() if size["built"]] == [4, 6]
    assert sizes[24]["positions"] == 760_576_880_166
    for example in told["examples"]:
        seen = look(client, text=example["text"], ply=example["ply"])
        assert seen["position"] == example["position"]
        assert seen["known"] is not None, example["title"]  # also without larger tables


def test_a_position_with_all_its_moves(client: TestClient) -> None:
    seen = look(client, text=LOST)
    assert seen["known"]["value"] == {"who": -1, "in": 4, "words": "Red wins in 4"}
    assert seen["known"]["line"] == ["B4-B3", "C4xE4,B3", "B5-B4", "C5xE5,B4"]
    names = [move["n"] for move in seen["known"]["moves"]]
    assert sorted(names) == sorted(make("choko").position(LOST).legal_names())
    assert seen["beyond"] is None
    assert seen["view"]["turn"]["who"] == "you"


def test_a_game_is_looked_at_ply_by_ply(client: TestClient) -> None:
    text = f"{LOST}; B4-B3 C4-C3"
    first, last = look(client, text=text, ply=0), look(client, text=text)
    assert (first["position"], first["ply"]) == (LOST, 0)
    assert (last["ply"], last["names"]) == (2, ["B4-B3", "C4-C3"])
    assert (last["base"], last["text"]) == (LOST, text)
    game = client.get("/api/truth/game", params={"text": text}).json()
    assert [move["threw"] for move in game["moves"]] == [False, True]


def test_what_it_would_take_is_told(client: TestClient) -> None:
    seen = look(client, text="2brr/bbrb1/r1bb1/b3r/1b2r b 0 0 - 24")
    assert seen["known"] is None
    assert seen["beyond"]["possible"] is True
    assert seen["beyond"]["pieces"] == seen["pieces"] == 14
    assert seen["beyond"]["disk"] > 7_000_000_000
    assert "--pieces 14 --distance" in seen["beyond"]["command"]
    odd = look(client, text="4r/4r/5/1b3/5 b 0 0 - 24")
    assert odd["beyond"] == {"possible": False}  # captures come in twos


def test_the_end_of_a_game(client: TestClient) -> None:
    line = client.get("/api/truth").json()["line"]
    seen = look(client, text=line)
    assert seen["over"] is True
    assert seen["known"]["value"]["who"] == 1
    assert seen["beyond"] is None


def margin(state: State) -> int:
    """Black's margin with best play, by trying everything."""
    if state.is_terminal:
        return int(state.score)
    best = max if state.current_player == 0 else min
    return best(margin(state.apply(action)) for action in state.legal_actions())


def test_endings_of_othello_are_solved(client: TestClient) -> None:
    text = f"{truth_endings.EXAMPLE}; c2 b1 h1 b2 a2"
    seen = client.get("/api/truth/ending", params={"text": text}).json()
    state = make("othello").position(truth_endings.EXAMPLE).play("c2 b1 h1 b2 a2")
    values = {move["n"]: move["value"] for move in seen["moves"]}
    assert values == {state.name(a): margin(state.apply(a)) for a in state.legal_actions()}
    assert seen["value"] == margin(state) == seen["moves"][0]["value"]
    assert (seen["base"], seen["empty"]) == (truth_endings.EXAMPLE, 5)
    assert state.play(seen["line"]).score == seen["value"]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/api/truth/ending?text=f5d6c3", 400),
        ("/api/truth/ending?text=f5f5", 409),
        ("/api/truth/ending?text=", 400),
        ("/api/truth/look?text=A1%20A1", 409),
        ("/api/truth/look?text=nonsense", 400),
        ("/api/truth/look?text=A1&ply=2", 400),
        ("/api/truth/look?text=A1&ply=-1", 400),
        ("/api/truth/look?text=" + "A" * 30_000, 400),
        ("/api/truth/game?text=%00", 400),
        ("/api/truth/small/9x9/standard", 400),
        ("/api/truth/small/3x2/nonsense", 400),
        ("/api/truth/small/3x2/standard?moves=Z9", 400),
        ("/api/truth/small/..%2f..%2fetc/passwd", 404),
    ],
)
def test_refusals_are_one_line(client: TestClient, path: str, code: int) -> None:
    answer = client.get(path)
    assert answer.status_code in (code, 400, 409)
    line = answer.json()["msg"]
    assert line
    assert "\n" not in line
    assert "Traceback" not in line


def test_a_damaged_table_is_told_in_a_line(client: TestClient, tmp_path: Path) -> None:
    for file in (tmp_path / "lab" / "tables" / "choko").glob("h0-*"):
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    answer = client.get("/api/truth/look", params={"text": LOST})
    assert answer.status_code == 400
    assert "build it again" in answer.json()["msg"] or "sum" in answer.json()["msg"]


# Building


def test_building_is_a_job_that_can_go_on(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab: Any = client.app.state.lab  # type: ignore[attr-defined]
    begun: list[Any] = []

    def start(kind: str, title: str, argv: list[str], **more: Any) -> dict[str, Any]:
        begun.append((kind, argv, more))
        return job_told("x")

    monkeypatch.setattr(lab.jobs, "start", start)
    assert client.post("/api/truth/build", json={"pieces": 8}).json() == job_told("x")
    ((kind, argv, more),) = begun
    folder = str((tmp_path / "lab" / "tables" / "choko").resolve())
    assert kind == "table"
    assert " ".join(argv) == f"table build choko --pieces 8 --distance --out {folder}"
    assert more["resume"] == argv
    for pieces in (7, 26, "8", True, None, [8]):
        assert client.post("/api/truth/build", json={"pieces": pieces}).status_code == 400
    assert len(begun) == 1


def test_guests_look_and_do_not_build(tmp_path: Path) -> None:
    app = make_app(tmp_path / "open", code="ABC234", owner_key="secret")
    with TestClient(app, base_url="http://127.0.0.1") as guest:
        assert guest.get("/api/truth").status_code == 403
        guest.post("/api/enter", json={"code": "ABC234"})
        assert guest.get("/api/truth").status_code == 200
        assert guest.post("/api/truth/build", json={"pieces": 4}).status_code == 403


# Small boards


@pytest.mark.parametrize("board", ["2x2", "3x2", *longer([], ["4x2"])])
def test_values_of_small_boards_are_solved_again(board: str) -> None:
    for variant, margin in truth_small.SIMPLE_KO[board].items():
        found = small_boards.solve(game_of(variant, board, ko="simple"))
        assert (found.lower, found.upper) == margin, variant


def test_walking_through_a_small_board(client: TestClient) -> None:
    """The best choice keeps the value, at every step of games by chance."""
    chooser = random.Random(3)
    for _ in range(3):
        names: list[str] = []
        while True:
            path = "/api/truth/small/3x2/standard"
            seen = client.get(path, params={"moves": " ".join(names)}).json()
            if not seen["moves"]:
                break
            assert seen["moves"][0]["value"] == seen["value"]
            names.append(chooser.choice(seen["moves"])["n"])
        assert seen["value"][0] == seen["value"][1]  # an end is what it is
        assert seen["decisions"] == 2947


def test_a_crowd_of_small_boards_is_told_to_wait(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(truth_small, "_waiting", threading.BoundedSemaphore(1))
    assert truth_small._waiting.acquire(blocking=False)
    answer = client.get("/api/truth/small/2x2/standard")
    assert answer.status_code == 409
    assert "try again" in answer.json()["msg"]
    truth_small._waiting.release()
    assert client.get("/api/truth/small/2x2/standard").status_code == 200


def test_the_list_of_small_boards(client: TestClient) -> None:
    told = client.get("/api/truth/small").json()
    assert [board["board"] for board in told["boards"]] == ["2x2", "3x2", "4x2", "3x3"]
    assert told["superko"]["values"]["classical"] == 1
    command = told["boards"][3]["commands"]["weak"]
    assert command == "playproof solve quantum-go:ko=simple --board 3x3 --variant weak"
