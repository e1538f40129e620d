"""Starting fast: what is heavy is imported when it is needed, and not before."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from playproof.cli.main import COMMANDS, Command
from tests.support.cli.running import environment

HEAVY = {"numba", "numpy", "llvmlite", "torch", "z3", "pyspiel", "chess", "playproof.games"}

SCRIPT = """
import sys
from playproof.cli.main import main
code = main(sys.argv[1:])
print(code, *sys.modules)
"""


def python(script: str, *arguments: str) -> str:
    """The last line that a new Python prints."""
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=60,
    )
    return done.stdout.splitlines()[-1]


def loaded(*arguments: str) -> tuple[int, set[str]]:
    """The exit code of a command, and every module that it imported on its way."""
    code, *modules = python(SCRIPT, *arguments).split()
    return int(code), set(modules)


@pytest.mark.parametrize("word", ["--help", "--version", "shwo"])
def test_the_list_of_commands_imports_none_of_them(word: str) -> None:
    code, modules = loaded(word)
    assert code == (2 if word == "shwo" else 0)
    assert "playproof.cli.main" in modules
    assert modules.isdisjoint(HEAVY)
    commands = {f"playproof.cli.commands.{command.module}" for command in COMMANDS}
    assert modules.isdisjoint(commands)


def test_a_command_is_imported_alone() -> None:
    code, modules = loaded("jobs", "list")
    assert code == 0
    others = {f"playproof.cli.{c.module}" for c in COMMANDS if c.module != "jobs"}
    assert "playproof.cli.commands.jobs" in modules
    assert modules.isdisjoint(others)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_list_says_what_a_command_says_of_itself(command: Command) -> None:
    """The one is shown without importing the other."""
    module = import_module(f"playproof.cli.commands.{command.module}")
    told = module.app.info.help if command.group else getattr(module, command.module).__doc__
    whole = " ".join(told.partition("\n\n")[0].split())
    assert whole == command.summary or whole.startswith(f"{command.summary[:-1]};")


def test_a_wrong_name_is_noticed_before_anything_is_compiled() -> None:
    code, modules = loaded("show", "otello")
    assert code == 2
    assert modules.isdisjoint({"playproof.games.othello.kernels", "playproof.games.choko.kernels"})


def test_a_game_loads_its_own_kernels_alone() -> None:
    code, modules = loaded("show", "othello")
    assert code == 0
    assert "playproof.games.othello.kernels" in modules
    assert modules.isdisjoint({"playproof.games.choko.kernels", "torch", "z3", "pyspiel"})


def test_a_list_of_games_and_agents_needs_nothing_compiled() -> None:
    # Or the first `playproof games` after an update would compile before it prints a line.
    code, modules = loaded("games")
    assert code == 0
    assert modules.isdisjoint({"playproof.core.batch_kernels", "playproof.search.one_ply"})


def test_the_package_itself_is_light() -> None:
    modules = python("import sys, playproof; print(*sys.modules)").split()
    assert "playproof" in modules
    assert HEAVY.isdisjoint(modules)
