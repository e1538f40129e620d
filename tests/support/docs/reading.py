"""Pages of the documentation, read by somebody who does what they say.

The blocks of a page run in order, in one empty folder and one Python namespace.

* A ``python`` block runs.  A ``text`` block right after it is what it prints.
* A ``console`` block is a session in a terminal.  ``$ playproof ...`` and ``$ python
  docs/examples/...`` run in this process, ``$ NAME=value playproof ...`` in one of its own, ``$
  echo $?`` is the last exit code; other commands are not run.  The lines that follow a command,
  if there are any, are what it prints on stdout and stderr together.  What a person types stands
  after the prompt, as on a terminal.
* Matches have their players in this process: pages are about games, not about processes.
* A line ``...`` stands for any lines.  Times and speeds (``0.12 s``, ``31.6 M/s``,
  ``"seconds": 0.1``) differ from run to run, and the width of a table's columns from one list of
  games to the next: neither is compared.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from playproof.cli.main import main
from playproof.core import registry
from tests.support.arena.players_here import players_here
from tests.support.paths import ROOT

DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROMPT = "(? for help): "
_WITH_SETTINGS = re.compile(r"((?:[A-Z_]+=\S+ )+)playproof (.*)")
# A speed is left out where the time is too short to tell it.
_VARYING = [
    (re.compile(r", [\d,.]+ M/s"), ""),
    (re.compile(r"\b\d+(\.\d+)? s\b"), "# s"),
    (re.compile(r'"seconds": [\d.]+'), '"seconds": #'),
    (re.compile(r"(?<=\S)  +"), "  "),
    (re.compile(r"──+"), "──"),
]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# Reading a page


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int  # of its first line in the page, from 1
    follows: str  # what stands between it and the block before


def blocks(page: Path) -> list[Block]:
    content = page.read_text(encoding="utf-8")
    found, end = [], 0
    for match in BLOCK.finditer(content):
        line = content.count("\n", 0, match.start(2)) + 1
        found.append(Block(match[1], match[2], line, content[end : match.start()]))
        end = match.end()
    return found


@dataclass(frozen=True)
class Command:
    line: str  # without the dollar
    shown: list[str]


def commands(block: Block) -> list[Command]:
    found: list[Command] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:], []))
        else:
            assert found, f"line {block.line}: a console block begins with a command"
            found[-1].shown.append(line)
    return found


# Comparing


def steady(text: str) -> list[str]:
    """The lines of a text without what differs from run to run, and without empty ends."""
    for pattern, instead in _VARYING:
        text = pattern.sub(instead, text)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n").splitlines()


def agree(shown: str, printed: str) -> bool:
    wanted = [r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in steady(shown)]
    return bool(re.fullmatch("".join(wanted), "".join(f"{x}\n" for x in steady(printed))))


def check(shown: str, printed: str, where: str) -> None:
    if not agree(shown, printed):
        lines = difflib.unified_diff(steady(shown), steady(printed), "shown", "printed", "", "")
        pytest.fail(f"{where} shows something else:\n" + "\n".join(lines), pytrace=False)


# Running


class Typed(io.StringIO):
    """A keyboard: what is read from it appears on the screen, as a terminal's echo does."""

    def readline(self, size: int | None = -1, /) -> str:
        line = super().readline()
        sys.stdout.write(line)
        return line


def typed(shown: list[str]) -> str:
    """What a person types in the session that a page shows."""
    answers = [line.partition(_PROMPT)[2] for line in shown if _PROMPT in line]
    return "".join(f"{answer}\n" for answer in answers)


@dataclass
class Reader:
    """Somebody who does what a page says, from its first block to its last."""

    page: Path
    code: int = 0

    def __post_init__(self) -> None:
        # Numba finds the functions that it keeps compiled through their module.
        self.module = ModuleType(f"page_{self.page.stem.replace('-', '_')}")
        self.module.__file__ = str(self.page)

    def read(self) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, self.module.__name__, self.module)
            self._read()

    def _read(self) -> None:
        printed = None
        for block in blocks(self.page):
            if block.language == "python":
                printed = self.run_python(block)
            elif block.language == "text" and printed is not None and not block.follows.strip():
                check(block.text, printed, self._where(block))
            elif block.language == "console":
                for command in commands(block):
                    self.run(command, self._where(block))
            if block.language != "python":
                printed = None

    def _where(self, block: Block) -> str:
        return f"{self.page.relative_to(ROOT)}, line {block.line}"

    def run_python(self, block: Block) -> str:
        # Empty lines before it make the lines of a traceback those of the page.
        source = "\n" * (block.line - 1) + block.text
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(source, str(self.page), "exec"), vars(self.module))
        return out.getvalue()

    def run(self, command: Command, where: str) -> None:
        shown = "\n".join(command.shown)
        if command.line == "echo $?":
            printed = str(self.code)
        elif command.line.startswith("playproof "):
            printed = self._playproof(command)
            failed = self.code != 0 and "error:" not in shown
            assert not failed, f"{where}: {command.line} failed:\n{printed}"
        elif command.line.startswith("python docs/examples/"):
            printed = self._example(*command.line.split()[1:])
        elif match := _WITH_SETTINGS.fullmatch(command.line):
            settings = dict(setting.split("=", 1) for setting in match[1].split())
            printed = run_python("-m", "playproof", *shlex.split(match[2]), settings=settings)
        else:
            return
        if shown.strip():
            check(shown, printed, f"{where}: {command.line}")

    def _example(self, script: str, *arguments: str) -> str:
        with (
            pytest.MonkeyPatch.context() as patch,
            contextlib.redirect_stdout(io.StringIO()) as out,
        ):
            patch.setattr(registry, "_registered", dict(registry._registered))
            patch.setattr(sys, "argv", [script, *arguments])
            runpy.run_path(str(ROOT / script), run_name="__main__")
        return out.getvalue()

    def _playproof(self, command: Command) -> str:
        screen = io.StringIO()
        with (
            pytest.MonkeyPatch.context() as patch,
            contextlib.redirect_stdout(screen),
            contextlib.redirect_stderr(screen),
        ):
            patch.setattr(sys, "stdin", Typed(typed(command.shown)))
            self.code = main(shlex.split(command.line)[1:])
        return screen.getvalue()


def run_python(
    *arguments: str, paths: tuple[Path, ...] = (), settings: dict[str, str] | None = None
) -> str:
    """What Python prints in a process of its own."""
    search = [*map(str, paths), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(search), "PYTHONIOENCODING": "utf-8"}
    # One thread: where both cores are busy, threads wait for each other at every call.
    environment |= {"NUMBA_NUM_THREADS": "1"} | (settings or {})
    done = subprocess.run(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        env=environment,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def follow(page: Path, folder: Path) -> None:
    """Do what the page says, in an empty folder."""
    (folder / "docs" / "pictures").mkdir(parents=True)
    (folder / "docs" / "examples").symlink_to(EXAMPLES)  # for --load docs/examples/nim.py
    with contextlib.chdir(folder), players_here():
        Reader(page).read()
    for drawn in sorted(folder.glob("docs/pictures/*.svg")):
        kept = DOCS / "pictures" / drawn.name
        assert drawn.read_text() == kept.read_text(), f"{kept} is old: draw it as the page says"
