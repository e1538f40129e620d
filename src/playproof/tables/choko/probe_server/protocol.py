"""The protocol of the probe server, version 1.

All numbers are little-endian. Every message is a frame of 12 bytes and a body:

    magic     4 bytes   "PPCT"
    version   1 byte    1
    type      1 byte    one of the five below
    zero      2 bytes
    length    4 bytes   of the body

A connection begins with a HELLO of the server. Then the client asks and the server answers, one
request at a time:

    HELLO     JSON: the game's option lone_jump, the kind of the tables, the names of the slices,
              and a fingerprint, which two servers share if they hold the same tables
    READ      the number of groups (4 bytes); for each group the numbers of pieces that name its
              slice (one byte each: in a hand, the mover's and the other side's on the board), a
              zero byte and its number of cells (4 bytes); then all cells, 4 bytes each, one group
              after the other
    CODES     answers READ: the code of each cell (``value_codes``), one byte each, in that order
    COUNT     a slice, as three bytes and a zero byte
    COUNTS    answers COUNT: how many positions of the slice have each code, 256 numbers of 8 bytes
    ERROR     answers a request that cannot be answered: a line of text in UTF-8

A READ has at most 1,024 groups and 4,194,304 cells. After a message that is malformed, or too
large, the server sends an ERROR and closes the connection; after a request for a slice or a cell
that is not there it only sends an ERROR.
"""

from __future__ import annotations

import hashlib
import json
import socket
import struct
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError
from playproof.tables.choko.slices import COUNTS as PIECE_COUNTS
from playproof.tables.choko.slices import Slice, belongs, parse, slice_of
from playproof.tables.choko.store import DISTANCE, OUTCOME, CellGroups, SliceStore

MAGIC, VERSION = b"PPCT", 1
HELLO, READ, CODES, COUNT, COUNTS, ERROR = 1, 2, 3, 4, 5, 6
MAX_GROUPS, MAX_CELLS = 1024, 1 << 22

_FRAME = struct.Struct("<4sBBHI")
_SLICE = struct.Struct("<BBBx")
_GROUP = np.dtype([("slice", np.uint8, 3), ("zero", np.uint8), ("cells", "<u4")])
MAX_REQUEST = 4 + MAX_GROUPS * _GROUP.itemsize + 4 * MAX_CELLS  # bytes of a body
MAX_REPLY = MAX_CELLS


class MalformedMessage(DataError):
    """What came over a connection is no message of this protocol."""


class ConnectionClosed(OSError):
    """The other side has closed the connection."""


# Frames


def send(connection: socket.socket, kind: int, body: bytes | memoryview) -> None:
    """Send a message."""
    connection.sendall(_FRAME.pack(MAGIC, VERSION, kind, 0, len(body)))
    connection.sendall(body)


def receive(connection: socket.socket, most: int) -> tuple[int, bytearray]:
    """(type, body) of the next message; MalformedMessage if it is none, or has a larger body."""
    magic, version, kind, zero, length = _FRAME.unpack(_receive_bytes(connection, _FRAME.size))
    if magic != MAGIC or zero:
        raise MalformedMessage("this is no message of the probe server's protocol")
    if version != VERSION:
        raise MalformedMessage(
            f"this message has version {version} of the protocol: want version {VERSION}"
        )
    if length > most:
        raise MalformedMessage(f"a message of {length:,} bytes: want at most {most:,}")
    return kind, _receive_bytes(connection, length)


def _receive_bytes(connection: socket.socket, length: int) -> bytearray:
    out = bytearray(length)
    left = memoryview(out)
    while left:
        received = connection.recv_into(left)
        if received == 0:
            raise ConnectionClosed("the connection was closed")
        left = left[received:]
    return out


# Bodies


@dataclass(frozen=True)
class Hello:
    """What a server holds."""

    lone_jump: bool
    kind: str
    slices: tuple[str, ...]  # names, in the order of solving
    fingerprint: str

    @property
    def game(self) -> str:
        return "choko:lone_jump=true" if self.lone_jump else "choko"

    def encode(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    def parsed_slices(self) -> list[Slice]:
        return [slice_ for slice_ in map(parse, self.slices) if slice_ is not None]


def decode_hello(body: bytearray) -> Hello:
    """The Hello in a body; MalformedMessage if there is none."""
    try:
        data = json.loads(body)
        hello = Hello(data["lone_jump"], data["kind"], tuple(data["slices"]), data["fingerprint"])
        sound = (
            isinstance(hello.lone_jump, bool)
            and hello.kind in (DISTANCE, OUTCOME)
            and isinstance(hello.fingerprint, str)
            and all(isinstance(name, str) and parse(name) is not None for name in hello.slices)
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        sound = False
    if not sound:
        raise MalformedMessage("the server's first message does not say what it holds")
    return hello


def hello_of(store: SliceStore) -> Hello:
    """What a store holds. The fingerprint covers the counts of every slice, by code.

    So tables in files and the same tables in the memory of a GPU have the same fingerprint.
    """
    held = [one for one in store.slices() if store.has(one) and belongs(one, store.lone_jump)]
    slices = sorted(held, key=lambda one: (one.hands, one.large + one.small, one))
    digest = hashlib.sha256(f"choko {store.lone_jump} {store.kind}".encode())
    for slice_ in slices:
        digest.update(slice_.name.encode() + store.counts(slice_).astype("<i8").tobytes())
    names = tuple(slice_.name for slice_ in slices)
    return Hello(store.lone_jump, store.kind, names, digest.hexdigest()[:16])


def encode_read(groups: CellGroups) -> bytes:
    """The body of a READ."""
    heads = np.zeros(len(groups), _GROUP)
    for head, (slice_, cells) in zip(heads, groups, strict=True):
        head["slice"], head["cells"] = (slice_.hands, slice_.own, slice_.other), len(cells)
    bodies = [cells.astype("<u4").tobytes() for _, cells in groups]
    return b"".join((len(groups).to_bytes(4, "little"), heads.tobytes(), *bodies))


def decode_read(body: bytearray) -> list[tuple[Slice, npt.NDArray[np.int64]]]:
    """The groups in the body of a READ; the slices and cells need not exist."""
    n = int.from_bytes(body[:4], "little")
    cells_at = 4 + n * _GROUP.itemsize
    if len(body) < 4 or n > MAX_GROUPS or len(body) < cells_at:
        raise MalformedMessage("a request with groups that are not there")
    heads = np.frombuffer(body, _GROUP, n, 4)
    total = int(heads["cells"].sum(dtype=np.int64))
    if total > MAX_CELLS or len(body) != cells_at + 4 * total:
        raise MalformedMessage("a request whose length does not fit its cells")
    cells = np.frombuffer(body, "<u4", total, cells_at).astype(np.int64)
    ends = np.cumsum(heads["cells"], dtype=np.int64)
    return [
        (_slice_named(head["slice"].tolist()), cells[end - int(head["cells"]) : end])
        for head, end in zip(heads, ends.tolist(), strict=True)
    ]


def encode_slice(slice_: Slice) -> bytes:
    """The body of a COUNT."""
    return _SLICE.pack(slice_.hands, slice_.own, slice_.other)


def decode_slice(body: bytearray) -> Slice:
    if len(body) != _SLICE.size:
        raise MalformedMessage("a request for counts that names no slice")
    return _slice_named(list(_SLICE.unpack(body)))


def _slice_named(pieces: list[int]) -> Slice:
    if max(pieces) >= PIECE_COUNTS:
        raise MalformedMessage("a request for a slice with more pieces than there are")
    return slice_of(*pieces)
