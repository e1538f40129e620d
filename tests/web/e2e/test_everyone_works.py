"""For everyone, pages where something is begun: axe, light and dark, and a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from web.browser import Server
from web.e2e import scenes
from web.e2e.reading import read

if TYPE_CHECKING:
    from playwright.sync_api import Page

# One proof, run, table and job are read in tests/web/proofs, training, tournaments and jobs.
SCENES = [
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


def test_the_join_screen(phone: Page, guarded: Server) -> None:
    scenes.join(phone, guarded.url)
    read(phone)
