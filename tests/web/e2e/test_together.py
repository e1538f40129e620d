"""A lab with a code: who has none, two browsers in one game, a class, and who only watches.

One person owns the lab and another comes with a phone; both stay for all of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.support.web.axe import violations
from tests.support.web.browser import PHONE, Desk, Problems, Server
from tests.support.web.e2e import playing
from tests.support.web.e2e.reading import read

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

expect = playing.expect
Open = Callable[..., "Page"]


@pytest.fixture(scope="module")
def owner_desk(browser: Browser, guarded: Server) -> Iterator[Desk]:
    desk = Desk(browser)
    page = desk.page
    page.set_default_timeout(playing.PATIENCE)
    page.goto(guarded.printed)
    page.get_by_test_id("begin-play").click()
    assert playing.await_turn(page)
    assert "key=" not in page.url
    yield desk
    desk.context.close()


@pytest.fixture
def owner(owner_desk: Desk) -> Iterator[Page]:
    yield from owner_desk.lend()


@pytest.fixture(scope="module")
def guest_desk(browser: Browser) -> Iterator[Desk]:
    desk = Desk(browser, **PHONE, reduced_motion="reduce")
    desk.page.set_default_timeout(playing.PATIENCE)
    yield desk
    desk.context.close()


@pytest.fixture
def guest(guest_desk: Desk) -> Iterator[Page]:
    """Comes from somewhere else each time."""
    guest_desk.page.goto("about:blank")
    yield from guest_desk.lend()


def invite(owner: Page, guarded: Server, game: str) -> str:
    """The id of a game whose second seat is free."""
    playing.open_play(owner, guarded.url)
    id = playing.start(owner, game, against="open")
    expect(playing.status(owner)).to_have_text("Waiting for a second player.")
    return id


def test_who_has_no_code_sees_nothing(
    owner: Page, guest: Page, guest_desk: Desk, guarded: Server
) -> None:
    guest_desk.problems.allow("403")
    id = invite(owner, guarded, "choko")
    guest.goto(f"{guarded.url}/#/play/{id}")
    expect(guest.get_by_role("heading", level=1)).to_have_text("Join the lab")
    assert guest.locator("play-board").count() == 0
    read(guest)
    for path in ("games", f"games/{id}", f"games/{id}.svg", f"games/{id}.jsonl", "catalog"):
        assert guest.request.get(f"{guarded.url}/api/{path}").status == 403, path
    for path in ("join", "move", "resign", "delete"):
        answer = guest.request.post(f"{guarded.url}/api/games/{id}/{path}", data={})
        assert answer.status == 403, path
    assert "code" not in guest.request.get(f"{guarded.url}/api/join").json()
    assert guest.request.get(f"{guarded.url}/api/join.svg").status == 403
    guest.get_by_label("Join code").fill("AAAAAA")
    guest.get_by_role("button", name="Join").click()
    expect(guest.get_by_role("alert").first).to_contain_text(re.compile("not the join code"))
    expect(playing.status(owner)).to_have_text("Waiting for a second player.")


def test_two_browsers_in_one_game(owner: Page, guest: Page, guarded: Server) -> None:
    first, second = owner, guest
    id = invite(first, guarded, "choko")
    code = first.get_by_test_id("code").inner_text()
    assert re.fullmatch(r"[A-Z2-9]{8}", code)
    qr = first.get_by_role("img", name="QR code")
    qr.wait_for()
    assert qr.evaluate("async (img) => { await img.decode(); return img.naturalWidth }") > 0
    assert violations(first) == []

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
    second.goto("about:blank")
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


@pytest.mark.slow
def test_who_has_the_code_but_no_seat_watches(
    owner: Page, guest: Page, open_page: Open, guarded: Server
) -> None:
    invite(owner, guarded, "othello")
    address = owner.get_by_label("Address").input_value()
    watcher = open_page()
    for page in (guest, watcher):
        page.set_default_timeout(playing.PATIENCE)
        page.goto(address)
        page.get_by_test_id("sit-1").wait_for()
        assert "code=" not in page.url
    guest.get_by_test_id("sit-1").click()
    expect(watcher.get_by_test_id("sit-1")).to_be_hidden()
    expect(playing.status(watcher)).to_have_text("Waiting for Black.")
    assert playing.legal(watcher) == []
    expect(playing.status(owner)).to_have_text("Your turn.")
    playing.point(owner, "d3").click()
    playing.await_moves(watcher, 1)
    expect(playing.status(guest)).to_have_text("Your turn.")
    expect(playing.status(watcher)).to_have_text("Waiting for White.")
    assert watcher.get_by_test_id("resign").get_attribute("aria-disabled") == "true"
    assert watcher.get_by_test_id("hint").get_attribute("aria-disabled") == "true"


@pytest.mark.slow
def test_an_invitation_leads_to_its_game_from_within_the_lab(
    owner: Page, guest: Page, guest_desk: Desk, guarded: Server
) -> None:
    first, second = (_address(owner, guarded) for _ in range(2))
    guest.goto(first)
    guest.get_by_test_id("sit-1").wait_for()
    for place in ("#/rules/go", "#/"):
        guest.goto(f"{guarded.url}/{place}")
        guest.get_by_role("heading", level=1).wait_for()
        guest.goto(second)  # the same document: only what follows the # changes
        guest.wait_for_url(re.compile(second.rpartition("/")[2]))
        guest.get_by_test_id("sit-1").wait_for()
        assert "code=" not in guest.url
    guest_desk.context.clear_cookies()  # from the screen that asks for the code, too
    guest.goto("about:blank")
    guest.goto(guarded.url)
    guest.get_by_label("Join code").wait_for()
    guest.goto(second)
    guest.get_by_test_id("sit-1").wait_for()


def _address(owner: Page, guarded: Server) -> str:
    invite(owner, guarded, "othello")
    return owner.get_by_label("Address").input_value()


@pytest.mark.slow
def test_a_pupil_joins_with_the_code_and_takes_a_seat(
    owner: Page, guest: Page, guest_desk: Desk, guarded: Server
) -> None:
    owner.get_by_role("link", name="Classroom").click()
    start = owner.get_by_test_id("class-start")
    start.locator('[name="board"]').select_option("5x5")
    start.locator('[name="between"]').select_option("pupil")
    owner.get_by_test_id("class-begin").click()
    owner.wait_for_url(re.compile(r"#/classroom/\w+"))
    expect(question(owner)).to_contain_text("Black places")
    code = owner.get_by_test_id("class-code").inner_text()
    expect(owner.locator(".qr")).to_be_visible()
    assert owner.locator(".qr").evaluate("(image) => image.decode().then(() => true)")
    address = owner.locator("#class-link").input_value()
    assert code in address
    guest_desk.context.clear_cookies()
    guest.goto(guarded.url)
    guest.get_by_label("Join code").fill(code)
    guest.get_by_role("button", name="Join").tap()
    expect(question(guest)).to_contain_text("Black places")
    guest.goto(re.sub(r"^http://[^/]+", guarded.url, address))
    expect(question(guest)).to_contain_text("Black places")
    guest.get_by_test_id("class-sit-1").click()
    expect(guest.get_by_test_id("status")).to_have_text("Waiting for Black.")
    for name in ("B2", "D4"):
        playing.point(owner, name).click()
    expect(question(guest)).to_contain_text("White places")
    for name in ("C2", "E5"):
        playing.point(guest, name).tap()
        playing.confirm(guest)
    # What a touched pair keeps is its owner's to say.
    expect(question(guest)).to_have_text("Black keeps one of B2, D4")
    expect(guest.get_by_test_id("status")).to_have_text("Waiting for Black.")
    playing.point(owner, "D4").click()
    expect(question(guest)).to_contain_text("White keeps one of")


def question(page: Page) -> Locator:
    return page.get_by_test_id("question")


@pytest.mark.slow
def test_the_owner_renews_the_code_and_turns_guests_out(
    owner: Page, guest: Page, guest_desk: Desk, guarded: Server
) -> None:
    guest_desk.problems.allow("403")
    address = _address(owner, guarded)
    guest.goto(address)
    guest.get_by_test_id("sit-1").tap()
    expect(playing.status(owner)).to_have_text("Your turn.")
    expect(guest.locator("#foot")).to_contain_text("You are a guest here.")
    invite(owner, guarded, "othello")
    code, first = owner.get_by_test_id("code"), owner.get_by_test_id("code").inner_text()
    owner.get_by_test_id("renew-code").click()
    owner.get_by_role("button", name="Cancel").click()
    expect(code).to_have_text(first)
    owner.get_by_test_id("renew-code").click()
    owner.get_by_test_id("confirm").click()
    expect(code).not_to_have_text(first)
    second = code.inner_text()
    assert second in owner.get_by_label("Address").input_value()
    assert violations(owner) == []
    expect(guest.get_by_test_id("page-play")).to_be_visible()  # who is in stays
    owner.get_by_test_id("turn-out").click()
    owner.get_by_test_id("confirm").click()
    expect(code).not_to_have_text(second)
    expect(guest.get_by_role("heading", level=1)).to_have_text("Join the lab")
    expect(guest.get_by_role("status").first).to_contain_text("You are no longer in the lab.")
    assert violations(guest) == []
    for wrong in (first, second):
        guest.get_by_label("Join code").fill(wrong)
        guest.get_by_role("button", name="Join").tap()
        expect(guest.get_by_role("alert").first).to_contain_text("not the join code")
    guest.get_by_label("Join code").fill(code.inner_text())
    guest.get_by_role("button", name="Join").tap()
    expect(guest.get_by_test_id("page-play")).to_be_visible()


def test_a_browser_without_the_key_sees_nothing(
    page: Page, lab: Server, problems: Problems
) -> None:
    """Of a lab on this computer alone."""
    problems.allow("403")
    page.context.clear_cookies()
    page.goto(f"{lab.url}/#/games")
    expect(page.get_by_role("heading", level=1)).to_have_text("This lab has an owner")
    expect(page.locator("#main")).to_contain_text("open the link that playproof serve printed")
    assert violations(page) == []
    page.locator("[name=key]").fill("guess")
    page.get_by_role("button", name="Open the lab").click()
    expect(page.get_by_role("alert").first).to_contain_text("not the key of this lab")
    page.locator("[name=key]").fill(f" {lab.printed.partition('#key=')[2]} ")
    page.get_by_role("button", name="Open the lab").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Games")
    page.context.clear_cookies()
    page.goto(lab.printed)
    page.get_by_test_id("begin-play").wait_for()
    assert "key=" not in page.url
