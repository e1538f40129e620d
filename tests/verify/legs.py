"""A self-play run in five legs, two of them from weights alone, is as strong as an uncut one.

The legs are commands in processes, as on machines that are available for a limited time.  A leg
ends by ``--seconds`` at a random moment.  The next one resumes in the same folder, or in a new one
that ``runs export`` and ``runs import`` have made without replay and games.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from playproof.arena.statistics.score import Score
from playproof.learning.runs.checkpoint import load_checkpoint
from playproof.learning.runs.run import CHECKPOINT, NET, TIMES, Run

GAME = "othello:size=6"
SETTINGS = {
    "blocks": "0", "hidden": "128/128", "iterations": "60", "games": "256", "positions": "4000",
    "simulations": "32", "fast_simulations": "8", "temperature_plies": "12", "replay": "20000",
    "minibatch": "256", "evaluate_every": "0",
}  # fmt: skip
LEGS, FROM_WEIGHTS = 5, 2
ALLOWED = 5.0  # seconds that a leg may take beyond its limit
SHARES = (0.2, 0.3)  # of the time that is left, for a leg that is cut
MATCH_GAMES, YARDSTICK_GAMES, SIMULATIONS = 400, 200, 32
YARDSTICKS = {"random": 0.9, "alphabeta:depth=2": 0.5}  # least scores of a trained player


def _command(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "playproof", *words], capture_output=True, text=True
    )
    assert done.returncode == 0, f"playproof {' '.join(words)}: {done.stderr[-500:]}"
    return done.stdout


def _times(folder: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (folder / TIMES).read_text().splitlines()]


@dataclass(frozen=True)
class Leg:
    """The time of a process from its first iteration to its exit, and whether it ended within an
    iteration."""

    seconds: float
    in_the_middle: bool


def _leg(folder: Path, *words: str) -> Leg:
    before = len(_times(folder)) if (folder / TIMES).exists() else 0
    _command("train", "--out", str(folder), "--checkpoint", "1", *words)
    ended = time.time()
    # A line for each checkpoint, the first counted from the first iteration on.  When the last
    # one was written, the file's own time tells; what came then, and Python's exit, is the rest.
    lines = _times(folder)[before:]
    within = sum(line["seconds"] for line in lines)
    rest = ended - (folder / TIMES).stat().st_mtime
    # With a checkpoint after each iteration, one with none is of a part of an iteration.
    return Leg(within + rest, lines[-1]["iterations"] == 0)


def _elsewhere(run: Run, number: int) -> Run:
    """The run exported and imported into a new folder; the old folder is deleted."""
    packed, there = (run.folder.parent / f"{name}-{number}" for name in ("packed", "there"))
    _command("runs", "export", str(run.folder), "--out", str(packed))
    shutil.rmtree(run.folder)
    _command("runs", "import", str(packed), "--out", str(there))
    arrays, _ = load_checkpoint(there / CHECKPOINT)
    assert not any(name.startswith(("replay", "games")) for name in arrays), sorted(arrays)
    return Run.open(there)


def _in_legs(run: Run, pace: float, rng: np.random.Generator) -> tuple[Run, list[float], str]:
    """Train to the end in legs; returns the run, the overruns of its legs in seconds, and their
    progress as text.

    ``pace`` is seconds per iteration: a leg gets a share of the remaining time, so that there are
    five on a machine of any speed.  The last leg has no limit."""
    moved = (rng.choice(LEGS - 1, FROM_WEIGHTS, replace=False) + 2).tolist()
    overruns: list[float] = []
    progress, halves = [], 0
    for number in range(1, LEGS + 1):
        before = len(run.metrics())
        if number in moved:
            run = _elsewhere(run, number)
            assert len(run.metrics()) == before, f"leg {number}: its metrics stayed behind"
        if number == LEGS:
            _leg(run.folder, "--resume")
        else:
            left = run.settings.iterations - before
            seconds = float(rng.uniform(*SHARES)) * left * pace
            leg = _leg(run.folder, "--resume", "--seconds", f"{seconds:.2f}")
            overruns.append(leg.seconds - seconds)
            halves += leg.in_the_middle
        lines = run.metrics()
        finished = len(lines) == run.settings.iterations
        assert finished == (number == LEGS), f"leg {number} came to iteration {len(lines)}"
        if number in moved and len(lines) > before:  # it learned: from a replay filled before
            filled, half = lines[before]["replay"], int(SETTINGS["replay"]) // 2
            assert filled >= half, f"leg {number} learned from {filled} positions, not {half}"
        progress.append(f"{'*' if number in moved else ''}{len(lines)}")
    iterations = [int(line["iteration"]) for line in run.metrics()]
    assert iterations == list(range(1, run.settings.iterations + 1)), iterations
    # Between two iterations is a moment too, but a rare one.
    assert 2 * halves >= len(overruns), f"{halves} of {len(overruns)} legs ended in an iteration"
    return run, overruns, " ".join(progress)


def _match(one: str, two: str, games: int, home: Path) -> Score:
    text = _command(
        "match", GAME, one, two, "--games", str(games), "--seed", "1", "--json",
        "--file", str(home / "games.sqlite"),
    )  # fmt: skip
    result = json.loads(text)["pairings"][0]
    assert not result["reasons"], result["reasons"]  # games that ended other than by the rules
    return Score(tuple(result["pairs"].values()))


def _percent(score: Score) -> str:
    lower, upper = score.interval()
    return f"{100 * score.mean:.1f} [{100 * lower:.1f}, {100 * upper:.1f}] %"


def five_legs() -> str:
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        preset = f"alphazero:{GAME}"
        whole = Run.create(home / "whole", preset, SETTINGS | {"seed": "1"})
        _leg(whole.folder, "--resume")
        pace = sum(line["seconds"] for line in _times(whole.folder)) / whole.settings.iterations
        cut = Run.create(home / "cut", preset, SETTINGS | {"seed": "2"})
        cut, overruns, progress = _in_legs(cut, pace, np.random.default_rng(1))
        seconds = ", ".join(f"{one:.1f}" for one in overruns)
        assert max(overruns) <= ALLOWED, f"{seconds} s beyond --seconds"
        one, two = (
            f"mcts:net={run.folder / NET},simulations={SIMULATIONS}" for run in (cut, whole)
        )
        between = _match(one, two, MATCH_GAMES, home)
        yardstick_scores = {
            other: [_match(player, other, YARDSTICK_GAMES, home) for player in (one, two)]
            for other in YARDSTICKS
        }
    result = f"cut against uncut {_percent(between)} of {between.games} games; " + "; ".join(
        f"against {other} {' and '.join(map(_percent, scores))}"
        for other, scores in yardstick_scores.items()
    )
    for other, scores in yardstick_scores.items():
        for score in scores:
            assert (score.mean or 0.0) >= YARDSTICKS[other], f"they learned too little: {result}"
    lower, upper = between.interval()
    assert lower <= 0.5 <= upper, f"not equally strong: {result}"
    return (
        f"to iterations {progress} (*: from weights alone), {seconds} s beyond --seconds; {result}"
    )
