"""Critical positions of Choko with few pieces, their values from tables made on the spot; and
agents who know these values."""

from __future__ import annotations

import functools
import json
import random
from typing import ClassVar

from playproof import Batch, Decision, Game, make
from playproof.agents.base import Agent
from playproof.agents.registry import register_agent
from playproof.arena.yardstick.positions import Yardstick
from playproof.tables.choko.build import build, plan_build
from playproof.tables.choko.cpu import Cpu
from playproof.tables.choko.probe import Probe
from playproof.tables.choko.report import answer_positions
from playproof.tables.choko.store import DISTANCE, MemoryStore

PIECES = 4  # in play, hands included: seconds to solve


@functools.cache
def lines() -> list[str]:
    """What ``playproof table query`` says of some hundred positions, as it writes it."""
    device = Cpu()
    store = MemoryStore(False, DISTANCE, device)
    build(plan_build(False, DISTANCE, pieces=PIECES), device, store)
    game = make("choko", cap=0)
    return [json.dumps(answer) for answer in answer_positions(Probe(store), game, _positions(game))]


def _positions(game: Game) -> list[str]:
    """Two against two, some with a piece of each side in hand: free and forced movers."""
    chance, found = random.Random(1), []
    while len(found) < 400:
        squares, side = chance.sample(range(25), 4), chance.choice("br")
        kind = chance.choice(["end", "end", "free", "forced"])
        if kind == "end":
            board, hands, initiative = _board(squares[:2], squares[2:]), "0 0", "-"
        elif kind == "free":
            board, hands, initiative = _board(squares[:1], squares[1:2]), "1 1", "-"
        else:  # the other side has placed last and holds the initiative
            sides = [squares[:1], squares[1:3]]
            board = _board(*(sides if side == "b" else sides[::-1]))
            hands, initiative = ("1 0", "r") if side == "b" else ("0 1", "b")
        text = f"{board} {side} {hands} {initiative}"
        played = 24 - sum(map(int, hands.split()))
        played += (played + "br".index(side)) % 2
        found.append(game.position(f"{text} {played}").position)
    return found


def _board(blue: list[int], red: list[int]) -> str:
    rows = []
    for row in range(4, -1, -1):
        squares = range(5 * row, 5 * row + 5)
        letters = "".join("b" if s in blue else "r" if s in red else "1" for s in squares)
        rows.append(letters)
    return "/".join(rows)


class _Knowing(Agent):
    """Plays by the values of a set."""

    known: ClassVar[dict[bytes, tuple[int, ...]]] = {}
    keeping: ClassVar[bool]

    @classmethod
    def learn(cls, yardstick: Yardstick) -> None:
        for row, one in zip(yardstick.rows, yardstick.positions, strict=True):
            cls.known[row.tobytes()] = one.values

    def choose(self, batch: Batch) -> list[Decision]:
        out = []
        for row, values in ((i, self.known[batch.rows[i].tobytes()]) for i in range(len(batch))):
            # In order of preference a draw stands between any win and any loss.
            ordered = sorted(range(len(values)), key=lambda i: (values[i] > 0) - (values[i] < 0))
            choice = ordered[-1] if self.keeping else ordered[0]
            out.append(Decision(batch[row].legal_actions()[choice]))
        return out


class Knowing(_Knowing):
    name, summary, keeping = "knowing", "a move that keeps the value", True


class Spoiling(_Knowing):
    name, summary, keeping = "spoiling", "a move that throws it away", False


class Lawless(Agent):
    name, summary = "lawless", "a move off the board"

    def choose(self, batch: Batch) -> list[Decision]:
        return [Decision(2624)] * len(batch)


def register_all() -> None:
    for agent in (Knowing, Spoiling, Lawless):
        register_agent(agent)
