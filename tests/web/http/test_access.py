"""The door: cookies, the join code, limits on guessing, foreign pages."""

from __future__ import annotations

import asyncio
import hmac
import re
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from playproof.web.database import LabDatabase
from playproof.web.http import access as module
from playproof.web.http.access import (
    CODE_LENGTH,
    CODE_LETTERS,
    Access,
    Person,
    TokenBucket,
    is_our_host,
    new_code,
)
from playproof.web.server import make_app
from tests.support.longer import longer
from tests.support.web.people import ADDRESS, Talker, someone

CODE, KEY = "ABCD2345", "owner-key"


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[TestClient]:
    app = make_app(tmp_path, code=CODE, owner_key=KEY, url="http://192.168.1.7:8910/")
    with TestClient(app, base_url=ADDRESS) as client:
        yield client


def test_nothing_is_asked_in_ones_own_process(client: TestClient) -> None:
    assert client.get("/api/join").json() == {
        "needs_code": False, "needs_key": False, "entered": True, "owner": True,
        "url": f"{ADDRESS}/",
    }  # fmt: skip
    assert client.get("/api/join.svg").status_code == 404
    assert client.post("/api/join/renew").status_code == 404


def test_the_cookie_is_for_the_server_alone(tmp_path: Path) -> None:
    with TestClient(make_app(tmp_path), base_url=ADDRESS) as client:
        header = client.get("/").headers["set-cookie"]
        assert re.match(r"playproof-[0-9a-f]{8}=", header)
        assert "HttpOnly" in header
        assert "SameSite=Strict" in header
        assert "set-cookie" not in client.get("/api/catalog").headers


def test_a_forged_cookie_is_nobodys(client: TestClient, other: TestClient) -> None:
    id = client.post("/api/games", json={"game": "othello"}).json()["id"]
    ((name, mine),) = client.cookies.items()
    forged = [mine[:-1] + ("0" if mine[-1] != "0" else "1"), mine.partition(".")[0], "é.l.x", "..",
              mine.replace(".l.", ".o."), "x" * 4000]  # fmt: skip
    for value in forged:
        response = other.get(f"/api/games/{id}", headers={"cookie": f"{name}={value}".encode()})
        assert response.status_code == 403, value


def test_strangers_are_kept_out_until_they_know_the_code(guarded: TestClient) -> None:
    assert guarded.get("/").status_code == 200  # the page that asks for it
    assert guarded.get("/static/index.html").status_code == 200
    joined = guarded.get("/api/join").json()
    assert (joined["needs_code"], joined["entered"], joined["owner"]) == (True, False, False)
    assert "code" not in joined
    for path in ("/api/catalog", "/api/games", "/api/games/x", "/api/games/x.svg", "/api/join.svg",
                 "/api/games/x.txt"):  # fmt: skip
        assert guarded.get(path).status_code == 403, path
    assert guarded.post("/api/games", json={"game": "othello"}).status_code == 403
    assert guarded.post("/api/games/x/join", json={}).status_code == 403
    with Talker(guarded) as talker:
        assert talker.receive()["code"] == "access"
        with pytest.raises(WebSocketDisconnect) as closed:
            talker.receive()
        assert closed.value.code == 1008


def test_the_code_lets_one_in_and_lasts(guarded: TestClient) -> None:
    response = guarded.post("/api/enter", json={"code": " abcd-23 45 "})
    assert response.json() == {"type": "entered", "owner": False}
    joined = guarded.get("/api/join").json()
    assert (joined["entered"], joined["owner"], "code" in joined) == (True, False, False)
    assert guarded.get("/api/catalog").status_code == 200
    assert guarded.get("/api/join.svg").status_code == 403
    with Talker(guarded) as talker:
        assert talker.new("othello")["type"] == "state"


