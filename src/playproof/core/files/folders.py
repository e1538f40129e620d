"""The folders that Playproof writes to: the user's data, and a cache that can be rebuilt."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# On Linux we follow the XDG base directories ourselves, as platformdirs does: every process asks
# for the cache folder, and importing the library would cost 25 ms each time.  It would also have
# to be installed on a bare machine with a GPU.  On other systems we leave it to the library.
_XDG = {"data": ("XDG_DATA_HOME", ".local/share"), "cache": ("XDG_CACHE_HOME", ".cache")}


def data_folder() -> Path:
    """``PLAYPROOF_DATA`` or Playproof's folder in the user's data folder."""
    return _folder("data")


def cache_folder() -> Path:
    """``PLAYPROOF_CACHE`` or Playproof's folder in the user's cache."""
    return _folder("cache")


def _folder(kind: str) -> Path:
    chosen = os.environ.get(f"PLAYPROOF_{kind.upper()}")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform != "linux":
        import platformdirs

        find = platformdirs.user_data_path if kind == "data" else platformdirs.user_cache_path
        return Path(find("playproof", appauthor=False))
    variable, default = _XDG[kind]
    base = os.environ.get(variable)
    return (Path(base) if base else Path.home() / default) / "playproof"
