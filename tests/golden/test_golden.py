"""The golden games, replayed: they must give the same text again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from playproof import make
from tests.golden.write import FOLDER, random_moves, read, text
from tests.support.conformance.playing import coin_registered

FILES = sorted(FOLDER.glob("*.txt"))


@pytest.fixture(scope="module", autouse=True)
def _coin() -> Iterator[None]:
    with coin_registered():
        yield


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_golden_game_replays_exactly(file: Path) -> None:
    spec, seed, moves = read(file)
    assert text(make(spec), seed, moves) == file.read_text()


def test_the_games_are_worth_keeping() -> None:
    """There is a game of each kind, and rare moves occur."""
    games = [read(file) for file in FILES]
    assert {spec for spec, _, _ in games} >= {"othello", "othello:size=4", "chess", "choko", "coin"}
    assert any("pass" in moves for spec, _, moves in games if spec == "othello")
    assert any("x" in "".join(moves) for spec, _, moves in games if spec == "choko")
    assert any("heads" in moves for spec, _, moves in games if spec == "coin")


def test_a_seed_gives_the_moves_of_its_file() -> None:
    spec, seed, moves = read(FOLDER / "othello-size-4-7.txt")
    assert random_moves(make(spec), seed) == moves
