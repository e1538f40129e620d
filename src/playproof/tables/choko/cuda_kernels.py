"""CUDA kernels: the loops over whole slices on a GPU.

They contain nothing else: rules, index and passes are the same functions that run on the CPU.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import os

import numpy as np

from playproof.tables.choko import index
from playproof.tables.choko.cross_check import disagrees_at
from playproof.tables.choko.passes import (
    contains,
    exit_at,
    mark_at,
    may_be_lost,
    mirrored_at,
    orbit_size,
    reply_at,
    resolve_at,
    wins_by_exit,
)
from playproof.tables.choko.value_codes import CANDIDATE, DRAW, UNKNOWN, packed, unpacked

os.environ.setdefault("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")  # expected with small slices
if not hasattr(np, "row_stack"):  # numba-cuda 0.30 uses it, and NumPy 2.5 no longer has it
    np.row_stack = np.vstack  # type: ignore[attr-defined]

from numba import cuda, int32, int64, uint8


@cuda.jit
def fill(words, value):
    for word in range(cuda.grid(1), len(words), cuda.gridsize(1)):
        words[word] = value


@cuda.jit
def fill_replies(atlas, ranks, orbits, reps, shape, out, child_shape, child_codes, mover, cells):
    for cell in range(cuda.grid(1), cells, cuda.gridsize(1)):
        out[cell] = uint8(
            reply_at(atlas, ranks, orbits, reps, shape, cell, child_shape, child_codes, mover)
        )


@cuda.jit
def fill_exits(
    atlas, ranks, orbits, reps, shape, out, mover, jump_shape, jump_codes, by_mover,
    reply_shape, replies, places, lone, wins, cells,
):  # fmt: skip
    for cell in range(cuda.grid(1), cells, cuda.gridsize(1)):
        out[cell] = uint8(
            exit_at(
                atlas, ranks, orbits, reps, shape, cell, mover, jump_shape, jump_codes,
                by_mover, reply_shape, replies, places, lone, wins,
            )
        )  # fmt: skip


@cuda.jit
def fill_mirrored(atlas, ranks, orbits, reps, shape, codes, out, cells):
    for cell in range(cuda.grid(1), cells, cuda.gridsize(1)):
        out[cell] = mirrored_at(atlas, ranks, orbits, reps, shape, codes, cell)


# Cells that need work are few and far between, and a warp waits for its slowest thread. So they are
# listed first, as offsets from the first cell of a portion, and then processed in parallel. A block
# reserves room in the list for all of its cells at once.


@cuda.jit(device=True)
def _list(shared, n, counts, count, slot):
    """The index in the list at which this thread may write its ``n`` cells.

    ``shared`` holds two running totals, used alternately by ``slot``, and the block's first index.
    """
    if cuda.threadIdx.x == 0:
        shared[slot] = 0
    cuda.syncthreads()
    at = cuda.atomic.add(shared, slot, n) if n else 0
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        shared[2] = cuda.atomic.add(counts, count, shared[slot])
    cuda.syncthreads()
    return shared[2] + at


@cuda.jit
def list_code(words, codes, first, end, code, cells, counts, count):
    """List the cells that hold ``code``, from word ``first`` to ``end``."""
    shared = cuda.shared.array(3, int32)
    slot = 0
    for start in range(first + cuda.blockIdx.x * cuda.blockDim.x, end, cuda.gridsize(1)):
        word = start + cuda.threadIdx.x
        n = 0
        if word < end and contains(words[word], code):
            for cell in range(8 * word, 8 * word + 8):
                n += int32(codes[cell] == code)
        at = _list(shared, n, counts, count, slot)
        if n:
            for cell in range(8 * word, 8 * word + 8):
                if codes[cell] == code:
                    cells[at] = cell - 8 * first
                    at += 1
        slot ^= 1


@cuda.jit
def list_possible_losses(words, codes, exit_words, exits, first, end, lost, cells, counts, count):
    shared = cuda.shared.array(3, int32)
    slot = 0
    for start in range(first + cuda.blockIdx.x * cuda.blockDim.x, end, cuda.gridsize(1)):
        word = start + cuda.threadIdx.x
        n = 0
        if word < end and (contains(words[word], CANDIDATE) or contains(exit_words[word], lost)):
            for cell in range(8 * word, 8 * word + 8):
                n += int32(may_be_lost(codes, exits, cell, lost))
        at = _list(shared, n, counts, count, slot)
        if n:
            for cell in range(8 * word, 8 * word + 8):
                if may_be_lost(codes, exits, cell, lost):
                    cells[at] = cell - 8 * first
                    at += 1
        slot ^= 1


@cuda.jit
def win_by_exits(words, codes, exit_words, exits, won):
    for word in range(cuda.grid(1), len(words), cuda.gridsize(1)):
        if contains(exit_words[word], won):
            for cell in range(8 * word, 8 * word + 8):
                if wins_by_exit(codes, exits, cell, won):
                    codes[cell] = uint8(won)


@cuda.jit
def mark(
    atlas, ranks, orbits, reps, shape, mover, first, cells, counts, count, mirror_codes,
    mirror_exits, code,
):  # fmt: skip
    for i in range(cuda.grid(1), counts[count], cuda.gridsize(1)):
        cell = 8 * first + int64(cells[i])
        mark_at(atlas, ranks, orbits, reps, shape, mover, cell, mirror_codes, mirror_exits, code)


@cuda.jit
def settle(
    atlas, ranks, orbits, reps, shape, mover, first, cells, counts, count, codes, exits,
    mirror_codes, lost,
):  # fmt: skip
    n = 0
    for i in range(cuda.grid(1), counts[count], cuda.gridsize(1)):
        cell = 8 * first + int64(cells[i])
        n += int64(
            resolve_at(
                atlas, ranks, orbits, reps, shape, mover, cell, codes, exits, mirror_codes, lost
            )
        )
    if n:
        cuda.atomic.add(counts, 0, n)


@cuda.jit
def finish(words, codes):
    for word in range(cuda.grid(1), len(words), cuda.gridsize(1)):
        for cell in range(8 * word, 8 * word + 8):
            if codes[cell] == UNKNOWN or codes[cell] == CANDIDATE:
                codes[cell] = uint8(DRAW)


@cuda.jit
def present(codes, cells, out):
    for cell in range(cuda.grid(1), cells, cuda.gridsize(1)):
        out[codes[cell]] = uint8(1)


@cuda.jit
def count(codes, cells, out):
    """Count the cells with each code, in the block's shared memory first."""
    here = cuda.shared.array(256, int32)
    for code in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        here[code] = 0
    cuda.syncthreads()
    for cell in range(cuda.grid(1), cells, cuda.gridsize(1)):
        cuda.atomic.add(here, codes[cell], 1)
    cuda.syncthreads()
    for code in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        if here[code]:
            cuda.atomic.add(out, code, int64(here[code]))


