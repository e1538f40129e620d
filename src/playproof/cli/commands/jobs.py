"""``playproof jobs``: the long commands that run or have ended, started in the lab or here."""

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
_LOG_BYTES = 2048  # shown of the end of the log
_POLL_SECONDS = 0.1

app = typer.Typer(help="Long commands, running or ended: list, show, cancel, resume.")


@app.callback(invoke_without_command=True)
def jobs(context: typer.Context, as_json: JsonOption = False) -> None:
    """Long commands, running or ended; lists them if no subcommand is given."""
    if context.invoked_subcommand is None:
        list_(as_json)
    elif as_json:
        raise UsageError("--json is in the wrong place: want playproof jobs list --json")


@app.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List all jobs, newest first."""
    entries = [entry.to_json() for entry in _index().entries()]
    if as_json:
        emit({"jobs": entries})
    elif not entries:
        note(
            "no jobs yet: long commands, such as train or prove, are listed here after two seconds"
        )
    else:
        rows = [
            [job["id"], job["state"], _progress_text(job), job["title"], job["by"]]
            for job in entries
        ]
        table("Jobs", ["id", "state", "how far", "what", "by"], rows)


@app.command()
def show(id: IdArgument, as_json: JsonOption = False) -> None:
    """Show a job: its progress, its steps, and the end of its log."""
    entry = _index().entry(id)
    job = {**entry.to_json(), "steps": entry.steps(), "log": entry.log(-_LOG_BYTES)[0]}
    if as_json:
        emit(job)
        return
    print(f"{job['title']}: {job['state']}, {_progress_text(job)}")
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
    """Stop a job as Ctrl-C would, and kill it if it does not stop within five seconds."""
    entry = _index().entry(id)
    state = entry.state
    if state not in ("waiting", "running"):
        raise UsageError(f"job {id} is not running: it is {state}")
    if state == "running":
        control.interrupt(entry)
        with working("stopping"):
            # The job's supervisor kills it after the same time; wait a little longer than that.
            _wait(entry, control.STOP_SECONDS + control.KILL_SECONDS)
            control.kill(entry)
            _wait(entry, control.KILL_SECONDS)
    control.ensure_end(entry, "cancelled", code=130 if state == "running" else None)
    _print_state(id, as_json)


@app.command()
def resume(id: IdArgument) -> None:
    """Resume a stopped job in this terminal."""
    entry = _index().entry(id)
    if entry.record.get("cwd"):
        try:
            os.chdir(entry.record["cwd"])
        except OSError as error:
            raise DataError(f"{entry.record['cwd']} cannot be used: {error.strerror}") from None
    with _write_errors(id), locked(entry.path):
        entry = _index().entry(id)  # read again, now that no other process can start it
        state = entry.state
        if state not in OVER or state == "done":
            raise UsageError(f"job {id} is {state}: want one that was stopped or has failed")
        if not entry.can_resume:
            raise UsageError(f"job {id} cannot be resumed: start it again with {_command(entry)}")
        control.prepare_resume(entry, by="command line", **control.this_process())
    argv = control.command(_index().entry(id))
    os.environ["PLAYPROOF_JOB"] = str(entry.path)
    raise typer.Exit(main(argv))


def _index() -> JobIndex:
    return JobIndex(data_folder())


def _wait(entry: JobEntry, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not has_exited(entry) and time.monotonic() < end:
        time.sleep(_POLL_SECONDS)


@contextmanager
def _write_errors(id: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(f"job {id} cannot be written: {error.strerror or error}") from None


def _print_state(id: str, as_json: bool) -> None:
    job = _index().entry(id).to_json()
    if as_json:
        emit(job)
    else:
        print(f"{job['title']}: {job['state']}")


def _command(entry: JobEntry) -> str:
    return str(entry.to_json()["command"])


def _progress_text(job: dict[str, Any]) -> str:
    seconds = round(job["seconds"])
    elapsed = f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if job["total"] and job["done"] is not None:
        return f"{min(1.0, job['done'] / job['total']):.0%}, {elapsed}"
    return elapsed
