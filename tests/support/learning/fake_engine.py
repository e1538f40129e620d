"""An engine that tells of several lines: the first legal moves by name, 30 centipawns apart; the
first by the position's own number, and mate in 2 for a move that it says so.  It expects the
last legal move by name as the answer."""

from __future__ import annotations

import sys
import zlib

import chess

LINES = 1


def reply(board: chess.Board, move: chess.Move) -> str:
    after = board.copy(stack=False)
    after.push(move)
    return max((move.uci() for move in after.legal_moves), default="")


def answer(board: chess.Board) -> None:
    moves = sorted(board.legal_moves, key=lambda move: move.uci())
    base = zlib.crc32(board.fen().encode()) % 900 - 450
    for place, move in enumerate(moves[:LINES], 1):
        score = "mate 2" if base == 0 and place == 1 else f"cp {base - 30 * place}"
        line = f"{move.uci()} {reply(board, move)}".rstrip()
        for depth in (1, 2):  # the last word counts
            told = score if depth == 2 else "cp 0"
            print(f"info depth {depth} multipv {place} score {told} nodes 9 pv {line}")
    print(f"bestmove {moves[0].uci()}", flush=True)


board = chess.Board()
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["uci"]:
        print("id name Judge 1\noption name Threads type spin default 1 min 1 max 8")
        print("option name Hash type spin default 1 min 1 max 64")
        print("option name MultiPV type spin default 1 min 1 max 8\nuciok", flush=True)
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:3] == ["setoption", "name", "MultiPV"]:
        LINES = int(words[-1])
    elif words[:2] == ["position", "fen"]:
        board = chess.Board(" ".join(words[2:]))
    elif words[:1] == ["go"]:
        answer(board)
    elif words[:1] == ["quit"]:
        break
