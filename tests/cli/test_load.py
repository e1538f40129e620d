"""``--load my.py``: what a file brings is known to every command and to the processes it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from playproof.agents import registry as agents
from playproof.cli.long_commands import resume_of
from playproof.cli.main import main
from playproof.core import plugins as loading
from playproof.core import registry
from playproof.proofs import registry as statements
from tests.support.cli.running import Answer, environment, process
from tests.support.paths import EXAMPLES

Playproof = Callable[..., Answer]

GAME = """
from playproof.games.othello.game import Othello

class _Hidden(Othello):
    name = "hidden"

class Tiny(Othello):
    name = "tiny-othello"
    title = "Tiny Othello"
    summary = "Othello under another name"
"""
AGENT = """
from playproof import Agent, Decision

class Base(Agent):
    summary = "has no name: for others to build on"

class First(Base):
    name = "first-legal"
    def choose(self, batch):
        return [Decision(batch[row].legal_actions()[0]) for row in range(len(batch))]
"""


@pytest.fixture(autouse=True)
def _forget(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test loads is forgotten after it."""
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    monkeypatch.setattr(agents, "_registered", dict(agents._registered))
    monkeypatch.setattr(statements, "_registered", {})
    monkeypatch.setattr(loading, "_loaded", set())
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if "." not in name:
            del sys.modules[name]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "tiny_game.py").write_text(GAME)
    (tmp_path / "first_agent.py").write_text(AGENT)
    return str(tmp_path / "tiny_game.py"), str(tmp_path / "first_agent.py")


def test_before_or_after_the_command(playproof: Playproof, files: tuple[str, str]) -> None:
    game, agent = files
    words = ("play", "tiny-othello:size=4", "--first", "first-legal", "--second", "greedy")
    words += ("--seed", "1", "--quiet")
    before = playproof("--load", game, f"--load={agent}", *words)
    assert before.code == 0, before.err
    assert " wins " in before.out
    assert playproof(*words, "--load", game, "--load", agent) == before
    assert playproof(words[0], "--load", game, *words[1:], "--load", agent) == before
    listed = playproof("games", "--json", "--load", game, "--load", agent).json()
    assert "tiny-othello" in [game["name"] for game in listed["games"]]
    assert {"first-legal"} & {agent["name"] for agent in listed["agents"]}
    assert "hidden" not in str(listed)
    assert loading.VARIABLE not in os.environ, "it lasts as long as the command"


def test_what_a_file_registers_itself_counts(playproof: Playproof, tmp_path: Path) -> None:
    (tmp_path / "its_rules.py").write_text(GAME)
    text = "import playproof, its_rules\nplayproof.register(its_rules.Tiny)\n"
    (tmp_path / "registering.py").write_text(text)  # and may import what lies beside it
    answer = playproof("--load", str(tmp_path / "registering.py"), "perft", "tiny-othello", "2")
    assert answer.code == 0, answer.err
    assert answer.out.startswith("perft(2) = 12 ")


def test_a_statement_can_be_proved_and_checked(playproof: Playproof, tmp_path: Path) -> None:
    example = EXAMPLES / "othello_flips.py"
    words = ("prove", "othello-flips", "--size", "4", "--at-least", "7")
    assert playproof(*words).code == 2
    answer = playproof("--load", str(example), *words, "--certificate", str(tmp_path / "no-7"))
    assert answer.code == 0, answer.err
    told = playproof("prove", "othello-flips", "--help", "--load", str(example)).out
    assert "--at-least" in told
    statements._registered.clear()
    assert playproof("check", str(tmp_path / "no-7"), "--load", str(example)).code == 0


def test_help_loads_nothing_and_tells_of_it(playproof: Playproof) -> None:
    answer = playproof("--load", "nowhere.py", "--help")
    assert answer.code == 0
    assert "--load" in answer.out


