"""The documentation, run: what it shows is what happens.

The blocks of a page run in order, in one empty folder and one Python namespace.

* A ``python`` block runs.  A ``text`` block right after it is what it prints.
* A ``console`` block is a session in a terminal.  ``$ playproof ...`` runs in this process, ``$
  NAME=value playproof ...`` and ``$ python docs/examples/...`` in one of their own, ``$ echo $?``
  is the last exit code; other commands are not run.  The lines that follow a command, if there
  are any, are what it prints on stdout and stderr together.  What a person types stands after
  the prompt, as on a terminal.
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
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

import playproof
from playproof.cli.main import main
from playproof.core import registry

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)|<img[^>]*\bsrc=\"([^\"]+)\"")
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

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


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
    for match in _BLOCK.finditer(content):
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


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\n...\nc", "a\nb\nb\nc", True),
        ("...\nc\n...", "a\nc", True),
        ("perft(3) = 56   (0.00 s)", "perft(3) = 56   (0.12 s, 31.6 M/s)", True),
        ('{"leaves": 56, "seconds": 0.1}', '{"leaves": 56, "seconds": 2.0}', True),
        ("perft(3) = 56", "perft(3) = 57", False),
        ("a\n...\nd", "a\nb\nc", False),
        ("a", "a\nb", False),
        ("● ○", "○ ●", False),
    ],
)
def test_what_differs_is_noticed(shown: str, printed: str, same: bool) -> None:
    assert agree(shown, printed) == same


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
            printed = run_python(*command.line.split()[1:])
        elif match := _WITH_SETTINGS.fullmatch(command.line):
            settings = dict(setting.split("=", 1) for setting in match[1].split())
            printed = run_python("-m", "playproof", *shlex.split(match[2]), settings=settings)
        else:
            return
        if shown.strip():
            check(shown, printed, f"{where}: {command.line}")

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


@pytest.fixture(autouse=True)
def _leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Examples can be imported, and the games they register are forgotten again."""
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    for name in ("NO_COLOR", "FORCE_COLOR", "PLAYPROOF_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    yield
    for example in EXAMPLES.glob("*.py"):
        sys.modules.pop(example.stem, None)


@pages
def test_a_page_does_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs" / "pictures").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    Reader(page).read()
    for drawn in sorted(tmp_path.glob("docs/pictures/*.svg")):
        kept = DOCS / "pictures" / drawn.name
        assert drawn.read_text() == kept.read_text(), f"{kept} is old: draw it as the page says"


# Links and pictures


def slug(heading: str) -> str:
    """The anchor that a heading gets on the web."""
    plain = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return plain.replace(" ", "-")


def anchors(page: Path) -> set[str]:
    # A comment in a block of code is no heading.
    content = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", content, re.MULTILINE)}


@pages
def test_every_link_leads_somewhere(page: Path) -> None:
    content = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    for links in _LINK.findall(content):
        link = links[0] or links[1]
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{page.name}: {link}"


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    for page in DOCS.rglob("*.md"):
        if page != DOCS / "README.md":
            assert f"({page.relative_to(DOCS)})" in index, page


def test_every_picture_is_drawn_by_a_command_that_a_page_shows() -> None:
    shown = "".join(block.text for page in PAGES for block in blocks(page))
    for picture in (DOCS / "pictures").glob("*.svg"):  # a PNG is a photograph of the lab
        assert f"--svg docs/pictures/{picture.name}" in shown, picture


# The examples


@pytest.fixture
def nim() -> ModuleType:
    import nim

    playproof.register(nim.Nim)
    return nim


def sequences(heap: int, most: int, length: int) -> int:
    """Ways to take 1 ... most counters so many times, counted without the game."""
    if length == 0:
        return 1
    return sum(sequences(heap - k, most, length - 1) for k in range(1, min(most, heap) + 1))


@pytest.mark.parametrize(("heap", "most"), [(10, 3), (1, 3), (7, 2), (26, 5)])
def test_nim_has_the_leaves_of_its_tree(nim: ModuleType, heap: int, most: int) -> None:
    game = playproof.make("nim", heap=heap, most=most)
    for depth in range(6):
        assert playproof.perft(game, depth) == sequences(heap, most, depth)


def test_nim_is_won_off_the_multiples_of_four(nim: ModuleType) -> None:
    game = playproof.make("nim")

    def value(state: playproof.State) -> int:
        if state.outcome is not None:
            return state.outcome
        best = max if state.current_player == 0 else min
        return int(best(value(state.apply(action)) for action in state.legal_actions()))

    for heap in range(1, 10):
        lost = heap % 4 == 0
        assert value(game.position(f"{heap}/b")) == (-1 if lost else 1)
        assert value(game.position(f"{heap}/w")) == (1 if lost else -1)


def test_nim_plays_itself(nim: ModuleType) -> None:
    game = playproof.make("nim")
    games = playproof.playouts(game, 1000, seed=1)
    assert games.lengths.min() >= 7
    assert games.lengths.max() <= 21
    assert games.share(0) == 0
    # An odd number of moves means that the first player took the last counter.
    assert ((games.lengths % 2 == 1) == (games.results == 1)).all()


def test_mobility_wins_at_once_where_it_can(nim: ModuleType) -> None:
    from mobility import Mobility

    game = playproof.make("nim")
    for heap in (1, 2, 3):
        decision = Mobility(game).decide(game.position(f"{heap}/w"))
        assert game.action_name(decision.action) == str(heap)


def test_the_entry_points_of_the_guide_are_found(tmp_path: Path) -> None:
    """What CONTRIBUTING.md tells a package to declare makes its game and agent known."""
    tables = [b.text for b in blocks(ROOT / "CONTRIBUTING.md") if b.language == "toml"]
    points = tomllib.loads("\n".join(tables))["project"]["entry-points"]
    lines = []
    for group, entries in points.items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    installed = tmp_path / "two_examples-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: two-examples\nVersion: 1\n")
    (installed / "entry_points.txt").write_text("\n".join(lines))
    printed = run_python(
        *("-m", "playproof", "play", "nim", "--first", "mobility:most", "--second", "random"),
        *("--seed", "1", "--quiet"),
        paths=(tmp_path, EXAMPLES),
    )
    assert re.search(r"^(1-0  Black|0-1  White) wins\.$", printed, re.MULTILINE)
