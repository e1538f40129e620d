"""Write the tables of docs/settings.md from the settings themselves::

python tools/settings_page.py
"""

from __future__ import annotations

import re
from pathlib import Path

from playproof.learning.registry import find, names
from playproof.learning.setting import describe_settings

PAGE = Path(__file__).resolve().parents[1] / "docs" / "settings.md"
_TABLE = r"(?<=## {}\n\n)(?:.+\n\n)?(?:\|.*\n)+"


def table(algorithm: str) -> str:
    lines = ["| `--set` | default | allowed | meaning |", "|---|---|---|---|"]
    for setting in describe_settings(find(algorithm).config()):
        default = f"`{setting.value}`" if setting.value else ""
        cells = [f"`{setting.name}`", default, setting.allowed, setting.meaning.replace("|", "\\|")]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    for name in names():
        text = re.sub(_TABLE.format(name), table(name).replace("\\", r"\\"), text)
    PAGE.write_text(text, encoding="utf-8")
