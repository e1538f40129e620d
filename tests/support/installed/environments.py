"""Environments that have the wheel and what it asks for, and nothing else."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from configparser import ConfigParser
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
STATIC = "playproof/web/static/"
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def static_files(wheel: Path) -> dict[str, str]:
    """Each static file in a wheel, and its SHA-256."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            name.removeprefix(STATIC): hashlib.sha256(archive.read(name)).hexdigest()
            for name in archive.namelist()
            if name.startswith(STATIC) and not name.endswith("/")
        }


def borrowed(folder: Path, wheel: Path) -> Path:
    """The Python of a new environment with the wheel; nothing is fetched.

    What the wheel says it needs is linked from the environment of the tests.  All else
    that is there, the extras and the editable Playproof too, stays out of sight.  The
    wheel is unpacked, with its script beside the Python, as pip would do it.
    """
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    site = folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    for name in _needed(wheel):
        for file in distribution(name).files or ():
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not (site / top).exists():
                (site / top).symlink_to(Path(str(distribution(name).locate_file(top))).resolve())
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
        (points,) = [n for n in archive.namelist() if n.endswith(".dist-info/entry_points.txt")]
        scripts = ConfigParser()
        scripts.read_string(archive.read(points).decode())
    for name, place in scripts["console_scripts"].items():
        module, _, function = place.partition(":")
        script = python.with_name(name)
        script.write_text(f"#!{python}\nfrom {module} import {function}\n{function}()\n")
        script.chmod(0o755)
    return python


def _needed(wheel: Path) -> list[str]:
    """What the wheel needs without extras, and what that needs, as names."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        lines = archive.read(name).decode().splitlines()
    found: list[str] = []
    wanted = [line.partition(":")[2] for line in lines if line.startswith("Requires-Dist:")]
    while wanted:
        text, _, when = wanted.pop().partition(";")
        named = _NAME.match(text.strip())
        # Markers other than extras ask for backports or for Windows: with this Python, none.
        if named is None or "extra" in when or _is_elsewhere(when):
            continue
        name = named[0].lower().replace("_", "-")
        if name not in found:
            found.append(name)
            wanted += distribution(name).requires or []
    return found


def _is_elsewhere(when: str) -> bool:
    """Whether a marker asks for another Python or system than this one."""
    older = re.search(r"python_version\s*<\s*[\"']3\.(\d+)", when)
    other = re.search(r"(?:sys_platform|platform_system)\s*==\s*[\"'](win|Win)", when)
    return bool(other) or (older is not None and sys.version_info[1] >= int(older[1]))


def fetched(folder: Path, wheel: Path) -> Path:
    """The Python of a new environment into which pip installs the wheel from the index."""
    venv.create(folder, symlinks=True, with_pip=True)
    python = folder / "bin" / "python"
    _pip(str(python), "install", str(wheel))
    return python


def _pip(python: str, *arguments: str) -> None:
    subprocess.run(
        [python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments], check=True
    )


def can_go_offline() -> bool:
    """Whether this machine lets us make a network of our own."""
    if shutil.which("unshare") is None:
        return False
    tried = subprocess.run([*_UNSHARE, sys.executable, str(HERE / "offline.py"), "true"],
                           capture_output=True, check=False)  # fmt: skip
    return tried.returncode == 0


_UNSHARE = ("unshare", "--user", "--map-root-user", "--net")


def visit(
    python: Path,
    wheel: Path,
    home: Path,
    *,
    without: Sequence[str] = (),
    specs: Sequence[str] = (),
    **environment: str,
) -> dict[str, Any]:
    """What ``visit.py`` finds with an empty home folder, without a network where that can be."""
    home.mkdir()
    plan = home.parent / "plan.json"
    plan.write_text(json.dumps({"files": static_files(wheel), "without": without, "specs": specs}))
    alone = can_go_offline()
    before = [*_UNSHARE, sys.executable, str(HERE / "offline.py")] if alone else []
    done = subprocess.run(
        [*before, str(python), "-P", str(HERE / "visit.py"), str(plan)],
        cwd=home,
        env={"PATH": os.defpath, "HOME": str(home), "LANG": "C.UTF-8", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    report: dict[str, Any] = json.loads(done.stdout)
    return {**report, "offline": alone}
