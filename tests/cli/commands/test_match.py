"""Matches, tournaments and their games, as people ask for them."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from playproof.agents import registry
from playproof.arena.standings import Standings
from playproof.arena.statistics.score import Score
from tests.support.arena import hostile
from tests.support.arena.killing import kept
from tests.support.arena.players_here import players_here
from tests.support.cli.running import Answer, command, environment

Playproof = Callable[..., Answer]

FAILED, USAGE, DATA = 1, 2, 3
PLAYERS = ("random", "greedy", "mcts:simulations=20")
ROUND = ("tournament", "othello:size=4", *PLAYERS, "--games", "8", "--seed", "3")
PAIR = ("match", "othello:size=4", "random", "greedy", "--games", "8", "--seed", "3")


@pytest.fixture(autouse=True)
def _here() -> Iterator[None]:
    """The players are in this process, where those of a test are."""
    with players_here():
        yield


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("arena")


@pytest.fixture(scope="module")
def told() -> list[Answer]:
    """What was said while the tournament was played."""
    return []


@pytest.fixture
def played(home: Path, told: list[Answer], playproof: Playproof) -> Answer:
    """A tournament, played once for all: who asks for it again is told, without a game."""
    if not told:
        out = ["--file", str(home / "games.sqlite"), "--svg", str(home / "table.svg")]
        told.append(playproof(*ROUND, "--workers", "1", *out))
    return told[0]


@pytest.fixture
def ask(playproof: Playproof, home: Path, played: Answer) -> Playproof:
    """A command with the file of that tournament."""
    assert played.code == 0, played.err
    return lambda *words, stdin="": playproof(
        *words, "--file", str(home / "games.sqlite"), stdin=stdin
    )


@pytest.mark.parametrize("name", ["match", "tournament", "games-of"])
def test_every_command_explains_itself(name: str, playproof: Playproof) -> None:
    answer = playproof(name, "--help")
    assert answer.code == 0
    for option in ("--file", "--json"):
        assert option in answer.out


# tournament


def test_a_tournament_prints_a_cross_table(home: Path, played: Answer) -> None:
    assert played.code == 0, played.err
    assert f"seed 3, games in {home / 'games.sqlite'}\n" in played.err
    assert "\x1b" not in played.out + played.err
    ratings, cells = played.out.split("Score against")
    assert ratings.splitlines()[0].strip() == "othello:size=4, 8 games in a pairing"
    rows = re.findall(r"^ +([123])   (\S+) +(\S+ \[\S+, \S+\]) +[\d.]+/16 *$", ratings, re.M)
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert {row[1] for row in rows} == set(PLAYERS)
    # Every cell but the diagonal has a score, an interval and the results.
    assert len(re.findall(r"[\d.]+ %", cells)) == 6
    assert len(re.findall(r"\[[\d.]+, [\d.]+\]", cells)) == 6
    assert len(re.findall(r"\+\d+ =\d+ -\d+", cells)) == 6


def test_a_tournament_as_json(ask: Playproof) -> None:
    answer = ask(*ROUND, "--json")
    told = answer.json()
    assert told["reuse"] == [
        {"player": player, "digests": {}, "reused": 16, "not_reused": 0} for player in PLAYERS
    ]
    assert told["game"] == "othello:size=4"
    assert told["players"] == list(PLAYERS)
    assert told["seed"] == 3
    assert len(told["pairings"]) == 3
    for pairing in told["pairings"]:
        assert pairing["games"] == 8 == pairing["wins"] + pairing["draws"] + pairing["losses"]
        assert 0 < pairing["interval"][0] <= pairing["mean"] <= pairing["interval"][1] < 1
    assert [player["games"] for player in told["ratings"]["players"]] == [16] * 3
    assert all(map(math.isfinite, numbers(told)))


def test_the_picture_is_sound_and_names_everybody(home: Path, played: Answer) -> None:
    assert f"picture in {home / 'table.svg'}\n" in played.err
    root = ElementTree.fromstring((home / "table.svg").read_text(encoding="utf-8"))
    shown = " ".join(element.text or "" for element in root.iter())
    assert all(player in shown for player in PLAYERS)


def test_no_name_is_cut_however_many_play(
    playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"alphabeta:depth={depth},endgame={depth}" for depth in range(1, 10)]
    pairings = list(combinations(range(len(names)), 2))
    standings = Standings(
        "choko", names, 1, "random", dict.fromkeys(pairings, Score((1, 2, 3, 4, 5, 6))),
        {pairing: {"mean_plies": 40.0, "reasons": {}} for pairing in pairings},
    )  # fmt: skip
    monkeypatch.setattr(
        "playproof.cli.commands.tournament.run_with_progress", lambda prepared: standings
    )
    words = ["tournament", "choko", *names, "--file", str(tmp_path / "games.sqlite")]
    shown = playproof(*words).out
    assert all(f" {name} " in shown for name in names)
    assert "…" not in shown


def test_a_picture_that_is_there_survives_what_goes_wrong(
    playproof: Playproof, tmp_path: Path
) -> None:
    picture, other = tmp_path / "table.svg", tmp_path / "other.svg"
    picture.write_text("precious")
    for file in (picture, other):
        words = ["tournament", "choko", "greedy", "gredy", "--svg", str(file)]
        assert playproof(*words, "--file", str(tmp_path / "games.sqlite")).code == USAGE
    assert picture.read_text() == "precious"
    assert not other.exists()


def numbers(data: Any) -> list[float]:
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, list):
        return [number for item in data for number in numbers(item)]
    return [data] if isinstance(data, int | float) else []


# match


def test_a_match_prints_what_it_has_found(ask: Playproof) -> None:
    answer = ask(*PAIR)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0] == "random against greedy, 8 games of othello:size=4"
    score = re.fullmatch(r"score   ([\d.]+) % \[[\d.]+, [\d.]+\]  \(\+(\d) =(\d) -(\d)\)", lines[1])
    assert score
    wins, draws, losses = map(int, score.groups()[1:])
    assert wins + draws + losses == 8
    assert float(score[1]) == pytest.approx(100 * (wins + draws / 2) / 8, abs=0.05)
    assert re.fullmatch(r"Elo     \S+ \[\S+, \S+\]", lines[2])
    pairs = re.fullmatch(r"pairs   ([\d ]+)  \(0, ½, 1, 1½ and 2 points\)", lines[3])
    assert pairs
    assert sum(map(int, pairs[1].split())) == 4
    assert re.fullmatch(r"likelihood of superiority   [\d.]+%", lines[4])
    assert re.fullmatch(r"plies a game   [\d.]+, time a move [\d.]+ ms and [\d.]+ ms", lines[5])
    assert lines[6:] == ["reuses 8 games of random", "reuses 8 games of greedy"]


def test_games_that_are_not_played_again_are_told(ask: Playproof, home: Path) -> None:
    assert ask(*PAIR).err == (
        f"seed 3, games in {home / 'games.sqlite'}\n"
        "8 of 8 games are there already and are not played again\n"
    )


def test_a_match_as_json_is_the_same_every_time(ask: Playproof) -> None:
    told = ask(*PAIR, "--json")
    assert told.json()["players"] == ["random", "greedy"]
    assert all(map(math.isfinite, numbers(told.json())))
    assert ask(*PAIR, "--json").out == told.out


def test_a_sequential_test_says_what_it_decides(ask: Playproof) -> None:
    # Between hypotheses so far apart any eight games decide.
    answer = ask(*PAIR, "--sprt", "-1500,1500")
    assert answer.code == 0
    last = answer.out.splitlines()[6]
    assert re.fullmatch(
        r"SPRT \[-1500, 1500\]   (accept H0|accept H1|undecided), "
        r"log-likelihood ratio [+-][\d.]+ of \[-2\.94, 2\.94\]",
        last,
    )
    near = ask(*PAIR, "--sprt", "0,1", "--json").json()
    assert near["sprt"]["decision"] == "undecided"
    assert near["pairings"][0]["games"] == 8


# games-of


def listed(answer: Answer) -> list[str]:
    assert answer.code == 0, answer.err
    return answer.out.splitlines()


def test_games_are_found_by_player_result_and_opening(ask: Playproof) -> None:
    latest = ask("games-of")
    assert len(listed(latest)) == 20
    assert latest.err == "20 of 24 games shown, the latest: --limit 24 shows all\n"
    assert ask("games-of", "--limit", "24").err == ""
    everything = listed(ask("games-of", "--limit", "99"))
    assert len(everything) == 24
    assert len(listed(ask("games-of", "greedy", "--limit", "99"))) == 16
    ours = ["games-of", "greedy", "--against", "mcts*"]
    assert len(listed(ask(*ours))) == 8
    ended = {r: listed(ask(*ours, "--result", r)) for r in ("won", "drawn", "lost")}
    assert sum(map(len, ended.values())) == 8
    for line in ended["lost"]:
        assert re.search(r"greedy against mcts\S+  0-1  |mcts\S+ against greedy  1-0  ", line)
    opening = everything[0].split()[-1]
    begun = listed(ask("games-of", "--opening", opening))
    assert len(begun) == 6  # two games in each of three pairings
    assert all(line.endswith(f"plies  {opening}") for line in begun)
    assert len(listed(ask("games-of", "--game", "othello", "--limit", "99"))) == 24
    nothing = ask("games-of", "--game", "choko")
    assert nothing == Answer(0, "", "no game fits\n")


def test_games_are_found_by_what_was_typed_in_the_match(ask: Playproof) -> None:
    assert len(listed(ask("games-of", "mcts:simulations=020", "--limit", "99"))) == 16
    assert len(listed(ask("games-of", "--game", "othello:size=4", "--limit", "99"))) == 24
    assert len(listed(ask("games-of", "--game", "othello:size=8"))) == 0
    opening = listed(ask("games-of"))[0].split()[-1]
    spaced = " ".join(opening[place : place + 2] for place in range(0, 6, 2))
    assert listed(ask("games-of", "--opening", spaced)) == listed(
        ask("games-of", "--opening", opening[:6])
    )
    stranger = "no game fits: nobody here is mcts (there are greedy; mcts:simulations=20; random"
    assert ask("games-of", "mcts").err == f"{stranger}; * is any letters)\n"
    assert ask("games-of", "greedy", "--against", "minimax*").err.startswith(
        "no game fits: nobody here is minimax*"
    )
    unknown = ask("games-of", "--game", "othelo")
    assert unknown.code == USAGE
    assert "there is no game 'othelo'; did you mean othello?" in unknown.err


def test_records_can_be_shown(ask: Playproof, playproof: Playproof, tmp_path: Path) -> None:
    answer = ask("games-of", "greedy", "--json", "--limit", "5")
    records = [json.loads(line) for line in listed(answer)]
    assert len(records) == 5
    assert all("greedy" in record["players"] for record in records)
    file = tmp_path / "games.jsonl"
    file.write_text(answer.out)
    for number, record in enumerate(records, 1):
        shown = playproof("show", "othello:size=4", str(file), "--number", str(number), "--json")
        assert shown.json()["moves"] == record["moves"]


def test_records_can_be_written_to_a_file(ask: Playproof, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    answer = ask("games-of", "greedy", "--limit", "3", "--out", str(file))
    assert answer == Answer(0, "", f"3 of 16 games added to {file}\n")
    assert file.read_text() == ask("games-of", "greedy", "--limit", "3", "--json").out
    every = tmp_path / "all.jsonl"
    answer = ask("games-of", "--out", str(every))
    assert answer == Answer(0, "", f"24 games added to {every}\n")
    assert len(every.read_text().splitlines()) == 24
    wrong = ask("games-of", "greedy", "--out", str(tmp_path / "games.pgn"))
    assert wrong.code != 0
    assert "PGN is for chess, not for othello" in wrong.err
    assert not (tmp_path / "games.pgn").exists()


def test_chess_is_written_as_pgn(playproof: Playproof, tmp_path: Path) -> None:
    kept, file = tmp_path / "kept.sqlite", tmp_path / "games.pgn"
    played = playproof(
        "match", "chess", "random", "greedy", "--games", "2", "--seed", "1", "--file", str(kept)
    )
    assert played.code == 0, played.err
    assert playproof("games-of", "--file", str(kept), "--out", str(file)).code == 0
    text = file.read_text()
    assert text.count('[White "') == 2
    # The seven tags that every PGN has, and the clock.
    roster = r"""\[Event "Playproof, seed 1"\]
