"""``playproof doctor``: what is installed on this machine, and what Playproof uses of it."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

from playproof import __version__
from playproof.agents.engines.process import find_program
from playproof.cli.output import JsonOption, emit, note, table
from playproof.core import memory
from playproof.core.compiling import cache_home
from playproof.core.parallel.executor import cores
from playproof.proofs.sat import solvers as sat_solvers

_NEEDED = (
    *("numpy", "numba", "llvmlite", "typer", "rich", "safetensors"),
    *("starlette", "uvicorn", "websockets", "segno"),
)
_EXTRAS = {
    "learn": ("torch", "resvg_py"),
    "prove": ("python-sat", "passagemath-kissat", "z3-solver"),
    "interop": ("chess", "zstandard", "sgfmill", "open-spiel", "gymnasium", "pettingzoo"),
    "cluster": ("ray",),
    "dev": ("pytest", "hypothesis", "ruff", "mypy", "tensorboard"),
}
# Programs that Playproof uses if they are found.
_ENGINES = {
    "stockfish": "chess opponent",
    "gnugo": "Go opponent and referee",
    "drat-trim": "proof checker",
    "cake_lpr": "verified proof checker",
    "chromium": "browser for the page's tests",
}


def doctor(
    clear_cache: Annotated[
        bool, typer.Option("--clear-cache", help="Delete the compiled kernels.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what is installed, which programs were found, and where compiled code is stored."""
    cache = cache_home()
    if clear_cache:
        shutil.rmtree(cache, ignore_errors=True)
        note(f"deleted {cache}")
    report = _report(cache)
    missing = [name for name, number in report["needed"].items() if not number]
    if as_json:
        emit(report)
    else:
        _print(report)
    if missing:
        note(f"missing: {', '.join(missing)}: pip install {' '.join(missing)}")
        raise typer.Exit(1)


def _print(report: dict[str, Any]) -> None:
    machine = report["machine"]
    rows = [[key, str(value)] for key, value in machine.items()]
    rows += [["compile cache", f"{report['cache']['folder']} ({report['cache']['megabytes']} MB)"]]
    table("This machine", ["what", ""], rows)
    rows = [["(needed)", *item] for item in report["needed"].items()]
    for extra, packages in report["extras"].items():
        rows += [[extra, name, number or "not installed"] for name, number in packages.items()]
    table("Packages", ["extra", "package", "version"], rows)
    solvers = report["solvers"]
    rows = [
        [name, f"SAT solver{_used_note(name, solvers)}", solver["version"] or "", _place(solver)]
        for name, solver in solvers["all"].items()
    ]
    rows += [[name, _ENGINES[name], "", path] for name, path in report["engines"].items()]
    rows = [[*start, path or "not found"] for *start, path in rows]
    table("Programs", ["program", "for", "version", "found"], rows)


def _place(solver: dict[str, Any]) -> str | None:
    package = solver["package"]  # shorter than the path inside the package
    return f"in the package {package}" if package else solver["found"]


def _used_note(name: str, solvers: dict[str, Any]) -> str:
    return ", used if none is named" if name == solvers["used"] else ""


def _report(cache: Path) -> dict[str, Any]:
    return {
        "machine": {
            "playproof": __version__,
            "python": platform.python_version(),
            "executable": sys.executable,
            "system": f"{platform.system()} {platform.machine()}",
            "cores": cores(),
            "memory": f"{memory.total() / 2**30:.0f} GiB",
            "gpu": _gpu_and_users() or "none",
        },
        "cache": {"folder": str(cache), "megabytes": _megabytes(cache)},
        "needed": {name: _version(name) for name in _NEEDED},
        "extras": {
            extra: {name: _version(name) for name in packages}
            for extra, packages in _EXTRAS.items()
        },
        "solvers": _solvers(),
        "engines": {name: _program(name) for name in _ENGINES},
    }


def _solvers() -> dict[str, Any]:
    """Every SAT solver as ``prove`` finds it, and which of them it uses if none is named."""
    installed = sat_solvers.available()
    packages = {"cadical": "python-sat", "kissat": "passagemath-kissat"}
    places = {"cadical": "pysat", "kissat": sat_solvers.kissat_binary()}
    if shutil.which("kissat"):
        del packages["kissat"]
    solvers: dict[str, dict[str, str | None]] = {}
    for name in sat_solvers.SOLVERS:
        if name not in installed:
            solvers[name] = {"found": None, "package": None, "version": None}
            continue
        try:
            text = sat_solvers.version(name)
        except OSError as error:  # a program for another machine, say
            text = f"cannot be run: {error.strerror}"
        solvers[name] = {"found": places[name], "package": packages.get(name), "version": text}
    return {"used": installed[-1] if installed else None, "all": solvers}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _program(name: str) -> str | None:
    """The path of a program; engines are also searched for where systems install games."""
    return shutil.which(name) if name in ("drat-trim", "cake_lpr") else find_program(name)


def _megabytes(folder: Path) -> float:
    files = (file for file in folder.rglob("*") if file.is_file())
    return round(sum(file.stat().st_size for file in files) / 1e6, 1)


def _gpu_and_users() -> str | None:
    """The GPU, and which installed packages cannot use it."""
    gpu = _gpu()
    if gpu is None:
        return None
    torch = _version("torch")
    if torch is None or torch.endswith("+cpu"):
        gpu += f"; not used by networks: torch is {torch or 'not installed'}"
    if _version("numba-cuda") is None:
        gpu += "; not used by tables: numba-cuda is not installed"
    return gpu


def _gpu() -> str | None:
    """The GPU's name from its driver, without loading CUDA."""
    program = shutil.which("nvidia-smi")
    if not program:
        return None
    try:
        query = subprocess.run(
            [program, "--query-gpu=name,memory.total", "--format=csv,noheader"],
            capture_output=True,
            text=True,
            check=False,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if query.returncode != 0:  # without a driver, stdout has an error message instead of a name
        return None
    return "; ".join(query.stdout.split("\n")).strip("; ") or None
