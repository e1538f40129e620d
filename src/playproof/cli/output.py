"""Helpers of all commands: arguments, JSON, tables, progress on stderr, seeds."""

from __future__ import annotations

import json
import re
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from playproof.core.errors import DataError, UsageError
from playproof.core.jobs.recorder import current

GameArgument = Annotated[
    str,
    typer.Argument(metavar="GAME", help="A game, optionally with options: othello:size=6"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
SeedOption = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        max=2**63 - 1,
        help="Makes random choices repeatable; a new one is printed if not given.",
    ),
]


def refuse_option(text: str) -> None:
    """Raise UsageError for a mistyped option in place of a position that begins with "-"."""
    letters = set(text) - set("-xXoObBwW.*_ ")
    if re.match(r"--?[A-Za-z]", text) and letters:
        raise UsageError(f"No such option: {text} (see playproof --help)")


def emit(data: Any) -> None:
    """Print one line of JSON on stdout."""
    print(json.dumps(data, ensure_ascii=False))


def note(text: str) -> None:
    """Print a line on stderr and log it in the job, apart from the result on stdout."""
    job = current()
    if job is not None:
        job.log(text)
    print(text, file=sys.stderr, flush=True)


def write_text(file: Path, text: str) -> None:
    """Write a file; DataError says in one line why it cannot be written."""
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"{file} cannot be written: {error.strerror or error}") from None


def settle_seed(seed: int | None) -> int:
    """The given seed, or a new one."""
    return secrets.randbelow(2**32) if seed is None else seed


@contextmanager
def progress(label: str, unit: str = "") -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr, if that is a terminal; ``update(done, total)`` moves it.

    The job of this command, if there is one, gets the same progress.
    """
    job = current()
    if job is not None:
        job.start_part(label)

    def report(done: int, total: int) -> None:
        if job is not None:
            job.report(done=done, total=total)

    if not sys.stderr.isatty():
        yield report
        return
    from rich.console import Console
    from rich.progress import (  # fmt: skip
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)

        def update(done: int, total: int) -> None:
            report(done, total)
            bar.update(task, completed=done, total=total)

        yield update


def table(title: str, columns: list[str], rows: list[list[str]], *, right: str = "") -> None:
    """Print a table on stdout; ``right`` has an ``r`` for each right-aligned column."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    grid = Table(title=title, box=SIMPLE_HEAD, title_justify="left", title_style="bold")
    for i, column in enumerate(columns):
        grid.add_column(column, justify="right" if right[i : i + 1] == "r" else "left")
    for row in rows:
        grid.add_row(*row)
    # A pipe has no width: use a fixed one rather than fold the cells.
    width = None if sys.stdout.isatty() else 120
    Console(width=width, highlight=False).print(grid)


@contextmanager
def working(label: str) -> Iterator[Callable[[str], None]]:
    """A spinner on stderr, if that is a terminal; ``update(text)`` adds to its label.

    The job of this command, if there is one, gets the same text.
    """
    job = current()
    if job is not None:
        job.start_part(label)

    def report(text: str) -> None:
        if job is not None:
            job.report(label=f"{label}  {text}")

    if not sys.stderr.isatty():
        yield report
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(label)) as spinner:

        def update(text: str) -> None:
            report(text)
            spinner.update(escape(f"{label}  {text}"))

        yield update
