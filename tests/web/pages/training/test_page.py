"""Train in the browser: start a run, watch it live, reload in the middle, stop it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.web.browser import PHONE, Server
from tests.support.web.e2e.reading import read

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[..., "Page"]
PATIENCE = 40_000


@pytest.fixture(scope="module", autouse=True)
def _runs(lab: Server, trained: Path) -> None:
    """The lab has two runs from the start."""
    for name in ("one", "two"):
        shutil.copytree(trained / name, lab.folder / "runs" / name)


@pytest.mark.slow
def test_a_run_is_watched_live_and_stopped(page: Page, lab: Server) -> None:
    from playwright.sync_api import expect

    expect.set_options(timeout=PATIENCE)
    page.goto(f"{lab.url}/#/train")
    page.get_by_test_id("recipe").select_option("choko")
    page.get_by_test_id("iterations").fill("5000")
    expect(page.get_by_test_id("how-long")).to_contain_text(
        re.compile(r"This takes about \d+ minutes")
    )
    page.get_by_test_id("start-run").click()
    page.wait_for_url(re.compile(r"#/train/choko-1$"))
    progress, state = page.get_by_test_id("run-progress"), page.get_by_test_id("run-state")
    expect(page.get_by_test_id("figure-random_score")).to_be_visible()
    expect(state).to_have_text("Running")
    seen = progress.inner_text()
    expect(progress).not_to_have_text(seen)  # it goes on by itself
    expect(progress).to_have_text(re.compile(r"about \d+ minutes left$"))

    page.reload()
    expect(state).to_have_text("Running")
    expect(page.get_by_test_id("figure-entropy")).to_contain_text("How undecided the net is")
    page.get_by_test_id("job-cancel").click()
    expect(state).to_have_text("Stopped")
    done = int(progress.inner_text().split()[0].replace(",", ""))
    assert 10 <= done < 5000
    metrics = lab.folder / "runs" / "choko-1" / "metrics.jsonl"
    assert metrics.read_text().count("\n") == done  # what was shown is kept

    # The net that it has by now plays.
    page.get_by_test_id("watch-start").click()
    expect(page.get_by_test_id("watch-players")).to_contain_text("the net")
    status = page.get_by_test_id("watch-status")
    expect(status).to_have_text(re.compile(r"[3-9] moves so far"))
    page.reload()
    expect(status).to_have_text(re.compile(r"\d+ moves so far|wins|Draw"))


@pytest.mark.slow
def test_a_finished_run_and_two_compared_on_a_phone(open_page: Open, lab: Server) -> None:
    from playwright.sync_api import expect

    page = open_page(**PHONE, reduced_motion="reduce")
    page.set_default_timeout(PATIENCE)
    page.goto(f"{lab.url}/#/train/one")
    page.get_by_test_id("test-game-7").click()
    expect(page.get_by_test_id("replay-players")).to_contain_text("iteration 4")
    page.get_by_test_id("go-forward").click()
    page.get_by_test_id("go-forward").click()
    page.wait_for_url(re.compile(r"#/train/one/game-7\.2$"))
    page.reload()
    expect(page.get_by_test_id("replay-slider")).to_have_value("2")
    read(page)

    page.goto(f"{lab.url}/#/train")
    for name in ("one", "two"):
        page.get_by_test_id(f"choose-{name}").check()
    page.get_by_test_id("compare").click()
    expect(page.get_by_test_id("legend").locator("li")).to_have_text(["one", "two"])
    expect(page.get_by_test_id("differ")).to_contain_text("0.003")
    read(page)
