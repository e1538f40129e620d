"""Choko's truth: the games played against it, and how its file is made."""

from __future__ import annotations

import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from playproof.core.errors import DataError
from playproof.core.registry import make
from playproof.papers.choko_solved import sample_games as choko_games
from playproof.papers.choko_solved import truth as truth_of
from playproof.papers.choko_solved.make import ExactValues, as_text, make_truth, review_game
from playproof.papers.choko_solved.report import (
    summarize_play,
)
from playproof.papers.choko_solved.sample_games import (
    PLAYERS,
    SamplePlayer,
    SelfPlayGame,
    play_games,
)
from playproof.papers.choko_solved.truth import (
    KINDS,
    SolvedReading,
    shipped,
)

TRUTH = shipped()
CHOKO = make("choko")
FILE = Path(truth_of.__file__).parents[1] / "data" / "choko_truth.json"


def reading(lone_jump: bool) -> SolvedReading:
    return TRUTH.on if lone_jump else TRUTH.off


# Play


@pytest.mark.parametrize("player", PLAYERS, ids=lambda player: player.spec)
def test_game_reviews_are_consistent(player: SamplePlayer) -> None:
    games = TRUTH.games[player.spec]
    assert len(games) == player.games
    for game in games:
        assert game.actions <= 100
        assert 0 <= game.first <= game.actions
        assert (game.first > 0) == (game.blue_errors > 0) == (game.first_kind in KINDS)
        assert game.blue_errors <= game.blue_chances
        assert game.red_errors <= game.red_chances
        assert game.blue_chances + game.red_chances <= game.actions
        if not game.first:  # Red was lost all the time, and had nothing to lose
            assert (game.red_errors, game.red_chances) == (0, 0)
            assert game.outcome >= 0
        # The start is Blue's, so the first who can throw anything away is Blue.
        assert game.first % 2 == (1 if game.first else 0)


@pytest.mark.parametrize("number", [0, 1])
def test_the_games_can_be_played_again(number: int) -> None:
    player = PLAYERS[number]
    for game, kept in zip(
        itertools.islice(play_games(player), 6), TRUTH.games[player.spec], strict=False
    ):
        assert (game.outcome, len(game.moves)) == (kept.outcome, kept.actions)


def test_a_search_starts_with_random_moves() -> None:
    game = next(play_games(SamplePlayer("alphabeta:depth=1", 1, 3)))
    again = next(play_games(SamplePlayer("alphabeta:depth=1", 1, 3)))
    other = next(play_games(SamplePlayer("alphabeta:depth=1", 1, 4)))
    assert game == again
    assert game.moves[:3] != other.moves[:3]
    assert game.moves[0][0] == CHOKO.start().position


def test_a_summary_of_games() -> None:
    result = summarize_play(TRUTH.games["alphabeta:depth=6"])
    assert (result.games, result.blue_won, result.drawn, result.red_won) == (60, 6, 53, 1)
    assert result.threw == 55
    assert sum(result.first_kinds.values()) == 55
    assert round(result.first, 1) == 12.4
    assert result.blue_rate < result.red_rate < 0.2
    assert summarize_play(TRUTH.games["random"]).errors > 3 * result.errors


def test_the_sample_is_consistent() -> None:
    for phase, facts in TRUTH.sample.items():
        assert facts["positions"] == 20_000
        assert facts["critical"] + facts["lost"] <= facts["positions"]
        assert facts["jumps_fail"] <= facts["jumps"]
        assert facts["corners_best"] <= facts["corners"]
        assert 0.3 < facts["random_throws"] < 0.5
        for won, free in itertools.product((True, False), (True, False)):
            for kind, (count, bad) in TRUTH.thrown(phase, won=won, free=free).items():
                assert 0 <= bad <= count
                assert free or kind in ("corner", "edge", "inner")  # who is forced must place
    assert sum(facts["positions"] for facts in TRUTH.sample.values()) == choko_games.SAMPLE


# Making


def exact(**moves: int) -> ExactValues:
    named = {name.replace("_", "-"): value for name, value in moves.items()}
    return ExactValues(max(named.values()), named)


