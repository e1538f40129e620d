"""``playproof doctor``: the machine, its packages, and the programs that Playproof can use."""

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
# Programs that Playproof uses if they are installed, and what for.
_PROGRAMS = {
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
    report = _collect(cache)
    missing = [name for name, installed in report["needed"].items() if not installed]
    if as_json:
        emit(report)
    else:
        _print_tables(report)
    if missing:
        note(f"missing: {', '.join(missing)}: pip install {' '.join(missing)}")
        raise typer.Exit(1)


def _print_tables(report: dict[str, Any]) -> None:
    cache = report["cache"]
    machine = [[key, str(value)] for key, value in report["machine"].items()]
    machine.append(["compile cache", f"{cache['folder']} ({cache['megabytes']} MB)"])
    table("This machine", ["what", ""], machine)

    packages = [["(needed)", *item] for item in report["needed"].items()]
    for extra, versions in report["extras"].items():
        packages += [[extra, name, number or "not installed"] for name, number in versions.items()]
    table("Packages", ["extra", "package", "version"], packages)

    solvers = report["solvers"]
    programs = []
    for name, solver in solvers["all"].items():
        purpose = "SAT solver" + (", used if none is named" if name == solvers["used"] else "")
        programs.append([name, purpose, solver["version"] or "", _location(solver) or "not found"])
    for name, path in report["engines"].items():
        programs.append([name, _PROGRAMS[name], "", path or "not found"])
    table("Programs", ["program", "for", "version", "found"], programs)


def _location(solver: dict[str, Any]) -> str | None:
    """Where a solver is: its package if it has one, since the path inside that is long."""
    package = solver["package"]
    return f"in the package {package}" if package else solver["found"]


def _collect(cache: Path) -> dict[str, Any]:
    """All that ``doctor`` shows, as its ``--json`` prints it; a version or a path is None if the
    package or the program is not installed."""
    return {
        "machine": {
            "playproof": __version__,
            "python": platform.python_version(),
            "executable": sys.executable,
            "system": f"{platform.system()} {platform.machine()}",
            "cores": cores(),
            "memory": f"{memory.total() / 2**30:.0f} GiB",
            "gpu": _gpu_with_notes() or "none",
        },
        "cache": {"folder": str(cache), "megabytes": _megabytes(cache)},
        "needed": {name: _version(name) for name in _NEEDED},
        "extras": {
            extra: {name: _version(name) for name in packages}
            for extra, packages in _EXTRAS.items()
        },
        "solvers": _solvers(),
        "engines": {name: _program_path(name) for name in _PROGRAMS},
    }


def _solvers() -> dict[str, Any]:
    """The SAT solvers: ``all`` by name, and ``used``, the one that ``prove`` takes by default."""
    installed = sat_solvers.available()
    packages = {"cadical": "python-sat", "kissat": "passagemath-kissat"}
    locations = {"cadical": "pysat", "kissat": sat_solvers.kissat_binary()}
    if shutil.which("kissat"):  # a program on the PATH comes before the package
        del packages["kissat"]
    solvers: dict[str, dict[str, str | None]] = {}
    for name in sat_solvers.SOLVERS:
        if name not in installed:
            solvers[name] = {"found": None, "package": None, "version": None}
            continue
        try:
            number = sat_solvers.version(name)
        except OSError as error:  # for example, a program built for another architecture
            number = f"cannot be run: {error.strerror}"
        solvers[name] = {
            "found": locations[name],
            "package": packages.get(name),
            "version": number,
        }
    return {"used": installed[-1] if installed else None, "all": solvers}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _program_path(name: str) -> str | None:
    """The path of a program; engines may also be in the folders where systems install games."""
    return shutil.which(name) if name in ("drat-trim", "cake_lpr") else find_program(name)


def _megabytes(folder: Path) -> float:
    files = (file for file in folder.rglob("*") if file.is_file())
    return round(sum(file.stat().st_size for file in files) / 1e6, 1)


def _gpu_with_notes() -> str | None:
    """The GPU's name, with a note for each part of Playproof that cannot use it."""
    gpu = _gpu_name()
    if gpu is None:
        return None
    torch = _version("torch")
    if torch is None or torch.endswith("+cpu"):
        gpu += f"; not used by networks: torch is {torch or 'not installed'}"
    if _version("numba-cuda") is None:
        gpu += "; not used by tables: numba-cuda is not installed"
    return gpu


def _gpu_name() -> str | None:
    """The GPU's name and memory from its driver, without loading CUDA."""
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
    return "; ".join(query.stdout.strip().split("\n")) or None
