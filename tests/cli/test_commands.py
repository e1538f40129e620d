"""Every command as it is used: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.running import ANSI, Answer, Terminal, command, environment, interrupted, process
from playproof import __version__, make

Playproof = Callable[..., Answer]

COMMANDS = (
    "games",
    "play",
    "show",
    "analyse",
    "perft",
    "playouts",
    "enumerate",
    "bench",
    "doctor",
)
START = "---------------------------OX------XO--------------------------- X"
# The two games of the Othello paper that lead to 33 legal moves, and who has them.
PAPER = {
    "F5D6C4F3C5B4B3E6C6G5F6C7C3D2C2B2F4G4G3G7G6E7D3G2H3B6": "Black",
    "F5F6E6F4G7C6G3E7D6F3E3D3B7D7C2G2G1C3B2B3B4F7G5C4C7C8E2": "White",
}
PASSING = "c4c3f5b4a4a5c2a3"  # now Black has no square to play
RECORDS = (
    '{"game": "othello", "moves": ["f5", "d6"]}\n'
    '{"game": "othello", "options": {"size": 4}, "moves": ["c4"]}\n'
    '{"game": "othello", "moves": ["c4"], "result": "0-1", "reason": "Black resigned"}\n'
)


# The command itself


def test_help_names_every_command(playproof: Playproof) -> None:
    for flag in ("--help", "-h"):
        answer = playproof(flag)
        assert answer.code == 0
        assert answer.err == ""
        for name in COMMANDS:
            assert f" {name} " in answer.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, playproof: Playproof) -> None:
    answer = playproof(name, "--help")
    assert answer.code == 0
    assert f" {name} " in answer.out
    assert "--json" in answer.out


def test_version(playproof: Playproof) -> None:
    assert playproof("--version") == Answer(0, f"playproof {__version__}\n", "")


@pytest.mark.parametrize(
    "words",
    [
        "games",
        "doctor",
        "show othello f5",
        "show choko",
        "perft othello 2",
        "enumerate choko --ply 1",
        "playouts choko --games 3",
        "play othello:size=4 --first random --second random --seed 1",
    ],
)
def test_json_is_one_line_and_nothing_else(words: str, playproof: Playproof) -> None:
    assert isinstance(playproof(*words.split(), "--json").json(), dict)


# games


def test_games_lists_games_options_and_agents(playproof: Playproof) -> None:
    answer = playproof("games")
    assert answer.code == 0
    assert answer.err == ""
    for word in ("choko", "othello", "size=8", "lone_jump=false", "cap=100", "4, 6 or 8"):
        assert word in answer.out
    for agent in ("greedy", "human", "random"):
        assert agent in answer.out


def test_games_as_json(playproof: Playproof) -> None:
    told = playproof("games", "--json").json()
    othello = next(game for game in told["games"] if game["name"] == "othello")
    assert othello["players"] == ["Black", "White"]
    assert othello["actions"] == 65
    assert othello["symmetries"] == 8
    assert othello["observations"] == {"planes": [3, 8, 8]}
    size = othello["options"][0]
    assert (size["name"], size["default"], size["values"]) == ("size", 8, "4, 6 or 8")
    assert {"greedy", "human", "random"} <= {agent["name"] for agent in told["agents"]}


# show


def test_show_the_start(playproof: Playproof) -> None:
    answer = playproof("show", "othello")
    assert answer.code == 0
    assert answer.err == ""
    assert " 4  ·  ·  2  ○  ●  ·  ·  ·\n" in answer.out
    assert "Black to move. 4 legal moves." in answer.out
    assert "Legal: d3 c4 f5 e6\n" in answer.out
    assert answer.out.endswith(f"Position: {START}\n")


@pytest.mark.parametrize(
    "moves",
    ["f5d6c4", "F5D6C4", "f5 d6 c4", "f5D6 C4", " f5\nd6\tc4 "],
)
def test_show_a_transcript_however_it_is_written(moves: str, playproof: Playproof) -> None:
    told = playproof("show", "othello", moves, "--json").json()
    assert told["moves"] == ["f5", "d6", "c4"]


@pytest.mark.parametrize("written", ["--", "pa", "PA", "pass", " pass ", "ps"])
def test_show_a_transcript_with_a_pass(written: str, playproof: Playproof) -> None:
    told = playproof("show", "othello", PASSING, "--json").json()
    assert told["legal"] == ["pass"]
    assert told["view"]["actions"] == [{"id": "pass", "label": "Pass"}]
    after = playproof("show", "othello", f"{PASSING}{written}d2", "--json").json()
    assert after["moves"][-2:] == ["pass", "d2"]
    assert after["ply"] == 10


@pytest.mark.parametrize(("moves", "mover"), PAPER.items())
def test_show_names_the_33_moves_of_the_paper(moves: str, mover: str, playproof: Playproof) -> None:
    assert f"{mover} to move. 33 legal moves." in playproof("show", "othello", moves).out
    told = playproof("show", "othello", moves, "--json").json()
    assert told["legal_moves"] == 33
    assert len(set(told["legal"])) == 33
    assert len(told["view"]["legal"]) == 33
    assert told["ply"] == len(moves) // 2


def test_show_a_board_of_64_characters(playproof: Playproof) -> None:
    answer = playproof("show", "othello", "--", START.replace(" ", ""))
    assert answer == playproof("show", "othello")
    for other in (START.lower(), START.replace("X", "*"), START.replace("-", ".")):
        assert playproof("show", "othello", "-", stdin=other) == answer
    assert playproof("show", "othello", "-", stdin=START[:-1] + "O").out.startswith(
        "Othello   ○ White to move"
    )


@pytest.mark.parametrize("corner", ["-", "-X", "-O", "--X", "X-"])
def test_show_a_board_that_begins_with_a_dash(corner: str, playproof: Playproof) -> None:
    board = corner + START[len(corner) :]
    for words in (["othello", board], ["othello", "--", board]):
        assert playproof("show", "--json", *words).json()["position"] == board


def test_show_a_position_of_choko(playproof: Playproof) -> None:
    answer = playproof("show", "choko", "5/5/2b2/5/5 r 11 12 b 1")
    assert "Red to move and must place. 24 legal moves." in answer.out
    assert answer.out.endswith("Position: 5/5/2b2/5/5 r 11 12 b 1\n")
    moved = playproof("show", "choko", "1. C3", "--json").json()
    assert moved["position"] == "5/5/2b2/5/5 r 11 12 b 1"
    assert playproof("show", "choko", "c3 a1 c3-C4").code == 0


def test_show_reads_what_show_wrote(playproof: Playproof) -> None:
    for game, moves in (("othello", "f5d6c4"), ("choko", "A1 B1 C3 D4 A1-A2")):
        shown = playproof("show", game, moves).out
        position = shown.splitlines()[-1].removeprefix("Position: ")
        again = playproof("show", game, "-", stdin=position).out
        assert again.splitlines()[-2:] == shown.splitlines()[-2:]


def test_show_a_record_of_a_file(playproof: Playproof, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(RECORDS)
    assert playproof("show", "othello", str(file), "--json").json()["moves"] == ["f5", "d6"]
    third = playproof("show", "othello", str(file), "--number", "3", "--json").json()
    assert third["moves"] == ["c4"]
    plain = tmp_path / "no-suffix"
    plain.write_text("f5\nd6\n")
    assert playproof("show", "othello", str(plain), "--json").json()["moves"] == ["f5", "d6"]


def test_show_a_record_with_other_options_than_named(playproof: Playproof, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(RECORDS)
    told = playproof("show", "othello", str(file), "--number", "2", "--json").json()
    assert len(told["position"]) == 16 + 2
    assert told["options"]["size"] == 4


def test_show_stdin(playproof: Playproof) -> None:
    for text in (
        "f5d6\n",
        RECORDS.splitlines()[0],
        make("othello").start().play("f5d6").serialize(),
    ):
        told = playproof("show", "othello", "-", "--json", stdin=text).json()
        assert told["moves"] == ["f5", "d6"]


def test_show_a_file_of_records_on_stdin(playproof: Playproof) -> None:
    told = playproof("show", "othello", "-", "--number", "3", "--json", stdin=RECORDS).json()
    assert told["moves"] == ["c4"]


def test_show_an_earlier_ply(playproof: Playproof) -> None:
    for ply in range(4):
        told = playproof("show", "othello", "f5d6c4", "--ply", str(ply), "--json").json()
        assert told["ply"] == ply
        assert told["moves"] == ["f5", "d6", "c4"][:ply]
    start = playproof("show", "othello", "f5d6c4", "--ply", "0")
    assert start == playproof("show", "othello")


def test_show_a_finished_game(playproof: Playproof) -> None:
    answer = playproof("show", "othello", "e6f4e3f6g5d6e7f5c5")
    assert "Game over" in answer.out
    assert answer.out.count("Black wins 13 to 0.") == 1
    assert "Legal:" not in answer.out
    told = playproof("show", "othello", "e6f4e3f6g5d6e7f5c5", "--json").json()
    assert (told["outcome"], told["score"], told["player"]) == (1, 13.0, None)
    assert told["legal"] == []
    assert told["legal_moves"] == 0


def test_show_as_json_carries_the_view(playproof: Playproof) -> None:
    told = playproof("show", "othello:size=6", "e4", "--json").json()
    assert told["game"] == "othello"
    assert told["options"] == {"size": 6, "empties_to_winner": False}
    assert told["player"] == 1
    assert told["outcome"] is None
    assert told["score"] == 3.0
    view = told["view"]
    assert view == make("othello:size=6").start().play("e4").view().to_json()
    assert view["turn"]["name"] == "White"
    assert len(view["legal"]) == told["legal_moves"] == len(told["legal"]) == 3


@pytest.mark.parametrize("game", ["othello", "choko"])
def test_show_draws_a_picture_in_either_theme(
    game: str, playproof: Playproof, tmp_path: Path
) -> None:
    pictures = []
    for theme in ("light", "dark"):
        file = tmp_path / f"{theme}.svg"
        answer = playproof("show", game, "--svg", str(file), "--theme", theme)
        assert answer.code == 0
        assert answer.err == f"drew {file}\n"
        assert answer.out == playproof("show", game).out
        root = ElementTree.fromstring(file.read_text(encoding="utf-8"))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        pictures.append(file.read_text(encoding="utf-8"))
    assert pictures[0] != pictures[1]


# perft


def test_perft(playproof: Playproof) -> None:
    for depth, leaves in enumerate(["1", "4", "12", "56", "244", "1,396", "8,200"]):
        answer = playproof("perft", "othello", str(depth))
        assert answer.code == 0
        assert answer.out.startswith(f"perft({depth}) = {leaves} ")
        assert answer.out.count("\n") == 1
        assert answer.err == ""


@pytest.mark.parametrize(
    ("game", "depth", "leaves"),
    [
        ("othello", 7, 55_092),
        ("othello:size=6", 3, 56),
        ("choko", 4, 351_596),
        ("choko:lone_jump", 4, 353_192),
    ],
)
def test_perft_as_json(game: str, depth: int, leaves: int, playproof: Playproof) -> None:
    told = playproof("perft", game, str(depth), "--json").json()
    assert told.pop("seconds") >= 0
    assert told == {"game": make(game).spec, "depth": depth, "leaves": leaves}


@pytest.mark.parametrize("game", ["othello", "choko"])
def test_perft_divided_adds_up(game: str, playproof: Playproof) -> None:
    told = playproof("perft", game, "3", "--divide", "--json").json()
    assert list(told["divide"]) == make(game).start().legal_names()
    assert sum(told["divide"].values()) == told["leaves"]
    assert told["leaves"] == playproof("perft", game, "3", "--json").json()["leaves"]
    text = playproof("perft", game, "3", "--divide").out
    for move, leaves in told["divide"].items():
        assert any(line.split() == [move, f"{leaves:,}"] for line in text.splitlines())
    assert f"perft(3) = {told['leaves']:,} " in text


def test_perft_from_a_position(playproof: Playproof) -> None:
    below = playproof("perft", "othello", "4", "--divide", "--json").json()["divide"]
    for move, leaves in below.items():
        told = playproof("perft", "othello", "3", "--from", move, "--json").json()
        assert told["leaves"] == leaves
    board = playproof("perft", "othello", "4", "--from", START, "--json").json()
    assert board["leaves"] == 244
    over = playproof("perft", "othello", "3", "--from", "e6f4e3f6g5d6e7f5c5", "--json").json()
    assert over["leaves"] == 1  # a finished game is one leaf in Othello


def test_perft_says_what_it_counted(playproof: Playproof) -> None:
    record = '{"game": "othello", "options": {"size": 4}, "moves": []}'
    told = playproof("perft", "othello", "2", "--from", record, "--json").json()
    assert told["leaves"] == 12
    assert told["game"] == "othello:size=4"


# playouts, analyse


def test_playouts(playproof: Playproof) -> None:
    words = ["playouts", "choko", "--games", "500", "--seed"]
    told = playproof(*words, "3", "--json").json()
    assert told.pop("seconds") >= 0
    assert (told["game"], told["games"], told["seed"]) == ("choko", 500, 3)
    assert told["first_wins"] + told["draws"] + told["second_wins"] == pytest.approx(1)
    assert 60 < told["mean_length"] < 85  # 72.2 in the long run
    assert told["longest"] <= 100
    again = playproof(*words, "3", "--json").json()
    assert {**again, "seconds": None} == {**told, "seconds": None}
    assert playproof(*words, "4", "--json").json()["mean_length"] != told["mean_length"]
    answer = playproof(*words, "3")
    assert f"Blue wins   {told['first_wins']:.2%}\n" in answer.out
    assert answer.err.startswith("500 games, ")
    over = playproof("playouts", "othello", "e6f4e3f6g5d6e7f5c5", "--games", "7", "--json").json()
    assert (over["first_wins"], over["mean_length"]) == (1.0, 0.0)


def test_analyse(playproof: Playproof) -> None:
    words = ["analyse", "choko", "5/5/1r3/5/br3 b 0 0 - 40", "--agent", "minimax:depth=2"]
    answer = playproof(*words, "--top", "1")
    assert answer.code == 0
    assert "A1xC1,B3" in answer.out
    *moves, last = map(json.loads, playproof(*words, "--json", "--seed", "1").out.splitlines())
    assert [move["rank"] for move in moves] == list(range(1, len(moves) + 1))
    assert moves[0]["move"] == last["best"] == last["line"][0] == "A1xC1,B3"
    assert last["agent"] == "minimax:depth=2"
    assert last["seed"] == 1


# enumerate


def test_enumerate_by_stones(playproof: Playproof) -> None:
    answer = playproof("enumerate", "othello", "--stones", "9")
    assert answer.code == 0
    assert [line.split() for line in answer.out.splitlines()] == [
        ["stones", str(stones), str(count)]
        for stones, count in zip(range(4, 10), [1, 1, 3, 14, 60, 322], strict=True)
    ]
    assert answer.err.endswith(" s\n")


def test_enumerate_by_ply(playproof: Playproof) -> None:
    told = playproof("enumerate", "choko", "--ply", "4", "--json").json()
    assert told.pop("seconds") >= 0
    assert told == {
        "game": "choko",
        "level": "ply",
        "symmetric": True,
        "positions": {"0": 1, "1": 6, "2": 85, "3": 989, "4": 10_653},
    }


def test_enumerate_raw_counts_symmetric_positions_apart(playproof: Playproof) -> None:
    told = playproof("enumerate", "othello", "--ply", "4", "--raw", "--json").json()
    assert told["symmetric"] is False
    assert told["positions"] == {"0": 1, "1": 4, "2": 12, "3": 54, "4": 236}
    lines = playproof("enumerate", "choko", "--ply", "2", "--raw").out.splitlines()
    assert [line.split()[-1] for line in lines] == ["1", "25", "600"]


def test_enumerate_a_small_board_to_its_end(playproof: Playproof) -> None:
    told = playproof("enumerate", "othello:size=4", "--stones", "40", "--json").json()
    assert told["game"] == "othello:size=4"
    # By hand: one first move up to symmetry, then the three answers to it.
    assert [told["positions"][str(stones)] for stones in (4, 5, 6)] == [1, 1, 3]
    assert max(map(int, told["positions"])) <= 40
    assert told["positions"].get("16", 0) == 0  # a full board has no legal move


# doctor


def test_doctor_is_content(playproof: Playproof) -> None:
    answer = playproof("doctor")
    assert answer.code == 0
    for word in ("This machine", "compile cache", "numba", "cores", "stockfish"):
        assert word in answer.out


def test_doctor_as_json(playproof: Playproof) -> None:
    told = playproof("doctor", "--json").json()
    assert set(told) == {"machine", "cache", "needed", "extras", "engines"}
    assert told["machine"]["playproof"] == __version__
    assert told["machine"]["cores"] >= 1
    assert all(told["needed"].values())
    assert set(told["extras"]) == {"learn", "prove", "interop", "cluster", "dev"}
    assert told["extras"]["dev"]["pytest"] == pytest.__version__
    assert told["cache"]["megabytes"] >= 0


def test_doctor_clears_the_cache_it_names(
    playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))
    kernels = tmp_path / "kernels" / "old"
    kernels.mkdir(parents=True)
    (kernels / "kernel.nbc").write_bytes(b"\0" * 2_500_000)
    (tmp_path / "mine.txt").write_text("not a kernel")
    assert playproof("doctor", "--json").json()["cache"] == {
        "folder": str(tmp_path / "kernels"),
        "megabytes": 2.5,
    }
    answer = playproof("doctor", "--clear-cache", "--json")
    assert answer.err == f"deleted {tmp_path / 'kernels'}\n"
    assert answer.json()["cache"]["megabytes"] == 0
    assert not kernels.exists()
    assert (tmp_path / "mine.txt").exists()


def test_doctor_fails_where_something_needed_is_missing(
    playproof: Playproof, monkeypatch: pytest.MonkeyPatch
) -> None:
    from playproof.cli import doctor

    monkeypatch.setattr(doctor, "_NEEDED", ("numpy", "no-such-package"))
    answer = playproof("doctor")
    assert answer.code == 1
    assert answer.err == "missing: no-such-package: run make install\n"
    assert playproof("doctor", "--json").code == 1


# bench


def test_bench_engines(playproof: Playproof) -> None:
    if find_spec("pyspiel") is None:
        pytest.skip("OpenSpiel is not installed: nothing to measure beside (make install)")
    told = playproof("bench", "engines", "--seconds", "0.05", "--json").json()
    assert told["bench"] == "engines"
    assert told["open_spiel"]
    measured = {(m["engine"], m["game"], m["how"]): m for m in told["measurements"]}
    peers = {
        "othello": "othello", "choko": "othello", "chess": "chess",
        "go:board=9x9": "go(board_size=9)", "quantum-go:board=9x9": "go(board_size=9)",
        "go": "go(board_size=19)", "quantum-go": "go(board_size=19)",
    }  # fmt: skip
    engines = [("playproof", game) for game in peers]
    engines += [("OpenSpiel", game) for game in set(peers.values())]
    hows = ("lists", "mask + observation")
    others = {("playproof", "chess", "perft")}
    if told["peers"]["python-chess"]:
        others.add(("python-chess", "chess", "lists"))
    if told["peers"]["Stockfish"]:
        others.add(("Stockfish", "chess", "perft"))
    assert set(measured) - others == {
        (engine, game, how) for engine, game in engines for how in hows
    }
    assert others <= set(measured)
    assert set(measured["playproof", "chess", "lists"]["ratios"]) <= {"python-chess"}
    for measurement in told["measurements"]:
        assert measurement["steps_per_second"] > 0
        if (measurement["engine"], measurement["game"], measurement["how"]) in others:
            continue
        name = measurement["game"]
        peer = peers[name] if measurement["engine"] == "playproof" else name
        rate = measured["OpenSpiel", peer, measurement["how"]]["steps_per_second"]
        assert measurement["ratio"] == pytest.approx(measurement["steps_per_second"] / rate)


# play: its interactive life is in test_play.py


def test_a_seed_makes_a_game_repeatable(playproof: Playproof) -> None:
    words = ["play", "othello", "--first", "random", "--second", "greedy", "--json", "--seed"]
    first = playproof(*words, "7").json()
    assert first["seed"] == 7
    assert first["players"] == ["random", "greedy"]
    assert playproof(*words, "7").json() == first
    assert playproof(*words, "8").json()["moves"] != first["moves"]


def test_a_game_without_a_seed_tells_the_one_it_took(playproof: Playproof) -> None:
    words = ["play", "choko:cap=20", "--first", "random", "--second", "random", "--json"]
    first, second = playproof(*words), playproof(*words)
    assert first.json()["moves"] != second.json()["moves"]
    seed = first.json()["seed"]
    assert f"seed {seed}" in first.err
    assert playproof(*words, "--seed", str(seed)).json() == first.json()


# Streams and signals


@pytest.mark.parametrize("words", ["games", "perft othello 3 --divide", "--help"])
def test_a_pipe_gets_no_escape_codes(words: str) -> None:
    answer = process(*words.split())
    assert answer.code == 0
    assert "\x1b" not in answer.out + answer.err


def test_a_terminal_gets_colours_unless_told_not_to() -> None:
    with (
        Terminal("show", "othello") as coloured,
        Terminal("show", "othello", NO_COLOR="1") as plain,
    ):
        assert coloured.close() == plain.close() == 0
        assert b"\x1b[48;5;" in coloured.raw
        assert b"\x1b" not in plain.raw
        lines = [line.rstrip() for line in coloured.shown.splitlines()]
        assert lines == plain.shown.splitlines()
    with Terminal("games", NO_COLOR="1") as terminal:
        assert terminal.close() == 0
        # Bold is no colour; 3x, 4x, 9x and 10x are.
        codes = {
            code for text in ANSI.findall(terminal.raw.decode()) for code in text[2:-1].split(";")
        }
        assert codes <= {"", "0", "1", "2"}


def test_progress_is_shown_to_a_terminal_alone_and_leaves_nothing() -> None:
    with Terminal("perft", "choko", "5") as terminal:
        assert terminal.close() == 0
        assert "perft choko 5" in terminal.shown
        assert "perft(5) = 9,266,516 " in terminal.shown
    assert process("perft", "choko", "5").err == ""


@pytest.mark.parametrize(
    ("small", "long"),
    [
        ("perft othello 2", "perft othello 13"),
        ("perft choko 2", "perft choko 9 --divide"),
        ("enumerate choko --ply 1", "enumerate choko --ply 9"),
    ],
)
def test_ctrl_c_stops_at_once_with_one_line(small: str, long: str, playproof: Playproof) -> None:
    assert playproof(*small.split()).code == 0  # what has to be compiled is compiled here
    answer, seconds = interrupted(*long.split(), after=2.5, within=30)
    assert answer.code == 130
    assert answer.err == "error: stopped\n"
    assert seconds < 5


@pytest.mark.parametrize(
    "words", ["games", "play othello --first random --second random --seed 1 --json"]
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


def test_head_takes_its_line(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$@" | head -1', "sh", *command("games")],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.strip() == "Games"
    assert done.stderr == ""


def test_a_terminal_that_knows_only_ascii_gets_ascii() -> None:
    answer = process("show", "othello", PYTHONIOENCODING="ascii")
    assert answer.code == 0, answer.err
    assert " 4  .  .  2  O  #  .  .  .\n" in answer.out
    assert process("games", PYTHONIOENCODING="ascii").code == 0


@pytest.mark.parametrize(("closed", "words"), [("<&-", "show othello -"), (">&-", "show othello")])
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
