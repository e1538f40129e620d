"""What the first page draws: positions of real games, a shipped curve, ratings, two times.

The page is the first that anybody sees, before a single rule is compiled, so all this comes with
the package.  ``tools/home_page.py`` makes it; a test makes it again and compares.
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
    """As it comes with the package."""
    shipped: Json = json.loads(FILE.read_text(encoding="utf-8"))
    return shipped