\[Site "\?"\]
\[Date "20\d\d\.\d\d\.\d\d"\]
\[Round "1\.([12])"\]
\[White "(\w+)"\]
\[Black "(\w+)"\]
\[Result "(?:1-0|0-1|1/2-1/2)"\]
\[TimeControl "-"\]
"""
    assert re.findall(roster, text) == [("1", "random", "greedy"), ("2", "greedy", "random")]
    first, second = re.findall(r"^1\. (\S+) (\S+)", text, re.MULTILINE)[0]
    for moves in (f"{first} {second}", f"1. {first} {second}"):
        found = playproof("games-of", "--opening", moves, "--file", str(kept))
        assert len(listed(found)) == 2, moves
    more = ("match", "othello:size=4", "random", "greedy", "--games", "2", "--file", str(kept))
    assert playproof(*more).code == 0
    mixed = playproof("games-of", "--file", str(kept), "--out", str(tmp_path / "mixed.pgn"))
    assert "PGN is for chess, not for othello; want .jsonl, or --game chess" in mixed.err
    assert len(re.findall(r"^1\. ", text, re.MULTILINE)) == 2


def test_an_agents_failures_are_counted_and_found(
    playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    hostile.register_all()
    file = str(tmp_path / "games.sqlite")
    words = ["othello:size=4", "raising", "random", "--games", "8", "--seed", "1", "--file", file]
    answer = playproof("match", *words, "--workers", "1")
    assert answer.code == 0, answer.err
    reason = "raising raised ValueError: no idea what to do"
    count = re.fullmatch(rf"(\d) games: {reason}", answer.out.splitlines()[-1])
    assert count
    failed = listed(playproof("games-of", "--failed", "--file", file))
    assert len(failed) == int(count[1]) < 8
    assert all(line.endswith(reason) for line in failed)
    records = listed(playproof("games-of", "--failed", "--json", "--file", file))
    assert {json.loads(line)["reason"] for line in records} == {reason}


# Stopping and going on


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_played_and_the_same_command_goes_on(
    tmp_path: Path, playproof: Playproof
) -> None:
    file = tmp_path / "games.sqlite"
    words = (
        "match", "othello:size=6", "mcts:simulations=150", "mcts:simulations=200",
        "--games", "24", "--batch", "1", "--file", str(file),
    )  # fmt: skip
    running = subprocess.Popen(
        command(*words, "--workers", "2"),
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    )
    end = time.monotonic() + 60
    while kept(file) < 4:
        assert running.poll() is None, "it was over before it could be stopped"
        assert time.monotonic() < end
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: everybody gets it
    _, err = running.communicate(timeout=30)
    assert running.returncode == 130
    told = re.fullmatch(
        rf"seed (\d+), games in {file}\n"
        rf"(\d+) of 24 games are kept in {file}: the same command goes on from there\n"
        r"error: stopped\n",
        err,
    )
    assert told, err
    assert 4 <= int(told[2]) == kept(file) < 24
    assert ended(running.pid), "a process was left behind"

    again = playproof(*words, "--workers", "1")  # whoever does the work, the run is the same
    assert again.code == 0, again.err
    assert f"resuming the run that was stopped, seed {told[1]}\n" in again.err
    assert f"{told[2]} of 24 games are there already" in again.err
    assert ", 24 games of othello:size=6\n" in again.out
    assert kept(file) == 24


def ended(group: int, seconds: float = 10.0) -> bool:
    """Whether nothing of a process group is left."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


