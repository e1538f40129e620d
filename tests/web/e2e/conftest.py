"""A phone for all scenes of a file, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.support.web.browser import PHONE, Desk

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def _phone(browser: Browser) -> Iterator[Desk]:
    found = Desk(browser, **PHONE, reduced_motion="reduce")
    yield found
    found.context.close()


@pytest.fixture
def phone(_phone: Desk) -> Iterator[Page]:
    yield from _phone.lend()
