"""Certificates that somebody has tampered with, by a seed; and what a check may say of them."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playproof.core.errors import DataError, PlayproofError
from playproof.proofs.certificates.check import check_bundle
from playproof.proofs.certificates.files import digest, read_once
from playproof.proofs.certificates.report import CertificateReport

FILES = ("statement.json", "formula.cnf", "proof.drat", "manifest.json")
DEEP = "[" * 100_000 + "]" * 100_000


class Raw(str):
    """Text that stands in JSON as it is."""


# What may stand where something else should.
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 9, 1.0, 9.0, 1e300, 10**30, 10**5000, "", "1", "0x1", "-0x1",
    "0x1_0", "../001", "/etc/passwd", "a\nb", "\u202egnp", "\x1b[2J", Raw('"\\ud800"'), Raw("NaN"),
    Raw("-Infinity"), Raw("1e999"), Raw(DEEP), [], [[]], [7], ["0x1"], ["0x1", "0x1"], {},
    {"format": 1}, Raw('{"a": 1, "a": 2}'), "9" * 5000, "\uff10x1", "\u0669",
)  # fmt: skip


def sign(folder: Path) -> None:
    """Write the sums of all manifests anew, as a forger would."""
    for manifest in folder.rglob("manifest.json"):
        try:
            data = json.loads(read_once(manifest))
            for name in data["sha256"]:
                data["sha256"][name] = digest(read_once(manifest.parent / name))
            manifest.write_text(json.dumps(data))
        except (DataError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue  # what is broken stays as it is


def dumps(value: Any) -> str:
    """JSON in which ``Raw`` text stands as it is."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)}: {dumps(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dumps, value)) + "]"
    if isinstance(value, int) and not isinstance(value, bool):
        return _digits(value)
    return json.dumps(value)


def _digits(value: int) -> str:
    return str(value) if abs(value) < 10**300 else "1" + "0" * 5000


def _change_json(rng: random.Random, path: Path) -> None:
    data = json.loads(path.read_text())
    places: list[tuple[Any, Any]] = []
    pending = [data]
    while pending:
        one = pending.pop()
        for key in one if isinstance(one, dict) else range(len(one)):
            places.append((one, key))
            if isinstance(one[key], dict | list):
                pending.append(one[key])
    container, key = rng.choice(places)
    what = rng.randrange(5)
    if what == 0:
        del container[key]
    elif what == 1 and isinstance(container, dict):
        container[rng.choice(["extra", "fixed", "cardinality", "../x", "ﬁxed"])] = rng.choice(
            VALUES
        )
    elif what == 2 and isinstance(container, list):
        container.append(container[key])
    else:
        container[key] = rng.choice(VALUES)
    text = dumps(data)
    if rng.random() < 0.1:  # a name twice
        text = text.replace("{", '{"format": 2, ', 1)
    path.write_text(text)


def _change_bytes(rng: random.Random, path: Path) -> None:
    data = bytearray(path.read_bytes())
    at = rng.randrange(len(data) + 1)
    what = rng.randrange(6)
    if what == 0 and at < len(data):
        data[at] ^= 1 << rng.randrange(8)
    elif what == 1:
        del data[at:]
    elif what == 2:
        data[at:at] = rng.randbytes(rng.randrange(1, 20))
    elif what == 3:
        data.clear()
    else:
        lines = bytes(data).split(b"\n")
        one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        if what == 4:
            lines[one], lines[other] = lines[other], lines[one]
        else:
            lines[one : one + 1] = rng.choice([[], [lines[one]] * 2])
        data = bytearray(b"\n".join(lines))
    path.write_bytes(data)


def _replace_file(rng: random.Random, path: Path) -> None:
    path.unlink()
    rng.choice([
        lambda: None,
        lambda: os.mkfifo(path),
        path.mkdir,
        lambda: path.symlink_to("/dev/zero"),
        lambda: path.symlink_to(path.parent / "formula.cnf"),
        lambda: path.symlink_to(path),
    ])()  # fmt: skip


def _change_folder(rng: random.Random, folder: Path) -> None:
    strange = os.fsencode(folder) + b"/" + rng.choice([b"\xff\xfe", b"00\xb9", b"a\nb", b"\x1b[2J"])
    rng.choice([
        lambda: os.mkdir(strange),
        lambda: os.close(os.open(strange, os.O_CREAT)),
        lambda: (folder / "000").mkdir(),
        lambda: (folder / "\u0660\u0660\u0662").mkdir(),
        lambda: (folder / "index.json").write_text("{}"),
        lambda: (folder / "statement.json").write_text("{}"),
    ])()  # fmt: skip


def _change_part(rng: random.Random, folder: Path) -> None:
    """Move, copy, remove or link a part of a chain."""
    parts = sorted(path for path in folder.iterdir() if path.is_dir())
    one, other = rng.choice(parts), rng.choice(parts)
    what = rng.randrange(4)
    aside = folder.parent / "aside"
    one.rename(aside)
    if what == 0:
        one.symlink_to(aside)
    elif what == 1 and one != other:
        other.rename(one)
        aside.rename(other)
    elif what == 2:
        one.write_bytes(b"")
    elif what == 3 and one != other:
        shutil.copytree(other, one)


def tamper(rng: random.Random, folder: Path) -> None:
    """Change one thing in a certificate, sometimes two; half of the time the sums are right."""
    for _ in range(rng.choice([1, 1, 2])):
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        texts = [path for path in files if path.suffix == ".json"]
        changes: list[Callable[[], None]] = [
            lambda files=files: _change_bytes(rng, rng.choice(files)),  # type: ignore[misc]
            lambda files=files: _replace_file(rng, rng.choice(files)),  # type: ignore[misc]
            lambda: _change_folder(rng, folder),
        ]
        changes += [lambda texts=texts: _change_json(rng, rng.choice(texts))] * 3  # type: ignore[misc]
        if (folder / "index.json").exists():
            changes.append(lambda: _change_part(rng, folder))
        try:
            rng.choice(changes)()
        except (OSError, ValueError, RecursionError, IndexError, UnicodeError):
            continue  # the first change has left nothing that the second could change
    if rng.random() < 0.5:
        sign(folder)


def meaning(report: CertificateReport) -> object:
    """What a verified certificate says."""
    statements = [part.statement for part in report.parts]
    return report.title, report.assumptions, statements, len(report.parts)


def outcome(folder: Path, original: CertificateReport) -> str:
    """ "verified" or the reason of a rejection; raises AssertionError for anything else."""
    try:
        report = check_bundle(folder, seconds=20)
    except PlayproofError as error:
        line = str(error)
        assert "\n" not in line, line
    else:
        if report.verified:
            assert meaning(report) == meaning(original)
            return "verified"
        assert report.objection is not None
        line = report.objection
        assert line.isprintable(), ascii(line)
        report.to_json()
    assert 0 < len(line) < 600, line
    return line


def attack(original: Path, home: Path, seed: int, tries: int) -> dict[str, int]:
    """Tamper with copies of a certificate, and count the outcomes."""
    report = check_bundle(original)
    assert report.verified
    counts = {"verified": 0, "rejected": 0}
    for number in range(tries):
        rng = random.Random(f"{seed} {number}")
        folder = home / f"{original.name}-{number}" / "certificate"
        shutil.copytree(original, folder)
        try:
            tamper(rng, folder)
            line = outcome(folder, report)
        except BaseException as error:
            error.add_note(f"seed {seed}, try {number}, in {folder}")
            raise
        counts["verified" if line == "verified" else "rejected"] += 1
        shutil.rmtree(folder.parent, ignore_errors=True)
    return counts
