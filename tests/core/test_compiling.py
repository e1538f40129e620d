"""The compile cache is never stale, never in the way, and compiled play is plain play."""

from __future__ import annotations

import ast
import importlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from playproof.core import compiling
from tests.support.core import ring_game, sample_play
from tests.support.core.processes import SOURCES, environment, python
from tests.support.core.sources import statements
from tests.support.paths import SUPPORT

# A house with its rule in one file and its kernel in another: the kernel's file does not change
# when the rule does, and by its file alone Numba's own cache would take it for unchanged.
RULE = """
from numba.extending import register_jitable

@register_jitable
def prize(stake):
    return stake + 1
"""
KERNEL = """
from numba import int64
from playproof.core.compiling import kernel
from {rule} import prize

@kernel(int64(int64))
def play(stake):
    return 2 * prize(stake)
"""
ASK = """
import json
from {kernel} import play
hits, misses = (sum(s.values()) for s in (play.stats.cache_hits, play.stats.cache_misses))
print(json.dumps([play(10), hits, misses]))
"""

# How a house may lay its files out: (rule module, kernel module, files besides).
LAYOUTS = {
    "package": (
        "house.law.rule",
        "house.kernels",
        ["house/__init__.py", "house/law/__init__.py"],
    ),
    "package without __init__": ("castle.rule", "castle.kernels", []),
    "modules side by side": ("house_rule", "house_kernels", []),
}


class House:
    """A third party's code in a folder, with a cache folder beside it."""

    def __init__(self, folder: Path, layout: str) -> None:
        self.code, self.cache = folder / "code", folder / "cache"
        self.rule, self.kernel, others = LAYOUTS[layout]
        for name in others:
            self.write(name, "")
        self.write(self.file(self.rule), RULE)
        self.write(self.file(self.kernel), KERNEL.format(rule=self.rule))

    def file(self, module: str) -> str:
        return module.replace(".", "/") + ".py"

    def write(self, name: str, text: str) -> None:
        path = self.code / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def change_the_rule(self) -> None:
        self.write(self.file(self.rule), RULE.replace("+ 1", "+ 5"))

    def ask(self, **variables: str) -> list[int]:
        """(what ``play(10)`` is, kernels found in the cache, kernels compiled)"""
        variables = {"PLAYPROOF_CACHE": str(self.cache), **variables}
        answer = python("-c", ASK.format(kernel=self.kernel), folders=(self.code,), **variables)
        return json.loads(answer)

    def cached(self) -> dict[str, int]:
        files = [file for file in self.cache.rglob("*") if file.is_file()]
        return {str(file): file.stat().st_mtime_ns for file in files}


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path, "package")


def test_a_changed_rule_is_a_changed_game(tmp_path: Path) -> None:
    houses = [House(tmp_path, layout) for layout in LAYOUTS]  # in one folder: asked at once
    asking = "".join(ASK.format(kernel=house.kernel) for house in houses)

    def answers() -> list[list[int]]:
        told = python("-c", asking, folders=(houses[0].code,), PLAYPROOF_CACHE=str(tmp_path))
        return [json.loads(line) for line in told.splitlines()]

    assert answers() == [[22, 0, 1]] * 3
    for house in houses:
        house.change_the_rule()
    assert answers() == [[30, 0, 1]] * 3


@pytest.mark.slow
def test_two_first_starts_at_once_do_not_hurt_each_other_nor_is_anything_compiled_again(
    house: House,
) -> None:
    variables = environment(house.code, PLAYPROOF_CACHE=str(house.cache))
    command = [sys.executable, "-c", ASK.format(kernel=house.kernel)]
    both = [subprocess.Popen(command, env=variables, stdout=subprocess.PIPE) for _ in range(2)]
    assert [json.loads(process.communicate()[0])[0] for process in both] == [22, 22]
    before = house.cached()
    assert before
    old, recent = house.cache / "kernels" / "old", house.cache / "kernels" / "recent"
    for folder, days in ((old, 31), (recent, 29)):
        folder.mkdir()
        then = time.time() - days * 86400
        os.utime(folder, (then, then))
    assert house.ask() == [22, 1, 0]
    assert house.cached() == before
    # What no one used for long is dropped.
    assert not old.exists()
    assert recent.exists()


@pytest.mark.slow
def test_a_home_that_cannot_hold_a_cache_is_no_obstacle(house: House, tmp_path: Path) -> None:
    # A file where the folder should be stops even root, whom permissions do not.
    (tmp_path / "file").touch()
    nowhere = str(tmp_path / "file" / "cache")
    assert house.ask(PLAYPROOF_CACHE=nowhere)[0] == 22
    # Nor does Numba then keep a cache of its own beside the sources, where it would grow stale.
    assert not list(tmp_path.rglob("*.nb?"))
    house.change_the_rule()
    assert house.ask(PLAYPROOF_CACHE=nowhere)[0] == 30
    assert house.cached() == {}


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes where it likes")
def test_a_read_only_home_is_no_obstacle(house: House, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    assert house.ask(PLAYPROOF_CACHE=str(closed))[0] == 22


@pytest.fixture(scope="module")
def at_the_prompt() -> list[str]:
    """What a process says that was given its lines one by one."""
    script = """
import sys
import numba, numpy as np, playproof
from numba import int64
from playproof.core.compiling import kernel

@kernel(int64(int64))
def double(stake):
    return 2 * stake

print(double(21))
playproof.make("othello").start().legal_names()
print("scipy.linalg" in sys.modules)
print(numba.njit(lambda a: np.dot(a, a))(2.0 * np.eye(3)).sum())
"""
    return python("-c", script).splitlines()


@pytest.mark.slow
def test_a_kernel_can_be_written_where_there_is_no_file(at_the_prompt: list[str]) -> None:
    # At the prompt and in a notebook there is nothing to name a cache after.
    assert at_the_prompt[0] == "42"


# Our own kernels


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of Playproof's sources that caches are named after."""
    folder = tmp_path / "playproof"
    shutil.copytree(SOURCES / "playproof", folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(compiling, "_PACKAGE", folder)
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path / "cache"))
    compiling._imports.cache_clear()
    yield folder
    compiling._imports.cache_clear()


