"""Records of Quantum Go that a person can read, one line a turn: see quantum_go_example1.txt."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tests.support.oracles.quantum_go_naive_board import Point, point_of


@dataclass
class Turn:
    """A turn of a record; older says which point each older pair, named by its turn, kept."""

    number: int
    side: int
    points: list[Point] = field(default_factory=list)  # none for a pass
    older: dict[int, Point] = field(default_factory=dict)
    kept: Point | None = None  # None where the pair stays entangled
    captured: set[Point] = field(default_factory=set)
    note: str = ""  # free, forced or ko, where the paper says so


@dataclass
class Record:
    """A game as a text file tells it."""

    width: int
    height: int
    turns: list[Turn]
    results: dict[str, int]  # Black's margin, by way of counting


def read_record(path: Path) -> Record:
    """Read a record: "size 6 6", lines like "8 W D5 A3 | 7>B2 | keep D5 | free", "area 4"."""
    width = height = 0
    turns, results = [], {}
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split("|")
        head = words[0].split()
        if not head:
            continue
        if head[0] == "size":
            width, height = int(head[1]), int(head[2])
        elif head[0] in ("area", "territory"):
            results[head[0]] = int(head[1])
        else:
            turns.append(read_turn(head, [word.split() for word in words[1:]]))
    return Record(width, height, turns, results)


def read_turn(head: list[str], clauses: list[list[str]]) -> Turn:
    """One line of a record, cut into its head and its clauses."""
    turn = Turn(int(head[0]), "BW".index(head[1]))
    turn.points = [point_of(name) for name in head[2:] if name != "pass"]
    for clause in clauses:
        if ">" in clause[0]:
            for one in clause:
                number, name = one.split(">")
                turn.older[int(number)] = point_of(name)
        elif clause[0] == "keep":
            turn.kept = point_of(clause[1])
        elif clause[0] == "takes":
            turn.captured = {point_of(name) for name in clause[1:]}
        else:
            turn.note = clause[0]
    return turn
