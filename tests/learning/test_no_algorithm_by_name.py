"""Nobody but an algorithm's own modules knows it by name: not the commands, runs or pages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import playproof
from playproof.learning import registry
from playproof.learning.algorithm import AnyAlgorithm

PACKAGE = Path(playproof.__file__).resolve().parent
HOUSE: list[AnyAlgorithm] = [registry.find(name) for name in registry._BUILTIN]
NAMES = {algorithm.name for algorithm in HOUSE}
STARTS = NAMES | {f"{name}:" for name in NAMES}  # a preset for any game begins so
# A preset gives its algorithm away just as well.
GIVEAWAYS = STARTS | {preset for algorithm in HOUSE for preset in algorithm.presets}
CLASSES = {algorithm.config.__name__ for algorithm in HOUSE}
CLASSES |= {"AlphaZero", "Ppo", "Dql", "Imitation", "Distillation", "ReinforcementSettings"}
# The registry has the table of ours; each algorithm's own modules are in its package.
ANY = "|".join(sorted(NAMES))
OWN = re.compile(rf"learning/(registry$|algorithms/({ANY})/)")


def is_own(path: Path) -> bool:
    return OWN.match(path.with_suffix("").as_posix()) is not None


def texts(node: ast.AST) -> set[str]:
    """The strings that stand in an expression: itself, or in a tuple, list or set."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return {node.value}
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return {text for part in node.elts for text in texts(part)}
    return set()


def classes(node: ast.AST) -> set[str]:
    """The names of classes in an expression: one, ``a.B``, a tuple, ``A | B``."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | {
        n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)
    }


def called(node: ast.Call) -> str:
    return getattr(node.func, "id", getattr(node.func, "attr", ""))


def offences(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, what) of every question for an algorithm by name or by class."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for text in {text for side in sides for text in texts(side)} & GIVEAWAYS:
                yield node.lineno, f"compares {text!r}"
            if {name for side in sides for name in classes(side)} & CLASSES:
                yield node.lineno, "compares a class"
        elif isinstance(node, ast.Call):
            if called(node) in ("isinstance", "issubclass") and len(node.args) > 1:
                for name in classes(node.args[1]) & CLASSES:
                    yield node.lineno, f"asks {called(node)} for {name}"
            if called(node) in ("startswith", "removeprefix", "endswith", "get"):
                for text in {t for part in node.args for t in texts(part)} & STARTS:
                    yield node.lineno, f"{called(node)} {text!r}"
        elif isinstance(node, ast.match_case):
            for inner in ast.walk(node.pattern):
                if isinstance(inner, ast.MatchValue) and texts(inner.value) & GIVEAWAYS:
                    yield node.body[0].lineno, "matches a name"
        elif isinstance(node, ast.Dict):
            keys = {t for key in node.keys if key is not None for t in texts(key)}
            if len(keys & NAMES) > 1:
                yield node.lineno, f"is a table by algorithm: {sorted(keys & NAMES)}"


def found_in(package: Path) -> list[str]:
    found = []
    for file in sorted(package.rglob("*.py")):
        path = file.relative_to(package)
        if not is_own(path):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            found += [f"{path}:{line} {what}" for line, what in offences(tree)]
    return found


# The home page draws the curve of this one shipped run.


def test_no_other_module_asks_for_an_algorithm() -> None:
    assert found_in(PACKAGE) == []


def test_there_is_something_to_check() -> None:
    assert {"alphazero", "dql", "imitation", "ppo"} <= NAMES
    own = [path for path in PACKAGE.rglob("*.py") if is_own(path.relative_to(PACKAGE))]
    assert 15 < len(own) < 70
    assert not is_own(Path("learning/runs/run.py"))
    assert not is_own(Path("cli/commands/train.py"))


@pytest.mark.parametrize(
    "line",
    [
        "if algorithm_of(settings) != 'alphazero': pass",
        "x = log.algorithm in ('ppo', 'dql')",
        "x = run.preset == 'choko-dql'",
        "x = isinstance(learner, AlphaZero)",
        "x = isinstance(settings, (PpoSettings, imitation_settings.ImitationSettings))",
        "x = issubclass(kind, PpoSettings | DqlSettings)",
        "x = type(settings) is DqlSettings",
        "x = preset.startswith('alphazero:')",
        "x = words.get('ppo')",
        "EARLIER = {'ppo': 'ten iterations', 'dql': 'one'}",
        "match name:\n    case 'imitation':\n        x = 1",
    ],
)
def test_a_question_for_one_is_seen(tmp_path: Path, line: str) -> None:
    for place in ("cli/commands/train.py", "learning/algorithms/ppo/registration.py"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text(line)
    assert {found.split(":")[0] for found in found_in(tmp_path)} == {"cli/commands/train.py"}


@pytest.mark.parametrize(
    "line",
    [
        "preset: str = 'imitation'",
        "Figure('imitation', 'network')",
        "x = isinstance(algorithm, Algorithm)",
        "x = name == 'entropy'",
        "'''in alphazero == ppo'''",
    ],
)
def test_what_is_no_question_is_not(line: str) -> None:
    assert list(offences(ast.parse(line))) == []


def test_the_train_page_knows_none() -> None:
    for file in (PACKAGE / "web" / "static" / "pages" / "train").glob("*.js"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(rf"\b({ANY})\b", text), file.name