def cache_of(module: str) -> Path:
    """Where the kernels of a module are kept, with the sources as they are now."""
    compiling._imports.cache_clear()
    return compiling._cache_folder.__wrapped__(f"playproof.{module}")


def test_what_a_file_imports_is_seen_as_python_sees_it() -> None:
    package = SOURCES / "playproof"
    for file in package.rglob("*.py"):
        modules = set()
        for node in statements(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{file} imports by dots, which is not looked for"
                modules |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        paths = [package.joinpath(*m.split(".")[1:]) for m in modules if m.startswith("playproof")]
        wanted = {p.with_suffix(".py") for p in paths} | {p / "__init__.py" for p in paths}
        # More, as from an example in a docstring, would only compile something anew.
        assert set(compiling._imports(file)) >= {p for p in wanted if p.is_file()}, file


def test_every_source_that_a_kernel_can_use_is_in_the_name_of_its_cache(copy: Path) -> None:
    signs = ("njit", "compiling import kernel")
    kernels = [f for f in copy.rglob("*.py") if any(s in f.read_text() for s in signs)]
    layers = {file.relative_to(copy).parts[0] for file in kernels}
    assert layers >= {"core", "games", "search", "proofs"}
    for file in kernels:
        module = ".".join(file.relative_to(copy).with_suffix("").parts)
        before, text = cache_of(module), file.read_text()
        file.write_text(text + "# a change\n")
        assert cache_of(module) != before, module
        file.write_text(text)
        assert cache_of(module) == before


def test_a_changed_rule_changes_the_caches_of_all_who_may_call_it(copy: Path) -> None:
    callers = ("games.choko.kernels", "games.othello.kernels", "core.batch_kernels")
    before, rule = [cache_of(caller) for caller in callers], copy / "rules" / "choko.py"
    rule.write_text(rule.read_text().replace("PIECES = 12", "PIECES = 11"))
    changed = [cache_of(caller) != old for caller, old in zip(callers, before, strict=True)]
    assert changed == [True, False, False]  # other games keep theirs
    bits = copy / "core" / "bits.py"
    bits.write_text(bits.read_text() + "# a change\n")
    assert all(cache_of(caller) != old for caller, old in zip(callers, before, strict=True))


def test_a_changed_frame_changes_the_cache_of_a_foreign_game(copy: Path) -> None:
    def theirs() -> Path:
        return compiling._cache_folder.__wrapped__(ring_game.__name__)

    before, frame = theirs(), copy / "core" / "kernels.py"
    frame.write_text(frame.read_text() + "# a change\n")
    assert theirs() != before


FILES = {
    "__init__.py": "",
    "play/__init__.py": "",
    "play/kernels.py": "from house.play import rules\nfrom ..tables import LINES\n",
    "play/rules.py": "",
    "play/board.py": "",
    "tables.py": "LINES = 8\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Another house's package, imported."""
    folder = tmp_path / "house"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("house.play.kernels")
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "house"]:
        del sys.modules[name]


def sources_of(package: Path) -> set[str]:
    files, root = compiling._foreign_sources("house.play.kernels")
    assert root == package.parent
    return {str(file.relative_to(package)) for file in files}


def test_a_foreign_cache_follows_what_the_package_imports(package: Path) -> None:
    used = set(FILES) - {"play/board.py"}
    assert sources_of(package) == used
    rules = package / "play" / "rules.py"
    rules.write_text("from house.play.board import SIZE\n")
    assert sources_of(package) == set(FILES)


@pytest.mark.parametrize("line", ["import house.play", "m = importlib.import_module(name)"])
def test_a_foreign_cache_follows_the_whole_package_where_imports_do_not_say(
    package: Path, line: str
) -> None:
    (package / "play" / "rules.py").write_text(line + "\n")
    assert sources_of(package) == set(FILES)


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert compiling.cache_home() == tmp_path / "kernels"
    monkeypatch.delenv("PLAYPROOF_CACHE")
    assert compiling.cache_home() == tmp_path / "xdg" / "playproof" / "kernels"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert compiling.cache_home() == tmp_path / ".cache" / "playproof" / "kernels"


# Plain Python


def test_plain_python_plays_exactly_as_compiled_code_does() -> None:
    script = str(SUPPORT / "core" / "sample_play.py")
    # The helper takes any warning for an error: an overflow would be one.
    plain = json.loads(python(script, NUMBA_DISABLE_JIT="1"))
    for spec in sample_play.SPECS:
        assert plain[spec] == json.loads(json.dumps(sample_play.sample(spec))), spec


def test_plain_kernels_are_functions_a_debugger_can_enter(house: House) -> None:
    script = f"from {house.kernel} import play; print(type(play).__name__, play(10))"
    told = python("-c", script, folders=(house.code,), NUMBA_DISABLE_JIT="1")
    assert told == "function 22\n"
    assert not house.cached()


@pytest.mark.slow
def test_linear_algebra_is_loaded_by_those_who_call_it_and_by_no_other(
    at_the_prompt: list[str],
) -> None:
    """It would take a fifth of the time in which every process starts."""
    assert at_the_prompt[1:] == ["False", "12.0"]
