"""The data for the pictures on the home page: positions of real games, a training curve, ratings.

The home page is shown before any rules are compiled, so all of this is shipped with the package.
``tools/home_page.py`` makes it; a test makes it again and compares.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parents[1] / "static" / "pages" / "home" / "home.json"

Json = dict[str, Any]


@functools.cache
def home() -> Json:
    """The shipped data."""
    shipped: Json = json.loads(FILE.read_text(encoding="utf-8"))
    return shipped
