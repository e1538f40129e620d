"""Guests at the lab's parts: nothing is read for them that they name, and nobody waits for them."""

from __future__ import annotations

import asyncio
import io
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import IO, Any

import pytest
from starlette.testclient import TestClient

from playproof.core.errors import DataError
from playproof.nets import files, shipped
from playproof.web.catalog import listing as catalog
from playproof.web.engines import priorities
from playproof.web.engines.fair_queue import Requester
from playproof.web.http.redaction import redact
from playproof.web.pages.proofs import levels as proofs_levels
from playproof.web.pages.proofs import routes as proofs
from playproof.web.pages.truth import parse_text as truth_text
from playproof.web.protocol.refusal import Refusal
from playproof.web.server import make_app
from tests.support.web.people import ADDRESS
from tests.support.web.tournaments.played import play

CODE, KEY = "ABC234", "the-owner-has-a-long-key"


@pytest.fixture
def guest(tmp_path: Path) -> Iterator[TestClient]:
    app = make_app(tmp_path / "lab", code=CODE, owner_key=KEY)
    with TestClient(app, base_url=ADDRESS) as found:
        assert found.post("/api/enter", json={"code": CODE}).json()["owner"] is False
        yield found


@pytest.mark.parametrize("where", ["lemma", "levels", "position"])
def test_no_file_is_opened_that_a_guest_names(
    guest: TestClient, where: str, tmp_path: Path
) -> None:
    file = tmp_path / "secret.txt"
    file.write_text("f5")  # as a transcript it would make sense
    for name in (str(file), str(tmp_path / "none.txt"), "/dev/zero", "/etc/passwd"):
        answer = guest.get(f"/api/proofs/{where}", params={"position": name})
        assert answer.status_code == 400, name
        assert "No such file" not in answer.text
        assert "secret" not in answer.text.replace(name, "")


def test_a_wide_search_backwards_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some level has a hundred times the positions of the one before: memory is bounded."""
    from playproof.core.registry import make

    state = make("othello").start().play("e6d6c3f4d7c5g4g3c4g5b5c7")
    whole = proofs_levels.count(state)
    assert (whole["end"], whole["levels"][4]["positions"]) == ("met", 238)
    monkeypatch.setattr(proofs_levels, "MOST_AT_ALL", 200)
    cut = proofs_levels.count(state)
    assert cut["end"] == "stopped"
    assert cut["levels"] == whole["levels"][:4]


def test_few_searches_backwards_wait(guest: TestClient) -> None:
    """A guest who asks for many at once gets no more threads than that."""
    taken = [proofs_levels._slots.acquire(blocking=False) for _ in range(10)]
    try:
        answer = guest.get("/api/proofs/levels", params={"position": "f5d6"})
        assert (answer.status_code, answer.json()["code"]) == (409, "busy")
    finally:
        for got in taken:
            if got:
                proofs_levels._slots.release()
    assert guest.get("/api/proofs/levels", params={"position": "f5d6"}).status_code == 200


def test_plies_are_those_of_all_games_that_are_counted(guest: TestClient) -> None:
    """A sequential test counts fewer games than were played: their mean length does not grow."""
    path = guest.app.state.lab.folder / "arena.sqlite"  # type: ignore[attr-defined]
    play(path, players=("greedy", "random"), pairs=60)
    with closing(sqlite3.connect(path)) as base:
        test = '{"elo0": 0, "elo1": 300, "alpha": 0.05, "beta": 0.05}'
        base.execute("UPDATE runs SET wish = json_set(wish, '$.sprt', json(?))", [test])
        base.commit()
        (mean,) = base.execute("SELECT avg(plies) FROM games").fetchone()
    table = guest.get("/api/tournaments/1").json()
    assert table["test"]["decision"] is not None
    assert table["played"] < 120
    assert table["pairings"][0]["plies"] == pytest.approx(mean)


def test_a_damaged_tournament_hides_no_other(guest: TestClient) -> None:
    path = guest.app.state.lab.folder / "arena.sqlite"  # type: ignore[attr-defined]
    for seed in (1, 2):
        play(path, seed=seed, pairs=1)
    for wish in ("x", "[]", '{"players": [1, 2], "pairs": 3}', '{"players": [], "pairs": 1e400}'):
        with closing(sqlite3.connect(path)) as base:
            base.execute("UPDATE runs SET wish = ? WHERE id = 1", [wish])
            base.commit()
        assert [one["id"] for one in guest.get("/api/tournaments").json()["tournaments"]] == [2]
        answer = guest.get("/api/tournaments/1")
        assert (answer.status_code, "are damaged" in answer.text) == (404, True)


def test_a_tournament_has_one_name(guest: TestClient) -> None:
    play(guest.app.state.lab.folder / "arena.sqlite", pairs=1)  # type: ignore[attr-defined]
    assert guest.get("/api/tournaments/1").status_code == 200
    assert guest.get("/api/tournaments/01").status_code == 404


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_a_net_that_has_gone_wild_is_told_of(guest: TestClient, number: str) -> None:
    """What is no number is no JSON either: it must not hide the other runs, nor its own."""
    folder = guest.app.state.lab.folder / "runs" / "wild"  # type: ignore[attr-defined]
    folder.mkdir(parents=True)
    settings = f'{{"game": "choko", "iterations": 10, "rate": {number}}}'
    about = '{"format": "playproof-run", "algorithm": "ppo", "preset": "choko-ppo-v1"'
    (folder / "settings.json").write_text(f'{about}, "settings": {settings}}}')
    lines = [f'{{"iteration": {n}, "loss": {number}, "steps": {n}}}\n' for n in (1, 2)]
    (folder / "metrics.jsonl").write_text("".join(lines))
    (run,) = guest.get("/api/runs").json()["runs"]
    assert (run["id"], run["figures"]) == ("wild", {"loss": None, "steps": 2})
    whole = guest.get("/api/runs/wild").json()
    assert whole["settings"]["rate"] is None
    assert whole["points"] == [{"iteration": n, "steps": n} for n in (1, 2)]
    for path in ("metrics", "chart.svg"):
        assert guest.get(f"/api/runs/wild/{path}").status_code == 200
    assert guest.get("/api/runs/compare?runs=wild").status_code == 200


def test_certificates_are_packed_two_at_a_time(
    guest: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packing takes a core and a disk, and one may ask for as many as one likes."""
    guest.post("/api/enter", json={"key": KEY})  # who does not even take turns
    lab = guest.app.state.lab  # type: ignore[attr-defined]
    folder = lab.folder / "certificates" / "mine"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    begun, free = threading.Semaphore(0), threading.Event()

    def packed(folder: Path) -> IO[bytes]:
        begun.release()
        assert free.wait(60)
        return io.BytesIO(b"zip")

    monkeypatch.setattr(proofs, "_packed", packed)
    address = "/api/proofs/certificates/mine.zip"
    with ThreadPoolExecutor(2) as people:
        answers = [people.submit(guest.get, address) for _ in range(2)]
        for _ in answers:
            assert begun.acquire(timeout=60)
        assert guest.get(address).json()["code"] == "busy"
        free.set()
        assert [answer.result().content for answer in answers] == [b"zip"] * 2
    assert guest.get(address).content == b"zip"


