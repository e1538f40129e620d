"""Two browsers in one game by a join code, and a third that has none."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from web.browser import PHONE, Problems, Server, violations
from web.e2e import playing

if TYPE_CHECKING:
    from playwright.sync_api import Page

expect = playing.expect
Open = Callable[..., "Page"]


def owner(open_page: Open, guarded: Server) -> Page:
    page = open_page()
    page.set_default_timeout(playing.PATIENCE)
    page.goto(guarded.printed)
    page.get_by_test_id("begin-play").click()
    playing.form(page).wait_for()
    assert playing.await_turn(page)
    assert "key=" not in page.url
    return page


def test_two_browsers_in_one_game(open_page: Open, guarded: Server, problems: Problems) -> None:
    first = owner(open_page, guarded)
    id = playing.start(first, "choko", against="open")
    expect(playing.status(first)).to_have_text("Waiting for a second player.")
    code = first.get_by_test_id("code").inner_text()
    assert re.fullmatch(r"[A-Z2-9]{6}", code)
    qr = first.get_by_role("img", name="QR code")
    qr.wait_for()
    assert qr.evaluate("async (img) => { await img.decode(); return img.naturalWidth }") > 0
    assert violations(first) == []

    second = open_page(**PHONE)
    second.set_default_timeout(playing.PATIENCE)
    second.goto(f"{guarded.url}/#/play/{id}")
    second.get_by_label("Join code").fill(code.lower())
    second.get_by_role("button", name="Join").tap()
    second.get_by_test_id("sit-1").tap()

    expect(playing.status(first)).to_have_text("Your turn.")
    expect(playing.status(second)).to_have_text("Waiting for Blue.")
    expect(second.get_by_test_id("invite")).to_be_hidden()
    played = ["C3", "B2", "C4", "D2", "B3", "D3"]
    for ply, name in enumerate(played):
        mover, other = (first, second) if ply % 2 == 0 else (second, first)
        expect(playing.status(mover)).to_have_text("Your turn.")
        assert playing.legal(other) == []
        playing.point(mover, name).click()
        for page in (mover, other):
            playing.await_moves(page, ply + 1)
            assert playing.moves(page) == played[: ply + 1]
    _out_of_turn(second, guarded, id)
    expect(playing.status(first)).to_have_text("Your turn.")
    assert playing.moves(first) == played
    second.close()
    expect(first.get_by_test_id("seat-1")).to_contain_text("(away)")


def _out_of_turn(page: Page, guarded: Server, id: str) -> None:
    """A move for the other seat, and one out of turn, are refused with their reason."""
    held = playing.state(page, guarded.url, id)
    answer = page.request.post(
        f"{guarded.url}/api/games/{id}/move",
        data={"ver": held["ver"], "c": ["A1"]},
        headers={"Origin": guarded.url},
    )
    assert answer.status in (403, 409)
    assert answer.json()["code"] == "turn"
    taken = page.request.post(
        f"{guarded.url}/api/games/{id}/join", data={"seat": 0}, headers={"Origin": guarded.url}
    )
    assert not taken.ok
    assert playing.state(page, guarded.url, id)["ver"] == held["ver"]


def test_who_has_no_code_sees_nothing(open_page: Open, guarded: Server, problems: Problems) -> None:
    problems.allow("403")
    first = owner(open_page, guarded)
    id = playing.start(first, "choko", against="open")
    third = open_page()
    third.set_default_timeout(playing.PATIENCE)
    third.goto(f"{guarded.url}/#/play/{id}")
    expect(third.get_by_role("heading", level=1)).to_have_text("Join the lab")
    assert third.locator("play-board").count() == 0
    assert violations(third) == []
    for path in ("games", f"games/{id}", f"games/{id}.svg", f"games/{id}.jsonl", "catalog"):
        assert third.request.get(f"{guarded.url}/api/{path}").status == 403, path
    for path in ("join", "move", "resign", "delete"):
        answer = third.request.post(f"{guarded.url}/api/games/{id}/{path}", data={})
        assert answer.status == 403, path
    assert "code" not in third.request.get(f"{guarded.url}/api/join").json()
    assert third.request.get(f"{guarded.url}/api/join.svg").status == 403
    third.get_by_label("Join code").fill("AAAAAA")
    third.get_by_role("button", name="Join").click()
    expect(third.get_by_role("alert").first).to_contain_text(re.compile("not the join code"))
    expect(playing.status(first)).to_have_text("Waiting for a second player.")


def test_who_has_the_code_but_no_seat_watches(open_page: Open, guarded: Server) -> None:
    first = owner(open_page, guarded)
    playing.start(first, "othello", against="open")
    address = first.get_by_label("Address").input_value()
    guest, watcher = open_page(), open_page()
    for page in (guest, watcher):
        page.set_default_timeout(playing.PATIENCE)
        page.goto(address)
        page.get_by_test_id("sit-1").wait_for()
        assert "code=" not in page.url
    guest.get_by_test_id("sit-1").click()
    expect(watcher.get_by_test_id("sit-1")).to_be_hidden()
    expect(playing.status(watcher)).to_have_text("Waiting for Black.")
    assert playing.legal(watcher) == []
    expect(playing.status(first)).to_have_text("Your turn.")
    playing.point(first, "d3").click()
    playing.await_moves(watcher, 1)
    expect(playing.status(guest)).to_have_text("Your turn.")
    expect(playing.status(watcher)).to_have_text("Waiting for White.")
    assert watcher.get_by_test_id("resign").get_attribute("aria-disabled") == "true"
    assert watcher.get_by_test_id("hint").get_attribute("aria-disabled") == "true"
