"""What a command does to the streams it is given, and at Ctrl-C."""

from __future__ import annotations

import io
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.cli.main import main
from tests.support.cli.running import (
    ANSI,
    DECORATIONS,
    Answer,
    Terminal,
    command,
    environment,
    process,
    screen,
)

Playproof = Callable[..., Answer]


def shown(*arguments: str) -> tuple[int, bytes]:
    """The exit code, and what a terminal is given."""
    with screen() as given:
        code = main(arguments)
    return code, b"".join(given)


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal like any other."""
    for variable in DECORATIONS:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.mark.parametrize("words", [pytest.param("games", marks=pytest.mark.slow), "--help"])
def test_a_pipe_gets_no_escape_codes(words: str) -> None:
    answer = process(*words.split())
    assert answer.code == 0
    assert "\x1b" not in answer.out + answer.err


@pytest.mark.usefixtures("plain")
def test_a_terminal_gets_colours_unless_told_not_to(monkeypatch: pytest.MonkeyPatch) -> None:
    code, coloured = shown("show", "othello")
    assert code == 0
    assert b"\x1b[48;5;" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    code, plain = shown("show", "othello")
    assert code == 0
    assert b"\x1b" not in plain
    lines = [line.rstrip() for line in ANSI.sub("", coloured.decode()).splitlines()]
    assert lines == plain.decode().splitlines()
    # Bold is no colour; 3x, 4x, 9x and 10x are.
    code, table = shown("games")
    assert code == 0
    codes = {code for text in ANSI.findall(table.decode()) for code in text[2:-1].split(";")}
    assert codes <= {"", "0", "1", "2"}


@pytest.mark.usefixtures("plain")
def test_progress_is_shown_to_a_terminal_alone_and_leaves_nothing(playproof: Playproof) -> None:
    code, given = shown("perft", "choko", "4")
    assert code == 0
    assert b"perft choko 4" in given
    assert ANSI.sub("", given.decode()).splitlines()[-1].startswith("perft(4) = 351,596 ")
    assert playproof("perft", "choko", "4").err == ""


@pytest.mark.parametrize(
    ("words", "begun"),
    [
        ("perft choko 9 --divide", "perft choko 9"),
        # A whole line: the answer comes in one of its own.
        pytest.param("enumerate choko --ply 9", " 85\n", marks=pytest.mark.slow),
    ],
)
def test_ctrl_c_stops_at_once_with_one_line(words: str, begun: str) -> None:
    with Terminal(*words.split()) as terminal:
        terminal.wait_for(begun)
        began = time.monotonic()
        terminal.interrupt()
        assert terminal.close() == 130
        assert time.monotonic() - began < 5
        assert terminal.shown.splitlines()[-1].strip().removeprefix("^C") == "error: stopped"


@pytest.mark.parametrize(
    "words", ["games", pytest.param("show othello --json", marks=pytest.mark.slow)]
)
def test_a_reader_who_leaves_early_is_no_failure(words: str) -> None:
    writer = subprocess.Popen(
        command(*words.split()), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    assert writer.stdout is not None
    assert writer.stderr is not None
    writer.stdout.close()
    said = writer.stderr.read().decode()
    writer.stderr.close()
    code = writer.wait(timeout=60)
    assert "rror" not in said
    assert "Traceback" not in said
    assert code == 0


@pytest.mark.parametrize("words", ["show othello", "games"])
def test_a_terminal_that_knows_only_ascii_gets_ascii(
    words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", out)
    assert main(words.split()) == 0
    out.seek(0)
    assert " 4  .  .  2  O  #  .  .  .\n" in out.read() or words == "games"


@pytest.mark.parametrize(
    ("closed", "words"),
    [pytest.param("<&-", "show othello -", marks=pytest.mark.slow), (">&-", "show othello")],
)
def test_a_stream_that_is_closed_is_one_line(closed: str, words: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *command(*words.split())],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 1


@pytest.mark.slow
def test_a_full_disk_is_one_line() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command("show", "othello", "--json"),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            timeout=60,
        )
    assert done.returncode != 0
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr
