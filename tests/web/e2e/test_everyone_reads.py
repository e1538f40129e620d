"""For everyone, pages to read and to begin something on: axe, light and dark, and a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.web.e2e import scenes
from tests.support.web.e2e.reading import read

if TYPE_CHECKING:
    from playwright.sync_api import Page

# One proof, run, table and job are read in tests/web/proofs, training, tournaments and jobs;
# the screen where a code is asked for in `test_together.py`.
SCENES = [
    "home",
    "home-menu",
    "truth",
    "truth-game",
    "truth-small",
    "papers",
    "papers-othello",
    "papers-choko",
    "rules-othello",
    "rules-choko",
    "rules-quantum-go",
    "rules-chess",
    "rules-go",
    "proofs-33",
    "proofs-all",
    "proofs-lemma",
    "proofs-levels",
    "proofs-run",
    "proofs-check",
    "train",
    "tournaments",
]
# A sample for `make test`; the others, a second each, are left to `make slow`, and what is wrong
# with one of them alone is found there.
TELLING = ("home", "papers-othello", "rules-chess", "proofs-33")


@pytest.mark.parametrize(
    "scene",
    [one if one in TELLING else pytest.param(one, marks=pytest.mark.slow) for one in SCENES],
)
def test_axe_and_a_phone(phone: Page, serve: str, scene: str) -> None:
    scenes.SCENES[scene](phone, serve)
    read(phone)
