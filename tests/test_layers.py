"""The layers: each may import only from itself and from the layers above it in this list."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import playproof
from tests.support.core.sources import statements

PACKAGE = Path(playproof.__file__).resolve().parent
LAYERS = (
    "rules", "core", "games", "formats", "tables", "search", "proofs", "nets", "agents", "arena",
    "learning", "papers", "adapters", "web", "cli",
)  # fmt: skip
# ``import playproof`` counts as an import of this layer.
TOP = "core"


def layer_of(module: str) -> str | None:
    """The layer of a module of Playproof; None for other modules."""
    top, *rest = module.split(".")
    if top != "playproof":
        return None
    return rest[0] if rest and rest[0] in LAYERS else TOP


def imported_modules(tree: ast.AST, package: list[str]) -> Iterator[tuple[int, str]]:
    """(line, full name) of every import, in functions and under TYPE_CHECKING too.

    ``from a import b`` gives ``a.b``, since b may be a module.
    """
    for node in statements(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = [*base, *(node.module.split(".") if node.module else [])]
            yield from ((node.lineno, ".".join([*base, alias.name])) for alias in node.names)


def violations(package: Path) -> list[str]:
    """Imports of lower layers, and folders that are no layer."""
    errors = []
    for entry in sorted(package.iterdir()):
        if entry.is_dir() and entry.name[0] not in "._" and entry.name not in LAYERS:
            errors.append(f"{entry.name}/ is not a layer")
        if entry.suffix == ".py" and entry.stem not in ("__init__", "__main__"):
            errors.append(f"{entry.name} lies in no layer")
    for file in sorted(package.rglob("*.py")):
        path = file.relative_to(package)
        if len(path.parts) == 1 or path.parts[0] not in LAYERS:
            continue  # ``__init__``, and what is reported already
        own = LAYERS.index(path.parts[0])
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for line, module in imported_modules(tree, ["playproof", *path.parent.parts]):
            layer = layer_of(module)
            if layer is not None and LAYERS.index(layer) > own:
                errors.append(f"{path}:{line} imports {module}")
    return errors


def test_every_layer_imports_only_upward() -> None:
    assert violations(PACKAGE) == []


def test_there_are_layers_to_check() -> None:
    files = {path.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob("*.py")}
    assert {"rules", "core", "games", "formats"} <= files


def test_the_registry_names_games_only_as_strings() -> None:
    # An import would be a violation; a list of names is how core can know what lies below it.
    text = (PACKAGE / "core" / "registry.py").read_text()
    assert '"playproof.games.othello.game:Othello"' in text
    imports = imported_modules(ast.parse(text), ["playproof", "core"])
    assert not [module for _, module in imports if layer_of(module) == "games"]


# The checker itself


def plant(folder: Path, **files: str) -> Path:
    package = folder / "playproof"
    for name, text in files.items():
        file = package / (name.replace("__", "/") + ".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return package


@pytest.mark.parametrize(
    "line",
    [
        "import playproof.cli.main",
        "import playproof.games as g",
        "from playproof.search.mcts import search",
        "from playproof import agents",
        "from playproof import make, web",
        "from ..games import othello",
        "from .. import games",
        "def later():\n    from playproof.formats import svg",
        "if TYPE_CHECKING:\n    from playproof.tables.choko import Table",
        "try:\n    import playproof.nets\nexcept ImportError:\n    pass",
        "class A:\n    async def f(self):\n        import playproof.arena",
    ],
)
def test_an_import_that_goes_down_is_found(tmp_path: Path, line: str) -> None:
    package = plant(tmp_path, core__thing=line, rules__law="import numba\n")
    assert [error.split(":")[0] for error in violations(package)] == ["core/thing.py"]


@pytest.mark.parametrize(
    "line",
    [
        "import playproof.core.state",
        "from playproof.rules import othello",
        "from playproof import make",
        "import playproof",
        "from ..rules import othello",
        "from . import squares",
        "from .squares import image",
        "from playproof.games.square_symmetries import image",
        "import numpy.cli",
        "from other.playproof.cli import main",
        "NAME = 'playproof.cli.main'  # import playproof.cli",
    ],
)
def test_an_import_that_goes_up_or_out_is_not(tmp_path: Path, line: str) -> None:
    assert violations(plant(tmp_path, games__thing=line)) == []


def test_a_rule_knows_nothing_but_rules(tmp_path: Path) -> None:
    for line in ("import playproof", "from playproof import make", "import playproof.core.bits"):
        assert len(violations(plant(tmp_path, rules__law=line))) == 1


def test_a_folder_that_is_no_layer_is_found(tmp_path: Path) -> None:
    package = plant(tmp_path, core__thing="", helpers__stuff="import playproof.cli")
    assert violations(package) == ["helpers/ is not a layer"]


def test_a_file_that_lies_in_no_layer_is_found(tmp_path: Path) -> None:
    package = plant(tmp_path, core__thing="", helpers="")
    assert violations(package) == ["helpers.py lies in no layer"]


def test_a_file_deep_in_a_layer_is_checked(tmp_path: Path) -> None:
    package = plant(tmp_path, core__deep__er__thing="from ....games import othello")
    assert violations(package) == ["core/deep/er/thing.py:1 imports playproof.games.othello"]


# What a start costs


def test_the_package_and_the_command_line_are_imported_without_numba_or_torch() -> None:
    lines = (
        "import playproof",
        "playproof.names()",
        "import playproof.core.parallel.executor",
        "import playproof.cli.main",
    )
    report = "print([m for m in ('numba', 'torch') if m in sys.modules])"
    script = "\n".join(["import sys", *(f"{line}\n{report}" for line in lines)])
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[]"] * len(lines)
