"""The checker's own parser of formulas and proofs.

It shares nothing with the code that writes CNF or calls solvers, so that a
mistake there cannot hide here.  The grammar is strict, with one clause or step
per line; anything that does not fit it is an error, never a guess.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import boolean, int32, int64, types, uint8

from playproof.core.compiling import kernel
from playproof.core.errors import DataError
from playproof.core.stopping import STOP, StopFlag, stop_flag

LARGEST = (1 << 30) - 1  # variable v: 2v + 1 must fit in an int32

_BYTES = types.Array(uint8, 1, "C", readonly=True)
_FLAGS = types.Array(uint8, 1, "C")
_INTS = types.Array(int32, 1, "C")
_LONGS = types.Array(int64, 1, "C")

# The results of a scan: all steps are well formed, or the first fault.
_OK, _NO_NUMBER, _TOO_LARGE, _NO_ZERO, _AFTER_ZERO, _NO_STEP, _STOPPED = range(7)
_FAULTS = {
    _NO_NUMBER: "{token} is no literal",
    _TOO_LARGE: "{token} is larger than the largest variable, {largest}",
    _NO_ZERO: "the {kind} does not end with 0",
    _AFTER_ZERO: "{token} comes after the 0 that ends the {kind}",
    _NO_STEP: "{token} begins no step: want a (add) or d (delete)",
}
_UNREAD = "reading was stopped before the end of the file"


class Steps(NamedTuple):
    """n clauses or proof steps, in order."""

    literals: npt.NDArray[np.int32]  # (l,) signed as in DIMACS, without the zeros
    starts: npt.NDArray[np.int64]  # (n + 1,) where each starts in ``literals``
    deletes: npt.NDArray[np.uint8]  # (n,) 1 if the step deletes its clause
    lines: npt.NDArray[np.int64]  # (n,) line numbers from 1; of a binary proof, step numbers


@kernel(
    types.UniTuple(int64, 3)(
        _BYTES, int64, int64, boolean, int64, _INTS, _LONGS, _FLAGS, _LONGS, STOP
    )
)
def scan_text(data, at, line, deletions, largest, literals, starts, deletes, lines, stop):
    """Scan lines ``1 -2 0`` from byte ``at`` on, until the flag ``stop`` is set.

    With ``deletions`` a line may begin with ``d``.  Returns the number of steps, the
    fault or ``_OK``, and the byte where it is.
    """
    n, size, end = 0, 0, len(data)
    started, ended = False, False  # the step on this line
    while at <= end:
        if stop[0]:
            return n, _STOPPED, at
        byte = data[at] if at < end else 10  # the last line needs no line feed
        if byte == 10:
            if started and not ended:
                return n, _NO_ZERO, min(at, end - 1)
            started = ended = False
            line += 1
            at += 1
        elif byte == 32 or byte == 9 or byte == 13:
            at += 1
        elif ended:
            return n, _AFTER_ZERO, at
        elif not started and byte == 99 and (at == 0 or data[at - 1] == 10):  # c, a comment
            while at < end and data[at] != 10:
                at += 1
        else:
            if not started:
                started = True
                starts[n], lines[n], deletes[n] = size, line, 0
                if deletions and byte == 100 and at + 1 < end and data[at + 1] == 32:  # d
                    deletes[n] = 1
                    at += 2
                    continue
            first = at
            negative = byte == 45
            if negative:
                at += 1
            number = 0
            digits = 0
            while at < end and 48 <= data[at] <= 57:
                number = number * 10 + (int64(data[at]) - 48)
                if number > largest:
                    return n, _TOO_LARGE, first
                digits += 1
                at += 1
            whole = at == end or data[at] == 32 or 9 <= data[at] <= 10 or data[at] == 13
            if digits == 0 or not whole or (negative and number == 0):
                return n, _NO_NUMBER, first
            if number == 0:
                ended = True
                n += 1
            else:
                literals[size] = -number if negative else number
                size += 1
    starts[n] = size
    return n, _OK, end


@kernel(types.UniTuple(int64, 3)(_BYTES, _INTS, _LONGS, _FLAGS, _LONGS, STOP))
def scan_binary(data, literals, starts, deletes, lines, stop):
    """Scan binary DRAT: ``a`` or ``d``, then 2v or 2v + 1 in seven-bit pieces, then 0.

    Returns the same as ``scan_text``.
    """
    n, size, at, end = 0, 0, 0, len(data)
    while at < end:
        if data[at] != 97 and data[at] != 100:
            return n, _NO_STEP, at
        starts[n], lines[n], deletes[n] = size, n + 1, data[at] == 100
        at += 1
        while True:
            if stop[0]:
                return n, _STOPPED, at
            first, number, shift = at, 0, 0
            while at < end and data[at] >= 128 and shift < 35:
                number |= (int64(data[at]) & 127) << shift
                shift += 7
                at += 1
            if at == end:
                return n, _NO_ZERO, end - 1
            number |= int64(data[at]) << shift
            at += 1
            if number > 2 * LARGEST + 1:
                return n, _TOO_LARGE, first
            if number == 1:
                return n, _NO_NUMBER, first
            if number == 0:
                break
            literals[size] = -(number >> 1) if number & 1 else number >> 1
            size += 1
        n += 1
    starts[n] = size
    return n, _OK, end


def contents(source: bytes | Path) -> bytes:
    """``source`` itself, or the bytes of the file that it names."""
    if isinstance(source, bytes):
        return source
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise DataError(f"{source} cannot be read: {error.strerror}") from None


def read_cnf(data: bytes, stop: StopFlag | None = None) -> Steps:
    """The clauses of a DIMACS file; its header must be right about them.

    Once ``stop`` is set, reading ends with an error.
    """
    stop = stop_flag() if stop is None else stop
    at, end, line = 0, _line_end(data, 0), 1
    while at < len(data) and (data[at:end].startswith(b"c") or not data[at:end].strip()):
        at, line = end + 1, line + 1  # a comment or an empty line before the header
        end = _line_end(data, at)
    words = data[at:end].split()
    counts = [word for word in words[2:] if word.isdigit() and len(word) < 12]
    if words[:2] != [b"p", b"cnf"] or len(words) != 4 or len(counts) != 2:
        text = _quoted(data[at:end]) if words else "nothing"
        raise DataError(f"CNF, line {line}: {text} is no header: want p cnf VARIABLES CLAUSES")
    variables, count = int(counts[0]), int(counts[1])
    if variables > LARGEST:
        raise DataError(f"CNF, line {line}: {variables} variables are too many: want <= {LARGEST}")
    clauses = _scan(data, "CNF", "clause", end + 1, line + 1, variables, stop)
    if len(clauses.lines) != count:
        raise DataError(
            f"CNF, line {line}: the header says {count} clauses, the file has {len(clauses.lines)}"
        )
    return clauses


def looks_binary(proof: bytes) -> bool:
    """Whether a proof is in binary form: a complete binary step has a zero byte, text has none."""
    return proof[:1] == b"a" or b"\0" in proof


def read_proof(data: bytes, binary: bool, stop: StopFlag | None = None) -> Steps:
    """The steps of a DRUP or DRAT proof; any variable may appear in it.

    Once ``stop`` is set, reading ends with an error.
    """
    stop = stop_flag() if stop is None else stop
    if not binary:
        return _scan(data, "proof", "step", 0, 1, LARGEST, stop)
    buffers = _buffers(data.count(b"\0") + 1, len(data))  # the last step may lack its zero
    n, fault, at = scan_binary(np.frombuffer(data, np.uint8), *buffers, stop)
    if fault == _STOPPED:
        raise DataError(_UNREAD)
    if fault != _OK:
        message = _FAULTS[fault].format(token=f"0x{data[at]:02x}", kind="step", largest=LARGEST)
        raise DataError(f"binary proof, step {n + 1}, byte {at}: {message}")
    return _trimmed(buffers, n)


def _scan(
    data: bytes, name: str, kind: str, at: int, line: int, largest: int, stop: StopFlag
) -> Steps:
    """Parse text from byte ``at`` on, which begins line ``line``."""
    buffers = _buffers(data.count(b"\n") + 1, len(data) // 2 + 1)
    n, fault, bad = scan_text(
        np.frombuffer(data, np.uint8), at, line, name == "proof", largest, *buffers, stop
    )
    if fault == _STOPPED:
        raise DataError(_UNREAD)
    if fault != _OK:
        token = _quoted((data[bad : bad + 40].split() or [b""])[0])
        message = _FAULTS[fault].format(token=token, kind=kind, largest=largest)
        line = data.count(b"\n", 0, bad) + 1
        raise DataError(f"{name}, line {line}: {message}")
    return _trimmed(buffers, n)


def _buffers(steps: int, literals: int) -> Steps:
    return Steps(
        np.empty(literals, np.int32),
        np.zeros(steps + 1, np.int64),
        np.empty(steps, np.uint8),
        np.empty(steps, np.int64),
    )


def _trimmed(buffers: Steps, n: int) -> Steps:
    size = int(buffers.starts[n])
    return Steps(
        buffers.literals[:size], buffers.starts[: n + 1], buffers.deletes[:n], buffers.lines[:n]
    )


def _line_end(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def _quoted(text: bytes) -> str:
    """The start of some bytes that may be anything, as one printable line."""
    return ascii(text[:40].decode("latin-1"))
