"""One server for all files of this folder: every test is another person to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from web.browser import running_server


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a running ``playproof serve``."""
    with running_server(tmp_path_factory.mktemp("lab")) as server:
        yield server.url