TAKEN = GAME.replace("tiny-othello", "othello")
WRONG = {
    "syntax.py": ("x = 1\nx = (\n", 3, r"syntax_.py, line 2: '(' was never closed"),
    "raises.py": ("\nimport json\njson.loads('{')\n", 3, "raises_.py, line 3 cannot be loaded"),
    "leaves.py": ("raise SystemExit('no')", 3, "leaves_.py, line 1 cannot be loaded: System"),
    "lacks.py": ("import no_such_thing", 3, "lacks_.py, line 1 cannot be loaded: Modul"),
    "empty.py": ("GAME = 'none'", 2, "empty_.py has nothing to register: want a class with a name"),
    "taken.py": (TAKEN, 2, "taken_.py: a game called 'othello' is already there: choose another"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_cannot_be_loaded_is_one_line(
    name: str, playproof: Playproof, tmp_path: Path
) -> None:
    text, code, expected = WRONG[name]
    file = tmp_path / name.replace(".", "_.")
    file.write_text(text)
    for _ in range(2):  # the second time says it as well
        answer = playproof("games", "--load", str(file))
        assert (answer.code, answer.out) == (code, "")
        assert answer.err.startswith(f"error: {expected}")
        assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--load", "nowhere.py"], "--load nowhere.py: there is no such file; want a Python file"),
        (["--load", "."], "--load .: there is no such file; want a Python file such as my.py"),
        (["--load"], "--load needs a file: playproof --load my.py COMMAND"),
        (["--load="], "--load needs a file: playproof --load my.py COMMAND"),
    ],
)
def test_a_file_that_is_not_there(playproof: Playproof, words: list[str], expected: str) -> None:
    answer = playproof("games", *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"error: {expected}")


def test_a_file_must_not_hide_a_module(playproof: Playproof, tmp_path: Path) -> None:
    for name in ("json.py", "my-game.py"):
        (tmp_path / name).write_text(GAME)
    answer = playproof("games", "--load", str(tmp_path / "json.py"))
    assert answer.err.startswith("error: json.py: Python has another module called json; give the")
    answer = playproof("games", "--load", str(tmp_path / "my-game.py"))
    assert "want a Python file whose name can be imported: my_game.py" in answer.err


def test_two_files_of_one_name_are_told_apart(playproof: Playproof, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "twin_game.py").write_text(GAME)
    assert playproof("games", "--load", str(tmp_path / "one" / "twin_game.py")).code == 0
    answer = playproof("games", "--load", str(tmp_path / "two" / "twin_game.py"))
    assert "Python has another module called twin_game" in answer.err


# Other processes


@pytest.mark.slow
def test_processes_of_a_match_know_them(files: tuple[str, str], tmp_path: Path) -> None:
    game, agent = files
    answer = process(
        *("match", "tiny-othello:size=4", "first-legal", "random", "--games", "2", "--seed", "1"),
        *("--file", str(tmp_path / "games.db"), "--workers", "2", "--load", game, "--load", agent),
    )
    assert answer.code == 0, answer.err
    assert "first-legal against random, 2 games of tiny-othello:size=4" in answer.out


def test_so_does_any_process_that_inherits_the_variable(files: tuple[str, str]) -> None:
    """As the lab's thinkers do, which import nothing from the folder they are in."""
    script = "import playproof; g = playproof.make('tiny-othello'); print(g.title, end=' ')"
    script += "; print(playproof.make_agent('first-legal', g).spec)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        env=environment(PLAYPROOF_LOAD=os.pathsep.join(files)),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "Tiny Othello first-legal\n", done.stderr


def test_the_variable_may_name_files_of_the_folder_one_is_in(
    playproof: Playproof, files: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(files[0]).parent)
    monkeypatch.setenv(loading.VARIABLE, "tiny_game.py")
    assert playproof("perft", "tiny-othello", "2").out.startswith("perft(2) = 12 ")
    assert os.environ[loading.VARIABLE] == "tiny_game.py"
    monkeypatch.setenv(loading.VARIABLE, "nowhere.py")
    answer = playproof("games")
    assert answer.code == 2
    assert "there is no such file" in answer.err


def test_training_goes_on_with_its_files() -> None:
    argv = ["train", "zero", "--out", "x", "--load", "/a.py", "--load", "/b.py"]
    again = ["train", "--resume", "--out", "x", "--load", "/a.py", "--load", "/b.py"]
    assert resume_of("train", argv) == again


def test_a_long_command_remembers_its_files(
    files: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the lab, or somebody else, can go on with it."""
    seen: list[list[str]] = []

    def kept(argv: list[str]) -> None:
        seen.append(argv)
        raise KeyboardInterrupt

    monkeypatch.setattr("playproof.cli.main.recorded_job", kept)
    with pytest.raises(KeyboardInterrupt):
        main(["--load", os.path.relpath(files[0]), "match", "tiny-othello", "greedy", "random"])
    assert seen == [["match", "tiny-othello", "greedy", "random", "--load", files[0]]]
