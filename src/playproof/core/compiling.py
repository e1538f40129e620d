"""How kernels become machine code: compiled once, cached on disk, never stale.

Numba's own cache looks only at the file of the function it compiles, so a kernel that calls a rule
in another file would not change with the rule.  Our cache folders are named after the *content* of
every source file that the code can depend on: its own and all that it imports, directly or not.
A changed rule thus gets a new folder, and the other games keep theirs.
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

# Compiled code is called from several Python threads, and Numba's default layer ("workqueue")
# crashes then.
numba.config.THREADING_LAYER_PRIORITY = ["omp", "tbb", "workqueue"]  # type: ignore[attr-defined]


def _load_without_blas() -> None:
    """Load Numba's arrays as if SciPy had no linear algebra.

    Otherwise Numba searches for BLAS, which is a fifth of the start-up time of each of our
    processes.  No kernel of ours needs it.  When a third party's kernel calls ``np.dot``, Numba
    finds it then.
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
# The layers whose code or constants end up in kernels: a third party's game may use any of them.
_COMPILED_LAYERS = ("rules", "core", "games", "tables", "search", "proofs", "nets", "learning")
_KEEP_DAYS = 30  # unused folders are removed then


def cache_home() -> Path:
    """The folder of all compile caches: ``PLAYPROOF_CACHE`` or the user's cache, then kernels."""
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
    """The files of Playproof that a file imports, in functions too."""
    imported = []
    for source, names, plain in _IMPORT.findall(file.read_text(encoding="utf-8")):
        parts = [name.split()[0] for name in re.findall(r"\w[\w. \t]*", names) if name.strip()]
        modules = plain.replace(",", " ").split() if plain else [source]
        imported += [*modules, *(f"{source}.{part}" for part in parts)]
    files = []
    for module in dict.fromkeys(imported):
        path = _PACKAGE.joinpath(*module.split(".")[1:])
        files += [f for f in (path.with_suffix(".py"), path / "__init__.py") if f.is_file()]
    return tuple(files)


def _dependencies(file: Path) -> list[Path]:
    """A file of Playproof and all files whose code or constants it may use."""
    files, queue = {file}, [file]
    while queue:
        for imported in _imports(queue.pop()):
            # ``import playproof`` imports everything, but only on first use.
            if imported not in files and imported.parent != _PACKAGE:
                files.add(imported)
                queue.append(imported)
    return sorted(files)


@functools.cache
def _cache_folder(module: str) -> Path:
    """The cache folder for the kernels of ``module``, which may be a third party's."""
    top, _, rest = module.partition(".")
    if top == "playproof":
        file = _PACKAGE.joinpath(*rest.split(".")).with_suffix(".py")
        name = f"{rest}-{_digest(_dependencies(file), _PACKAGE)}"
    else:
        files, root = _foreign_sources(module)
        ours = [f for name in _COMPILED_LAYERS for f in (_PACKAGE / name).rglob("*.py")]
        name = f"{module}-{_digest(files, root)}-{_digest(ours, _PACKAGE)}"
    folder = cache_home() / name
    _create_and_prune(folder)
    return folder


def _foreign_sources(module: str) -> tuple[list[Path], Path]:
    """The files that a third party's kernels may depend on, and the folder they lie in."""
    top = sys.modules[module.partition(".")[0]]
    folders = [Path(folder).resolve() for folder in getattr(top, "__path__", [])]
    own = Path(getattr(sys.modules[module], "__file__", None) or __file__).resolve()
    if folders:  # a package, with or without an __init__
        root = folders[0].parent
        all_files = [file for folder in folders for file in folder.rglob("*.py")]
        return _package_dependencies(own, all_files, root), root
    # A single module may use those beside it that are loaded by now.
    files = (getattr(m, "__file__", None) for m in list(sys.modules.values()))
    loaded = {Path(file).resolve() for file in files if file}
    beside = {file for file in loaded if file.parent == own.parent and file.suffix == ".py"}
    return sorted(beside | {own}), own.parent


def _package_dependencies(own: Path, all_files: list[Path], root: Path) -> list[Path]:
    """A file of a third party's package and what it imports of that package, directly or not.

    All files of the package if the imports do not tell: ``import package.module`` gives access to
    the whole package, and what ``import_module`` imports is known only when it runs.
    """
    by_module = {
        ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): file
        for file in all_files
    }
    tops = {module.partition(".")[0] for module in by_module}
    names = {file: module for module, file in by_module.items()}
    files, queue = {own}, [own]
    while queue:
        file = queue.pop()
        text = file.read_text(encoding="utf-8")
        if file not in names or "import_module" in text or "__import__" in text:
            return all_files
        package = ".".join(file.relative_to(root).parent.parts)
        modules = {names[file]}
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                if any(alias.name.partition(".")[0] in tops for alias in node.names):
                    return all_files
            elif isinstance(node, ast.ImportFrom):
                source = resolve_name("." * node.level + (node.module or ""), package)
                modules |= {source, *(f"{source}.{alias.name}" for alias in node.names)}
        # Importing a module also runs the packages that contain it.
        parents = {".".join(m.split(".")[:n]) for m in modules for n in range(1, m.count(".") + 2)}
        imported = {by_module[module] for module in parents if module in by_module} - files
        files |= imported
        queue += imported
    return sorted(files)


