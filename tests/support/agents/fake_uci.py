"""A UCI engine that behaves as its argument says; a log of what it was told is kept if asked.

python fake_uci.py MODE [LOG]
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import chess

OPTIONS = """\
option name Hash type spin default 16 min 1 max 1024
option name UCI_LimitStrength type check default false
option name UCI_Elo type spin default 1350 min 1350 max 1650
option name Style of Play type combo default Solid var Solid var Risky
option name Clear Hash type button
"""


def board_of(words: list[str]) -> chess.Board:
    split = words.index("moves") if "moves" in words else len(words)
    board = chess.Board() if words[0] == "startpos" else chess.Board(" ".join(words[1:split]))
    for move in words[split + 1 :]:
        board.push_uci(move)
    return board


def think(mode: str, board: chess.Board) -> None:
    if mode == "hang":
        time.sleep(3600)
    if mode == "crash":
        print("out of\nmemory", file=sys.stderr)
        sys.exit(3)
    if mode == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "closed":
        os.close(1)
        time.sleep(3600)
    if mode == "parent":
        subprocess.Popen(["sleep", "3600"])
        time.sleep(3600)
    if mode == "slow":
        time.sleep(0.12)
    if mode == "endless":
        while True:
            print("info depth 1 pv " + "e2e4 " * 1000)
    move = min(board.legal_moves, key=chess.Move.uci).uci()
    answers = {"illegal": "a1a8", "nonsense": "banana \x1b[31m", "nothing": ""}
    if mode == "noisy":
        print("hello\ninfo depth 1 score cp 5 lowerbound nodes 3\ninfo string e2e4 score cp 900")
    print("info depth 3 seldepth 4 multipv 1 score cp 37 nodes 1234 nps 99 pv", move, "zzzz")
    print("info depth 3 multipv 2 score cp -500 pv h2h3")
    print("info depth 4 currmove e2e4 currmovenumber 1")
    if mode == "mate":
        print("info depth 5 score mate -2 pv", move)
    print("bestmove", answers.get(mode, move), end="\r\n" if mode == "noisy" else "\n", flush=True)


def main(mode: str, log: str = "") -> None:
    board = chess.Board()
    for line in sys.stdin:
        if log:
            with open(log, "a") as file:
                file.write(line)
        command, *words = line.split()
        if command == "uci":
            if mode == "mute":
                continue
            print(f"id name Fake 1.0, {mode}\nid author nobody\n{OPTIONS}uciok", flush=True)
        elif command == "isready":
            print("readyok", flush=True)
        elif command == "position":
            board = board_of(words)
        elif command == "go":
            think(mode, board)
        elif command == "quit":
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
