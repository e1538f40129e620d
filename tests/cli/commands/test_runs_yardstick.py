"""``playproof runs yardstick`` from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cli.running import Answer

USAGE, DATA = 2, 3
Playproof = Callable[..., Answer]
FEW = ("iterations=4", "steps=64", "epochs=1", "games=8", "hidden=8", "evaluate_every=0")


@pytest.fixture
def run(playproof: Playproof, tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    changes = [word for change in FEW for word in ("--set", change)]
    done = playproof("train", "choko-ppo-v3", "--out", str(folder), "--keep", "2", *changes)
    assert done.code == 0, done.err
    return folder


def test_a_table_a_picture_and_json(playproof: Playproof, run: Path) -> None:
    words = ("runs", "yardstick", str(run), "--positions", "30", "--simulations", "2")
    done = playproof(*words, "--against", "random", "--games", "2", "--match-every", "4")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].strip() == "choko-ppo-v3: the value kept by the policy in 30 critical positions"
    assert "2 simulations" in done.out
    assert "against random" in " ".join(done.out.split())
    assert [line.split()[0] for line in lines if line.strip()[:1].isdigit()] == ["0", "2", "4"]
    assert "What the policy learns, first to last" in done.out
    assert "right moves: jump" in done.out
    assert (
        done.err
        == f"seed 1; {run}/yardstick.json has all figures, {run}/yardstick.svg the curves\n"
    )
    data = json.loads((run / "yardstick.json").read_text())
    assert data["format"] == "playproof net curve 1"
    assert (run / "yardstick.svg").read_text("utf-8").startswith("<svg")
    again = playproof(*words, "--against", "random", "--games", "2", "--match-every", "4", "--json")
    assert again.json() == data


def test_a_set_of_ones_own(playproof: Playproof, run: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text(
        '{"position": "5/4r/4b/5/r2b1 b 0 0 - 24", "value": 1, "moves": {"E3xE5,A1": 1, '
        '"E3-E2": 0, "E3-D3": 0, "D1-D2": -2, "D1-E1": -2, "D1-C1": -2}}\n'
    )
    out = tmp_path / "set.json.gz"
    made = playproof("yardstick", "choko", "--make", str(answers), "--seed", "1", "--out", str(out))
    assert made.code == 0, made.err
    data = playproof("runs", "yardstick", str(run), "--set", str(out), "--json").json()
    assert data["positions"] == 1
    phases = data["nets"][0]["kept"]["policy"]
    assert phases["opening"]["share"] is None
    assert phases["end"]["positions"] == 1


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("--theme", "blue"), USAGE, "--theme blue: want light or dark"),
        (("--device", "tpu"), USAGE, "--device tpu: want cpu or cuda"),
        (("--against", "nobody"), USAGE, "nobody"),
        (("--games", "3", "--against", "random"), USAGE, "want an even number"),
    ],
)
def test_errors_say_what_would_be_right(
    playproof: Playproof, run: Path, words: tuple[str, ...], code: int, error: str
) -> None:
    done = playproof("runs", "yardstick", str(run), "--positions", "3", *words)
    assert done.code == code
    assert error in done.err
    assert done.err.count("\n") == 1


def test_a_folder_without_a_run(playproof: Playproof, tmp_path: Path) -> None:
    done = playproof("runs", "yardstick", str(tmp_path / "none"))
    assert done.code == DATA
    assert "holds no run" in done.err