def test_the_owner_is_shown_the_code(guarded: TestClient) -> None:
    assert guarded.post("/api/enter", json={"key": "wrong"}).status_code == 403
    assert guarded.post("/api/enter", json={"key": KEY}).json()["owner"] is True
    joined = guarded.get("/api/join").json()
    assert (joined["owner"], joined["code"]) == (True, CODE)
    assert joined["link"] == f"http://192.168.1.7:8910/#code={CODE}"
    picture = guarded.get("/api/join.svg")
    assert picture.headers["content-type"] == "image/svg+xml"
    assert picture.text.count("<path") >= 1
    id = guarded.post("/api/games", json={"game": "othello"}).json()["id"]
    assert guarded.get(f"/api/join.svg?game={id}&page=classroom").text != picture.text
    assert guarded.get("/api/join.svg?game=nosuchgame").status_code == 404
    assert guarded.get(f"/api/join.svg?game={id}&page=elsewhere").status_code == 400
    # Entering again as a guest does not take it away, nor the seats.
    assert guarded.post("/api/enter", json={"code": CODE}).json()["owner"] is True
    assert guarded.get(f"/api/games/{id}").json()["yours"] is True


def test_the_owner_says_where_the_code_leads(guarded: TestClient) -> None:
    guarded.post("/api/enter", json={"key": KEY})
    guest = someone(guarded)
    guest.post("/api/enter", json={"code": CODE})
    assert "go" not in guest.get("/api/join").json()
    for seats, seen in ((["human", "open"], True), (["human", "human"], False)):
        new = {"game": "quantum-go", "seats": seats}
        id = guarded.post("/api/games", json=new).json()["id"]
        go = {"go": f"/classroom/{id}"}
        assert guarded.post("/api/invitation", json=go).json() == {"type": "invited"}
        assert guest.get("/api/join").json().get("go") == (f"/classroom/{id}" if seen else None)
    assert guarded.post("/api/invitation", json={"go": "/classroom"}).status_code == 200
    assert guest.get("/api/join").json()["go"] == "/classroom"
    assert guest.post("/api/invitation", json={"go": "/classroom"}).status_code == 403
    for wrong in ("//elsewhere.example/", "/proofs", "https://elsewhere.example", None):
        assert guarded.post("/api/invitation", json={"go": wrong}).status_code == 400, wrong
    assert guarded.post("/api/invitation", json={"go": "/play/nosuchgame"}).status_code == 404


def test_the_owner_may_delete_what_guests_began(guarded: TestClient) -> None:
    guest = someone(guarded)
    guest.post("/api/enter", json={"code": CODE})
    friend = someone(guarded)
    friend.post("/api/enter", json={"code": CODE})
    seats = {"shared": ["human", "open"], "private": ["human", "human"]}
    ids = {
        name: guest.post("/api/games", json={"game": "othello", "seats": wanted}).json()["id"]
        for name, wanted in seats.items()
    }
    guarded.post("/api/enter", json={"key": KEY})
    listed = guarded.get("/api/games").json()["games"]
    assert [(game["id"], game["can"]) for game in listed] == [
        (ids["shared"], {"see": True, "delete": True}),
        (ids["private"], {"see": False, "delete": True}),
    ]
    # Told of, but not shown.
    assert guarded.get(f"/api/games/{ids['private']}").status_code == 403
    (seen,) = friend.get("/api/games").json()["games"]
    assert seen["can"] == {"see": True, "delete": False}
    assert friend.post(f"/api/games/{ids['shared']}/delete").status_code == 403
    with Talker(guest) as talker:
        talker.ask("join", id=ids["shared"])
        for id in ids.values():
            assert guarded.post(f"/api/games/{id}/delete").json() == {"type": "deleted"}
        assert talker.receive()["code"] == "gone"
    assert guarded.post(f"/api/games/{ids['shared']}/delete").status_code == 404
    assert guest.get("/api/games").json() == {"games": []}


@pytest.mark.parametrize("body", [{"code": 1}, {"key": []}, {"code": {"a": 1}}])
def test_a_code_is_a_text(guarded: TestClient, body: dict[str, object]) -> None:
    assert guarded.post("/api/enter", json=body).status_code == 400


def test_two_people_with_the_code_in_one_game(guarded: TestClient) -> None:
    guarded.post("/api/enter", json={"code": CODE})
    friend = someone(guarded)
    friend.post("/api/enter", json={"code": CODE})
    with Talker(guarded) as one, Talker(friend) as two:
        id = one.new("othello", "human", "open")["id"]
        assert two.ask("join", id=id, seat=1)["seats"][1]["you"] is True
        one.until(lambda m: m["type"] == "state" and m["seats"][1]["kind"] == "human")
        one.move("d3")
        two.until(lambda m: m["type"] == "state" and m["moves"] == ["d3"])
        assert two.move("c3")["moves"] == ["d3", "c3"]