def test_the_net_of_a_run_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is checked where all others wait, and a guest may name it forty times a second."""
    monkeypatch.setenv("PLAYPROOF_DATA", str(tmp_path))
    net = tmp_path / "runs" / "mine" / "net.safetensors"
    net.parent.mkdir(parents=True)
    net.write_bytes((shipped.FOLDER / "choko-ppo-v1.safetensors").read_bytes())
    reads = []
    load = files.load
    monkeypatch.setattr(files, "load", lambda *given: reads.append(given) or load(*given))
    choko, othello = (catalog.make_game(name, None) for name in ("choko", "othello"))
    for _ in range(5):
        assert catalog.check_agent("net:run/mine", choko) == "net:run/mine"
        with pytest.raises(Refusal, match="the net is of choko, not of othello"):
            catalog.check_agent("net:run/mine", othello)
    assert len(reads) == 1
    net.write_bytes(b"damaged")
    with pytest.raises(Refusal) as told:
        catalog.check_agent("net:run/mine", choko)
    assert str(tmp_path) not in str(told.value)


def test_guests_are_told_errors_without_paths(
    guest: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(text: str) -> None:
        raise DataError("/home/me/lab/tables/h0-2v2.distance is no table")

    monkeypatch.setattr(truth_text, "read", read)
    assert guest.get("/api/truth/look").json()["msg"] == "…/h0-2v2.distance is no table"
    guest.post("/api/enter", json={"key": KEY})
    assert guest.get("/api/truth/look").json()["msg"].startswith("/home/me/lab/")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("net=/home/u/x.safetensors", "net=…/x.safetensors"),
        ("/home/Jo Doe/lab/runs/x is bad", "…/x is bad"),
        ("see file:///home/u/x now", "see …/x now"),
        ({"/usr/bin/engine died": 3}, {"…/engine died": 3}),
        (("uci:/usr/bin/engine",), ("uci:…/engine",)),
        ("1/2-1/2 run/NAME/20 a/b/c", "1/2-1/2 run/NAME/20 a/b/c"),
    ],
)
def test_paths_are_hidden(text: Any, left: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_DATA", "/home/Jo Doe/lab")
    assert redact(text) == left


def test_guests_take_turns() -> None:
    """One guest has few requests at work, one address leaves some to others, and all of them
    leave threads to the owner."""

    async def work() -> None:
        slots, going = priorities.ThreadSlots(), Counter[str]()
        free = asyncio.Event()

        async def ask(requester: Requester) -> None:
            async with slots.hold(requester):
                going[requester.address] += 1
                await free.wait()
                going[requester.address] -= 1

        guest = Requester("g", "1.2.3.4")
        one = [
            asyncio.create_task(ask(guest)) for _ in range(priorities.OF_ONE + priorities.WAITING)
        ]
        await asyncio.sleep(0.01)
        assert going.total() == priorities.OF_ONE
        with pytest.raises(Refusal, match="too many requests at a time"):
            await ask(guest)
        others = [asyncio.create_task(ask(Requester(f"g{n}", "1.2.3.4"))) for n in range(20)]
        await asyncio.sleep(0.01)
        assert going.total() == priorities.OF_ADDRESS < priorities.OF_GUESTS
        others += [asyncio.create_task(ask(Requester(f"h{n}", "5.6.7.8"))) for n in range(20)]
        await asyncio.sleep(0.01)
        assert going.total() == priorities.OF_GUESTS < priorities.THREADS
        assert going["5.6.7.8"] == priorities.OF_GUESTS - priorities.OF_ADDRESS
        async with asyncio.timeout(5), slots.hold(Requester("me", owner=True)):
            pass
        one.pop().cancel()  # who hangs up while waiting is forgotten
        free.set()
        await asyncio.gather(*one, *others)
        assert (going.total(), slots._load.total, len(slots._waiting)) == (0, 0, 0)

    asyncio.run(work())
