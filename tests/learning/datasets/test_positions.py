"""Positions from games: Algorithm 1, as python-chess would do it; folds; kills."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import chess.pgn
import numpy as np
import pytest

import playproof
from playproof import DataError, UsageError
from playproof.learning.datasets import blocks as position_parts
from playproof.learning.datasets import build as position_build
from playproof.learning.datasets.build import BuildConfig, build
from playproof.learning.datasets.folds import deal, shared
from playproof.learning.datasets.packed import IS_SHARED, LAYOUT
from playproof.learning.datasets.positions import Positions
from playproof.learning.datasets.successors import is_successor
from tests.support.formats.pgn_play import random_game, write
from tests.support.learning.chess_rederived import difference, tuples, valid_proposals

BLOCK = 9_000  # bytes: several blocks even of small files


@functools.cache
def random_games() -> list[chess.pgn.Game]:
    return [random_game(seed, 50, decorated=seed % 2 == 0) for seed in range(60)]


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("games") / "games.pgn"
    file.write_text(write(random_games()))
    return file


@pytest.fixture(scope="module")
def made(games: Path, tmp_path_factory: pytest.TempPathFactory) -> Positions:
    out = tmp_path_factory.mktemp("made")
    build(BuildConfig((games,), 0.3, 5, 3, BLOCK), out, workers=1)
    return Positions(out)


def content(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}


def test_a_position_is_forty_bytes() -> None:
    assert LAYOUT.itemsize == 40


def test_every_tuple_is_what_python_chess_derives(made: Positions) -> None:
    expected = [tuples(game) for game in random_games()]
    observed = made.samples(np.arange(len(made)))
    full = made.samples(np.arange(len(made)), "full")
    assert len(made) > 500
    for number, kept in enumerate(made.array):
        game = int(kept["game"])
        first = expected[game][0]["ply"]
        wanted = expected[game][int(kept["ply"]) - first]
        assert difference(kept, wanted, observed.observations[number]) == ""
        assert observed.values[number] == wanted["value"]
        planes = full.observations[number]
        assert np.array_equal(planes[:13], wanted["planes"])
        assert [bool(planes[13 + i, 0, 0]) for i in range(4)] == wanted["rights"]
        assert planes[18, 0, 0] == (wanted["times"] > 1)
        assert planes[19, 0, 0] == (wanted["times"] > 2)
        assert planes[20, 0, 0] == pytest.approx(min(wanted["clock"], 100) / 100)


def test_the_share_is_that_of_a_coin(games: Path, tmp_path: Path) -> None:
    plies = sum(len(list(game.mainline_moves())) for game in random_games())
    for share in (0.1, 0.5, 1.0):
        metadata = build(BuildConfig((games,), share, 1, 2), tmp_path / str(share), workers=1)
        assert metadata["plies"] == plies
        assert (
            abs(metadata["positions"] - share * plies) <= 4 * (share * (1 - share) * plies) ** 0.5
        )
    taken = Positions(tmp_path / "0.5").array
    assert 0.4 < (taken["flags"] & 1).mean() < 0.6  # neither side is preferred


def test_games_are_split_whole_and_results_evenly(made: Positions) -> None:
    games = made.games
    for result in (1, 0, -1):
        counts = np.bincount(games["fold"][games["result"] == result], minlength=3)
        assert counts.max() - counts.min() <= 1
    for line in games:
        own = made.array[int(line["first"]) : int(line["first"]) + int(line["drawn"])]
        assert set(own["fold"].tolist()) <= {int(line["fold"])}
        assert set(own["game"].tolist()) <= {int(line["game"])}


def test_no_board_of_a_test_part_is_learned_from(made: Positions) -> None:
    boards = [kept["occupied"].tobytes() + kept["pieces"].tobytes() for kept in made.array]
    for fold in range(3):
        learned = {boards[i] for i in made.train(fold)}
        tested = [boards[i] for i in made.test(fold)]
        assert tested
        assert not learned & set(tested)
        left_out = np.setdiff1d(np.flatnonzero(made.array["fold"] == fold), made.test(fold))
        assert {boards[i] for i in left_out} <= learned
        assert len(left_out) > 0


def test_the_kept_seed_makes_the_same_bytes_killed_or_not(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wishes = BuildConfig((games, games), 0.4, 9, 4, BLOCK)
    build(wishes, tmp_path / "whole", workers=1)
    write_part, made = position_parts.write_part, []

    def stop_after_a_few(path: Path, *rest: Any) -> None:
        if len(made) % 3 == 2:
            made.append("")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"half")  # as a kill without care would leave it
            raise KeyboardInterrupt
        write_part(path, *rest)
        made.append(path.name)

    monkeypatch.setattr(position_parts, "write_part", stop_after_a_few)
    kills = 0
    while kills < 100:
        try:
            build(wishes, tmp_path / "killed", workers=1)
            break
        except KeyboardInterrupt:
            kills += 1
    assert 3 <= kills < 100
    names = [name for name in made if name]
    assert len(names) == len(set(names))  # no part is made twice
    assert content(tmp_path / "killed") == content(tmp_path / "whole")


@pytest.mark.slow
def test_two_processes_make_the_same_bytes(games: Path, tmp_path: Path) -> None:
    wishes = BuildConfig((games,), 0.4, 9, 4, BLOCK)
    build(wishes, tmp_path / "one", workers=1)
    build(wishes, tmp_path / "two", workers=2)
    assert content(tmp_path / "one") == content(tmp_path / "two")
    other = build(BuildConfig((games,), 0.4, 10, 4, BLOCK), tmp_path / "other", workers=1)
    assert content(tmp_path / "one") != content(tmp_path / "other")
    assert other["games"] == 60


def test_rejected_games_are_counted_with_their_lines(tmp_path: Path) -> None:
    bad = ['[Event "x"]\n[Result "1-0"]\n\n1. e5 1-0\n\n', '[Event "x"]\n\n1. e4 *\n\n']
    file = tmp_path / "games.pgn"
    file.write_text(bad[0] + write(random_games()[:3]) + bad[1])
    metadata = build(BuildConfig((file,), 1.0, 1, 2), tmp_path / "out", workers=1)
    assert (metadata["games"], metadata["rejected"], metadata["games_read"]) == (3, 2, [5])
    assert metadata["reasons"] == {"illegal move": 1, "no result": 1}
    last = file.read_text().count("\n") - 3
    told = ["games.pgn, line 4: illegal move 'e5' (ply 1)", f"games.pgn, line {last}: no result"]
    assert metadata["first_rejected"] == told
    assert (tmp_path / "out" / "rejected.txt").read_text().splitlines() == told


def test_a_folder_serves_one_build(games: Path, made: Positions, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a build with seed 5, not 6"):
        build(BuildConfig((games,), 0.3, 6, 3, BLOCK), made.folder)
    with pytest.raises(UsageError, match="a sample of 0"):
        build(BuildConfig((games,), 0.0), tmp_path)
    with pytest.raises(DataError, match="there is no file"):
        build(BuildConfig((tmp_path / "none.pgn",)), tmp_path)
    with pytest.raises(DataError, match="holds no finished data"):
        Positions(tmp_path)
    metadata = json.loads((made.folder / "data.json").read_text())
    assert build(BuildConfig((games,), 0.3, 5, 3, BLOCK), made.folder) == metadata


def test_a_file_cut_short_is_told(made: Positions, tmp_path: Path) -> None:
    for name, data in content(made.folder).items():
        (tmp_path / name).write_bytes(data[:-7] if name == "positions.bin" else data)
    with pytest.raises(DataError, match="is not complete"):
        Positions(tmp_path)


def test_batches_are_all_of_it_once(made: Positions) -> None:
    indices = made.train(0)
    batches = list(made.batches(indices, 64, seed=3))
    assert [len(b.actions) for b in batches[:-1]] == [64] * (len(batches) - 1)
    actions = np.concatenate([b.actions for b in batches])
    assert sorted(actions) == sorted(made.array["action"][indices].tolist())
    again = np.concatenate([b.actions for b in made.batches(indices, 64, seed=3)])
    assert np.array_equal(actions, again)
    assert batches[0].observations.shape == (64, 13, 8, 8)


def test_a_state_is_the_position_that_was_packed(made: Positions) -> None:
    for number in range(0, len(made), 37):
        state, kept = made.state(number), made.array[number]
        assert int(kept["action"]) in state.legal_actions()
        assert np.array_equal(state.observation("paper-13"), made.samples([number]).observations[0])
        board = chess.Board(state.position)
        assert board.is_valid()
        assert board.halfmove_clock == kept["clock"]
    with pytest.raises(UsageError, match="there is no position"):
        made.state(len(made))


def test_boards_decide_legality_as_moves_do(made: Positions) -> None:
    """Algorithm 3: its validator and our lists of moves."""
    free = playproof.make("chess:draws=none")
    refused = 0
    for number in range(0, len(made), 10):
        state = free.position(made.state(number).position)
        proposals = valid_proposals(chess.Board(state.position))
        legal = set(state.legal_actions())
        assert {action for action, valid in proposals.items() if valid} == legal
        refused += sum(not valid for valid in proposals.values())
    assert refused > 10
    after = state.apply(min(legal))
    assert is_successor(state, after.observation("paper-13"))
    assert not is_successor(after, after.observation("paper-13"))


def test_folds_are_dealt_by_chance_and_evenly() -> None:
    results = np.array([1, 0, -1, 0] * 50, np.int64)
    folds = deal(results, 5, 1)
    assert not np.array_equal(folds, deal(results, 5, 2))
    for result in (1, 0, -1):
        counts = np.bincount(folds[results == result], minlength=5)
        assert counts.max() - counts.min() <= 1


def test_shared_keys_are_found_whatever_fits_into_memory(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    keys = rng.integers(0, 2**64, 300, np.uint64)[rng.integers(0, 300, 1000)]
    folds = rng.integers(0, 3, 1000).astype(np.uint8)
    (tmp_path / "keys").write_bytes(keys.astype("<u8").tobytes())
    where = {key: set(folds[keys == key].tolist()) for key in keys.tolist()}
    expected = [len(where[key]) > 1 for key in keys.tolist()]
    for at_once in (17, 400, 10_000):
        both, distinct = shared(tmp_path / "keys", folds, at_once=at_once)
        assert both.tolist() == expected
        assert distinct == len(where)


def test_the_mark_of_a_shared_board_is_kept(made: Positions) -> None:
    assert int((made.array["flags"] & IS_SHARED != 0).sum()) == made.metadata["shared"] > 0
    assert position_build.LAYOUT is LAYOUT