# Wrong invocations

FILE = ("--file", "games.sqlite")
WRONG: dict[str, tuple[str, int, str]] = {
    "an unknown agent": ("match choko greedy gredy", USAGE, "no agent 'gredy'; did you mean"),
    "an unknown game": ("match chok greedy random", USAGE, "there is no game 'chok'; did you mean"),
    "a wrong option": ("match choko mcts:depth=2 random", USAGE, "mcts has no option 'depth'"),
    "a person": ("match choko human greedy", USAGE, "human plays in 'playproof play', not in"),
    "one player": ("tournament choko greedy", USAGE, "1 players cannot meet: name two or more"),
    "an odd number": ("match choko greedy random --games 7", USAGE, "want an even number from 2"),
    "no games": (
        "match choko greedy random --games 0",
        USAGE,
        "'--games': Input should be greater",
    ),
    "half a test": ("match choko greedy random --sprt 5", USAGE, "'5' is not an SPRT: want ELO0,"),
    "no test": ("match choko greedy random --sprt a,b", USAGE, "'a,b' is not an SPRT: want ELO0,"),
    "a test of nothing": ("match choko greedy random --sprt 5,5", USAGE, "want elo0 < elo1"),
    "endless time": ("match choko greedy random --limit inf", USAGE, "want more than 0, at most"),
    "time that is none": ("match choko greedy random --limit nan", USAGE, "a limit of nan s for"),
    "no time": ("match choko greedy random --limit 0", USAGE, "a limit of 0 s for a move: want"),
    "no book": ("match choko greedy random --openings a.txt", USAGE, "there is no book a.txt"),
    "no balance": (
        "match choko greedy random --openings random:balance=2",
        USAGE,
        "balance=2 is not a number from 0.0 to 1.0",
    ),
    "no result": ("games-of --result 2-0", USAGE, "'2-0' is not one of 'won', 'drawn', 'lost'"),
    "no games yet": ("games-of", DATA, "there is no file of games games.sqlite: play a match"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_invocation_gets_one_line(
    what: str, playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words, code, line = WRONG[what]
    check(playproof(*words.split(), *FILE), code, line)


def check(answer: Answer, code: int, line: str) -> None:
    assert answer.code == code, answer.err
    assert answer.out == ""
    assert answer.err.startswith("error: ")
    assert answer.err.count("\n") == 1
    assert line in answer.err


@pytest.mark.parametrize("name", ["match", "games-of"])
def test_a_file_of_another_program_is_left_alone(
    name: str, playproof: Playproof, tmp_path: Path
) -> None:
    words = [name] if name == "games-of" else [name, "choko", "greedy", "random"]
    text, database = tmp_path / "notes.txt", tmp_path / "other.sqlite"
    text.write_text("These are my notes.\n" * 100)
    with sqlite3.connect(database) as db:
        db.execute("CREATE TABLE precious (thing TEXT)")
    db.close()
    before = text.read_bytes(), database.read_bytes()
    refused = f"error: {text} cannot be used as a file of games: file is not a database"
    check(playproof(*words, "--file", str(text)), DATA, refused)
    refused = f"error: {database} is a database of another program: choose another file"
    check(playproof(*words, "--file", str(database)), DATA, refused)
    assert (text.read_bytes(), database.read_bytes()) == before


def test_a_place_that_cannot_be_written_is_told_before_a_game_is_played(
    playproof: Playproof, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    inside = tmp_path / "file" / "games.sqlite"
    words = ["othello:size=4", "random", "greedy", "--games", "2"]
    refused = f"error: {inside} cannot be used as a file of games: "
    check(playproof("match", *words, "--file", str(inside)), DATA, refused)
    file, picture = tmp_path / "games.sqlite", tmp_path / "no" / "table.svg"
    refused = f"error: {picture} cannot be written: No such file or directory"
    words += ["--file", str(file), "--svg", str(picture)]
    check(playproof("tournament", *words), DATA, refused)
    assert kept(file) == 0
