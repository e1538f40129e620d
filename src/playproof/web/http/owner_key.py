"""The owner's key: a file in the data folder that nobody else can read, and a page that opens
the lab with it.

The key belongs to the folder, not to one start: links, scripts and open pages of a lab that was
killed still fit the next one.  Whoever removes the file gets a new key with the next start, and
all cookies of before are void.
"""

from __future__ import annotations

import html
import secrets
from pathlib import Path

from playproof.core.files.private import close_to_others, write_private

KEY_FILE = "lab.key"
PAGE_FILE = "open-lab.html"
_SHORTEST = 32  # what is shorter was not written by us


def owner_key(folder: Path) -> str:
    """The key of the lab in ``folder``, made if there is none."""
    file = folder / KEY_FILE
    close_to_others(file)
    key = file.read_text(encoding="utf-8", errors="replace").strip() if file.exists() else ""
    if len(key) < _SHORTEST:
        key = secrets.token_urlsafe(32)
        write_private(file, key + "\n")
    return key


def write_opening_page(folder: Path, link: str) -> Path:
    """A page that leads to ``link``: a browser is started with its name.

    Everyone on this computer can read command lines, so the link itself is on none.
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