def _create_and_prune(folder: Path) -> None:
    """Create ``folder``, mark it as used now, and remove folders that were not used for long."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        horizon = time.time() - _KEEP_DAYS * 86400
        for old in folder.parent.iterdir():
            if old.is_dir() and old.stat().st_mtime < horizon:
                shutil.rmtree(old, ignore_errors=True)
    except OSError:
        pass  # read-only: Numba compiles anew, nothing else is lost


def _mark_file(module: str) -> Path:
    """The file whose presence says that a module of ours is compiled for this processor."""
    return _cache_folder(module) / f"complete-{get_host_cpu_name()}"


def can_write_cache() -> bool:
    """Whether compiled kernels can be cached for other processes."""
    return os.access(_cache_folder("playproof.core.kernels"), os.W_OK)


def mark_compiled(module: str) -> None:
    """Record that every kernel of a module of ours is compiled and in the cache."""
    with suppress(OSError):
        _mark_file(module).touch()


def is_compiled(module: str) -> bool:
    """Whether a module of ours can be imported without compiling anything.

    Only modules marked by `mark_compiled` count, though others may be compiled as well.
    """
    return bool(numba.config.DISABLE_JIT) or _mark_file(module).exists()  # type: ignore[attr-defined]


@contextmanager
def _caching_in(folder: Path) -> Iterator[None]:
    before = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before  # type: ignore[attr-defined]


@contextmanager
def _compile_lock(folder: Path, cache: bool) -> Iterator[None]:
    """Hold a folder's lock, so that one of two processes compiles and the other loads."""
    # On a file system without locks both compile.
    with locked(folder / "lock") if cache else nullcontext():
        yield


def jitable(function: F) -> F:
    """Decorate a function that kernels call: compiled with them, plain Python otherwise."""
    return register_jitable(function)  # type: ignore[no-any-return]


def kernel(signature: Any, *, parallel: bool = False, counted: bool = True) -> Callable[[F], F]:
    """Decorate a function to be compiled for exactly ``signature``, or loaded from the cache.

    Numba counts references to arrays at calls that it does not inline.  ``counted=False`` switches
    that off, for functions that call deeply and create no arrays.

    With ``NUMBA_DISABLE_JIT=1`` the function stays plain Python, for a debugger.
    """

    def decorate(function: F) -> F:
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            return function
        # A function typed into a terminal has no file whose changes we could notice.
        cacheable = (
            Path(function.__code__.co_filename).is_file() and function.__module__ in sys.modules
        )
        folder = _cache_folder(function.__module__) if cacheable else cache_home()
        cache = cacheable and os.access(folder, os.W_OK)
        compiler = numba.njit(
            signature, cache=cache, parallel=parallel, nogil=True, error_model="numpy",
            _nrt=counted, no_cfunc_wrapper=True,
        )  # fmt: skip
        with _compile_lock(folder, cache), _caching_in(folder):
            return compiler(function)  # type: ignore[no-any-return]

    return decorate


def address(function: Any, signature: Any) -> int | None:
    """The address of a compiled function in memory; None if it is not compiled."""
    if not hasattr(function, "get_compile_result"):
        return None
    result = function.get_compile_result(signature)
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


def first_class(place: int, signature: Any) -> Callable[[Any], Any]:
    """A function that gets the kernel at index ``place`` of a kernel table.

    In compiled code the table holds addresses, and the result is a first-class function.  In plain
    Python the table holds the functions themselves.
    """
    function_type = types.FunctionType(signature)

    @intrinsic
    def at_address(context, word):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            pointer_struct = cgutils.create_struct_proxy(function_type)(context, builder)
            pointer = context.get_value_type(types.voidptr)
            pointer_struct.jit_addr = builder.inttoptr(arguments[0], pointer)
            return pointer_struct._getvalue()

        return function_type(types.uint64), generate

    def get(table: Any) -> Any:
        return table[place]

    @overload(get, inline="always")
    def compiled_get(table):  # type: ignore[no-untyped-def]
        return lambda table: at_address(table[place])

    return get
