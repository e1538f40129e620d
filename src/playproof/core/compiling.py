"""How kernels become machine code: compiled once, kept on disk, never stale.

Numba's own cache looks only at the file of the function it compiles; a kernel
that calls a rule in another file would stay as it was when the rule changes.
Ours is a folder named after the *content* of every source file that compiled
code can depend on: its own and all that it imports, near or far.  So a changed
rule is a new folder, and the other games keep theirs.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from importlib.util import resolve_name
from pathlib import Path
from typing import Any, TypeVar

import numba
from llvmlite.binding import get_host_cpu_name
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable

from playproof.core.files.folders import cache_folder
from playproof.core.files.locks import locked

F = TypeVar("F", bound=Callable[..., Any])

# Compiled code is called from several Python threads; the default fallback
# layer ("workqueue") does not survive that.
numba.config.THREADING_LAYER_PRIORITY = ["omp", "tbb", "workqueue"]  # type: ignore[attr-defined]


def _load_without_blas() -> None:
    """Load Numba's arrays as if SciPy had no linear algebra.

    Numba looks for its BLAS at that moment, a fifth of the time that every process
    of ours takes to start.  No kernel needs it; for a foreign one that calls
    ``np.dot`` it is found when that is compiled.
    """
    blas = "scipy.linalg"
    if blas in sys.modules:
        return
    sys.modules[blas] = None  # type: ignore[assignment]
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        del sys.modules[blas]


_load_without_blas()

_PACKAGE = Path(__file__).resolve().parent.parent
# The layers whose code or constants end up inside kernels: a foreign game may use any.
_COMPILED_LAYERS = ("rules", "core", "games", "tables", "search", "proofs", "nets", "learning")
_KEEP_DAYS = 30


def cache_home() -> Path:
    """The folder of all compile caches: ``PLAYPROOF_CACHE`` or the user's cache."""
    return cache_folder() / "kernels"


def _digest(files: list[Path], root: Path) -> str:
    digest = hashlib.sha256(f"{sys.version_info[:2]} numba {numba.__version__}".encode())
    for file in sorted(files):
        digest.update(os.path.relpath(file, root).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(playproof[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)"
    r"|import[ \t]+(playproof[\w., \t]*))",
    re.MULTILINE,
)


@functools.cache
def _imports(file: Path) -> tuple[Path, ...]:
    """The files of Playproof that a file imports, anywhere in it."""
    found = []
    for source, names, plain in _IMPORT.findall(file.read_text(encoding="utf-8")):
        parts = [name.split()[0] for name in re.findall(r"\w[\w. \t]*", names) if name.strip()]
        modules = plain.replace(",", " ").split() if plain else [source]
        found += [*modules, *(f"{source}.{part}" for part in parts)]
    files = []
    for module in dict.fromkeys(found):
        path = _PACKAGE.joinpath(*module.split(".")[1:])
        files += [f for f in (path.with_suffix(".py"), path / "__init__.py") if f.is_file()]
    return tuple(files)


def _closure(file: Path) -> list[Path]:
    """A file of Playproof and all those whose code or constants it may use."""
    known, waiting = {file}, [file]
    while waiting:
        for needed in _imports(waiting.pop()):
            # The door imports everything, but only when it is asked to.
            if needed not in known and needed.parent != _PACKAGE:
                known.add(needed)
                waiting.append(needed)
    return sorted(known)


@functools.cache
def _cache_folder(module: str) -> Path:
    """The cache folder for kernels of ``module``, which may be a third party's."""
    top, _, rest = module.partition(".")
    if top == "playproof":
        file = _PACKAGE.joinpath(*rest.split(".")).with_suffix(".py")
        name = f"{rest}-{_digest(_closure(file), _PACKAGE)}"
    else:
        files, root = _foreign_sources(module)
        ours = [f for name in _COMPILED_LAYERS for f in (_PACKAGE / name).rglob("*.py")]
        name = f"{module}-{_digest(files, root)}-{_digest(ours, _PACKAGE)}"
    folder = cache_home() / name
    _use(folder)
    return folder


def _foreign_sources(module: str) -> tuple[list[Path], Path]:
    """The files that a third party's kernels may depend on, and the folder they lie in."""
    top = sys.modules[module.partition(".")[0]]
    folders = [Path(folder).resolve() for folder in getattr(top, "__path__", [])]
    own = Path(getattr(sys.modules[module], "__file__", None) or __file__).resolve()
    if folders:  # a package, with or without an __init__
        root = folders[0].parent
        whole = [file for folder in folders for file in folder.rglob("*.py")]
        return _package_closure(own, whole, root), root
    # A single module: it may use those that lie beside it and are loaded by now.
    files = (getattr(m, "__file__", None) for m in list(sys.modules.values()))
    loaded = {Path(file).resolve() for file in files if file}
    beside = {file for file in loaded if file.parent == own.parent and file.suffix == ".py"}
    return sorted(beside | {own}), own.parent


def _package_closure(own: Path, whole: list[Path], root: Path) -> list[Path]:
    """A file of a third party's package and what it imports of that package, near or far.

    The whole package where that cannot be read off the imports: ``import package.module`` gives
    access to all of it, and what a call imports is known only when it runs.
    """
    by_module = {
        ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): file
        for file in whole
    }
    tops = {module.partition(".")[0] for module in by_module}
    names = {file: module for module, file in by_module.items()}
    closure, waiting = {own}, [own]
    while waiting:
        file = waiting.pop()
        text = file.read_text(encoding="utf-8")
        if file not in names or "import_module" in text or "__import__" in text:
            return whole
        package = ".".join(file.relative_to(root).parent.parts)
        modules = {names[file]}
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                if any(alias.name.partition(".")[0] in tops for alias in node.names):
                    return whole
            elif isinstance(node, ast.ImportFrom):
                source = resolve_name("." * node.level + (node.module or ""), package)
                modules |= {source, *(f"{source}.{alias.name}" for alias in node.names)}
        # Importing a module runs the packages that it lies in.
        parents = {".".join(m.split(".")[:n]) for m in modules for n in range(1, m.count(".") + 2)}
        needed = {by_module[module] for module in parents if module in by_module} - closure
        closure |= needed
        waiting += needed
    return sorted(closure)


