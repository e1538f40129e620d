"""The wheel: all that the package is, not too large, and a lab that works from it alone.

``make verify`` has the same with a real ``pip install`` from the package index.
"""

from __future__ import annotations

import email
import zipfile
from pathlib import Path

import pytest

from tests.support.installed import environments
from tests.support.installed.building import LARGEST, ROOT, build

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("setuptools", reason="setuptools is not installed: pip install it")
    return build(tmp_path_factory.mktemp("dist"), isolated=False)


def contents(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def test_it_holds_all_of_the_package_and_nothing_else(wheel: Path) -> None:
    source = ROOT / "src"
    wanted = {
        str(file.relative_to(source))
        for file in (source / "playproof").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    found = {name for name in contents(wheel) if ".dist-info/" not in name}
    assert found == wanted
    for kind in ("py.typed", ".safetensors", ".json.gz", ".json", ".md", ".js", ".css", ".html"):
        assert any(name.endswith(kind) for name in found), kind


def test_it_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < LARGEST


def test_what_it_says_of_itself(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        info = {name.rpartition("/")[2]: name for name in archive.namelist() if "info/" in name}
        told = email.message_from_bytes(archive.read(info["METADATA"]))
        scripts = archive.read(info["entry_points.txt"]).decode()
    assert (told["Name"], told["License-Expression"]) == ("playproof", "GPL-3.0-or-later")
    plain = {need.split(">")[0] for need in told.get_all("Requires-Dist") if "extra" not in need}
    assert {"numpy", "numba", "starlette", "uvicorn", "websockets", "segno"} <= plain
    assert "playproof = playproof.cli.main:script" in scripts


def test_the_lab_works_from_it_alone(wheel: Path, tmp_path: Path) -> None:
    """With no more than it asks for, an empty home, and no network where that can be."""
    python = environments.borrowed(tmp_path / "environment", wheel)
    # Compiled code belongs to the place of its sources: compiling here would take a minute.
    # Without it what computes much is left out.
    found = environments.visit(
        python, wheel, tmp_path / "home", without=["/api/truth"], NUMBA_DISABLE_JIT="1"
    )
    assert (found["wrong_files"], found["wrong_links"], found["wrong_answers"]) == ([], [], [])
    assert found["files"] == len(environments.static_files(wheel)) > 40
    assert found["addresses"] > 5
    assert [len(moves) for moves in found["moves"]] == [2]
    assert found["ended"] == 0
