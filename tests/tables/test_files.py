"""Table files: what is written is read again, and damage, mix-ups and kills do no harm."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from playproof.core.errors import DataError
from playproof.tables import files
from playproof.tables.choko import value_codes as codes
from playproof.tables.choko.build import SliceSummary, build, plan_build
from playproof.tables.choko.probe import Probe
from playproof.tables.choko.slices import Slice, parse
from playproof.tables.choko.store import DISTANCE, OUTCOME, FileStore
from tests.support.core.processes import environment
from tests.support.longer import longer
from tests.support.tables.choko_solved import cpu, solved, some_positions, state_of

HEADER = files._HEADER
BODY = np.random.default_rng(1).integers(0, 256, 200).astype(np.uint8)


def refused(path: Path, why: str | None = None) -> str:
    """The one line that a file is refused with, when it is opened or read."""
    with pytest.raises(DataError, match=why) as caught:
        files.TableFile(path).read_all()
    line = str(caught.value)
    assert str(path) in line
    assert "\n" not in line
    return line


# Any table


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table with blocks of 64 bytes: three and a part of one."""
    monkeypatch.setattr(files, "BLOCK", 64)
    path = tmp_path / "small.table"
    files.write(path, {"game": "none"}, BODY)
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    body = np.random.default_rng(2).integers(0, 256, 5 * files.BLOCK // 2).astype(np.uint8)
    path = tmp_path / "new folder" / "a.table"
    files.write(path, {"game": "none", "list": [1, 2]}, body)
    table = files.TableFile(path)
    assert table.header["game"] == "none"
    assert table.header["list"] == [1, 2]
    assert (table.read_all() == body).all()
    places = np.array([0, len(body) - 1, files.BLOCK, files.BLOCK - 1])
    assert (files.TableFile(path).read(places) == body[places]).all()
    assert [file.name for file in path.parent.iterdir()] == ["a.table"]


def test_a_header_can_be_read_by_anyone(small: Path) -> None:
    first = small.read_bytes().split(b"\n", 1)[0].decode()
    assert len(first) == HEADER - 1
    assert first.startswith('{"format": "playproof-table", "version": 1, "game": "none", ')


def test_a_count_for_every_code_fits_into_the_header(tmp_path: Path) -> None:
    store = FileStore(tmp_path, True, DISTANCE, cpu())
    one = Slice(0, 1, 1, 0)
    counts = np.full(256, 10**11)  # more than there are in any slice
    store.save(one, cpu().empty(one.cells), counts)
    assert (FileStore(tmp_path, True, DISTANCE).counts(one) == counts).all()


def test_no_flipped_bit_goes_unnoticed(small: Path) -> None:
    good = small.read_bytes()
    text = good[:HEADER].rstrip()
    bits = longer(1, 8)  # of each byte of the header
    flips = [(at, 1 << (at + bit) % 8) for at in range(len(text) + 2) for bit in range(bits)]
    flips += [(at, 1 << at % 8) for at in range(len(text) + 2, len(good), longer(7, 1))]
    for at, bit in flips:
        bad = bytearray(good)
        bad[at] ^= bit
        small.write_bytes(bad)
        refused(small)
    small.write_bytes(good)
    assert (files.TableFile(small).read_all() == BODY).all()


def test_only_the_damaged_block_is_refused(small: Path) -> None:
    bad = bytearray(small.read_bytes())
    bad[HEADER + 64 + 5] ^= 16
    small.write_bytes(bad)
    table = files.TableFile(small)
    fine = np.array([0, 63, 128, 199])
    assert (table.read(fine) == BODY[fine]).all()
    for place in (64, 127):
        with pytest.raises(DataError, match="the checksum of megabyte 1 is wrong"):
            table.read(np.array([0, place]))
    assert (table.read(fine) == BODY[fine]).all()
    refused(small, "is damaged: .*; delete it and build it again")


@pytest.mark.parametrize("left", [1, 100, HEADER - 1, HEADER, HEADER + 1, HEADER + 200, -4, -1])
def test_a_truncated_file(small: Path, left: int) -> None:
    good = small.read_bytes()
    small.write_bytes(good[:left])
    refused(small, "is damaged: it has" if left < 0 or left >= HEADER - 1 else None)
    small.write_bytes(good + good[-1:])
    refused(small, f"is damaged: it has {len(good) + 1:,} bytes instead of {len(good):,}")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"Nothing but words.\n",
        b"\xff\xfe\x00" * 5000,
        b"[" * (HEADER - 1) + b"\n",
        b"[1, 2]\n",
        b"17\n",
        b'{"format": "something else", "version": 1, "bytes": 0}\n',
        b'{"format": "playproof-table", "version": 1}\n',
        b'{"format": "playproof-table", "version": 1, "bytes": "many"}\n',
    ],
)
def test_what_is_no_table(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.table"
    path.write_bytes(content)
    assert refused(path) == f"{path} is no table of Playproof"


def test_other_versions(small: Path) -> None:
    small.write_bytes(small.read_bytes().replace(b'"version": 1', b'"version": 7'))
    refused(small, "has version 7 of the format: this Playproof reads version 1")


def test_what_cannot_be_read_or_written(tmp_path: Path) -> None:
    refused(tmp_path / "missing.table", "cannot be read: No such file")
    refused(tmp_path, "cannot be read: Is a directory")
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataError, match="cannot be written"):
        files.write(tmp_path / "file" / "a.table", {}, BODY)
    with pytest.raises(DataError, match="does not fit into"):
        files.write(tmp_path / "a.table", {"long": "x" * HEADER * 4}, BODY)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


