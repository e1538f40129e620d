"""Agents that no tournament should have, in a module that other processes can import.

Each misbehaves from ply 10 on in games whose seed is even, and plays at random
otherwise, so that some of its games are sound.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from typing import Any

from playproof import Batch, Decision, register_agent
from playproof.agents.random import Uniform
from playproof.core.spec import Option


class Hostile(Uniform):
    def choose(self, batch: Batch) -> list[Decision]:
        decisions = super().choose(batch)
        for row in range(len(batch)):
            if self.misbehaves(batch, row):
                decisions[row] = self.misdeed(batch, row)
        return decisions

    def misbehaves(self, batch: Batch, row: int) -> bool:
        return int(batch.seeds[row]) % 2 == 0 and int(batch.plies[row]) >= 10

    def misdeed(self, batch: Batch, row: int) -> Any:
        raise NotImplementedError


class Raising(Hostile):
    name = "raising"

    def misdeed(self, batch: Batch, row: int) -> Any:
        raise ValueError("no idea\nwhat to do")


class Hanging(Hostile):
    name = "hanging"

    def misdeed(self, batch: Batch, row: int) -> Any:
        time.sleep(3600)


class Illegal(Hostile):
    name = "illegal"
    option_fields = (Option("answer", "taken", "what it says: taken, none, text or far"),)

    def misdeed(self, batch: Batch, row: int) -> Any:
        legal = set(batch.legal_lists().of(row).tolist())
        taken = next(a for a in range(batch.game.num_actions) if a not in legal)
        answers = {"taken": taken, "none": None, "text": "f5", "far": 10**9}
        return Decision(answers[self.options["answer"]])  # type: ignore[index]


class Killing(Hostile):
    name = "killing"

    def misdeed(self, batch: Batch, row: int) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


class Exiting(Hostile):
    name = "exiting"

    def misdeed(self, batch: Batch, row: int) -> Any:
        sys.exit(7)


class Short(Hostile):
    """Gives too few answers."""

    name = "short"

    def choose(self, batch: Batch) -> list[Decision]:
        decisions = Uniform.choose(self, batch)
        bad = any(self.misbehaves(batch, row) for row in range(len(batch)))
        return decisions[:-1] if bad else decisions


class Unmakeable(Hostile):
    """Dies while it is made."""

    name = "unmakeable"

    def __init__(self, *arguments: Any, **options: Any) -> None:
        os._exit(3)


class Cursing(Hostile):
    """Its error says what neither a file nor a terminal can bear."""

    name = "cursing"

    def misdeed(self, batch: Batch, row: int) -> Any:
        raise ValueError("\udcff\x1b[2J\n" + "no " * 1000)


class Unspeakable(Hostile):
    """Answers with something that cannot even be named."""

    name = "unspeakable"

    def misdeed(self, batch: Batch, row: int) -> Any:
        return Decision(Nameless())  # type: ignore[arg-type]


class Nameless:
    def __str__(self) -> str:
        raise RuntimeError("no name")


class Tardy(Uniform):
    """Takes its time to get ready, as one does whose kernels are compiled."""

    name = "tardy"

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        time.sleep(1.5)


class Pensive(Uniform):
    """Thinks for a while over each of its first moves."""

    name = "pensive"

    def choose(self, batch: Batch) -> list[Decision]:
        time.sleep(0.7 * int((batch.plies < 2).sum()))
        return super().choose(batch)


class Shouting(Uniform):
    """Prints to stdout, where results go."""

    name = "shouting"

    def choose(self, batch: Batch) -> list[Decision]:
        print("I think!", flush=True)
        return super().choose(batch)


AGENTS = (
    Raising, Hanging, Illegal, Killing, Exiting, Short, Unmakeable, Cursing, Unspeakable, Tardy,
    Pensive, Shouting,
)  # fmt: skip


def register_all() -> None:
    for agent in AGENTS:
        register_agent(agent)


if multiprocessing.parent_process() is not None:  # where the games are played
    register_all()
