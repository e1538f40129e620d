"""``playproof``: the commands put together, and errors brought to one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from copy import copy
from functools import cache
from typing import Annotated, Any

import typer

from playproof import __version__
from playproof.cli import (
    analyse,
    bench,
    census,
    check,
    compile_,
    conform,
    data,
    doctor,
    elo,
    enumerate_,
    games,
    games_of,
    gtp,
    jobs,
    match,
    nets,
    paper,
    perft,
    play,
    playouts,
    plot,
    prove,
    reach,
    runs,
    serve,
    show,
    solve,
    table,
    tactics,
    tournament,
    train,
    uci,
    yardstick,
)
from playproof.cli.long_commands import kept
from playproof.core.errors import PlayproofError, UsageError
from playproof.core.job_book import current
from playproof.core.loading import loading

# Typer carries its own copy of Click; its errors are reached through one we know.
_ClickException = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")

# A board of Othello often begins with an empty square, written "-": not an option.
_POSITIONS = {"ignore_unknown_options": True}

app = typer.Typer(
    name="playproof",
    help="A laboratory for board games: play them, measure them, prove things about them.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("serve")(serve.serve)
app.command("games")(games.games)
app.command("play")(play.play)
app.command("show", context_settings=_POSITIONS)(show.show)
app.command("analyse", context_settings=_POSITIONS)(analyse.analyse)
app.command("solve", context_settings=_POSITIONS)(solve.solve)
app.add_typer(table.app, name="table")
app.command("gtp")(gtp.gtp)
app.command("uci")(uci.uci)
app.command("match")(match.match)
app.command("tournament")(tournament.tournament)
app.command("elo")(elo.elo)
app.command("train")(train.train)
app.add_typer(data.app, name="data")
app.add_typer(runs.app, name="runs")
app.command("plot")(plot.plot)
app.command("games-of")(games_of.games_of)
app.command("nets")(nets.nets)
app.command("yardstick")(yardstick.yardstick)
app.command("tactics")(tactics.tactics)
app.add_typer(prove.app, name="prove")
app.command("check")(check.check)
app.command("reach", context_settings=_POSITIONS)(reach.reach)
app.command("census")(census.census)
app.add_typer(paper.app, name="paper")
app.command("perft", context_settings=_POSITIONS)(perft.perft)
app.command("playouts", context_settings=_POSITIONS)(playouts.playouts)
app.command("enumerate")(enumerate_.enumerate_)
app.command("conform")(conform.conform)
app.command("bench")(bench.bench)
app.command("compile")(compile_.compile_)
app.add_typer(jobs.app, name="jobs")
app.command("doctor")(doctor.doctor)


# Only for --help: _without_load has taken it out by then.
LoadOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        help="A Python file whose games, agents and statements the command shall know; before or "
        "after COMMAND, as often as wanted.",
    ),
]


def _version(asked: bool) -> None:
    if asked:
        print(f"playproof {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and stop."
    ),
    load: LoadOption = None,
) -> None:
    """A laboratory for board games: play them, measure them, prove things about them."""


@cache
def _command(name: str) -> Any:
    """The command of this name, or all where there is none: to put together those that are not
    called would take a good part of a start.  Once for all calls in a process."""
    part = copy(app)
    part.registered_commands = [c for c in app.registered_commands if c.name == name]
    part.registered_groups = [g for g in app.registered_groups if g.name == name]
    known = part.registered_commands or part.registered_groups
    return typer.main.get_command(part if known else app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a sign too many must not be an error
    given, files = _without_load(sys.argv[1:] if arguments is None else list(arguments))
    again = [word for file in files for word in ("--load", os.path.abspath(file))]
    with kept([*given, *again]) as job:
        code = 1
        try:
            code = _run(given, files)
        finally:
            if job is not None:
                job.end(code)
    return code


def _without_load(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The arguments without ``--load FILE``, which may stand anywhere; and the files."""
    rest: list[str] = []
    files: list[str] = []
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if word == "--":  # what follows are no options
            return [*rest, word, *words], files
        if name == "--load":
            files.append(value if equals else next(words, ""))
        else:
            rest.append(word)
    return rest, files


def _run(arguments: list[str], files: list[str]) -> int:
    try:
        job = current()
        if job is not None:
            job.hear()
        if "" in files:
            raise UsageError("--load needs a file: playproof --load my.py COMMAND")
        command = _command(arguments[0] if arguments else "")
        with loading(files if arguments and not arguments[0].startswith("-") else []):
            code = command(args=arguments, prog_name="playproof", standalone_mode=False)
        sys.stdout.flush()
        if code == 130:  # Typer has caught Ctrl-C and says nothing
            return _fail("stopped", 130)
        return code if isinstance(code, int) else 0
    except PlayproofError as error:
        return _fail(str(error), error.exit_code)
    except typer.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return _fail("stopped", 130)
    except BrokenPipeError:
        # The reader went away, as `| head` does: not our failure, nothing to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except SystemExit as stop:
        if stop.code == 1:  # Rich's own answer to a reader that went away
            return 0
        return _fail(f"something stopped the program: {stop}", 1)
    except Exception as error:
        if isinstance(error, _ClickException):
            message = error.format_message()  # type: ignore[attr-defined]
            if not message:  # no command given: the help has been shown
                return 2
            context = getattr(error, "ctx", None)  # of the command whose words are wrong
            command = "playproof" if context is None else context.command_path
            return _fail(f"{message.rstrip('.')} (see {command} --help)", 2)
        if os.environ.get("PLAYPROOF_TRACEBACK"):
            raise
        where = f"{type(error).__name__}: {error}"
        return _fail(f"unexpected {where} (PLAYPROOF_TRACEBACK=1 shows where)", 1)


def _fail(message: str, code: int) -> int:
    line = " ".join(message.split())
    # What a file holds must not command the terminal.
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)
    job = current()
    if job is not None:
        job.fail(shown)
    print("error: " + shown, file=sys.stderr)
    return code


def script() -> None:
    """The entry point of the installed command."""
    sys.exit(main())


if __name__ == "__main__":
    script()
