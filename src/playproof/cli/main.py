"""``playproof``: assembles the commands, and reports every error in one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer

from playproof import __version__
from playproof.cli.long_commands import recorded_job
from playproof.core.errors import PlayproofError, UsageError
from playproof.core.jobs.recorder import current
from playproof.core.plugins import loading

# Typer bundles its own copy of Click, whose base error is found through a public subclass.
_ClickException = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")

# A position of Othello often begins with an empty square, "-", which is not an option.
_POSITION_SETTINGS = {"ignore_unknown_options": True}


@dataclass(frozen=True)
class Command:
    """A command whose module is imported only when it is called.

    The module has a function of the module's name, or an ``app`` if it is a ``group``.
    """

    name: str
    module: str
    summary: str  # as ``playproof --help`` shows it
    takes_position: bool = False
    group: bool = False

    def add_to(self, app: typer.Typer) -> None:
        """Import the command's module and add the command to ``app``."""
        module = import_module(f"playproof.cli.commands.{self.module}")
        if self.group:
            app.add_typer(module.app, name=self.name)
            return
        settings = _POSITION_SETTINGS if self.takes_position else None
        app.command(self.name, context_settings=settings)(getattr(module, self.module))

    def list_in(self, app: typer.Typer) -> None:
        """Add only the command's line for the list of commands."""
        app.command(self.name, help=self.summary)(lambda: None)


COMMANDS = (
    Command("serve", "serve", "Open the lab: play, analyse and teach in a browser, offline."),
    Command("games", "games", "List the games, their options and the agents that play them."),
    Command("play", "play", "Play a game: people and agents in any combination."),
    Command(
        "show",
        "show",
        "Draw a position or the end of a game, and name its legal moves.",
        takes_position=True,
    ),
    Command(
        "analyse",
        "analyse",
        "Show an agent's values of the best moves (from the first player's side).",
        takes_position=True,
    ),
    Command(
        "solve",
        "solve",
        "Solve a position of Othello, or a small board of Go or Quantum Go, exactly.",
        takes_position=True,
    ),
    Command("table", "table", "Solve Choko and query its tables.", group=True),
    Command("gtp", "gtp", "Serve the Go Text Protocol on stdin and stdout."),
    Command("uci", "uci", "Serve the Universal Chess Interface on stdin and stdout."),
    Command(
        "match",
        "match",
        "Play two agents against each other: pairs of games with sides swapped.",
    ),
    Command(
        "tournament",
        "tournament",
        "Play a round robin; cross table and ratings, all with 95 % intervals.",
    ),
    Command("elo", "elo", "Rate an agent by an engine's levels: score, rating and 95 % intervals."),
    Command(
        "train",
        "train",
        "Train a network; --resume continues a run that was stopped or killed.",
    ),
    Command(
        "data",
        "data",
        "Make positions to learn from out of chess games (PGN), and inspect them.",
        group=True,
    ),
    Command(
        "runs",
        "runs",
        "List and compare training runs (FOLDER...), move one to another machine, measure nets.",
        group=True,
    ),
    Command(
        "plot",
        "plot",
        "Draw the curves of runs; runs that differ in their seeds become their mean.",
    ),
    Command("games-of", "games_of", "List recorded games by player, opponent, result or opening."),
    Command(
        "nets",
        "nets",
        "List the networks that come with the package, or show the card of one.",
    ),
    Command(
        "yardstick",
        "yardstick",
        "Measure how often agents keep the value of positions in which a move can throw it away.",
    ),
    Command(
        "tactics",
        "tactics",
        "Ask agents for the right move in positions that tactics decide, "
        "as in the ChokoZero paper.",
    ),
    Command("prove", "prove", "Prove statements about games, with certificates.", group=True),
    Command(
        "check",
        "check",
        "Check a certificate: rebuild and compare its formula, check its proof step by step.",
    ),
    Command(
        "reach",
        "reach",
        "Find a game of Othello that leads to a position, or prove that there is none.",
        takes_position=True,
    ),
    Command(
        "census",
        "census",
        "Count the reachable positions of Othello with many moves, each with a record.",
    ),
    Command("paper", "paper", "Run a paper's claims again.", group=True),
    Command(
        "perft",
        "perft",
        "Count the leaves of the game tree, the test of every rules engine.",
        takes_position=True,
    ),
    Command(
        "playouts",
        "playouts",
        "Play random games and show how long, how wide and how fair they are.",
        takes_position=True,
    ),
    Command(
        "enumerate",
        "enumerate_",
        "Count the distinct positions that have a legal move, up to symmetry.",
    ),
    Command(
        "conform",
        "conform",
        "Test a game against the laws that every game keeps, and name each law that it breaks.",
    ),
    Command(
        "bench",
        "bench",
        "Measure our engines, search, learning or data against a peer in the same run.",
    ),
    Command(
        "compile",
        "compile_",
        "Compile the rules and searches of games on all cores, so that nothing waits for it later.",
    ),
    Command(
        "jobs",
        "jobs",
        "Long commands, running or ended: list, show, cancel, resume.",
        group=True,
    ),
    Command(
        "doctor",
        "doctor",
        "Show what is installed, which programs were found, and where compiled code is stored.",
    ),
)


