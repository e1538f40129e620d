"""The owner's key: a file in the data folder that only its owner can read, and a page that opens
the lab with it.

The key belongs to the folder, not to one run of the lab: links, scripts and open pages stay valid
when the lab is restarted. If the file is removed, the next start makes a new key, and all earlier
cookies become invalid.
"""

from __future__ import annotations

import html
import secrets
from pathlib import Path

from playproof.core.files.private import close_to_others, write_private

KEY_FILE = "lab.key"
PAGE_FILE = "open-lab.html"
_SHORTEST = 32  # characters; anything shorter was not written by us


def owner_key(folder: Path) -> str:
    """The key of the lab in ``folder``; a new one is made if there is none."""
    file = folder / KEY_FILE
    close_to_others(file)
    key = file.read_text(encoding="utf-8", errors="replace").strip() if file.exists() else ""
    if len(key) < _SHORTEST:
        key = secrets.token_urlsafe(32)
        write_private(file, key + "\n")
    return key


def write_opening_page(folder: Path, link: str) -> Path:
    """Write a page that redirects to ``link``, and return its path for a browser's command line.

    Everyone on the computer can read command lines, so the link itself must not be on one.
    """
    target = html.escape(link)
    file = folder / PAGE_FILE
    write_private(
        file,
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Playproof</title>'
        f'<meta http-equiv="refresh" content="0; url={target}">'
        f'<p>This page leads to <a href="{target}">the lab</a>.</p></html>\n',
    )
    return file
