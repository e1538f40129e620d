"""Where Playproof keeps what lasts: the user's data, and a cache that can be made again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# On Linux the rule is two lines (the XDG base directories, which platformdirs follows too), and
# every process of ours asks for its cache: the library would take 25 ms of each start, and would
# have to be there on a bare machine with a GPU.  Elsewhere the folders are the library's matter.
_XDG = {"data": ("XDG_DATA_HOME", ".local/share"), "cache": ("XDG_CACHE_HOME", ".cache")}


def data_folder() -> Path:
    """``PLAYPROOF_DATA``, or the user's data folder."""
    return _folder("data")


def cache_folder() -> Path:
    """``PLAYPROOF_CACHE``, or the user's cache."""
    return _folder("cache")


def _folder(kind: str) -> Path:
    chosen = os.environ.get(f"PLAYPROOF_{kind.upper()}")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform != "linux":
        import platformdirs

        find = platformdirs.user_data_path if kind == "data" else platformdirs.user_cache_path
        return Path(find("playproof", appauthor=False))
    variable, usual = _XDG[kind]
    base = os.environ.get(variable)
    return (Path(base) if base else Path.home() / usual) / "playproof"
