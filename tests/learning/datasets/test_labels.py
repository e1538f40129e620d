"""Labels by an engine: its own words, walks with blunders, folders that go on after a kill."""

from __future__ import annotations

import sys
import zlib
from dataclasses import replace
from pathlib import Path

import chess
import numpy as np
import pytest

from playproof import DataError, UsageError
from playproof.learning.datasets import labels
from playproof.learning.datasets.label_build import LabelConfig, build
from playproof.learning.datasets.label_walks import WalkConfig
from playproof.learning.datasets.positions import Positions
from tests.support.paths import SUPPORT

MANNER = WalkConfig(lines=3, nodes=10, blunders=0.3, longest=12, opening=4)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> str:
    script = SUPPORT / "learning" / "fake_engine.py"
    program = tmp_path_factory.mktemp("engine") / "judge"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}"\n')
    program.chmod(0o755)
    return str(program)


@pytest.fixture(scope="module")
def made(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("labelled")
    metadata = build(LabelConfig(engine, "random", 600, MANNER, 3, 5), out, workers=1)
    assert metadata["complete"]
    assert metadata["positions"] >= 600
    return out


def test_every_label_is_the_engines_own(made: Path) -> None:
    data = Positions(made)
    told = labels.open_labels(made, len(data), 3)
    for number in range(0, len(data), 7):
        board = chess.Board(data.state(number).position)
        moves = sorted(move.uci() for move in board.legal_moves)[:3]
        base = zlib.crc32(board.fen().encode()) % 900 - 450
        state, row = data.state(number), told[number]
        names = [state.game.name_move(state, int(a)) for a in row["actions"][: len(moves)]]
        assert names == moves
        mates = 1 if base == 0 else 0
        assert row["scores"][mates : len(moves)].tolist() == [
            base - 30 * place for place in range(1 + mates, len(moves) + 1)
        ]
        assert (row["scores"][len(moves) :] == labels.NO_SCORE).all()
        assert (row["actions"][len(moves) :] == labels.NO_MOVE).all()
        assert data.array[number]["action"] == row["actions"][0]


def test_blunders_are_played(made: Path) -> None:
    """Of moves that the walks went on with, some are none of the engine's three."""
    data = Positions(made)
    told = labels.open_labels(made, len(data), 3)
    outside = pairs = 0
    for number in range(200):
        if data.array[number]["game"] != data.array[number + 1]["game"]:
            continue
        state, after = data.state(number), data.state(number + 1).position.split()[0]
        known = [
            state.apply(int(a)).position.split()[0] for a in told[number]["actions"] if a < 4672
        ]
        pairs, outside = pairs + 1, outside + (after not in known)
    assert 0.1 < outside / pairs < 0.5


def test_expected_answers_are_positions_too(made: Path, engine: str, tmp_path: Path) -> None:
    """As many as asked for after each evaluated position, of moves that the walk did not take; the
    walks are those without them."""
    config = LabelConfig(engine, "random", 100, replace(MANNER, replies=2), 3, 5)
    metadata = build(config, tmp_path, workers=1)
    data, plain = Positions(tmp_path), Positions(made)
    told = labels.open_labels(tmp_path, len(data), 3)
    assert len(data) == metadata["positions"]
    mine = data.array[: int(data.games[0]["plies"])]
    own = [row for row in range(len(mine)) if told[row]["actions"][1] != labels.NO_MOVE]
    evaluated = max(own) + 1
    assert 1.3 * evaluated < len(mine) <= 3 * evaluated
    walk = {data.state(row).position: row for row in range(evaluated)}
    assert data.state(0).position == plain.state(0).position
    for row in range(evaluated, len(mine)):
        state = data.state(row)
        board = chess.Board(state.position)
        assert told[row]["actions"].tolist()[1:] == [labels.NO_MOVE] * 2
        name = state.game.name_move(state, int(told[row]["actions"][0]))
        assert name == max(move.uci() for move in board.legal_moves)
        before = [
            (walk[text], place)
            for text in walk
            for place, action in enumerate(told[walk[text]]["actions"])
            if action < 4672
            and data.state(walk[text]).apply(int(action)).position == state.position
        ]
        assert any(told[row]["scores"][0] == -told[at]["scores"][place] for at, place in before)
        assert state.position not in walk
    with pytest.raises(UsageError, match="4 replies: want 0 to 3"):
        replace(config, walks=replace(MANNER, replies=4)).check()


def test_a_stale_score_does_not_overtake() -> None:
    """The engine's order counts where a later move kept the score of a shallower search."""
    shares = labels.policies(np.array([[-113, -123, -201, -103]], np.int16), 0.25)[0]
    assert shares[0] > shares[1] > shares[2] == shares[3]


def test_scores_become_a_policy_and_a_value() -> None:
    scores = np.array(
        [
            [100, 75, labels.NO_SCORE],
            [labels.score_of(None, 1), labels.score_of(None, 3), 2000],
            [labels.score_of(None, -4), labels.score_of(None, -2), labels.NO_SCORE],
        ],
        np.int16,
    )
    shares = labels.policies(scores, 0.25)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert shares[0, 0] / shares[0, 1] == pytest.approx(np.e, rel=1e-5)
    assert shares[0, 2] == 0
    assert shares[1, 0] > 0.99  # the shortest mate
    assert shares[2, 0] > 0.99  # the longest defence
    values = labels.values(scores)
    assert values[1] == 1
    assert values[2] == -1
    assert values[0] == pytest.approx(2 / (1 + np.exp(-0.368208)) - 1)


def test_a_folder_goes_on_to_the_same_bytes(made: Path, engine: str, tmp_path: Path) -> None:
    config = LabelConfig(engine, "random", 600, MANNER, 3, 5)
    stopped = build(config, tmp_path, workers=1, until=0.0)
    assert not stopped["complete"]
    assert stopped["positions"] == 0
    first = replace(config, count=100)  # one part of two
    assert build(first, tmp_path, workers=1)["positions"] < 600
    build(config, tmp_path, workers=1)
    for name in ("positions.bin", "labels.bin", "games.npy"):
        assert (tmp_path / name).read_bytes() == (made / name).read_bytes()
    with pytest.raises(UsageError, match="is labelled with nodes 10, not 11: choose another"):
        build(replace(config, walks=replace(MANNER, nodes=11)), tmp_path, workers=1)


def test_walks_from_a_folder_stay_in_its_folds(made: Path, engine: str, tmp_path: Path) -> None:
    build(LabelConfig(engine, str(made), 100, MANNER, 3, 6), tmp_path, workers=1)
    games, source = Positions(tmp_path), Positions(made)
    folds: dict[tuple[int, bytes], set[int]] = {}
    for kept in source.array:
        board = int(kept["occupied"]), kept["pieces"].tobytes()
        folds.setdefault(board, set()).add(int(kept["fold"]))
    for game in games.games:
        first = games.array[int(game["first"])]
        assert game["fold"] in folds[int(first["occupied"]), first["pieces"].tobytes()]


def test_what_cannot_be_is_refused_in_a_line(made: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the engine nobody is not installed"):
        build(LabelConfig("nobody", "random", 10, MANNER), tmp_path)
    with pytest.raises(UsageError, match="want blunders from 0 to 1"):
        LabelConfig("x", "random", 10, replace(MANNER, blunders=2.0)).check()
    (tmp_path / labels.LABELS).write_bytes(b"short")
    with pytest.raises(DataError, match="is not complete: label the positions again"):
        labels.open_labels(tmp_path, 10, 3)
