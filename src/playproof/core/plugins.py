"""Files of one's own: what a Python file registers, known to every process.

``playproof --load my.py COMMAND`` names such files.  Their paths stand in the environment, as
``PLAYPROOF_LOAD``, so every process that a command starts has them too: each registry calls
``load_files`` before it says that a name is unknown.

A file brings what it registers itself, every game, agent or statement whose class it defines, and
every algorithm of learning that it declares.
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

# What can be registered: the module and name of its base class, and its registry with the function
# that adds one.  By name, since most of them lie in layers below this one.
_KINDS = (
    ("playproof.core.game", "Game", "playproof.core.registry", "register"),
    ("playproof.agents.base", "Agent", "playproof.agents.registry", "register_agent"),
    ("playproof.proofs.statements", "Statement", "playproof.proofs.registry", "register_statement"),
)

# The same for what is declared as an object, whose ``module`` says where.
_OBJECTS = (
    (
        "playproof.learning.algorithm", "Algorithm",
        "playproof.learning.registry", "register_algorithm",
    ),
)  # fmt: skip

# Modules that list functions which files register themselves.
_OTHERS = ("playproof.learning.rewards",)

_loaded: set[str] = set()
_lock = threading.RLock()


@contextmanager
def loading(files: Sequence[str]) -> Iterator[None]:
    """Load the files, after those of the environment; while this lasts, new processes load all of
    them, whatever folder they are in."""
    before = os.environ.get(VARIABLE)
    paths = list(dict.fromkeys(str(_existing(file)) for file in [*_named(), *files]))
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
    """Load the files that the environment names, once."""
    for path in _named():
        if path not in _loaded:
            load(path)


def _named() -> list[str]:
    return [path for path in os.environ.get(VARIABLE, "").split(os.pathsep) if path]


def load(file: str | Path) -> None:
    """Import a file and register what it defines; once more is no harm."""
    path = _existing(file)
    with _lock:
        # From here on it counts as loaded: what it registers asks for names in its turn.
        names = {str(file), str(path)}  # the environment may have either
        again = str(path) in _loaded
        _loaded.update(names)
        try:
            before = _registered()
            module = _import(path)
            brought = [
                _register(path, one) for one in (*_own_classes(module), *_own_objects(module))
            ]
            if not (brought or again or _registered() - before):
                raise UsageError(
                    f"{path.name} has nothing to register: want a class with a name that is a "
                    "playproof.Game, a playproof.Agent or a Statement, an Algorithm, or a "
                    "register_reward"
                )
        except BaseException:
            _loaded.difference_update(names)
            raise


def _existing(file: str | Path) -> Path:
    path = Path(file).expanduser()
    if not path.is_file():
        raise UsageError(f"--load {file}: there is no such file; want a Python file such as my.py")
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise UsageError(
            f"--load {file}: want a Python file whose name can be imported: my_game.py"
        )
    return path.resolve()


def _import(path: Path) -> ModuleType:
    """The file as the module of its name, with its folder to import from, as Python runs it.

    The folder comes last, so that nothing in it hides what is installed.
    """
    name, folder = path.stem, str(path.parent)
    if folder not in sys.path:
        sys.path.append(folder)
    importlib.invalidate_caches()  # the file may be newer than the last look into its folder
    known = sys.modules.get(name)
    spec = importlib.util.find_spec(name) if known is None else None
    origin: str | None = getattr(known, "__file__", None) if spec is None else spec.origin
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
    """The last line of the file on the way to the error; None if it does not lead through it."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _kinds(listed: tuple[tuple[str, str, str, str], ...]) -> Iterator[tuple[type, Any, Any]]:
    """The kinds whose base class is there by now: a file can bring no others."""
    for module, base, registry, add in listed:
        if module in sys.modules:
            functions = vars(import_module(registry))
            yield getattr(sys.modules[module], base), functions[add], functions["registered"]


def _registered() -> set[object]:
    others = [vars(sys.modules[name])["registered"] for name in _OTHERS if name in sys.modules]
    kinds = (kind[2] for kind in _kinds(_KINDS + _OBJECTS))
    return {one for listed in [*kinds, *others] for one in listed()}


def _own_classes(module: ModuleType) -> list[type]:
    """What the module itself defines and could register, in its order."""
    bases = tuple(base for base, _, _ in _kinds(_KINDS))
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
    """What the module itself declares and could register, each once."""
    bases = tuple(base for base, _, _ in _kinds(_OBJECTS))
    found = {
        id(value): value
        for name, value in vars(module).items()
        if isinstance(value, bases)
        and not name.startswith("_")
        and getattr(value, "module", None) == module.__name__
    }
    return list(found.values())


def _register(path: Path, one: object) -> object:
    for base, add, _ in _kinds(_KINDS + _OBJECTS):
        if isinstance(one, base) or (isinstance(one, type) and issubclass(one, base)):
            try:
                add(one)
            except PlayproofError as error:
                raise type(error)(f"{path.name}: {error}") from None
    return one
