"""A GTP engine that behaves as its argument says; a log of what it was told is kept if asked.

python fake_engine.py MODE [LOG]
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

COLUMNS = "ABCDEFGHJKLMNOPQRST"
COMMANDS = "list_commands boardsize clear_board komi play genmove quit time_settings time_left"


class Fake:
    def __init__(self, mode: str) -> None:
        self.mode, self.size, self.taken = mode, 19, set()

    def answer(self, command: str, words: list[str]) -> str:
        if command == "list_commands":
            return "\n".join(COMMANDS.split())
        if command == "boardsize":
            self.size = int(words[0])
        if command == "clear_board":
            self.taken = set()
        if command == "play":
            self.taken.add(words[1].upper())
        if command == "genmove":
            return self.move()
        return ""

    def move(self) -> str:
        if self.mode == "hang":
            time.sleep(3600)
        if self.mode == "crash":
            print("out of\nstones", file=sys.stderr)
            sys.exit(3)
        if self.mode == "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.mode == "closed":
            os.close(1)
            time.sleep(3600)
        if self.mode == "endless":
            while True:
                print("I am thinking " * 1000)
        if self.mode == "parent":
            subprocess.Popen(["sleep", "3600"])
            time.sleep(3600)
        fixed = {"illegal": "A1", "nonsense": "banana \x1b[31m", "resign": "resign"}
        if self.mode in fixed:
            return fixed[self.mode]
        points = [f"{c}{r}" for r in range(1, self.size + 1) for c in COLUMNS[: self.size]]
        move = next((point for point in points if point not in self.taken), "pass")
        self.taken.add(move)
        return move.lower() if self.mode == "lower" else move


def main(mode: str, log: str = "") -> None:
    fake = Fake(mode)
    for line in sys.stdin:
        if log:
            with open(log, "a") as file:
                file.write(line)
        number, command, *words = line.split()
        if mode == "refusing" and command == "play":
            print(f"?{number} I do not like it\n", flush=True)
            continue
        text = fake.answer(command, words)
        if mode == "noisy":
            print("thinking ...\nstill thinking ...")
        end = "\r\n\r\n" if mode == "lower" else "\n\n"
        print(f"={'' if mode == 'unnumbered' else number} {text}", end=end, flush=True)
        if command == "quit":
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
