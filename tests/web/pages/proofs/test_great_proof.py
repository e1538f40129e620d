"""The great proof in a browser, from its start to its certificate dropped on the page, and a
spoiled one refused."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from playproof.proofs.checker.external import PROGRAMS
from tests.support.web.e2e.playing import expect
from tests.web.pages.proofs.test_routes import spoiled

if TYPE_CHECKING:
    from playwright.sync_api import Page

PATIENCE = 90_000  # milliseconds: the proof takes seconds, on a busy machine many
CONFLICTS = re.compile(r"([\d,]+) conflicts|conflicts \(dead ends of the solver\)\s+([\d,]+)")
DROP = """(zone, [name, data]) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const held = new DataTransfer();
  held.items.add(new File([bytes], name));
  const given = { dataTransfer: held, bubbles: true, cancelable: true };
  for (const kind of ["dragover", "drop"]) zone.dispatchEvent(new DragEvent(kind, given));
}"""


def drop(page: Page, url: str, name: str, data: bytes) -> None:
    page.goto(f"{url}/#/proofs/check")
    zone = page.get_by_test_id("drop-zone")
    zone.evaluate(DROP, [name, base64.b64encode(data).decode()])
    page.wait_for_url(re.compile(r"#/proofs/\d{8}-"))


@pytest.mark.slow
def test_35_moves_are_refuted_and_the_certificate_dropped_on_the_page(
    open_page: Callable[..., Page], serve: str, tmp_path: Path
) -> None:
    page = open_page(reduced_motion="reduce")  # a spinner would be drawn all the while
    page.goto(f"{serve}/#/proofs/run")
    page.get_by_test_id("offer-othello-35").click()
    page.get_by_test_id("prove").click()
    verdict = page.get_by_test_id("proof-verdict")
    steps = page.get_by_test_id("proof-steps")
    expect(steps).to_contain_text("1,166 yes-or-no unknowns", timeout=PATIENCE)
    page.reload()  # in the middle
    expect(verdict).to_have_text("Working …")
    expect(steps).to_contain_text(re.compile(r"\d s, [\d,]+ conflicts, which"), timeout=PATIENCE)
    expect(steps).to_contain_text(re.compile(r"Now: proof \d+ %"), timeout=PATIENCE)
    expect(verdict).to_contain_text("Proved, and the proof was checked", timeout=PATIENCE)
    expect(page.get_by_test_id("check-proof")).to_contain_text("ok")
    # One number of conflicts on the whole page, and what was not checked is not said to be.
    everything = page.locator("main").inner_text()
    counted = CONFLICTS.findall(everything)
    assert len(counted) >= 2
    assert len({one or other for one, other in counted}) == 1, counted
    rows = {name: page.get_by_test_id(f"check-{name}") for name in PROGRAMS}
    off = [name for name, row in rows.items() if row.get_by_text("not run").count()]
    made = f"{5 - len(off)} of 5 checks were run" if off else "All 5 checks were run"
    expect(steps).to_contain_text(made)
    for name in off:
        expect(steps).to_contain_text(f"{name} ({name} is not on the PATH)")

    with page.expect_download() as download:
        page.get_by_test_id("download").click()
    file = tmp_path / "certificate.zip"
    download.value.save_as(file)
    drop(page, serve, "no-35.zip", file.read_bytes())
    page.reload()  # in the middle again
    expect(page.get_by_test_id("proof-title")).to_have_text("Check no-35")
    expect(verdict).to_contain_text("Verified: there is no such thing", timeout=PATIENCE)

    drop(page, serve, "bad.zip", spoiled(file.read_bytes(), "proof.drat", (b"a", b"b")))
    expect(verdict).to_contain_text("NOT VERIFIED", timeout=PATIENCE)
    expect(verdict).to_contain_text("proof.drat is not the file that the manifest names")
    expect(page.get_by_test_id("check-manifest")).to_contain_text("rejected")