def test_a_game_is_reviewed_move_by_move() -> None:
    game = SelfPlayGame(
        0, (("x b 1", "A1"), ("y r 2", "B2"), ("z b 3", "A1-A2"), ("w r 4", "C3"), ("v b 5", "C4"))
    )
    known = {
        "x b 1": exact(A1=3, B1=0),  # keeps the win
        "y r 2": exact(B2=-2, A3=-4),  # lost: nothing to throw away
        "z b 3": exact(A1_A2=0, C3=5),  # throws the win away
        "w r 4": exact(C3=0, A3=-4),  # keeps the draw
        "v b 5": exact(C4=-6, C5=0),  # throws the draw away
    }
    assert review_game(game, known) == [0, 5, 3, "step", 2, 0, 3, 1]
    with pytest.raises(DataError, match="the answers lack 'v b 5'"):
        review_game(game, {key: known[key] for key in list(known)[:4]})


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A solve as it was printed, and made-up answers about few positions."""
    data = json.loads(FILE.read_text())
    files = {}
    for name in ("off", "on"):
        kept = data[name]
        keys = ("wins", "draws", "losses", "longest_win", "longest_loss")
        report: dict[str, Any] = {
            "game": f"choko:lone_jump={name}", "kind": "distance", "solved_cells": kept["stored"],
            "solving_seconds": kept["solving_seconds"], "checking_seconds": 0.0,
            "slices": {s: dict(zip(keys, c, strict=True)) for s, c in kept["slices"].items()},
            "all": {"wrong": 0}, "start": {"value": 59, "moves": kept["first"]},
        }  # fmt: skip
        if name == "off":
            report["start"]["line"] = data["line"]
            upsets = [dict(zip(("slice", "positions", "example"), u, strict=True))
                      for u in data["upsets"]]  # fmt: skip
            report["examples"] = {"longest": data["longest"], "upsets": upsets}
        files[name] = tmp_path / f"{name}.json"
        files[name].write_text(json.dumps(report))
    ends = ["1brb1/1brb1/5/5/5 b 0 0 - 24", "br3/rr2r/2br1/4r/5 b 0 0 - 24"]
    monkeypatch.setattr(choko_games, "sample_positions", lambda: ends)
    monkeypatch.setattr(choko_games, "PLAYERS", (SamplePlayer("random", 2, 1),))
    lines = []
    for position in choko_games.positions_to_query():
        names = CHOKO.position(position).legal_names()
        lines.append({"position": position, "value": 1, "moves": dict.fromkeys(names, 1)})
        lines[-1]["moves"][names[0]] = 0
    files["answers"] = tmp_path / "answers.jsonl.gz"
    text = "".join(json.dumps(line) + "\n" for line in lines)
    files["answers"].write_bytes(gzip.compress(text.encode()))
    return files


def test_written_data_can_be_read(sources: dict[str, Path]) -> None:
    answer: list[str] = []
    data = make_truth(sources["off"], sources["on"], sources["answers"], answer.append)
    result = truth_of.read(json.loads(as_text(data)))
    assert result.off.slices == TRUTH.off.slices
    assert result.on.first == TRUTH.on.first
    assert (result.line, result.longest, result.upsets) == (TRUTH.line, TRUTH.longest, TRUTH.upsets)
    # One of 6 moves and one of 18 is bad, both positions are won.
    assert result.sample["end"]["random_throws"] == pytest.approx((1 / 6 + 1 / 18) / 2, abs=1e-6)
    assert result.sample["end"]["positions"] == 2
    assert result.sample["opening"]["positions"] == 0
    assert result.thrown("end", won=True, free=True) == {"step": (9, 2), "jump": (15, 0)}
    assert [game.actions for game in result.games["random"]] == [
        game.actions for game in TRUTH.games["random"][:2]
    ]
    assert answer == ["reading answers", "playing random", "sampling positions"]


def test_positions_to_query_are_complete_and_distinct(sources: dict[str, Path]) -> None:
    asked = choko_games.positions_to_query()
    assert len(set(asked)) == len(asked)
    assert {choko_games.EARLY_CAPTURE, *choko_games.openings()} <= set(asked)
    assert len(list(choko_games.openings())) == 1 + 25 + 25 * 24


def test_other_reports_are_refused(sources: dict[str, Path], tmp_path: Path) -> None:
    off, on, answers = sources["off"], sources["on"], sources["answers"]
    with pytest.raises(DataError, match=r"is of choko:lone_jump=on, distance: want .*=off"):
        make_truth(on, on, answers)
    broken = tmp_path / "broken.json"
    report = json.loads(off.read_text())
    report["slices"]["h0-2v2"]["wins"] += 1
    broken.write_text(json.dumps(report))
    with pytest.raises(DataError, match="the slice h0-2v2 is missing or incomplete"):
        make_truth(broken, on, answers)
    report["slices"]["h0-2v2"]["wins"] -= 1
    report["slices"]["h0-1v2"] = report["slices"]["h0-2v2"]
    broken.write_text(json.dumps(report))
    with pytest.raises(DataError, match="slices that no game reaches"):
        make_truth(broken, on, answers)
    del report["slices"]["h0-1v2"], report["examples"]
    broken.write_text(json.dumps(report))
    with pytest.raises(DataError, match="no line and no examples"):
        make_truth(broken, on, answers)
    broken.write_text("[1, 2]")
    with pytest.raises(DataError, match="not a report of a full solve"):
        make_truth(broken, on, answers)
    with pytest.raises(DataError, match=r"holds no answers .* --positions"):
        make_truth(off, on, broken)
    few = tmp_path / "few.jsonl"
    few.write_text(json.dumps({"position": "5", "value": 1, "moves": {}}) + "\n")
    with pytest.raises(DataError, match=r"the answers lack .* --positions"):
        make_truth(off, on, few)


def test_other_data_is_refused() -> None:
    with pytest.raises(DataError, match="not the data of a solved Choko"):
        truth_of.read({"format": "something else"})
