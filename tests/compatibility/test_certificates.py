"""Certificates, statements and a census of version 0.1 mean today what they meant then."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.proofs.certificates.write import write_bundle
from playproof.proofs.registry import read_statement
from playproof.proofs.theorems import read_theorem
from tests.support.cli.running import Answer
from tests.support.compatibility.made import MADE, digest, json_of, lines_of, names
from tests.support.paths import EXAMPLES

Playproof = Callable[..., Answer]
Copy = Callable[[str], Path]

STATEMENTS = lines_of(MADE / "statements.jsonl")


@pytest.mark.parametrize(
    ("name", "parts", "says"),
    [
        ("no-9", 1, "an Othello position on 4x4 with at least 9 moves"),
        ("no-8", 3, "no reachable position of Othello on 4x4 has at least 8 legal moves"),
        ("choko-1000", 1, "a Choko position with at least 1000 legal actions (any position that"),
    ],
)
def test_an_old_certificate_is_verified(
    name: str, parts: int, says: str, playproof: Playproof, copy: Copy
) -> None:
    folder = copy("certificates") / name
    report = playproof("check", name, "--json").json()
    assert report["verified"] is True
    assert report["title"].startswith(says)
    assert len(report["parts"]) == parts
    for part in report["parts"]:
        found = {check["name"]: check["passed"] for check in part["checks"]}
        assert (found["manifest"], found["formula"], found["proof"]) == (True, True, True)
    with (folder / ("001" if parts > 1 else "") / "proof.drat").open("ab") as file:
        file.write(b"1 0\n")
    assert playproof("check", name).code == 3  # it was looked at


def test_a_certificate_that_is_written_today_is_like_the_old_one(
    playproof: Playproof, copy: Copy
) -> None:
    folder = copy("certificates")
    words = ("prove", "othello-mobility", "--size", "4", "--at-least", "9")
    told = playproof(*words, "--certificate", "new", "--json", "--solver", "cadical")
    assert told.code == 0, told.err
    old, new = folder / "no-9", folder / "new"
    assert {file.name for file in new.iterdir()} == {file.name for file in old.iterdir()}
    assert names(json_of(new / "manifest.json")) == names(json_of(old / "manifest.json"))
    assert json_of(new / "manifest.json")["format"] == json_of(old / "manifest.json")["format"]
    # The statement now names its counting; without the name it is the old one, to the byte.
    statement = json_of(new / "statement.json")
    assert statement.pop("cardinality") == "half-totalizer"
    assert statement == json_of(old / "statement.json")
    write_bundle(folder / "again", read_statement(json.dumps(statement)), solver="cadical")
    for file in ("statement.json", "formula.cnf"):
        assert digest(folder / "again" / file) == digest(old / file)
    assert digest(new / "formula.cnf") != digest(old / "formula.cnf")

    told = playproof("prove", "equivalence", "--certificate", "rules", "--json")
    assert told.code == 0, told.err
    index = json_of(Path("rules/index.json"))
    old_index = json_of(folder / "no-8" / "index.json")
    assert {name for name in names(index) if not name.startswith("theorem.")} == {
        name for name in names(old_index) if not name.startswith("theorem.")
    }


@pytest.mark.parametrize("old", STATEMENTS, ids=lambda old: old["text"][:60])
def test_a_statement_is_read_and_asks_the_same(old: dict[str, str]) -> None:
    if "theorem" in json.loads(old["text"]):
        theorem = read_theorem(old["text"])
        assert theorem.json() == old["text"]
        assert theorem.sentence() == old["sentence"]
        assert len(theorem.statements()) == old["parts"]
        return
    statement = read_statement(old["text"])
    assert statement.json() == old["text"]
    assert statement.sentence() == old["sentence"]
    # The formula, byte for byte: every certificate of this statement rests on it.
    assert hashlib.sha256(statement.dimacs()).hexdigest() == old["sha256"]


def test_every_kind_of_statement_is_among_them() -> None:
    kinds = {
        tuple(json.loads(old["text"]).get(k) for k in ("statement", "theorem"))
        for old in STATEMENTS
    }
    assert {statement for statement, _ in kinds if statement} == {
        "choko-mobility", "choko-removals", "equivalence", "othello-chain", "othello-mobility",
        "othello-unroll",
    }  # fmt: skip
    assert {theorem for _, theorem in kinds if theorem} == {
        "choko-mobility", "equivalence", "othello-mobility-by-cubes", "othello-unreachable",
    }  # fmt: skip


def test_a_certificate_of_ones_own_is_verified_with_the_example_of_today(
    playproof: Playproof, copy: Copy, forget_loaded: None
) -> None:
    copy("certificates")
    example = str(EXAMPLES / "othello_flips.py")
    report = playproof("check", "no-7-flips", "--json", "--load", example).json()
    assert report["verified"] is True
    assert report["title"] == "an Othello move on 4x4 that turns over at least 7 discs"
    words = ("prove", "othello-flips", "--size", "4", "--at-least", "7", "--certificate", "new")
    assert playproof(*words, "--load", example).code == 0
    new, old = json_of(Path("new/manifest.json")), json_of(Path("no-7-flips/manifest.json"))
    assert names(new) == names(old)
    assert new["source"] == old["source"] == {"file": "othello_flips.py"}


def test_a_census_that_was_killed_is_finished(
    playproof: Playproof, copy: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy("certificates")
    # What the old version had found before it began to count is found in its cache.
    (cache,) = folder.glob("candidates-*.json")
    home = folder / "cache"
    (home / "othello").mkdir(parents=True)
    cache = cache.rename(home / "othello" / cache.name)
    old = json_of(cache)
    for module in ("census.candidates", "retrograde.forward"):
        monkeypatch.setattr(f"playproof.proofs.othello.{module}.cache_folder", lambda: home)

    census = folder / "census.jsonl"
    kept = census.read_text("utf-8").splitlines()
    assert len(kept) == 5  # a header, three blocks, and one that was cut short
    words = ("census", "othello:size=4", "--moves", "5", "--stones", "7", "--workers", "1")
    told = playproof(*words, "--file", str(census), "--json").json()
    assert (told["candidates"], told["done"], told["reachable"]) == (440, 440, 1)
    assert (told["records"], told["unknown"], told["nodes"]) == (["b1c1d4"], 0, 440)
    lines = census.read_text("utf-8").splitlines()
    assert lines[:4] == kept[:4]
    assert len(lines) == 8
    assert {frozenset(json.loads(line)) for line in lines[1:]} == {frozenset(json.loads(kept[1]))}
    # Neither found again nor written under another name or with other fields.
    assert sorted(file.name for file in cache.parent.glob("candidates*")) == [cache.name]
    assert json_of(cache) == old
    cache.unlink()
    (folder / "anew").mkdir()
    assert playproof(*words, "--file", "anew/census.jsonl").code == 0
    assert json_of(cache) == old
    header = Path("anew/census.jsonl").read_text("utf-8").splitlines()[0]
    assert header == kept[0]
