"""Certificates with anything in them: each is verified as what it was, or rejected in one line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from playproof.core.errors import DataError
from playproof.proofs.certificates.check import check_bundle
from playproof.proofs.strict_json import NotStrict, read_object
from tests.support.proofs.hostile import DEEP, attack, sign

SEED = 26


@pytest.mark.parametrize(("name", "tries"), [("bundle", 150), ("chain", 60)])
def test_what_was_tampered_with(name: str, tries: int, originals: Path, tmp_path: Path) -> None:
    counts = attack(originals / name, tmp_path, SEED, tries)
    print(f"{name}, seed {SEED}: {counts}")
    assert counts["rejected"] > tries // 2  # most changes matter


STATEMENT = '{"at_least": 9, "format": 1, "size": 4, "statement": "othello-mobility"}'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (DEEP, "nested too deeply"),
        (STATEMENT.replace("9", DEEP), "nested too deeply"),
        (STATEMENT.replace("9", "[" * 100 + "]" * 100), "'at_least' is nested too deeply"),
        (STATEMENT.replace("9", '9, "at_least": 8'), "'at_least' is in it twice"),
        (STATEMENT.replace("9", "9.0"), "at_least of othello-mobility cannot be 9.0: want a whole"),
        (STATEMENT.replace("9", "true"), "cannot be True"),
        (STATEMENT.replace("9", '"9"'), "cannot be '9'"),
        (STATEMENT.replace("9", "NaN"), "'at_least' is nan, which is no number of JSON"),
        (STATEMENT.replace("9", "1" * 5000), "a number in it has more than 40 digits"),
        (STATEMENT.replace("9", "1" * 39), "want 1 to 12"),
        (STATEMENT.replace('"format": 1', '"format": true'), 'with "format": 1'),
        (STATEMENT.replace('"format": 1', '"format": 1.0'), 'with "format": 1'),
        (STATEMENT.replace('"othello-mobility"', "[1]"), "must have a name"),
        (STATEMENT.replace('"othello-mobility"', '"\\ud800"'), "half a character"),
        (STATEMENT.replace("9", '9, "\\u202efixed": []'), r"has no '\u202efixed'"),
        (STATEMENT.replace("9", '9, "fixed": "0x1"'), "fixed of othello-mobility must be words"),
        (STATEMENT.replace("9", '9, "blocked": [["0x1"]]'), "blocked of othello-mobility must be"),
        (STATEMENT.replace("9", '9, "blocked": ["-0x1"]'), "blocked of othello-mobility must be"),
        (STATEMENT.replace("9", '9, "blocked_positions": ["0x1"]'), "must be words"),
        (STATEMENT.replace("9", '9, "cardinality": "magic"'), "no cardinality encoding 'magic'"),
        ("", "it does not parse"),
        ("[]", "it is no object"),
    ],
    ids=range(22),
)  # fmt: skip
def test_a_statement_of_wrong_json_is_one_line(bundle: Path, text: str, says: str) -> None:
    (bundle / "statement.json").write_text(text)
    sign(bundle)
    report = check_bundle(bundle)
    assert report.objection is not None
    assert report.objection.startswith("formula: ")
    assert says in report.objection
    assert report.objection.isprintable()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"sha256": {}}, "statement.json is not the file"),
        ({"sha256": []}, "statement.json is not the file"),
        ({"sha256": None}, "statement.json is not the file"),
        ({"more": "../../etc/passwd"}, "manifest.json names '../../etc/passwd'"),
        ({"more": "/dev/zero"}, "manifest.json names '/dev/zero'"),
        ({"solver": 7}, "solver in manifest.json must be text"),
        ({"version": ["4"]}, "version in manifest.json must be text"),
        ({"format": True}, 'manifest.json must be a JSON object with "format": 1'),
        ({"format": "1"}, 'manifest.json must be a JSON object with "format": 1'),
    ],
)  # fmt: skip
def test_a_manifest_of_wrong_json_is_one_line(
    bundle: Path, change: dict[str, object], says: str
) -> None:
    manifest = json.loads((bundle / "manifest.json").read_text())
    if "more" in change:
        manifest["sha256"][change.pop("more")] = "0"
    (bundle / "manifest.json").write_text(json.dumps({**manifest, **change}))
    report = check_bundle(bundle)
    assert report.objection is not None
    assert report.objection.startswith("manifest: ")
    assert says in report.objection


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        (5, "must list its parts"),
        ({"part": "001"}, "must list its parts"),
        (["001", "002", "003"], "must list its parts"),
        ([{"part": "001"}, 7], "must list its parts"),
        ([{"part": 1}, {"part": 2}, {"part": 3}], "must list the parts 001, 002"),
        ([{"part": "001"}, {"part": "001"}, {"part": "003"}], "must list the parts 001, 002"),
        ([{"part": ["001"]}], "must list the parts 001, 002"),
        ([{"part": "001", "says": 3}, {"part": "002"}, {"part": "003"}], "in text"),
    ],
)  # fmt: skip
def test_an_index_of_wrong_json_is_one_line(
    originals: Path, tmp_path: Path, parts: object, says: str
) -> None:
    chain = Path(shutil.copytree(originals / "chain", tmp_path / "chain"))
    index = json.loads((chain / "index.json").read_text())
    (chain / "index.json").write_text(json.dumps({**index, "parts": parts}))
    with pytest.raises(DataError, match=says):
        check_bundle(chain)


def test_a_file_larger_than_the_memory_is_not_read(bundle: Path) -> None:
    with (bundle / "proof.drat").open("wb") as file:
        file.truncate(2**43)  # a hole
    report = check_bundle(bundle)
    assert report.objection == "manifest: proof.drat is larger than this machine's memory"


@pytest.mark.parametrize("text", ["[" * 10**5, "{", '{"a": 1e999}', '{"a": Infinity}', "7", '"x"'])
def test_json_is_strict(text: str) -> None:
    with pytest.raises(NotStrict):
        read_object(text)