# Tables of Choko


def built(folder: Path, kind: str = DISTANCE, pieces: int = 6, **how: object) -> FileStore:
    store = FileStore(folder, False, kind, cpu())
    build(plan_build(False, kind, pieces=pieces), cpu(), store, **how)  # type: ignore[arg-type]
    return store


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables that nothing came in the way of, of both kinds: to be looked at only."""
    folder = tmp_path_factory.mktemp("whole")
    built(folder)
    built(folder, OUTCOME)
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy of them, to be damaged."""
    return Path(shutil.copytree(whole, tmp_path / "tables"))


def named(name: str) -> Slice:
    one = parse(name)
    assert one is not None
    return one


@pytest.mark.parametrize("kind", [DISTANCE, OUTCOME])
def test_files_hold_what_was_solved(whole: Path, kind: str) -> None:
    store, memory = FileStore(whole, False, kind, cpu()), solved(False, 6, kind).store
    assert set(store.slices()) == set(memory.slices())
    order = [line.slice for line in solved(False, 6).built.summaries]
    assert [one.hands for one in store.slices()] == [one.hands for one in order]
    for one in store.slices():
        cells = np.arange(one.cells)
        assert (store.read(one, cells) == memory.read(one, cells)).all()
        assert (store.counts(one) == memory.counts(one)).all()
        taken = store.fetch(one)
        assert (taken[: one.cells] == memory.fetch(one)[: one.cells]).all()
        assert len(taken) % 8 == 0
        size = one.cells if kind == DISTANCE else (one.cells + 7) // 8 * 2
        assert store.path(one).stat().st_size == HEADER + size + 8


def test_a_probe_of_files_is_that_of_memory(whole: Path) -> None:
    files_probe, probe = Probe(FileStore(whole, False, DISTANCE)), solved(False, 6).probe
    for one in solved(False, 6).store.slices():
        states = [state_of(probe.game, position) for position in some_positions(one, 3, seed=1)]
        states = [state for state in states if not state.is_terminal]
        assert files_probe.codes_of(states) == probe.codes_of(states)


