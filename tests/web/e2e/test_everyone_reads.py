"""For everyone, pages to read and to begin something on: axe, light and dark, and a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from web.e2e import scenes
from web.e2e.reading import read

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
    "proofs-lemma",
    "proofs-levels",
    "proofs-run",
    "proofs-check",
    "train",
    "tournaments",
]


@pytest.mark.parametrize("scene", SCENES)
def test_axe_and_a_phone(phone: Page, serve: str, scene: str) -> None:
    scenes.SCENES[scene](phone, serve)
    read(phone)
