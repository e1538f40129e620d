"""``playproof jobs``: the long commands that run or have run, from the page or from here."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playproof.cli.main import main
from playproof.cli.output import JsonOption, emit, note, table, working
from playproof.core.errors import DataError, UsageError
from playproof.core.jobs import control
from playproof.core.jobs.control import has_exited
from playproof.core.jobs.index import OVER, JobIndex
from playproof.core.jobs.recorder import data_folder
from playproof.core.jobs.store import locked

if TYPE_CHECKING:
    from playproof.core.jobs.index import JobEntry, JobIndex

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="A job, as the list names it.")]
_LAST_LINES = 2048  # bytes of the log that are shown
_AGAIN = 0.1  # seconds between two looks

app = typer.Typer(help="The long commands that run or have run: list, show, cancel, resume.")


@app.callback(invoke_without_command=True)
def jobs(context: typer.Context, as_json: JsonOption = False) -> None:
    """The long commands that run or have run; without a word more, the list."""
    if context.invoked_subcommand is None:
        list_(as_json)
    elif as_json:
        raise UsageError("put --json after the word: playproof jobs list --json")


@app.command("list")
def list_(as_json: JsonOption = False) -> None:
    """All jobs, the newest first."""
    found = [entry.to_json() for entry in _book().entries()]
    if as_json:
        emit({"jobs": found})
    elif not found:
        note("no jobs yet: commands that take longer than two seconds show here")
    else:
        rows = [[job["id"], job["state"], _how_far(job), job["title"], job["by"]] for job in found]
        table("Jobs", ["id", "state", "how far", "what", "by"], rows)


@app.command()
def show(id: IdArgument, as_json: JsonOption = False) -> None:
    """One job: how far it is, its steps, and the end of its log."""
    entry = _book().entry(id)
    job = {**entry.to_json(), "steps": entry.steps(), "log": entry.log(-_LAST_LINES)[0]}
    if as_json:
        emit(job)
        return
    print(f"{job['title']}: {job['state']}, {_how_far(job)}")
    for name in ("command", "folder", "error"):
        if job[name]:
            print(f"{name:<8} {job[name]}")
    for name, value in job["facts"].items():
        print(f"  {name.replace('_', ' ')}: {value}")
    for step in job["steps"]:
        print(f"{step['at']:>9.1f} s  {step['text']}")
    if job["log"]:
        print(job["log"], end="")


@app.command()
def cancel(id: IdArgument, as_json: JsonOption = False) -> None:
    """Stop a job as Ctrl-C would; what does not stop within five seconds is killed."""
    entry = _book().entry(id)
    state = entry.state
    if state not in ("waiting", "running"):
        raise UsageError(f"job {id} is not running: it is {state}")
    if state == "running":
        control.interrupt(entry)
        with working("stopping"):
            # A keeper kills what does not stop; it needs a moment more than that.
            _wait(entry, control.STOP_SECONDS + control.KILL_SECONDS)
            control.kill(entry)
            _wait(entry, control.KILL_SECONDS)
    control.ensure_end(entry, "cancelled", code=130 if state == "running" else None)
    _tell(id, as_json)


@app.command()
def resume(id: IdArgument) -> None:
    """Go on with a job that was stopped, here."""
    entry = _book().entry(id)
    if entry.record.get("cwd"):
        try:
            os.chdir(entry.record["cwd"])
        except OSError as error:
            raise DataError(f"{entry.record['cwd']} cannot be used: {error.strerror}") from None
    with _written(id), locked(entry.path):
        entry = _book().entry(id)  # as it is now that nobody else can begin it
        state = entry.state
        if state not in OVER or state == "done":
            raise UsageError(f"job {id} needs no help: it is {state}")
        if not entry.can_resume:
            raise UsageError(f"job {id} cannot go on: start it anew with {_command(entry)}")
        control.prepare_resume(entry, by="command line", **control.this_process())
    argv = control.command(_book().entry(id))
    os.environ["PLAYPROOF_JOB"] = str(entry.path)
    raise typer.Exit(main(argv))


def _book() -> JobIndex:
    return JobIndex(data_folder())


def _wait(entry: JobEntry, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not has_exited(entry) and time.monotonic() < end:
        time.sleep(_AGAIN)


@contextmanager
def _written(id: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(f"job {id} cannot be written: {error.strerror or error}") from None


def _tell(id: str, as_json: bool) -> None:
    job = _book().entry(id).to_json()
    if as_json:
        emit(job)
    else:
        print(f"{job['title']}: {job['state']}")


def _command(entry: JobEntry) -> str:
    return str(entry.to_json()["command"])


def _how_far(job: dict[str, Any]) -> str:
    seconds = round(job["seconds"])
    spent = f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if job["total"] and job["done"] is not None:
        return f"{min(1.0, job['done'] / job['total']):.0%}, {spent}"
    return spent