def test_a_probe_answers_where_its_blocks_are_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BLOCK", 1 << 10)  # so that a small table has many
    store, one = built(tmp_path, pieces=4), named("h0-2v2")
    bad = bytearray(store.path(one).read_bytes())
    bad[HEADER + one.cells // 2] ^= 1
    store.path(one).write_bytes(bad)
    probe, good = Probe(FileStore(tmp_path, False, DISTANCE)), solved(False, 4).probe
    answered = refused_ = 0
    for position in some_positions(one, 200, seed=2):
        state = state_of(probe.game, position)
        try:
            assert probe.value(state) == good.value(state)
            answered += 1
        except DataError as error:
            assert "h0-2v2.distance is damaged: the checksum" in str(error)  # noqa: PT017
            refused_ += 1
    assert answered > 50
    assert refused_ > 5


def changed(change: Callable[[Path], None], folder: Path, name: str) -> FileStore:
    change(folder / name)
    return FileStore(folder, False, DISTANCE, cpu())


def test_a_missing_table_says_how_to_build_it(folder: Path) -> None:
    store = changed(Path.unlink, folder, "h1-3v1.distance")
    message = f"there is no table of h1-3v1 in {folder}: build it with .*--hands 1 --pieces 6"
    with pytest.raises(DataError, match=message):
        store.read(named("h1-3v1"), np.array([0]))
    with pytest.raises(DataError, match="no game comes to h0-3v2"):
        store.read(named("h0-3v2"), np.array([0]))


@pytest.mark.parametrize(
    ("source", "name", "why"),
    [
        ("h0-2v4.distance", "h0-4v2", "has slice 'h0-2v4', not 'h0-4v2'"),
        ("h0-2v2.outcome", "h0-2v2", "has kind 'outcome', not 'distance'"),
    ],
)
def test_a_table_under_another_name(folder: Path, source: str, name: str, why: str) -> None:
    store = changed(lambda to: shutil.copy(folder / source, to), folder, f"{name}.distance")
    for use in (store.fetch, store.counts, store.file):
        with pytest.raises(DataError, match=why) as caught:
            use(named(name))
        assert "\n" not in str(caught.value)


def test_a_table_of_other_rules(folder: Path) -> None:
    # Both ways to play have a slice of two against two.
    with pytest.raises(DataError, match=r"has lone_jump False, not True: .* use another folder"):
        FileStore(folder, True, DISTANCE, cpu()).fetch(named("h0-2v2"))
    store = FileStore(folder, True, DISTANCE, cpu())
    with pytest.raises(DataError, match="has lone_jump False, not True"):
        build(plan_build(True, DISTANCE, pieces=4), cpu(), store)


@pytest.mark.parametrize("place", [10, HEADER - 2, HEADER + 3, -6, -1])
def test_a_damaged_table_is_neither_probed_nor_built_on(folder: Path, place: int) -> None:
    def damage(path: Path) -> None:
        bad = bytearray(path.read_bytes())
        bad[place] ^= 64
        path.write_bytes(bad)

    store = changed(damage, folder, "h0-2v2.distance")
    with pytest.raises(DataError, match=r"h0-2v2\.distance") as caught:
        store.fetch(named("h0-2v2"))
    assert "\n" not in str(caught.value)
    with pytest.raises(DataError, match=r"h0-2v2\.distance"):
        store.read(named("h0-2v2"), np.array([3]))
    (folder / "h0-4v2.distance").unlink()
    with pytest.raises(DataError, match=r"h0-2v2\.distance"):
        built(folder)
    assert not (folder / "h0-4v2.distance").exists()
    # Deleted, as the line says, it is built again, and with it what was not.
    (folder / "h0-2v2.distance").unlink()
    built(folder)
    assert (folder / "h0-4v2.distance").is_file()


# Stopped and killed


class Stop(Exception):
    pass


def same_files(folder: Path, whole: Path, kind: str) -> None:
    expected = {path.name: path.read_bytes() for path in whole.glob(f"*.{kind}")}
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == expected


@pytest.mark.parametrize("kind", [DISTANCE, OUTCOME])
def test_a_build_that_was_stopped_goes_on(tmp_path: Path, whole: Path, kind: str) -> None:
    for lines in (1, 4):
        seen: list[SliceSummary] = []

        def stop(line: SliceSummary, lines: int = lines, seen: list[SliceSummary] = seen) -> None:
            seen.append(line)
            if len(seen) == lines:
                raise Stop

        with pytest.raises(Stop):
            built(tmp_path, kind, on_slice=stop)
        there = len(list(tmp_path.iterdir()))
        assert lines <= there < 9
        # What a kill while writing leaves: a part of the next file.
        (tmp_path / f"h1-1v1.{kind}.new").write_bytes(b"{ half a head")
        (tmp_path / f"h0-4v2.{kind}").unlink(missing_ok=True)  # of a pair, one half
    (tmp_path / f"h1-1v1.{kind}.new").unlink()
    (tmp_path / f"h1-3v1.{kind}.new").write_bytes(b"")
    (tmp_path / f"h1-3v1.{kind}").unlink(missing_ok=True)
    built(tmp_path, kind)
    same_files(tmp_path, whole, kind)


def test_what_is_there_is_not_solved_again(folder: Path) -> None:
    plan = plan_build(False, DISTANCE, pieces=6)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    result = build(plan, cpu(), FileStore(folder, False, DISTANCE, cpu()))
    assert result.solved == 0
    assert [line.slice for line in result.summaries] == plan.slices
    assert [(line.wins, line.draws) for line in result.summaries] == [
        (line.wins, line.draws) for line in solved(False, 6).built.summaries
    ]
    (folder / "h1-1v3.distance").unlink()
    pair = next(pair for pair in plan.pairs if named("h1-1v3") in pair)
    again = build(plan, cpu(), FileStore(folder, False, DISTANCE, cpu()))
    assert again.solved == sum(one.cells for one in pair)
    touched = {path.name for path in before if path.stat().st_mtime_ns != before[path]}
    assert touched == {f"{one.name}.distance" for one in pair}


KILLED_WHILE_WRITING = """
import os
import signal
import sys
from pathlib import Path

from playproof.tables.choko.build import build, plan_build
from playproof.tables.choko.cpu import Cpu
from playproof.tables.choko.store import DISTANCE, FileStore

name = os.replace


def kill_instead(source, target):
    if Path(target).name == "h0-2v4.distance":  # it is written, but has no name yet
        os.kill(os.getpid(), signal.SIGKILL)
    name(source, target)


os.replace = kill_instead
cpu = Cpu()
store = FileStore(Path(sys.argv[1]), False, DISTANCE, cpu)
build(plan_build(False, DISTANCE, pieces=6), cpu, store)
"""


@pytest.mark.slow
def test_a_killed_build_goes_on(tmp_path: Path, whole: Path) -> None:
    command = [sys.executable, "-c", KILLED_WHILE_WRITING, str(tmp_path)]
    ended = subprocess.run(command, env=environment(), timeout=300, check=False)
    assert ended.returncode == -signal.SIGKILL
    there = {path.name for path in tmp_path.iterdir()}
    assert there == {"h0-2v2.distance", "h0-4v2.distance", "h0-2v4.distance.new"}
    assert FileStore(tmp_path, False, DISTANCE).slices() == [named("h0-2v2"), named("h0-4v2")]
    built(tmp_path)
    same_files(tmp_path, whole, DISTANCE)


def test_a_value_of_a_file_is_found(whole: Path) -> None:
    one = named("h0-2v4")
    for kind, code in ((DISTANCE, codes.loss_in(48)), (OUTCOME, codes.loss_in(0))):
        store = FileStore(whole, False, kind, cpu())
        cell = store.find(one, code)
        everything = store.read(one, np.arange(one.cells))
        assert cell == np.flatnonzero(everything == code)[0]
        assert store.find(one, codes.UNKNOWN) == -1