def test_wrong_codes_lock_nobody_out(guarded: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT", 0.0)
    statuses = {
        guarded.post("/api/enter", json={"code": new_code()}).status_code
        for _ in range(longer(400, 2000))  # more than an address may ask of anything else
    }
    assert statuses == {403}
    # Behind the same address: the page that asks, the right code, and the owner.
    assert guarded.get("/api/join").json()["entered"] is False
    for right, owner in (({"code": CODE}, False), ({"key": KEY}, True)):
        friend = someone(guarded)
        assert friend.post("/api/enter", json=right).json() == {"type": "entered", "owner": owner}
        assert friend.get("/api/catalog").status_code == 200


def test_wrong_codes_are_held_back(guarded: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT", 0.2)
    monkeypatch.setattr(module, "_MOST_DELAYED", 3)

    def times(count: int) -> list[float]:
        found = []
        for _ in range(count):
            began = time.monotonic()
            guarded.post("/api/enter", json={"code": new_code()})
            found.append(time.monotonic() - began)
        return found

    assert sorted(times(10))[5] < 0.1
    assert min(times(2)) >= 0.2
    # Who tries many at once is not kept waiting: the connections are wanted.
    access = guarded.app.state.lab.access  # type: ignore[attr-defined]

    async def at_once() -> list[object]:
        waits = [access.delay_wrong_attempt("testclient") for _ in range(8)]
        return await asyncio.gather(*waits, return_exceptions=True)

    assert guarded.portal is not None
    answers = guarded.portal.call(at_once)
    assert [getattr(answer, "code", None) for answer in answers] == [None] * 3 + ["limit"] * 5
    assert not access._delayed
    began = time.monotonic()
    assert guarded.post("/api/enter", json={"code": CODE}).status_code == 200
    assert time.monotonic() - began < 0.2


def test_the_owner_renews_the_code(guarded: TestClient) -> None:
    guest, stranger = someone(guarded), someone(guarded)
    guest.post("/api/enter", json={"code": CODE})
    for person in (guest, stranger):
        assert person.post("/api/join/renew").status_code == 403
        assert person.post("/api/join/turn-out").status_code == 403
    guarded.post("/api/enter", json={"key": KEY})
    joined = guarded.post("/api/join/renew").json()
    assert (joined["code"] == CODE, len(joined["code"])) == (False, CODE_LENGTH)
    assert joined["link"].endswith(f"#code={joined['code']}")
    assert guest.get("/api/catalog").status_code == 200  # who is in stays
    assert stranger.post("/api/enter", json={"code": CODE}).status_code == 403
    assert stranger.post("/api/enter", json={"code": joined["code"]}).status_code == 200


def test_guests_are_turned_out(guarded: TestClient, tmp_path: Path) -> None:
    guest = someone(guarded)
    guest.post("/api/enter", json={"code": CODE})
    guarded.post("/api/enter", json={"key": KEY})
    seats = {"game": "othello", "seats": ["human", "open"]}
    id = guarded.post("/api/games", json=seats).json()["id"]
    with Talker(guarded) as owner, Talker(guest) as talker:
        owner.ask("ping")
        talker.ask("join", id=id, seat=1)
        code = guarded.post("/api/join/turn-out").json()["code"]
        with pytest.raises(WebSocketDisconnect) as closed:
            talker.until(lambda message: False)
        assert (closed.value.code, closed.value.reason) == (
            1008, "the owner has turned all guests out",
        )  # fmt: skip
        assert owner.ask("ping")["type"] == "pong"
        lab = guarded.app.state.lab  # type: ignore[attr-defined]
        assert [
            session.person.owner for sessions in lab.sessions.values() for session in sessions
        ] == []
    assert guest.get("/api/catalog").status_code == 403
    assert guest.get(f"/api/games/{id}").status_code == 403
    with Talker(guest) as talker:
        assert talker.receive()["code"] == "access"
    assert guest.post("/api/enter", json={"code": CODE}).status_code == 403
    # Also after a restart.
    guarded.portal.call(lab.close)  # type: ignore[union-attr]
    again = LabDatabase(tmp_path)
    assert (again.setting("round"), again.setting("code")) == ("1", code)
    again.close()
    access = make_access(tmp_path)
    with TestClient(access, base_url=ADDRESS) as client:
        client.cookies = guest.cookies
        assert client.get("/api/catalog").status_code == 403
        client.cookies = guarded.cookies
        assert client.get("/api/join").json()["owner"] is True


def make_access(folder: Path, code: str | None = CODE, key: str = KEY) -> Starlette:
    return make_app(folder, code=code, owner_key=key)


def test_a_lab_without_guests_asks_for_the_key(tmp_path: Path) -> None:
    """So it is on this computer alone: others who use it can reach the port too."""
    with TestClient(make_access(tmp_path, None), base_url=ADDRESS) as client:
        stranger = someone(client)
        joined = stranger.get("/api/join").json()
        assert joined == {
            "needs_code": False, "needs_key": True, "entered": False, "owner": False,
            "url": f"{ADDRESS}/",
        }  # fmt: skip
        assert "set-cookie" not in stranger.get("/").headers
        for path in ("/api/catalog", "/api/games", "/api/jobs", "/api/runs", "/api/proofs"):
            answer = stranger.get(path)
            assert (answer.status_code, "playproof serve" in answer.json()["msg"]) == (403, True)
        for path in ("games", "jobs/x/delete", "tournaments", "proofs/run", "runs"):
            assert stranger.post(f"/api/{path}", json={}).status_code in (403, 405), path
        for wrong in ({"code": CODE}, {"code": ""}, {"key": ""}, {"key": "wrong"}, {}):
            assert stranger.post("/api/enter", json=wrong).status_code == 403, wrong
        with Talker(stranger) as talker:
            assert talker.receive()["code"] == "access"
        assert client.post("/api/enter", json={"key": f"{KEY}\n"}).json()["owner"] is True
        assert client.post("/api/games", json={"game": "othello"}).status_code == 200
        assert client.post("/api/join/renew").status_code == 404


def test_a_guests_cookie_is_worth_nothing_where_there_are_no_guests(
    guarded: TestClient, tmp_path: Path
) -> None:
    guarded.post("/api/enter", json={"code": CODE})
    guarded.portal.call(guarded.app.state.lab.close)  # type: ignore[attr-defined,union-attr]
    with TestClient(make_access(tmp_path, None), base_url=ADDRESS) as client:
        client.cookies = guarded.cookies
        assert client.get("/api/catalog").status_code == 403


def test_the_folders_secret_alone_makes_nobody_the_owner(guarded: TestClient) -> None:
    """It could be read by everyone once, and is kept for what it signed."""
    secret = guarded.app.state.lab.database.setting("secret")  # type: ignore[attr-defined]
    id = secrets.token_urlsafe(12)
    for forger in (Access(secret, CODE, None), Access(secret, None, None)):
        for name in (forger.cookie_name, "playproof"):
            for cookie in (forger.cookie(Person(id, owner=True)), former(secret, id)):
                answer = guarded.get("/api/catalog", headers={"cookie": f"{name}={cookie}"})
                assert answer.status_code == 403


def former(secret: str, id: str, kind: str = "l") -> str:
    """The cookie that a lab without keys gave."""
    text = f"{id}.{kind}".encode()
    return f"{id}.{kind}.{hmac.new(secret.encode(), text, 'sha256').hexdigest()[:40]}"


def test_the_owner_of_a_lab_without_keys_keeps_their_games(guarded: TestClient) -> None:
    secret = guarded.app.state.lab.database.setting("secret")  # type: ignore[attr-defined]
    before = {"cookie": f"playproof={former(secret, 'me-before')}"}
    guarded.post("/api/enter", json={"key": KEY}, headers=before)
    assert next(iter(guarded.cookies.values())).startswith("me-before.o.")
    guest = someone(guarded)  # with the code one is somebody new
    guest.post("/api/enter", json={"code": CODE}, headers=before)
    assert not next(iter(guest.cookies.values())).startswith("me-before.")


def test_two_labs_at_one_address_keep_their_cookies_apart(tmp_path: Path) -> None:
    apps = [make_access(tmp_path / name, None) for name in ("one", "two")]
    with TestClient(apps[0], base_url=ADDRESS) as one, TestClient(apps[1], base_url=ADDRESS) as two:
        one.post("/api/enter", json={"key": KEY})
        two.cookies = one.cookies  # a browser keeps them by the name of the host alone
        assert two.get("/api/catalog").status_code == 403
        two.post("/api/enter", json={"key": KEY})
        one.cookies = two.cookies
        assert one.get("/api/join").json()["owner"] is two.get("/api/join").json()["owner"] is True


def test_codes_have_no_letters_that_look_alike() -> None:
    assert not set("IOL01") & set(CODE_LETTERS)
    codes = {new_code() for _ in range(100)}
    assert len(codes) == 100
    assert {len(code) for code in codes} == {CODE_LENGTH}


# Foreign pages


@pytest.mark.parametrize(
    ("host", "alone", "has_guests"),
    [
        ("127.0.0.1:8910", True, True),
        ("localhost", True, True),
        ("[::1]:80", True, True),
        ("192.168.1.7:8910", False, True),
        ("evil.example:8910", False, False),
        ("127.0.0.1.evil.example", False, False),
        ("localhost@evil.example", False, False),
        ("", False, False),
        ("[", False, False),
        ("[::1", False, False),
    ],
)
def test_hosts(host: str, alone: bool, has_guests: bool) -> None:
    assert is_our_host(host, has_guests=False) is alone
    assert is_our_host(host, has_guests=True) is has_guests


def test_a_name_that_is_not_ours_is_refused(client: TestClient) -> None:
    for path in ("/", "/api/catalog", "/static/index.html"):
        assert client.get(path, headers={"host": "evil.example"}).status_code == 403
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("ws://evil.example/ws"):
        pass


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://["},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_sites_page_reaches_nothing(client: TestClient, headers: dict[str, str]) -> None:
    assert client.get("/api/catalog", headers=headers).status_code == 403
    assert client.post("/api/games", json={"game": "go"}, headers=headers).status_code == 403
    assert client.post("/api/enter", json={}, headers=headers).status_code == 403
    with (
        pytest.raises(WebSocketDisconnect) as closed,
        client.websocket_connect("ws://127.0.0.1/ws", headers=headers),
    ):
        pass
    assert closed.value.code == 1008


def test_our_own_page_reaches_all(client: TestClient) -> None:
    headers = {"origin": ADDRESS, "sec-fetch-site": "same-origin"}
    assert client.get("/api/catalog", headers=headers).status_code == 200
    with client.websocket_connect("ws://127.0.0.1/ws", headers=headers) as socket:
        socket.send_text('{"type": "ping"}')
        assert socket.receive_json() == {"type": "pong"}


def test_a_link_from_another_site_leaves_the_cookie_alone(tmp_path: Path) -> None:
    with TestClient(make_app(tmp_path), base_url=ADDRESS) as client:
        page = client.get("/", headers={"sec-fetch-site": "cross-site"})
        assert page.status_code == 200
        assert "set-cookie" not in page.headers


def test_a_brake_fills_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    bucket = TokenBucket(3, 0.5)
    assert [bucket.take() for _ in range(5)] == [True] * 3 + [False] * 2
    now[0] = 2.0
    assert [bucket.take() for _ in range(2)] == [True, False]


def test_limits_forget_who_was_long_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_BUCKETS", 3)
    limits = module.RateLimits(1, 0.0)
    for name in "abcd":
        limits.bucket(name).take()
    assert len(limits._buckets) == 3
    assert limits.bucket("d").is_empty
    assert not limits.bucket("a").is_empty


def test_one_address_cannot_take_every_line(
    guarded: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    from playproof.web.websocket import connection as talking

    monkeypatch.setattr(talking, "_MOST_FROM_ONE", 1)
    guarded.post("/api/enter", json={"code": CODE})
    with Talker(guarded) as one, Talker(guarded) as two:  # the client's address has a name
        assert one.ask("ping") == {"type": "pong", "rid": "r0"}
        assert two.receive()["code"] == "limit"
    monkeypatch.setattr(talking, "is_this_machine", lambda address: True)
    with Talker(guarded) as one, Talker(guarded) as two:
        assert two.ask("ping") == {"type": "pong", "rid": "r0"}


@pytest.mark.parametrize(
    ("address", "here"),
    [("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("10.0.0.1", False), ("?", False)],
)
def test_addresses_of_this_machine(address: str, here: bool) -> None:
    assert module.is_this_machine(address) is here
