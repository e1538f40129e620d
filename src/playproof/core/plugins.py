"""Python files of the user's own, whose games, agents and so on every process knows.

``playproof --load my.py COMMAND`` names such files.  Their paths are in the environment, as
``PLAYPROOF_LOAD``, so that every process started by a command loads them too: each registry calls
``load_files`` before it says that a name is unknown.

A file adds what it registers itself, every game, agent or statement whose class it defines, and
every learning algorithm that it declares.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from playproof.core.errors import DataError, PlayproofError, UsageError, one_line

VARIABLE = "PLAYPROOF_LOAD"

# Classes that can be registered: the module and name of the base class, then the registry and the
# function that adds one.  By name, since this layer may not import most of them.
_CLASSES = (
    ("playproof.core.game", "Game", "playproof.core.registry", "register"),
    ("playproof.agents.base", "Agent", "playproof.agents.registry", "register_agent"),
    ("playproof.proofs.statements", "Statement", "playproof.proofs.registry", "register_statement"),
)

# The same for objects that can be registered; their ``module`` names the module that declares them.
_OBJECTS = (
    (
        "playproof.learning.algorithm", "Algorithm",
        "playproof.learning.registry", "register_algorithm",
    ),
)  # fmt: skip

# Registries of functions, which files call themselves.
_FUNCTIONS = ("playproof.learning.rewards",)

_loaded: set[str] = set()
_lock = threading.RLock()


@contextmanager
def loading(files: Sequence[str]) -> Iterator[None]:
    """Load the files of the environment, then ``files``; new processes load them too in here."""
    before = os.environ.get(VARIABLE)
    paths = list(
        dict.fromkeys(str(_checked_path(file)) for file in [*_paths_in_environment(), *files])
    )
    for path in paths:
        load(path)
    if paths:
        os.environ[VARIABLE] = os.pathsep.join(paths)
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(VARIABLE, None)
        else:
            os.environ[VARIABLE] = before


def load_files() -> None:
    """Load the files that the environment names, unless they are loaded."""
    for path in _paths_in_environment():
        if path not in _loaded:
            load(path)


def _paths_in_environment() -> list[str]:
    return [path for path in os.environ.get(VARIABLE, "").split(os.pathsep) if path]


def load(file: str | Path) -> None:
    """Import a file and register what it defines.  It may be called again for the same file."""
    path = _checked_path(file)
    with _lock:
        # It counts as loaded from now on, for registries call ``load_files`` in their turn.
        names = {str(file), str(path)}  # the environment may contain either
        again = str(path) in _loaded
        _loaded.update(names)
        try:
            before = _registered()
            module = _import(path)
            added = [
                _register(path, item) for item in (*_own_classes(module), *_own_objects(module))
            ]
            if not (added or again or _registered() - before):
                raise UsageError(
                    f"{path.name} has nothing to register: want a class with a name that is a "
                    "playproof.Game, a playproof.Agent or a Statement, an Algorithm, or a "
                    "register_reward"
                )
        except BaseException:
            _loaded.difference_update(names)
            raise


def _checked_path(file: str | Path) -> Path:
    path = Path(file).expanduser()
    if not path.is_file():
        raise UsageError(f"--load {file}: there is no such file; want a Python file such as my.py")
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise UsageError(
            f"--load {file}: want a Python file whose name can be imported: my_game.py"
        )
    return path.resolve()


def _import(path: Path) -> ModuleType:
    """Import the file as the module of its name; its folder is added to ``sys.path``.

    The folder comes last, so that nothing in it hides installed packages.
    """
    name, folder = path.stem, str(path.parent)
    if folder not in sys.path:
        sys.path.append(folder)
    importlib.invalidate_caches()  # the file may be newer than what Python remembers of the folder
    loaded = sys.modules.get(name)
    spec = importlib.util.find_spec(name) if loaded is None else None
    origin: str | None = getattr(loaded, "__file__", None) if spec is None else spec.origin
    if origin is None or Path(origin).resolve() != path:
        raise UsageError(
            f"{path.name}: Python has another module called {name}; give the file another name"
        )
    try:
        return import_module(name)
    except KeyboardInterrupt:
        raise
    except PlayproofError as error:  # a name that is taken, for instance
        raise type(error)(f"{path.name}: {error}") from None
    except SyntaxError as error:
        where = f"{Path(error.filename or path).name}, line {error.lineno}"
        raise DataError(f"{where}: {error.msg}") from None
    except BaseException as error:
        kind = type(error).__name__
        line = line_in(path, error)
        where = path.name if line is None else f"{path.name}, line {line}"
        raise DataError(f"{where} cannot be loaded: {kind}: {one_line(error)}") from error


def line_in(path: Path, error: BaseException) -> int | None:
    """The last line of the file in an error's traceback; None if the file is not in it."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _kinds(table: tuple[tuple[str, str, str, str], ...]) -> Iterator[tuple[type, Any, Any]]:
    """(base class, function to add one, function that lists them) of each kind in ``table``.

    Kinds whose base class nobody has imported are left out: a file cannot define one of them.
    """
    for module, base, registry, add in table:
        if module in sys.modules:
            functions = vars(import_module(registry))
            yield getattr(sys.modules[module], base), functions[add], functions["registered"]


def _registered() -> set[object]:
    """Everything that is registered in this process."""
    functions = [
        vars(sys.modules[name])["registered"] for name in _FUNCTIONS if name in sys.modules
    ]
    kinds = (kind[2] for kind in _kinds(_CLASSES + _OBJECTS))
    return {item for registered in [*kinds, *functions] for item in registered()}


def _own_classes(module: ModuleType) -> list[type]:
    """The classes that the module itself defines and that can be registered, in order."""
    bases = tuple(base for base, _, _ in _kinds(_CLASSES))
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and value.__module__ == module.__name__
        and issubclass(value, bases)
        and not inspect.isabstract(value)
        and not value.__name__.startswith("_")
        and isinstance(getattr(value, "name", getattr(value, "family", None)), str)
    ]


def _own_objects(module: ModuleType) -> list[object]:
    """The objects that the module itself declares and that can be registered, each once."""
    bases = tuple(base for base, _, _ in _kinds(_OBJECTS))
    objects = {
        id(value): value
        for name, value in vars(module).items()
        if isinstance(value, bases)
        and not name.startswith("_")
        and getattr(value, "module", None) == module.__name__
    }
    return list(objects.values())


def _register(path: Path, item: object) -> object:
    for base, add, _ in _kinds(_CLASSES + _OBJECTS):
        if isinstance(item, base) or (isinstance(item, type) and issubclass(item, base)):
            try:
                add(item)
            except PlayproofError as error:
                raise type(error)(f"{path.name}: {error}") from None
    return item
