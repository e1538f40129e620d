"""The Proofs page in a browser: files to check, and boards to step through."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.web.browser import PHONE, Problems
from tests.support.web.e2e.playing import expect
from tests.support.web.e2e.reading import read

if TYPE_CHECKING:
    from playwright.sync_api import Page

PATIENCE = 90_000  # milliseconds: the proof takes seconds, on a busy machine many


@pytest.mark.slow
def test_files_are_packed_on_the_page_and_rubbish_is_refused(
    open_page: Callable[..., Page], serve: str, tmp_path: Path, problems: Problems
) -> None:
    problems.allow("400")  # the lab says no, and the browser writes that down
    from playproof.proofs.certificates.write import write_bundle
    from playproof.proofs.othello.mobility import OthelloMobility

    write_bundle(tmp_path / "no-9", OthelloMobility(9, 4))
    page = open_page(**PHONE, reduced_motion="reduce")
    page.goto(f"{serve}/#/proofs/check")
    (tmp_path / "notes.zip").write_text("hello")
    page.get_by_test_id("choose-zip").set_input_files(tmp_path / "notes.zip")
    expect(page.get_by_test_id("check-problem")).to_contain_text("this is no zip file")
    files = sorted((tmp_path / "no-9").iterdir())
    page.get_by_test_id("choose-files").set_input_files(files)
    expect(page.get_by_test_id("proof-verdict")).to_contain_text("Verified", timeout=PATIENCE)
    read(page)


@pytest.mark.slow
def test_boards_are_stepped_through(
    open_page: Callable[..., Page], serve: str, problems: Problems
) -> None:
    page = open_page(reduced_motion="no-preference")
    page.goto(f"{serve}/#/proofs")
    where = page.get_by_test_id("frame-where")
    expect(where).to_have_text("Step 26 of 26")
    numbers = page.locator("play-board .picture text", has_text=re.compile(r"^33$"))
    expect(numbers).to_have_count(1)
    page.get_by_test_id("frame-first").click()
    expect(where).to_have_text("Step 0 of 26")
    page.keyboard.press(".")
    expect(where).to_have_text("Step 1 of 26")
    page.reload()
    expect(where).to_have_text("Step 1 of 26")

    page.get_by_test_id("to-lemma").click()
    page.get_by_test_id("choose-unfillable").click()
    expect(where).to_have_text("Step 0 of 28")
    page.get_by_test_id("frame-play").click()
    expect(where).to_have_text("Step 1 of 28")
    page.get_by_test_id("frame-play").click()
    page.get_by_test_id("frame-slider").fill("24")
    expect(page.locator(".frame-step[aria-current]")).to_contain_text("c1, d1 and f1 cannot")

    page.get_by_test_id("to-levels").click()
    expect(page.get_by_test_id("levels-verdict")).to_have_text(
        "Nothing is left 8 discs back. So no game leads there."
    )
    expect(page.locator(".levels-bar")).to_have_count(8)
    page.get_by_test_id("level-5").click()
    expect(page.get_by_test_id("level-about")).to_contain_text("One of 14 positions 5 discs")
    problems.allow("400")
    page.get_by_test_id("own-position").fill("my position")
    page.get_by_test_id("own-go").click()
    expect(page.get_by_test_id("levels-problem")).to_contain_text("want moves such as f5d6c3")
    page.get_by_test_id("own-position").fill("f5d6c3")
    page.get_by_test_id("own-go").click()
    expect(page.get_by_test_id("levels-verdict")).to_contain_text("It goes back to the start")


@pytest.mark.slow
def test_less_motion_is_respected(open_page: Callable[..., Page], serve: str) -> None:
    page = open_page(reduced_motion="reduce")
    page.goto(f"{serve}/#/proofs/lemma/black")
    expect(page.get_by_test_id("frame-where")).to_have_text("Step 0 of 27")
    expect(page.get_by_test_id("frame-play")).to_be_hidden()
