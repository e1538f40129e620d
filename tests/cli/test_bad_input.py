"""Wrong invocations: one line that says what is wrong and what would be right, and no more."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.cli.running import Answer, process
from tests.support.longer import longer

FAILED, USAGE, DATA, ILLEGAL = 1, 2, 3, 4

START = "---------------------------OX------XO---------------------------"
FULL = "X" * 64
WIPED_OUT = "e6f4e3f6g5d6e7f5c5"  # Black takes every disc in nine moves
GOOD = '{"game": "othello", "moves": ["f5"]}\n'


@dataclass(frozen=True)
class Wrong:
    """Arguments with what they need around them; the exit code; fragments of the line."""

    what: str
    arguments: list[str]
    code: int
    says: list[str]
    stdin: str = ""
    files: dict[str, str | bytes] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.what


def wrong(
    what: str,
    arguments: str | list[str],
    code: int,
    *says: str,
    stdin: str = "",
    files: dict[str, str | bytes] | None = None,
) -> Wrong:
    words = arguments.split() if isinstance(arguments, str) else arguments
    return Wrong(what, words, code, list(says), stdin, files or {})


def board(what: str, game: str, position: str, *says: str) -> Wrong:
    """A position that cannot be."""
    return wrong(what, ["show", game, "-"], DATA, *says, stdin=position)


def record(what: str, code: int, *says: str, **fields: object) -> Wrong:
    """A game record on stdin, right but for ``fields``."""
    data = {"game": "othello", "moves": ["f5", "d6"], **fields}
    text = json.dumps({key: value for key, value in data.items() if value is not ...})
    return wrong(what, "show othello -", code, *says, stdin=text)


def a_file(what: str, name: str, content: str | bytes, *says: str) -> Wrong:
    """A file that is no game of Othello."""
    return wrong(what, f"show othello {name}", DATA, *says, files={name: content})


NAMES = [
    wrong("an unknown game", "show otello", USAGE, "no game 'otello'", "did you mean othello?"),
    wrong("a game like no other", "show xyz", USAGE, "no game 'xyz'", "known: chess"),
    wrong("a game of other letters", ["show", "オセロ"], USAGE, "no game 'オセロ'", "known: chess"),
    wrong("an unknown agent", "play othello --first gredy", USAGE, "no agent 'gredy'", "greedy?"),
    wrong("an agent's option", "play othello --second random:x=1", USAGE, "no option 'x'", "none"),
    wrong("no agent", ["play", "othello", "--first", ""], USAGE, "names nothing", "key=value"),
    wrong("an unknown option", "show othello:sise=6", USAGE, "no option 'sise'", "it has: size"),
    wrong("a size that is not made", "show othello:size=5", USAGE, "size=5", "4, 6 or 8"),
    wrong("a size in letters", "show othello:size=abc", USAGE, "size=abc", "4, 6 or 8"),
    wrong("half a size", "show othello:size=6.5", USAGE, "size=6.5", "4, 6 or 8"),
    wrong("a doubtful flag", "show choko:lone_jump=maybe", USAGE, "=maybe", "true or false"),
    wrong("a negative cap", "show choko:cap=-1", USAGE, "cap=-1", "a whole number from 0"),
    wrong("a broken cap", "show choko:cap=1.5", USAGE, "cap=1.5", "a whole number from 0"),
    wrong("a cap without a value", "show choko:cap=", USAGE, "cap= ", "a whole number from 0"),
    wrong("a cap that is no number", "show choko:cap=nan", USAGE, "cap=nan", "a whole number"),
    wrong("a cap that overflows", f"show choko:cap={10**20 - 1}", USAGE, "999", "from 0 to"),
    wrong("an option twice", "show othello:size=6,size=8", USAGE, "sets size twice", "once"),
    wrong("an empty spec", ["show", ""], USAGE, "names nothing", "name:key=value"),
    wrong("options of nothing", ["show", ":size=6"], USAGE, "names nothing", "name:key=value"),
    wrong("a colon and nothing", "show othello:", USAGE, "'othello:'", "othello:key=value"),
    wrong("a value without a key", "show othello:=6", USAGE, "'othello:=6'", "othello:key=value"),
]

# Some of these lines are Typer's: their wording changes, what they name does not.
ARGUMENTS = [
    wrong("an unknown command", "shwo othello", USAGE, "'shwo'", "show", "playproof --help"),
    wrong("no game", "show", USAGE, "argument", "GAME", "playproof show --help"),
    wrong("no depth", "perft othello", USAGE, "argument", "depth", "playproof perft --help"),
    wrong(
        "one argument too many", "perft othello 1 2", USAGE, "extra", "2", "playproof perft --help"
    ),
    wrong("an unknown flag", "show othello --nope", USAGE, "--nope", "playproof --help"),
    wrong("an unknown flag of play", "play othello --nope", USAGE, "--nope", "play --help"),
    wrong("a flag without its value", "play othello --seed", USAGE, "--seed", "argument"),
    wrong("a negative depth", "perft othello -1", USAGE, "depth", "0"),
    wrong("a depth in letters", "perft othello abc", USAGE, "depth", "integer"),
    wrong("half a depth", "perft othello 1.5", USAGE, "depth", "integer"),
    wrong("a depth that overflows", f"perft othello {10**22 - 1}", USAGE, "depth"),
    wrong("a seed in letters", "play othello --seed abc", USAGE, "--seed", "integer"),
    wrong("a negative seed", "play othello --seed -1", USAGE, "--seed", "0"),
    wrong("a huge seed", f"play othello --seed {10**30}", USAGE, "--seed", str(2**63 - 1)),
    wrong("a negative ply", "show othello f5 --ply -1", USAGE, "--ply", "0"),
    wrong("a record number zero", "show othello f5 --number 0", USAGE, "--number", "1"),
    wrong(
        "neither ply nor stones", "enumerate othello", USAGE, "--ply N", "--stones N", "exactly one"
    ),
    wrong(
        "ply and stones", "enumerate othello --ply 1 --stones 5", USAGE, "--ply N", "exactly one"
    ),
    wrong("stones of Choko", "enumerate choko --stones 5", USAGE, "not counted by", "--ply N"),
    wrong("too few stones", "enumerate othello --stones 2", USAGE, "begins with 4", "4 or more"),
    wrong("stones in letters", "enumerate othello --stones x", USAGE, "--stones", "integer"),
    wrong("an unknown benchmark", "bench engine", USAGE, "no benchmark 'engine'", "want engines"),
    wrong("a benchmark of no time", "bench --seconds 0", USAGE, "--seconds", "0.0"),
    wrong("a benchmark without end", "bench --seconds inf", USAGE, "--seconds", "600"),
    wrong("no games to play", "playouts othello --games 0", USAGE, "--games", "1"),
    wrong("an analyst of no depth", "analyse othello --agent minimax:depth=0", USAGE, "from 1 to"),
    wrong("an unknown theme", "show othello --theme blue", USAGE, "'blue'", "light or dark"),
]

MOVES = [
    wrong("an illegal move", "show othello f5d6a1", ILLEGAL, "move 3: ", "a1 is not", "legal: c3"),
    wrong("an illegal first move", "show othello a1", ILLEGAL, "move 1: ", "d3, c4, f5, e6"),
    wrong("an impossible square", "show othello z9", DATA, "move 1: 'z9'", "a1 to h8, or pass"),
    wrong("off a small board", "show othello:size=4 e5", DATA, "'e5' is not", "a1 to d4"),
    wrong("half a move", "show othello f5d6c", DATA, "move 3: 'c' is not a move", "a1 to h8"),
    wrong("a pass too early", "show othello f5pass", ILLEGAL, "move 2: ", "pass is not", "d6"),
    wrong("too late", f"show othello {WIPED_OUT}a1", ILLEGAL, "move 10: ", "the game is over"),
    wrong("a knight", ["show", "othello", "f5♞♞"], DATA, "move 2: '♞♞'", "a1 to h8"),
    wrong("wide letters", ["show", "othello", "\uff46\uff15"], DATA, "move 1: ", "a1 to h8"),
    wrong("a superscript", ["show", "othello", "f5d²"], DATA, "move 2: 'd²'", "a1 to h8"),
    wrong("a pit that is taken", ["show", "choko", "C3 C3"], ILLEGAL, "move 2: ", "and 12 more"),
    wrong("no pit", ["show", "choko", "C3 F1"], DATA, "move 2: 'F1'", "squares A1 to E5"),
    wrong("too long a step", ["show", "choko", "A1-A3"], DATA, "'A1-A3'", "a step B3-B4"),
    wrong("a jump without more", ["show", "choko", "A1xA3"], DATA, "'A1xA3'", "a jump B1xD1,E1"),
    wrong("past the cap", ["show", "choko:cap=2", "A1 B1 C1"], ILLEGAL, "move 3: ", "is over"),
    wrong("moves to count from", "perft othello 2 --from f5a1", ILLEGAL, "move 2: ", "legal: f4"),
    wrong("moves to play from", "play othello --from a1", ILLEGAL, "move 1: ", "legal: d3"),
    wrong("an end to analyse", f"analyse othello {WIPED_OUT}", DATA, "Black wins", "nothing to"),
    wrong("nothing to count from", ["perft", "othello", "2", "--from", " "], DATA, "nothing to"),
    wrong("a ply beyond the game", "show othello f5d6 --ply 3", DATA, "no ply 3", "want 0 to 2"),
    wrong("a ply of the start", "show othello --ply 1", DATA, "no ply 1", "want 0 to 0"),
]

RECORDS = [
    wrong("nothing on stdin", "show othello -", DATA, "nothing to read", "a record or a position"),
    wrong("broken JSON", "show othello -", DATA, "broken JSON", "line 1", stdin='{"game": '),
    wrong("JSON and more", "show othello -", DATA, "JSON", stdin=GOOD.strip() + " and more"),
    wrong("a deep JSON bomb", "show othello -", DATA, "broken JSON", stdin='{"a":' * 100_000),
    wrong("a number bomb", "show othello -", DATA, "JSON", stdin='{"seed":' + "9" * 5000 + "}"),
    wrong(
        "a list of records",
        "show othello -",
        DATA,
        "record is an object",
        stdin=f"[{GOOD.strip()}]",
    ),
    wrong("a number", "show othello -", DATA, "'5' is not a move", "a1 to h8", stdin="5"),
    record("no game in it", DATA, "'game' must be", "the name of a game", game=...),
    record("a game that is no name", DATA, "'game' must be", "the name of a game", game=8),
    record("no moves", DATA, "'moves' must be", "a list of move names", moves=...),
    record("moves in one text", DATA, "'moves' must be", "a list of move names", moves="f5d6"),
    record("moves in numbers", DATA, "'moves' must be", '["f5", "d6"]', moves=[37, 43]),
    record("three players", DATA, "'players' must be", "two names", players=["a", "b", "c"]),
    record("players in one text", DATA, "'players' must be", "a list of two names", players="ab"),
    record("an impossible result", DATA, "'result' must be", "1-0, 0-1, 1/2-1/2", result="2-0"),
    record("a listed result", DATA, "'result' must be", "1-0, 0-1, 1/2-1/2", result=["1-0"]),
    record("a seed in words", DATA, "'seed' must be", "a whole number", seed="seven"),
    record("a seed that is a flag", DATA, "'seed' must be", "a whole number", seed=True),
    record("a start in numbers", DATA, "'start' must be", "a position as text", start=5),
    record("a reason in numbers", DATA, "'reason' must be", "a text", reason=5),
    record("listed options", DATA, "'options' must be", '{"size": 6}', options=[6]),
    record("an impossible option", DATA, "size=5", "4, 6 or 8", options={"size": 5}),
    record("an endless option", DATA, "size=inf", "4, 6 or 8", options={"size": 1e999}),
    record("an option that is not there", DATA, "no option 'x'", "it has: size", options={"x": 1}),
    wrong(
        "a record of another size",
        "show othello:size=6 -",
        DATA,
        "a record of othello, not",
        stdin=GOOD,
    ),
    record("another game's record", DATA, "a record of choko", "not of othello", game="choko"),
    record("an unknown game's record", DATA, "a record of chess", "not of othello", game="chess"),
    record("an illegal move in it", ILLEGAL, "move 2: ", "legal: f4, d6, f6", moves=["f5", "a1"]),
    record("a start that cannot be", DATA, "64 characters", "X or O", start="XO"),
    record(
        "a result that its moves deny",
        DATA,
        "says 0-1",
        "its moves end in 1-0",
        moves=[WIPED_OUT[i : i + 2] for i in range(0, 18, 2)],
        result="0-1",
    ),
]

FILES = [
    wrong("a missing file", "show othello lost.jsonl", DATA, "lost.jsonl cannot", "No such file"),
    a_file("an empty file", "a.txt", "", "a.txt is empty"),
    a_file("a file of blanks", "a.txt", " \n\n", "a.txt is empty"),
    a_file("a binary file", "a.jsonl", bytes(range(256)), "a.jsonl is not a text file", "UTF-8"),
    a_file("a text in UTF-16", "a.txt", "f5d6".encode("utf-16"), "not a text file", "UTF-8"),
    a_file("NUL bytes", "a.txt", b"\0" * 8 + b"5", "is not a move of Othello", "a1 to h8"),
    a_file("a broken line", "a.jsonl", f"{GOOD}{{oops\n{GOOD}", "a.jsonl, line 2: ", "broken JSON"),
    # SRC BUG: blank lines at the top of a file are cut off before lines are counted.
    a_file("a broken line far down", "a.jsonl", f"\n\n{GOOD}{{oops\n", "a.jsonl, line 4: "),
    a_file("a line of a list", "a.jsonl", f"{GOOD}[1]\n", "line 2: ", '{"game": ..., "moves": '),
    a_file("a wrong field", "a.jsonl", f'{GOOD}\n{{"game": ""}}', "line 3: ", "'moves' must be"),
    wrong("a directory", "show othello a.txt", DATA, "cannot be read: Is a", files={"a.txt/b": ""}),
    wrong("a plain directory", "show othello a", DATA, "cannot be read: Is a", files={"a/b": ""}),
    wrong(
        "a number beyond the file",
        "show othello a.jsonl --number 3",
        DATA,
        "holds 2 records",
        "no number 3",
        files={"a.jsonl": GOOD * 2},
    ),
    wrong("no folder for the picture", "show othello --svg no/a.svg", DATA, "no/a.svg", "written"),
    wrong("a folder as picture", "show othello --svg .", DATA, "cannot be written", "directory"),
    wrong(
        "no folder for the game",
        "play othello:size=4 --first random --second random --save no/a.jsonl",
        DATA,
        "no/a.jsonl cannot be written",
        "No such file",
    ),
]

BOARDS = [
    board("a short board", "othello", f"{START[1:]} X", "64 characters", "not 64 characters"),
    board("a long board", "othello", f"{START}- X", "64 characters", "not 66 characters"),
    board("a board of another size", "othello:size=6", f"{START} X", "6x6", "36 characters"),
    board("no side to move", "othello", START, "the side to move (X or O)", "not 64 characters"),
    board("a wrong side", "othello", f"{START} Z", "'Z' is no side", "X (Black) or O (White)"),
    board("an empty side", "othello", f"{START} -", "'-' is no side", "X (Black) or O (White)"),
    board("a wrong letter", "othello", f"{START[:-1]}Q X", "'Q' on a board", "want X, O or -"),
    board("a heart", "othello", f"{START[:-1]}♥ X", "'♥' on a board", "want X, O or -"),
    board("an empty centre", "othello", "-" * 64 + " X", "an empty centre", "want four discs"),
    board("six rows", "choko", "5/5/5/5/5/5 b 12 12 - 0", "has 6 rows", "has 5"),
    board("a long row", "choko", "5/5/3b2/5/5 b 12 12 - 0", "row '3b2'", "want five of b, r"),
    board("a gap of six", "choko", "5/5/6/5/5 b 12 12 - 0", "row '6'", "want five of b, r"),
    board("a wrong piece", "choko", "5/5/2x2/5/5 b 12 12 - 0", "row '2x2'", "want five of b, r"),
    board("no hands", "choko", "5/5/5/5/5 b", "no position of Choko", "5/5/2b2/5/5 r 11 12 b 1"),
    board("hands in letters", "choko", "5/5/5/5/5 b x 12 - 0", "no position", "such as"),
    board("a third side", "choko", "5/5/5/5/5 g 12 12 - 0", "no position", "such as"),
    board("a third holder", "choko", "5/5/5/5/5 b 12 12 g 0", "no position", "such as"),
    board(
        "13 pieces", "choko", "bbbbb/bbbbb/bbb2/5/5 b 0 0 - 24", "Blue has 13 on the", "12 pieces"
    ),
    board("13 in hand", "choko", "5/5/5/5/5 b 13 13 - 0", "and 13 in hand", "12 pieces"),
    board("unequal hands", "choko", "5/5/2b2/5/5 b 11 12 b 1", "hands 11 and 12", "as many as"),
    board("forced, equal hands", "choko", "5/5/5/5/5 b 12 12 r 0", "forced", "one more than"),
    board("a wrong parity", "choko", "5/5/2b2/5/5 r 11 12 b 2", "2 actions", "an even number"),
    board("too few actions", "choko", "5/5/5/5/5 b 0 0 - 22", "22 actions", "24 pieces placed"),
    board("too many actions", "choko", f"5/5/5/5/5 b 12 12 - {10**20}", f"{10**20} actions"),
]

WRONG = [*NAMES, *ARGUMENTS, *MOVES, *RECORDS, *FILES, *BOARDS]


def lay_out(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def check(case: Wrong, answer: Answer) -> None:
    assert answer.code == case.code, answer.err
    assert answer.out == ""
    assert answer.err.startswith("error: ")
    assert answer.err.endswith("\n")
    assert len(answer.err.splitlines()) == 1, answer.err
    assert "Traceback" not in answer.err
    assert "unexpected" not in answer.err or "argument" in answer.err
    for fragment in case.says:
        assert fragment in answer.err


def test_there_are_plenty_of_ways_to_be_wrong() -> None:
    assert len(WRONG) >= 40
    assert len({case.what for case in WRONG}) == len(WRONG)


@pytest.mark.parametrize("case", WRONG, ids=str)
def test_a_wrong_invocation_gets_one_line(
    case: Wrong,
    playproof: Callable[..., Answer],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lay_out(tmp_path, case.files)
    monkeypatch.chdir(tmp_path)
    check(case, playproof(*case.arguments, stdin=case.stdin))


@pytest.mark.parametrize("what", ["a broken line", *longer([], ["an unknown command"])])
def test_a_process_of_its_own_says_the_same(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = next(case for case in WRONG if case.what == what)
    lay_out(tmp_path, case.files)
    monkeypatch.chdir(tmp_path)
    check(case, process(*case.arguments, stdin=case.stdin))


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (["show", "\udcff"], b""),  # as a shell passes the byte 255
        (["show", "othello", "-"], b"f5\xff\xff"),
    ],
)
def test_bytes_that_are_no_text_are_answered_in_text(arguments: list[str], stdin: bytes) -> None:
    answer = process(*arguments, stdin=stdin)
    assert answer.code in (USAGE, DATA)
    assert answer.err.startswith("error: ")
    assert answer.err.count("\n") == 1


def test_what_a_file_says_does_not_steer_the_terminal(
    playproof: Callable[..., Answer], tmp_path: Path
) -> None:
    # SRC BUG: only a move is made harmless; names, boards and records are repeated as they are.
    clear = "\x1b[2J\0\x07"
    file = tmp_path / "moves.txt"
    file.write_text(f"f5{clear}1")
    record = json.dumps({"game": clear, "moves": []})
    for words, stdin in (
        (["othello", str(file)], ""),
        (["othello", "-"], "X" * 64 + clear[0]),
        (["othello", "-"], record),
        (["choko", "-"], f"5/5/5/5/{clear} b 12 12 - 0"),
        ([f"chess{clear}"], ""),
        ([f"othello:{clear}=1"], ""),
    ):
        answer = playproof("show", *words, stdin=stdin)
        assert answer.code in (USAGE, DATA)
        assert answer.err.startswith("error: ")
        assert not set(answer.err) & {"\x1b", "\0", "\x07"}


def test_without_arguments_the_help_is_shown(playproof: Callable[..., Answer]) -> None:
    answer = playproof()
    assert answer.code == USAGE
    assert "Usage" in answer.out
    assert answer.err == ""


def test_an_error_of_our_own_is_one_line_too(
    playproof: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(name: str, **options: object) -> None:
        raise ZeroDivisionError("an\nodd\nmessage")

    def leave(name: str, **options: object) -> None:
        raise SystemExit("somebody's code has left")

    monkeypatch.setattr("playproof.cli.commands.show.make", leave)
    assert playproof("show", "othello").code != 0
    monkeypatch.setattr("playproof.cli.commands.show.make", stumble)
    answer = playproof("show", "othello")
    assert answer.code == FAILED
    assert answer.err.startswith("error: unexpected ZeroDivisionError: an odd message")
    assert "PLAYPROOF_TRACEBACK=1" in answer.err
    assert answer.err.count("\n") == 1
    monkeypatch.setenv("PLAYPROOF_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        playproof("show", "othello")
