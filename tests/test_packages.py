"""Packages list what they offer, and texts name only modules that exist."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import playproof
from playproof.cli.commands.bench import _BENCHES as BENCHES
from playproof.cli.main import COMMANDS
from playproof.web.server import ROUTE_MODULES
from playproof.web.warmup import KERNEL_GROUPS
from tests.support.paths import ROOT

PACKAGE = Path(playproof.__file__).resolve().parent
PACKAGES = sorted(file.parent for file in PACKAGE.rglob("__init__.py") if file.parent != PACKAGE)
NAMED = re.compile(r"\bplayproof((?:\.\w+)+)")
PATHS = re.compile(r"\bsrc/playproof/([\w/]+\.(?:py|js|css|json))\b")
PLACES = (
    "src/**/*.py", "src/**/*.pyi", "tools/**/*.py", "tests/**/*.py", "docs/**/*.md", "*.md",
    "pyproject.toml", "Makefile", ".ci/run",
)  # fmt: skip
FAMILY = 4  # so many files with one prefix are a package


def offered_names(package: Path) -> list[str]:
    """The names that a package offers: its ``__all__``, or the imports of its stub."""
    stub = package / "__init__.pyi"
    if stub.exists():
        nodes = ast.parse(stub.read_text("utf-8")).body
        return [a.name for node in nodes if isinstance(node, ast.ImportFrom) for a in node.names]
    for node in ast.parse((package / "__init__.py").read_text("utf-8")).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id == "__all__":
            return list(ast.literal_eval(node.value))  # type: ignore[attr-defined]
    raise AssertionError(f"{package}/__init__.py has no __all__")


def modules(package: Path) -> set[str]:
    files = {file.stem for file in package.glob("*.py")} - {"__init__"}
    return files | {file.parent.name for file in package.glob("*/__init__.py")}


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """(line, full name) of every import of ours in a file."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("playproof"):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)


def private_imports(root: Path, package: Path) -> list[str]:
    """Imports of modules that their package does not offer, from outside of it."""
    private = {
        (*folder.relative_to(package).parts, name)
        for folder in sorted(file.parent for file in package.rglob("__init__.py"))
        if folder != package and not (folder / "__init__.pyi").exists()
        for name in modules(folder) - set(offered_names(folder))
    }
    errors = []
    for file in sorted([*package.rglob("*.py"), *root.glob("tools/**/*.py")]):
        here = file.relative_to(package).parts if file.is_relative_to(package) else ()
        for line, name in imports(file):
            parts = tuple(name.split(".")[1:])
            for depth in range(2, len(parts) + 1):
                inside = here[: depth - 1] == parts[: depth - 1]
                if parts[:depth] in private and not inside:
                    errors.append(f"{file.relative_to(root)}:{line} imports {name}")
    return errors


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_package_has_a_docstring_and_offers_what_exists(package: Path) -> None:
    assert ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8")))
    offered = offered_names(package)
    assert len(set(offered)) == len(offered)
    if (package / "__init__.pyi").exists():
        name = ".".join(("playproof", *package.relative_to(PACKAGE).parts))
        assert all(hasattr(import_module(name), each) for each in offered)
    else:
        assert set(offered) <= modules(package)


def test_no_private_module_is_imported_from_outside() -> None:
    assert private_imports(ROOT, PACKAGE) == []


def test_no_family_of_files_shares_a_prefix() -> None:
    families = Counter(
        (str(file.parent.relative_to(PACKAGE)), file.stem.partition("_")[0])
        for file in PACKAGE.rglob("*.py")
        if not file.stem.startswith("_")
    )
    assert [family for family, files in families.items() if files >= FAMILY] == []


def texts() -> Iterator[tuple[str, str]]:
    """(path, text) of every file that may name a module."""
    for pattern in PLACES:
        for file in sorted(ROOT.glob(pattern)):
            if file.name != "CHANGELOG.md" and file != Path(__file__):
                yield str(file.relative_to(ROOT)), file.read_text("utf-8")


def exists(name: str) -> bool:
    """Whether ``a.b.c`` under playproof is a module, or may be an attribute of one."""
    parts = name.strip(".").split(".")
    place, deep = PACKAGE, 0
    for part in parts:
        if (place / f"{part}.py").is_file():
            return True
        if not (place / part / "__init__.py").is_file():
            break
        place, deep = place / part, deep + 1
    # An attribute of a package must be one that it offers.
    return deep == len(parts) or (deep > 0 and parts[deep] in offered_names(place))


def unresolved(name: str, text: str) -> Iterator[str]:
    layers = {package.name for package in PACKAGES if package.parent == PACKAGE}
    for match in NAMED.finditer(text):
        first = match.group(1).split(".")[1]
        # Tests name modules that do not exist with the word "nothing".
        if first in layers and "nothing" not in match.group(1) and not exists(match.group(1)):
            yield f"{name}: {match.group(0)}"
    for match in PATHS.finditer(text):
        if not (PACKAGE / match.group(1)).is_file():
            yield f"{name}: {match.group(0)}"


def test_every_named_module_exists() -> None:
    assert [line for name, text in texts() for line in unresolved(name, text)] == []


def test_a_wrong_name_is_detected() -> None:
    text = "playproof.games.chess_kernels, src/playproof/games/chess.py, playproof.games.chess.game"
    assert list(unresolved("x", text)) == [
        "x: playproof.games.chess_kernels",
        "x: src/playproof/games/chess.py",
    ]


def test_a_private_import_is_detected(tmp_path: Path) -> None:
    package = tmp_path / "playproof"
    for name, text in {
        "games/__init__.py": '__all__ = ["go"]',
        "games/go/__init__.py": '__all__ = ["game"]',
        "games/go/game.py": "from playproof.games.go import rows",
        "games/go/rows.py": "",
        "web/__init__.py": "__all__: list[str] = []",
        "web/a.py": "from playproof.games.go import game\nfrom playproof.games.go.rows import x",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    assert private_imports(tmp_path, package) == [
        "playproof/web/a.py:2 imports playproof.games.go.rows.x"
    ]


def test_modules_that_are_imported_by_a_part_of_their_name_are_there() -> None:
    assert all(find_spec(f"playproof.cli.commands.{c.module}") for c in COMMANDS)
    assert all(find_spec(f"playproof.cli.benches.{bench.module}") for bench in BENCHES.values())
    assert all(find_spec(f"playproof.web.{name}.routes") for name in ROUTE_MODULES)
    assert all(find_spec(module) for part in KERNEL_GROUPS for module in part.modules)
