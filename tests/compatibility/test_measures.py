"""Sets of positions that version 0.1 made measure agents as they did."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.cli.running import Answer
from tests.support.compatibility.made import json_of, names

Playproof = Callable[..., Answer]
Copy = Callable[[str], Path]


def test_the_yardstick_says_what_it_said(playproof: Playproof, copy: Copy) -> None:
    folder = copy("measures")
    words = ("--set", "yardstick.json.gz", "--seed", "1", "--workers", "1", "--json")
    told = playproof("yardstick", "choko", "minimax:depth=2", "random", *words).json()
    old = json_of(folder / "yardstick.json")
    assert told | {"agents": []} == old | {"agents": []}
    for now, was in zip(told["agents"], old["agents"], strict=True):
        assert {field: now[field] for field in was} == was
    assert [agent["all"]["kept"] for agent in told["agents"]] == [2, 0]
    assert told["made"]["answers"] == 2


def test_a_set_that_is_made_today_is_the_old_one(playproof: Playproof, copy: Copy) -> None:
    folder = copy("measures")
    words = ("--make", "yard.jsonl", "--seed", "1", "--out", "new.json.gz")
    assert playproof("yardstick", "choko", *words).code == 0
    new, old = (
        json.loads(gzip.decompress((folder / f).read_bytes()))
        for f in ("new.json.gz", "yardstick.json.gz")
    )
    assert new == old
    assert old["positions"][0] == ["5/4r/4b/5/r2b1 b 0 0 - 24", [-2, -2, -2, 0, 0, 1]]


def test_tactics_say_what_they_said(playproof: Playproof, copy: Copy) -> None:
    folder = copy("measures")
    words = ("--set", "tactics.json.gz", "--seed", "1", "--workers", "1", "--json")
    told = playproof("tactics", "choko", "minimax:depth=3", "random", *words).json()
    old: dict[str, Any] = json_of(folder / "tactics.json")
    assert told == old
    assert names(told) == names(old)
    family = told["agents"][0]["families"]["secure-capture"]
    assert (family["positions"], family["solved"]) == (4, 4)
    paper = {one["name"]: one["plays"] for one in told["agents"][0]["paper"]}
    assert paper["skirmish-2"] == "D4xB4,A1"