# For --help only: _split_load removes --load before the arguments are parsed.
LoadOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        help="A Python file with games, agents or statements for the command; before or after "
        "COMMAND, may be repeated.",
    ),
]


def _print_version(requested: bool) -> None:
    if requested:
        print(f"playproof {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False,
        "--version",
        callback=_print_version,
        is_eager=True,
        help="Show the version and exit.",
    ),
    load: LoadOption = None,
) -> None:
    """A laboratory for board games: play them, measure them, prove things about them."""


@cache
def _command(name: str) -> Any:
    """The command of this name, or the list of all commands if there is none.

    Cached, since building a command takes a while.
    """
    app = typer.Typer(
        name="playproof",
        help="A laboratory for board games: play them, measure them, prove things about them.",
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    matches = [command for command in COMMANDS if command.name == name]
    if matches:
        matches[0].add_to(app)
    else:
        for command in COMMANDS:
            command.list_in(app)
    return typer.main.get_command(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # an unprintable character must not be an error
    given, files = _split_load(sys.argv[1:] if arguments is None else list(arguments))
    loads = [word for file in files for word in ("--load", os.path.abspath(file))]
    with recorded_job([*given, *loads]) as job:
        code = 1
        try:
            code = _run(given, files)
        finally:
            if job is not None:
                job.end(code)
    return code


def _split_load(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The arguments without ``--load FILE``, which may stand anywhere, and the files."""
    rest: list[str] = []
    files: list[str] = []
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if word == "--":  # what follows is not an option
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
            job.allow_interrupt()
        if "" in files:
            raise UsageError("--load needs a file: playproof --load my.py COMMAND")
        command = _command(arguments[0] if arguments else "")
        with loading(files if arguments and not arguments[0].startswith("-") else []):
            code = command(args=arguments, prog_name="playproof", standalone_mode=False)
        sys.stdout.flush()
        if code == 130:  # Typer has caught Ctrl-C and prints nothing
            return _fail("stopped", 130)
        return code if isinstance(code, int) else 0
    except PlayproofError as error:
        return _fail(str(error), error.exit_code)
    except typer.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return _fail("stopped", 130)
    except BrokenPipeError:
        # The reader closed the pipe, as `| head` does, which is no error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except SystemExit as stop:
        if stop.code == 1:  # how Rich reports a closed pipe
            return 0
        return _fail(f"something stopped the program: {stop}", 1)
    except Exception as error:
        if isinstance(error, _ClickException):
            message = error.format_message()  # type: ignore[attr-defined]
            if not message:  # no command given: the help has been shown
                return 2
            context = getattr(error, "ctx", None)  # of the command with the wrong arguments
            command = "playproof" if context is None else context.command_path
            return _fail(f"{message.rstrip('.')} (see {command} --help)", 2)
        if os.environ.get("PLAYPROOF_TRACEBACK"):
            raise
        description = f"{type(error).__name__}: {error}"
        return _fail(f"unexpected {description} (PLAYPROOF_TRACEBACK=1 shows where)", 1)


def _fail(message: str, code: int) -> int:
    line = " ".join(message.split())
    # The contents of a file must not control the terminal.
    printable = "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)
    job = current()
    if job is not None:
        job.fail(printable)
    print("error: " + printable, file=sys.stderr)
    return code


def script() -> None:
    """The entry point of the installed command."""
    sys.exit(main())


if __name__ == "__main__":
    script()
