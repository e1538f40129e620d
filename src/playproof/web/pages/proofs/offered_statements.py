"""The statements that the page offers to prove, and the command that proves each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playproof.core.errors import UsageError, one_of
from playproof.core.jobs.store import new_id
from playproof.web.protocol.bodies import RunProof

Json = dict[str, Any]


@dataclass(frozen=True)
class Offer:
    """``argv`` is what follows ``playproof prove``; ``refutes``: the answer is a no, and
    so has a certificate.  ``takes`` is about how long, on one core."""

    name: str
    title: str
    about: str
    takes: str
    argv: tuple[str, ...]
    refutes: bool = True


_MOBILITY = "othello-mobility"
OFFERS = (
    Offer(
        "othello-35",
        "35 moves are impossible in Othello",
        "Put discs on the board as you like: nobody ever has 35 moves. A solver looks for a "
        "position that has, finds none, and writes down why.",
        "about 10 seconds",
        (_MOBILITY, "--at-least", "35"),
    ),
    Offer(
        "othello-34",
        "34 moves are possible, if any position counts",
        "The solver finds a position with 34 moves. No game leads to it: see the next one.",
        "about 2 seconds",
        (_MOBILITY, "--at-least", "34"),
        refutes=False,
    ),
    Offer(
        "othello-reachable-34",
        "34 moves never happen in a game",
        "The paper's theorem, in 32 parts: there are 31 sets of squares that could carry 34 moves "
        "and be filled by play, and on none of them can the last moves have been played.",
        "about a minute",
        ("othello-reachable", "--at-least", "34"),
    ),
    Offer(
        "equivalence",
        "The rules here are those of the paper",
        "The paper prints three functions. On every input they give what our rules give.",
        "about 10 seconds",
        ("equivalence",),
    ),
    Offer(
        "choko-177",
        "177 legal actions are impossible in Choko",
        "Another game, the same question. 176 can be had, 177 cannot.",
        "about 30 seconds",
        ("choko-mobility", "--at-least", "177"),
    ),
    Offer(
        "othello-4x4",
        "On the small board (4x4) 7 moves never happen",
        "The paper's theorem in small: 6 moves are the most that a game on 16 squares allows.",
        "about 10 seconds",
        ("othello-reachable", "--size", "4", "--at-least", "7"),
    ),
)

# What a question of one's own may be; beyond, hours pass and proofs fill disks.
SIZES = (4, 6, 8)
MINUTES = (1, 5, 30)


def offers() -> list[Json]:
    """All of them, for the page."""
    return [
        {
            "name": one.name, "title": one.title, "about": one.about, "takes": one.takes,
            "refutes": one.refutes,
        }
        for one in OFFERS
    ]  # fmt: skip


def limits() -> Json:
    """What a question of one's own may ask."""
    return {
        "sizes": list(SIZES),
        "minutes": list(MINUTES),
        "squares": {str(size): size**2 - 4 for size in SIZES},
    }


def command(fields: RunProof, certificates: Path) -> tuple[str, list[str]]:
    """The title of a proof and its command, which writes into a new folder of
    ``certificates`` if it refutes."""
    name = fields.statement
    if name == "custom":
        return _custom(fields, certificates)
    known = {one.name: one for one in OFFERS}
    if name not in known:
        raise UsageError(f"no statement {name[:40]!r}: want {one_of([*known, 'custom'])}")
    offer = known[name]
    kept = _certified(offer.argv[0], certificates / f"{name}-{new_id()}") if offer.refutes else []
    return offer.title, ["prove", *offer.argv, *kept]


def _certified(command: str, folder: Path) -> list[str]:
    """A reachable bound is checked in any case, the others when they are told to."""
    check = [] if command == "othello-reachable" else ["--check"]
    return ["--certificate", str(folder), *check]


def _custom(fields: RunProof, certificates: Path) -> tuple[str, list[str]]:
    size, moves, empties, minutes = fields.size, fields.moves, fields.empties, fields.minutes
    if size not in SIZES:
        raise UsageError(f"size {size}: want {one_of([str(n) for n in SIZES])}")
    _check("moves", moves, 1, size)
    _check("empties", empties, 0, size)
    if minutes not in MINUTES:
        raise UsageError(f"{minutes} minutes: want {one_of([str(n) for n in MINUTES])}")
    title = f"Othello {size}x{size}: a position with at least {moves} moves"
    if empties:
        title += f" and {empties} empty squares"
    argv = ["prove", _MOBILITY, "--size", str(size), "--at-least", str(moves)]
    if empties:
        argv += ["--empties-at-least", str(empties)]
    argv += ["--seconds", str(60 * minutes)]
    return title, [*argv, *_certified(_MOBILITY, certificates / f"othello-custom-{new_id()}")]


def _check(name: str, value: int, least: int, size: int) -> None:
    most = size**2 - 4
    if not least <= value <= most:
        raise UsageError(f"{name} {value}: want {least} to {most}, for four squares are occupied")