@cuda.jit
def count_symmetric(atlas, reps, shape, codes, rows, out):
    """Count by how much eight times ``count`` is too large, in rows with symmetric sets."""
    columns = shape[index.COLUMNS]
    for row in range(cuda.blockIdx.x, rows, cuda.gridDim.x):
        size = orbit_size(atlas, int64(reps[shape[index.FIRST_REP] + row]))
        if size < 8:
            for column in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
                cuda.atomic.add(out, codes[row * columns + column], int64(8 - size))


@cuda.jit
def disagreements(
    atlas, ranks, orbits, reps, shape, codes, mover, mirror_codes, even, jump_shape, jump_codes,
    by_mover, child_shape, child_codes, places, lone, wins, cells, counts,
):  # fmt: skip
    n = 0
    for cell in range(cuda.grid(1), cells, cuda.gridsize(1)):
        if disagrees_at(
            atlas, ranks, orbits, reps, shape, codes, mover, mirror_codes, even, jump_shape,
            jump_codes, by_mover, child_shape, child_codes, places, lone, wins, cell,
        ):  # fmt: skip
            n += 1
    if n:
        cuda.atomic.add(counts, 0, n)


@cuda.jit
def gather(codes, cells, out):
    for i in range(cuda.grid(1), len(cells), cuda.gridsize(1)):
        out[i] = codes[cells[i]]


@cuda.jit
def find(codes, cells, code, first):
    for cell in range(cuda.grid(1), cells, cuda.gridsize(1)):
        if codes[cell] == code:
            cuda.atomic.min(first, 0, cell)
            return


@cuda.jit
def pack(codes, out):
    for byte in range(cuda.grid(1), len(out), cuda.gridsize(1)):
        whole = 0
        for i in range(4):
            whole |= packed(codes[4 * byte + i]) << 2 * i
        out[byte] = uint8(whole)


@cuda.jit
def unpack(body, out):
    for byte in range(cuda.grid(1), len(body), cuda.gridsize(1)):
        for i in range(4):
            out[4 * byte + i] = uint8(unpacked(body[byte] >> 2 * i & 3))
