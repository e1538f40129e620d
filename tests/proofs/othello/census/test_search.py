"""The census: which of many positions of Othello a game reaches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import playproof
from playproof import State
from playproof.core.errors import DataError
from playproof.core.stopping import stop_flag
from playproof.proofs.othello.census import search as census_search
from playproof.proofs.othello.census.search import census
from playproof.proofs.othello.retrograde.canonical import canonical
from playproof.proofs.othello.retrograde.path import split
from tests.support.proofs.retrograde_naive import all_reachable
from tests.support.proofs.some_positions import coloured, played, set_up


@pytest.fixture(scope="module")
def reachable() -> set[State]:
    """Of the 4x4 board, all."""
    return all_reachable(4)


def small_candidates() -> list[tuple[int, int]]:
    return [coloured(4, seed) for seed in range(400)] + [played(4, seed) for seed in range(200)]


def test_census_of_the_small_board(
    reachable: set[State], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(census_search, "BLOCK", 50)
    images = {
        tuple(int(x) for x in canonical(np.uint64(a), np.uint64(b), 0, 4)[:2])
        for a, b in small_candidates()
    }
    expected = {
        (own, opponent)
        for own, opponent in images
        if any(set_up(4, own, opponent, 0).transformed(s) in reachable for s in range(16))
    }
    store = tmp_path / "census.jsonl"
    seen = []
    found = census(
        small_candidates(), size=4, forward=6, file=store, megabytes=4, on_progress=seen.append
    )
    assert found.finished
    assert found.total == len(images)
    assert len(found.reachable) == len(expected) > 100
    assert len(seen) == -(-len(images) // 50)
    start = playproof.make("othello", size=4).start()
    ends = set()
    for one in found.reachable:
        state = start.play(one.record)
        assert state.position == one.position
        own, opponent, side = split(state)
        ends.add(tuple(int(x) for x in canonical(np.uint64(own), np.uint64(opponent), side, 4)[:2]))
    assert ends == expected

    # Killed while it wrote the fourth line: it goes on with what is whole.
    lines = store.read_bytes().splitlines(keepends=True)
    store.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    flag = stop_flag()
    flag[0] = 1
    begun = census(small_candidates(), size=4, forward=6, file=store, stop=flag, megabytes=4)
    assert (begun.done, begun.finished) == (100, False)
    redone = []
    again = census(
        small_candidates(), size=4, forward=6, file=store, megabytes=4, on_progress=redone.append
    )
    assert len(redone) == len(seen) - 2
    assert again.reachable == found.reachable
    assert len([json.loads(line) for line in store.read_text().splitlines()]) == len(lines)

    with pytest.raises(DataError, match="another census"):
        census(small_candidates()[:-20], size=4, forward=6, file=store)
    for text in ("hello\n", "hello", "{}\nhello", "two\nlines"):
        store.write_text(text)
        with pytest.raises(DataError, match=r"not a file of a census|another census"):
            census(small_candidates(), size=4, forward=6, file=store)
        assert store.read_text() == text  # what is not ours is left as it is


@contextmanager
def somewhere_else(workers: int) -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def test_census_by_other_workers_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    candidates = small_candidates()[:120]
    alone = census(candidates, size=4, forward=6, megabytes=4)
    monkeypatch.setattr(census_search, "executor", somewhere_else)  # processes: `make verify`
    together = census(candidates, size=4, forward=6, megabytes=4, workers=2)
    assert together.reachable == alone.reachable
    assert together.finished


def test_census_gives_up_at_a_limit() -> None:
    found = census(small_candidates()[:100], size=4, forward=4, nodes=1, megabytes=4)
    assert found.finished
    assert found.unknown > 0
