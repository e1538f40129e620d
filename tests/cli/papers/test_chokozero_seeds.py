"""``playproof paper chokozero --only seeds``: agents trained several times each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.papers.chokozero import train as chokozero_train
from playproof.papers.chokozero.seeds import recorded
from tests.support.cli.running import Answer
from tests.support.papers.tiny_training import tiny, tiny_run

USAGE, DATA = 2, 3
Playproof = Callable[..., Answer]
SEEDS = ("paper", "chokozero", "--only", "seeds")


def flat(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_the_recorded_figures_are_printed_and_drawn(playproof: Playproof, tmp_path: Path) -> None:
    picture = tmp_path / "seeds.svg"
    answer = playproof(*SEEDS, "--svg", str(picture))
    assert (answer.code, answer.err) == (0, f"drew {picture}\n")
    lines = flat(answer.out)
    assert any(line.startswith("V1 < V2 < V3 ") for line in lines)
    assert any(line.startswith("PPO V1, seed 1 ") for line in lines)
    assert "recorded figures" in answer.out
    assert max(map(len, answer.out.splitlines())) <= 120
    assert "PPO V1 (Figure 1, " in picture.read_text()


def test_the_recorded_figures_as_json(playproof: Playproof) -> None:
    data = playproof(*SEEDS, "--json").json()["seeds"]
    assert data["games"] == 100
    assert {s["says"] for s in data["statements"]} >= {"V1 < V2 < V3", "DQL is the weakest"}
    medians = [player["agent"] for player in data["players"] if player["median"]]
    assert len(medians) == len(set(medians)) >= 6
    assert all(len(curve["won"]["median"]) == 20 for curve in data["curves"])
    assert sum(entry["games"] for entry in data["pairings"]) == 100 * len(data["pairings"])


def test_the_recorded_file_is_written_as_it_is(playproof: Playproof, tmp_path: Path) -> None:
    file = tmp_path / "seeds.json"
    assert playproof(*SEEDS, "--out", str(file)).code == 0
    assert recorded.as_text(recorded.shipped()) == file.read_text()
    assert file.stat().st_size < 100_000


def test_runs_in_a_folder_play_and_are_recorded(
    playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chokozero_train, "settings", tiny)
    for seed in (1, 2):
        tiny_run(tmp_path / "runs" / f"seed-{seed}", "choko-ppo-v1", seed)
        tiny_run(tmp_path / "runs" / f"dql-{seed}", "choko-dql", seed)
    tiny_run(tmp_path / "runs" / "strange", "choko-dql", 3, rate="0.9")
    words = [*SEEDS, "--runs", str(tmp_path / "runs"), "--games", "4", "--workers", "1"]
    words += ["--agent", "v1", "--agent", "dql", "--agent", "v2"]
    words += ["--file", str(tmp_path / "games.sqlite"), "--out", str(tmp_path / "seeds.json")]
    answer = playproof(*words)
    assert answer.code == 0, answer.err
    assert "left out: strange: not the settings of choko-dql: rate=0.9 instead of" in answer.err
    assert "PPO V1: seeds 1, 2\nDQL: seeds 1, 2\n" in answer.err
    assert "PPO V2: no finished run, left out" in answer.err
    assert "4 pairs of players with 4 games each" in " ".join(flat(answer.out))
    again = playproof(*words, "--json")
    assert "16 of 16 games are there already" in again.err
    (statement,) = again.json()["seeds"]["statements"]
    (comparison,) = statement["comparisons"]
    assert (comparison["one"], comparison["two"]) == ("PPO V1", "DQL")
    assert (comparison["seeds"], comparison["games"]) == ([2, 2], 16)
    assert comparison["interval"][0] <= comparison["score"] <= comparison["interval"][1]
    kept = json.loads((tmp_path / "seeds.json").read_text())
    assert [len(kinds) for _, _, kinds in kept["pairings"]] == [2, 2, 2, 2]


@pytest.mark.slow
def test_several_seeds_are_trained_and_play(
    playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chokozero_train, "settings", tiny)
    words = ["paper", "chokozero", "--train", str(tmp_path / "runs"), "--seeds", "2", "--json"]
    words += ["--agent", "v1", "--agent", "dql", "--games", "2", "--workers", "1"]
    answer = playproof(*words, "--file", str(tmp_path / "games.sqlite"))
    assert answer.code == 0, answer.err
    folder = tmp_path / "runs" / "choko-dql" / "seed-2"
    assert f"choko-dql seed 2: 2 iterations in {folder}" in answer.err
    assert len(answer.json()["seeds"]["pairings"]) == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--only", "seeds", "--only", "table"], "the part seeds runs alone"),
        (["--seeds", "3"], "--seeds N needs --train FOLDER"),
        (["--seeds", "3", "--train", "x", "--only", "table"], "is for the part seeds alone"),
        (["--only", "seeds", "--train", "x"], "say how many runs of each agent"),
        (["--only", "curves", "--out", "x.json"], "want a name that ends with .svg or .png"),
        (["--only", "seeds", "--agent", "plus"], "no agent 'plus' over several seeds"),
        (["--truth", "--seeds", "3"], "--seeds means nothing with --truth"),
        (["--only", "seed"], "want table, empty, curves, openings, times, claims, letter or seeds"),
    ],
)
def test_what_makes_no_sense_is_refused(
    playproof: Playproof, words: list[str], message: str
) -> None:
    answer = playproof("paper", "chokozero", *words)
    assert (answer.code, answer.err.count("\n")) == (USAGE, 1)
    assert message in answer.err


def test_a_folder_without_runs_is_refused(
    playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chokozero_train, "settings", tiny)
    answer = playproof(*SEEDS, "--runs", str(tmp_path))
    assert answer.code == DATA
    assert "holds no finished run of these agents" in answer.err