def _use(folder: Path) -> None:
    """Create ``folder``, mark it as used today, and drop what no one used for long."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        horizon = time.time() - _KEEP_DAYS * 86400
        for old in folder.parent.iterdir():
            if old.is_dir() and old.stat().st_mtime < horizon:
                shutil.rmtree(old, ignore_errors=True)
    except OSError:
        pass  # A read-only home: Numba compiles anew, nothing else is lost.


def _mark(module: str) -> Path:
    """The file that says that a module of ours is compiled for this kind of processor."""
    return _cache_folder(module) / f"complete-{get_host_cpu_name()}"


def can_keep() -> bool:
    """Whether what is compiled is kept for other processes."""
    return os.access(_cache_folder("playproof.core.kernels"), os.W_OK)


def mark_compiled(module: str) -> None:
    """Keep in mind that every kernel of a module of ours was compiled, and is in the cache."""
    with suppress(OSError):
        _mark(module).touch()


def is_compiled(module: str) -> bool:
    """Whether a module of ours can be imported without compiling anything.

    Only `mark_compiled` knows: a module that was imported elsewhere may be complete too.
    """
    return bool(numba.config.DISABLE_JIT) or _mark(module).exists()  # type: ignore[attr-defined]


@contextmanager
def _caching_in(folder: Path) -> Iterator[None]:
    before = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before  # type: ignore[attr-defined]


@contextmanager
def _one_at_a_time(folder: Path, cache: bool) -> Iterator[None]:
    """Hold a folder's lock, so that of two processes one compiles and the other loads."""
    # On a file system without locks both compile, as they would have.
    with locked(folder / "lock") if cache else nullcontext():
        yield


def jitable(function: F) -> F:
    """A function that kernels call: compiled with them, plain Python otherwise."""
    return register_jitable(function)  # type: ignore[no-any-return]


def kernel(signature: Any, *, parallel: bool = False, counted: bool = True) -> Callable[[F], F]:
    """Compile a function for exactly ``signature``, or load it from the cache.

    Numba counts references to arrays at calls that it does not inline;
    ``counted=False`` leaves that out, for loops that call deeply and make no
    arrays of their own.

    With ``NUMBA_DISABLE_JIT=1`` the plain Python function is returned, for a
    debugger.
    """

    def compile_it(function: F) -> F:
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            return function
        # A function typed into a terminal has no file, and so nothing to go stale by.
        lasting = (
            Path(function.__code__.co_filename).is_file() and function.__module__ in sys.modules
        )
        folder = _cache_folder(function.__module__) if lasting else cache_home()
        cache = lasting and os.access(folder, os.W_OK)
        compiler = numba.njit(
            signature, cache=cache, parallel=parallel, nogil=True, error_model="numpy",
            _nrt=counted, no_cfunc_wrapper=True,
        )  # fmt: skip
        with _one_at_a_time(folder, cache), _caching_in(folder):
            return compiler(function)  # type: ignore[no-any-return]

    return compile_it


def address(function: Any, signature: Any) -> int | None:
    """Where a compiled function lies in memory; None if it is not compiled."""
    if not hasattr(function, "get_compile_result"):
        return None
    result = function.get_compile_result(signature)
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


def first_class(place: int, signature: Any) -> Callable[[Any], Any]:
    """A function that finds the kernel at ``place`` of a kernel table.

    In compiled code the table holds addresses and the result is a first-class
    function; in plain Python the table holds the functions themselves.
    """
    function_type = types.FunctionType(signature)

    @intrinsic
    def at_address(context, word):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            made = cgutils.create_struct_proxy(function_type)(context, builder)
            pointer = context.get_value_type(types.voidptr)
            made.jit_addr = builder.inttoptr(arguments[0], pointer)
            return made._getvalue()

        return function_type(types.uint64), generate

    def find(table: Any) -> Any:
        return table[place]

    @overload(find, inline="always")
    def compiled_find(table):  # type: ignore[no-untyped-def]
        return lambda table: at_address(table[place])

    return find
