"""The page of jobs in a browser: a job is seen, outlives a reload, is stopped, goes on."""

from __future__ import annotations

import json
import signal
import urllib.request
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.support.web import browser as tools
from tests.support.web.axe import violations
from tests.support.web.e2e.reading import read
from tests.web.jobs.test_killed_lab import Lab

if TYPE_CHECKING:
    from playwright.sync_api import Page

PATIENCE = 20_000


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    found = Lab(tmp_path_factory.mktemp("lab"))
    yield found
    found.end(signal.SIGINT)


@pytest.fixture
def window(_desk: tools.Desk) -> Iterator[Page]:
    """The page that these tests share; a desk is another thing among the jobs."""
    yield from _desk.lend()


def start(lab: Lab, *argv: str, resume: list[str] | None = None, title: str = "A fake") -> str:
    data = json.dumps({"argv": argv, "resume": resume, "title": title}).encode()
    with urllib.request.urlopen(f"{lab.url}/api/test/start", data) as answer:
        return str(json.load(answer)["id"])


def test_a_job_on_the_page(lab: Lab, window: Page, open_page: Callable[..., Page]) -> None:
    from playwright.sync_api import expect

    page = window
    page.goto(f"{lab.url}/#/jobs")
    expect(page.get_by_text("No job is running.")).to_be_visible(timeout=PATIENCE)
    expect(page.locator("#running")).to_be_hidden()
    id = start(lab, "count", "3000", resume=["count", "3"])
    card = page.get_by_test_id("jobs-running").get_by_test_id(f"job-{id}")
    expect(card.get_by_test_id("job-state")).to_have_text("Running", timeout=PATIENCE)
    expect(card.get_by_test_id("job-count")).to_contain_text("of 3,000", timeout=PATIENCE)
    expect(card.get_by_test_id("job-command")).to_have_text("playproof count 3000")
    expect(page.locator("#running")).to_have_text("1 job")
    card.get_by_text("Log", exact=True).click()
    expect(card.get_by_test_id("job-log")).to_contain_text("line 2 from", timeout=PATIENCE)
    assert violations(page) == []

    page.reload()
    card = page.get_by_test_id("jobs-running").get_by_test_id(f"job-{id}")
    expect(card.get_by_test_id("job-state")).to_have_text("Running", timeout=PATIENCE)

    # The same on a phone, by its own page.
    phone = open_page(**tools.PHONE, reduced_motion="reduce")
    phone.goto(f"{lab.url}/#/jobs/{id}")
    expect(phone.get_by_test_id("job-steps")).to_contain_text("counted 2", timeout=PATIENCE)
    read(phone)

    card.get_by_test_id("job-cancel").click()
    over = page.get_by_test_id("jobs-over").get_by_test_id(f"job-{id}")
    expect(over.get_by_test_id("job-state")).to_have_text("Stopped", timeout=PATIENCE)
    expect(page.locator("#running")).to_be_hidden()
    assert violations(page) == []

    expect(phone.get_by_test_id("job-state")).to_have_text("Stopped", timeout=PATIENCE)
    phone.get_by_test_id("job-resume").click()
    expect(phone.get_by_test_id("job-state")).to_have_text("Done", timeout=PATIENCE)
    phone.get_by_test_id("job-delete").click()
    phone.get_by_test_id("confirm").click()
    expect(phone).to_have_url(f"{lab.url}/#/jobs", timeout=PATIENCE)
    expect(over).to_have_count(0, timeout=PATIENCE)
    read(phone)


def test_a_job_that_failed_says_why(lab: Lab, window: Page) -> None:
    from playwright.sync_api import expect

    page, id = window, start(lab, "fail", "there is no net nowhere.pt")
    page.goto(f"{lab.url}/#/jobs/{id}")
    expect(page.get_by_test_id("job-state")).to_have_text("Failed", timeout=PATIENCE)
    expect(page.get_by_test_id("job-error")).to_have_text("there is no net nowhere.pt")
    expect(page.get_by_test_id("job-resume")).to_have_count(0)


@pytest.mark.slow
def test_long_names_fit_a_phone(lab: Lab, open_page: Callable[..., Page]) -> None:
    from playwright.sync_api import expect

    net = "runs/" + "a_name_without_a_blank_" * 4 + ".npz"
    title = f"Match of {net} against {net}"
    over = start(lab, "fail", f"there is no net {net}", title=title)
    busy = start(lab, "count", "3000", net, title=title)
    phone = open_page(**tools.PHONE, reduced_motion="reduce")
    for width in (375, 360):
        phone.set_viewport_size({"width": width, "height": 740})
        for place, id in (("", over), ("", busy), (f"/{over}", over), (f"/{busy}", busy)):
            phone.goto(f"{lab.url}/#/jobs{place}")
            state = phone.get_by_test_id(f"job-{id}").get_by_test_id("job-state")
            wanted = "Failed" if id == over else "Running"
            expect(state).to_have_text(wanted, timeout=PATIENCE)
            assert not tools.scrolls_sideways(phone), (width, place)
    phone.get_by_test_id("job-cancel").click()
    expect(phone.get_by_test_id("job-state")).to_have_text("Stopped", timeout=PATIENCE)


def test_a_job_that_is_none(lab: Lab, window: Page, desk_problems: tools.Problems) -> None:
    from playwright.sync_api import expect

    desk_problems.allow("404")
    window.goto(f"{lab.url}/#/jobs/20200101-000000-abcd")
    expect(window.get_by_role("alert").first).to_contain_text("there is no job", timeout=PATIENCE)
