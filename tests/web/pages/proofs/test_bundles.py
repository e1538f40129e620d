"""Certificates as zip files: there and back, and what hostile archives come to."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.core.errors import DataError
from playproof.web.pages.proofs import bundles as proofs_bundles
from playproof.web.pages.proofs.bundles import pack, unpack

FILES = ("statement.json", "formula.cnf", "proof.drat", "manifest.json")


def certificate(folder: Path, *, parts: int = 0) -> Path:
    homes = [folder / f"{n:03}" for n in range(1, parts + 1)] or [folder]
    for home in homes:
        home.mkdir(parents=True)
        for name in FILES:
            (home / name).write_text(f"{home.name} {name}")
    if parts:
        (folder / "index.json").write_text("{}")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def zip_of(tmp_path: Path, write: Callable[[zipfile.ZipFile], None]) -> Path:
    file = tmp_path / "upload.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        write(archive)
    return file


def refused(file: Path, tmp_path: Path, says: str) -> None:
    with pytest.raises(DataError, match=says) as trouble:
        unpack(file, tmp_path / "out")
    assert "\n" not in str(trouble.value)
    beside = {path.name for path in tmp_path.iterdir()}
    assert beside <= {"upload.zip", "out", "home"}


@pytest.mark.parametrize("parts", [0, 3])
def test_a_certificate_comes_back_as_it_was(parts: int, tmp_path: Path) -> None:
    folder = certificate(tmp_path / "home", parts=parts)
    (folder / ".001.abcd.unfinished").write_text("left over")
    packed = io.BytesIO()
    pack(folder, packed)
    again = io.BytesIO()
    pack(folder, again)
    assert packed.getvalue() == again.getvalue()
    file = tmp_path / "upload.zip"
    file.write_bytes(packed.getvalue())
    unpack(file, tmp_path / "out")
    (folder / ".001.abcd.unfinished").unlink()
    assert contents(tmp_path / "out") == contents(folder)


def test_what_file_managers_add_is_left_out(tmp_path: Path) -> None:
    def write(archive: zipfile.ZipFile) -> None:
        for name in FILES:
            archive.writestr(f"no-35/{name}", name)
        for name in ("__MACOSX/no-35/._proof.drat", "no-35/.DS_Store", "no-35/"):
            archive.writestr(name, b"")

    unpack(zip_of(tmp_path, write), tmp_path / "out")
    assert set(contents(tmp_path / "out")) == set(FILES)


@pytest.mark.parametrize(
    "name",
    ["../proof.drat", "/etc/proof.drat", "a/../../proof.drat", "..\\proof.drat", "C:proof.drat"],
)
def test_a_name_that_leads_out_is_refused(name: str, tmp_path: Path) -> None:
    def write(archive: zipfile.ZipFile) -> None:
        archive.writestr("statement.json", "{}")
        archive.writestr(name, "x")

    refused(zip_of(tmp_path, write), tmp_path, "leads out of its folder")
    assert not (tmp_path / "proof.drat").exists()


@pytest.mark.parametrize("name", ["run.sh", "a/b/proof.drat", "Proof.drat", "proof.drat.exe"])
def test_other_files_are_refused(name: str, tmp_path: Path) -> None:
    file = zip_of(tmp_path, lambda archive: archive.writestr(name, "x"))
    refused(file, tmp_path, "no certificate file")


def test_a_link_is_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("proof.drat")
    link.external_attr = 0o120777 << 16
    file = zip_of(tmp_path, lambda archive: archive.writestr(link, "/etc/passwd"))
    refused(file, tmp_path, "not a plain file")


def test_a_file_that_comes_twice_is_refused(tmp_path: Path) -> None:
    def write(archive: zipfile.ZipFile) -> None:
        archive.writestr("proof.drat", "good")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("proof.drat", "bad")

    refused(zip_of(tmp_path, write), tmp_path, "twice")


def test_a_bomb_is_not_unpacked_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs_bundles, "MOST_UNPACKED", 2**20)
    file = zip_of(tmp_path, lambda archive: archive.writestr("proof.drat", bytes(3 * 2**20)))
    assert file.stat().st_size < 10_000
    refused(file, tmp_path, "unpacks to more than 1 MB")
    assert (tmp_path / "out" / "proof.drat").stat().st_size <= 2**20


def test_a_size_that_lies_gains_nothing(tmp_path: Path) -> None:
    file = zip_of(tmp_path, lambda archive: archive.writestr("proof.drat", bytes(2**20)))
    data = bytearray(file.read_bytes())
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 10)  # "ten bytes"
    file.write_bytes(bytes(data))
    refused(file, tmp_path, "damaged")


def test_a_list_of_very_many_files_is_not_read(tmp_path: Path) -> None:
    def write(archive: zipfile.ZipFile) -> None:
        for n in range(proofs_bundles.MOST_FILES + 1):
            archive.writestr(f"{n:04}", b"")

    refused(zip_of(tmp_path, write), tmp_path, "2000 at most")
    # One that says it were short is as long as it is.
    file = zip_of(tmp_path, lambda archive: archive.writestr("proof.drat", b""))
    data = bytearray(file.read_bytes())
    at = data.rfind(b"PK\x05\x06")
    data[at + 12 : at + 16] = struct.pack("<I", 2**31)
    file.write_bytes(bytes(data))
    refused(file, tmp_path, "too many files")


def test_encrypted_and_strangely_packed_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "upload.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("proof.drat", "x")
    refused(file, tmp_path, "packed by an unknown method")
    file = zip_of(tmp_path, lambda archive: archive.writestr("proof.drat", "x"))
    data = bytearray(file.read_bytes())
    for sign, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(sign) + flags] |= 1
    file.write_bytes(bytes(data))
    refused(file, tmp_path, "encrypted")


def test_rubbish_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "upload.zip"
    good = zip_of(tmp_path, lambda archive: archive.writestr("proof.drat", bytes(range(256)) * 40))
    data = good.read_bytes()
    half = len(data) // 2
    for rubbish in (b"", b"PK", b"hello", data[:half], data[half:], b"PK\x05\x06" + bytes(18)):
        file.write_bytes(rubbish)
        refused(file, tmp_path, "zip")
        if (tmp_path / "out").exists():
            for path in (tmp_path / "out").iterdir():
                path.unlink()
            (tmp_path / "out").rmdir()
