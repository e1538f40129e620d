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
class OfferedStatement:
    """A statement with the command that proves it."""

    name: str
    title: str
    about: str
    takes: str  # about how long on one core
    argv: tuple[str, ...]  # the arguments of ``playproof prove``
    refutes: bool = True  # the answer is no, and there is a certificate


_MOBILITY = "othello-mobility"
OFFERED_STATEMENTS = (
    OfferedStatement(
        "othello-35",
        "35 moves are impossible in Othello",
        "Put discs on the board as you like: nobody ever has 35 moves. A solver looks for a "
        "position with 35 moves, finds none, and writes down why.",
        "about 10 seconds",
        (_MOBILITY, "--at-least", "35"),
    ),
    OfferedStatement(
        "othello-34",
        "34 moves are possible, if any position counts",
        "The solver finds a position with 34 moves. No game leads to it: see the next statement.",
        "about 2 seconds",
        (_MOBILITY, "--at-least", "34"),
        refutes=False,
    ),
    OfferedStatement(
        "othello-reachable-34",
        "34 moves never happen in a game",
        "The paper's theorem, in 32 parts: 31 sets of squares could be filled by play and give "
        "34 moves, but on none of them can the last moves have been played.",
        "about a minute",
        ("othello-reachable", "--at-least", "34"),
    ),
    OfferedStatement(
        "equivalence",
        "The rules here are those of the paper",
        "The paper prints three functions. On every input they give the same result as our rules.",
        "about 10 seconds",
        ("equivalence",),
    ),
    OfferedStatement(
        "choko-177",
        "177 legal actions are impossible in Choko",
        "Another game, the same question. 176 are possible, 177 are not.",
        "about 30 seconds",
        ("choko-mobility", "--at-least", "177"),
    ),
    OfferedStatement(
        "othello-6x6-any",
        "On 6x6, 21 moves are impossible",
        "Put discs on the 36 squares as you like: 20 moves are the most.",
        "about 5 seconds",
        (_MOBILITY, "--size", "6", "--at-least", "21"),
    ),
    OfferedStatement(
        "othello-6x6",
        "On 6x6, 20 moves never happen in a game",
        "Three sets of 16 squares could be filled by play and give 20 moves, but no last move "
        "leads to any of them. 19 moves do happen.",
        "about 10 seconds",
        ("othello-reachable", "--size", "6", "--at-least", "20"),
    ),
    OfferedStatement(
        "othello-4x4",
        "On the small board (4x4) 7 moves never happen",
        "A small version of the paper's theorem: a game on 16 squares allows at most 6 moves.",
        "about 10 seconds",
        ("othello-reachable", "--size", "4", "--at-least", "7"),
    ),
)

# Limits of a question of your own; larger ones would take hours and fill the disk with proofs.
SIZES = (4, 6, 8)
MINUTES = (1, 5, 30)


def offers() -> list[Json]:
    """The offered statements as the page shows them."""
    return [
        {
            "name": one.name, "title": one.title, "about": one.about, "takes": one.takes,
            "refutes": one.refutes,
        }
        for one in OFFERED_STATEMENTS
    ]  # fmt: skip


def limits() -> Json:
    """The limits of a question of your own, as the page needs them."""
    return {
        "sizes": list(SIZES),
        "minutes": list(MINUTES),
        "squares": {str(size): size**2 - 4 for size in SIZES},
    }


def command(fields: RunProof, certificates: Path) -> tuple[str, list[str]]:
    """The title of a proof and its command.

    If the statement can be refuted, the command writes to a new folder in ``certificates``.
    """
    name = fields.statement
    if name == "custom":
        return _custom(fields, certificates)
    by_name = {offer.name: offer for offer in OFFERED_STATEMENTS}
    if name not in by_name:
        raise UsageError(f"no statement {name[:40]!r}: want {one_of([*by_name, 'custom'])}")
    offer = by_name[name]
    options: list[str] = []
    if offer.refutes:
        options = _certificate_options(offer.argv[0], certificates / f"{name}-{new_id()}")
    return offer.title, ["prove", *offer.argv, *options]


def _certificate_options(command: str, folder: Path) -> list[str]:
    """The options for a checked certificate; ``othello-reachable`` checks without ``--check``."""
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
    folder = certificates / f"othello-custom-{new_id()}"
    return title, [*argv, *_certificate_options(_MOBILITY, folder)]


def _check(name: str, value: int, least: int, size: int) -> None:
    most = size**2 - 4
    if not least <= value <= most:
        raise UsageError(f"{name} {value}: want {least} to {most}, as four squares are occupied")
