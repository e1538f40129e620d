"""Making the data of ``truth`` from a full solve of Choko, under both readings."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from playproof.arena.yardstick.sample import PHASES, phase_of
from playproof.core.errors import DataError
from playproof.core.registry import make
from playproof.formats.record import read_bytes
from playproof.papers.choko_solved import sample_games as choko_games
from playproof.papers.choko_solved.truth import CLASSES, FORMAT, KINDS, kind_of_move
from playproof.tables.choko.slices import Slice, pairs

Data = dict[str, Any]
_ASK = "'playproof paper chokozero --positions FILE' writes the positions to ask about"


class Exact(NamedTuple):
    """The exact value of a position, and of every move: actions to a win, -actions to a loss."""

    value: int
    moves: dict[str, int]

    def throws(self, move: str) -> bool:
        """Whether a move gives up what the position is worth."""
        return _sign(self.moves[move]) < _sign(self.value)


class Seen(NamedTuple):
    """A sampled position."""

    phase: str
    free: bool  # not forced to place
    exact: Exact

    @classmethod
    def of(cls, position: str, known: Mapping[str, Exact]) -> Seen:
        blue, red = map(int, position.split()[2:4])
        return cls(phase_of((blue, red)), blue == red, known[position])


def make_truth(
    off: Path, on: Path, answers: Path, report: Callable[[str], None] = lambda what: None
) -> Data:
    """Everything that is shipped, from what ``playproof table build --all --json`` printed without
    and with lone jumps, and from the answers about the positions of ``sample_games.to_ask``."""
    solved = {"off": read_solve(off, False), "on": read_solve(on, True)}
    report("reading answers")
    known = read_answers(answers)
    start, examples = solved["off"]["start"], solved["off"].get("examples")
    if "line" not in start or not examples:
        raise DataError(f"{off} has no line and no examples: solve with --distance --in-memory")
    games = {}
    for player in choko_games.PLAYERS:
        report(f"playing {player.spec}")
        games[player.spec] = [judged(game, known) for game in choko_games.play(player)]
    report("sampling positions")
    sample = [Seen.of(position, known) for position in _asked(choko_games.sampled(), known)]
    return {
        "format": FORMAT,
        **{name: _shipped(found) for name, found in solved.items()},
        "line": start["line"],
        "openings": _openings(known),
        "longest": examples["longest"],
        "upsets": [[u["slice"], u["positions"], u["example"]] for u in examples["upsets"]],
        "early_capture": _early(known),
        "games": games,
        "sample": {
            phase: _phase_facts([seen.exact for seen in sample if seen.phase == phase])
            for phase in PHASES
        },
        "moves": _by_kind(sample),
    }


def as_text(data: Data) -> str:
    """One part of the data a line, so that two versions can be compared."""
    parts = [f'"{key}":{json.dumps(part, separators=(",", ":"))}' for key, part in data.items()]
    return "{" + ",\n".join(parts) + "}\n"


# Reading


def read_solve(file: Path, lone_jump: bool) -> Data:
    """What a solve of the whole game printed, checked slice by slice."""
    wanted = f"choko:lone_jump={'on' if lone_jump else 'off'}"
    how = f"want what 'playproof table build {wanted} --all --distance --json' prints"
    try:
        found: Data = json.loads(read_bytes(file))
        game, slices, _ = found["game"], found["slices"], found["start"]["value"]
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{file} is no report of a full solve: {how}") from None
    if game != wanted or found.get("kind") != "distance":
        raise DataError(f"{file} is of {game}, {found.get('kind')}: {how}")
    everything: list[Slice] = [one for pair in pairs(lone_jump) for one in pair]
    for one in everything:
        here = slices.get(one.name)
        if here is None or here["wins"] + here["draws"] + here["losses"] != one.raw:
            raise DataError(f"{file}: the slice {one.name} is missing or not whole; {how}")
    if len(slices) != len(everything):
        raise DataError(f"{file} has slices that no game comes to: {how}")
    return found


def read_answers(file: Path) -> dict[str, Exact]:
    """Answers of the tables by position; the file may be compressed (``.gz``)."""
    content = read_bytes(file)
    try:
        text = gzip.decompress(content) if file.suffix == ".gz" else content
        found = {}
        for line in text.decode().splitlines():
            answer = json.loads(line)
            found[answer["position"]] = Exact(answer["value"], answer["moves"])
    except (OSError, EOFError, ValueError, KeyError, TypeError):
        raise DataError(f"{file} holds no answers of 'playproof table query': {_ASK}") from None
    return found


def _asked(positions: Iterable[str], known: Mapping[str, Exact]) -> list[str]:
    """The positions, all of which must have been answered."""
    found = list(positions)
    for position in found:
        if position not in known:
            raise DataError(f"the answers lack {position!r}: {_ASK}")
    return found


def _shipped(solve: Data) -> Data:
    keys = ("wins", "draws", "losses", "longest_win", "longest_loss")
    return {
        "solving_seconds": solve["solving_seconds"],
        "checking_seconds": solve["checking_seconds"],
        "stored": solve["solved_cells"],
        "wrong": solve["all"].get("wrong"),  # None where nothing was checked
        "value": solve["start"]["value"],
        "first": solve["start"]["moves"],
        "slices": {name: [one[key] for key in keys] for name, one in solve["slices"].items()},
    }


# Openings


def _openings(known: Mapping[str, Exact]) -> Data:
    """Replies to the first placements, one of each class, and moves after any two."""
    third: Counter[tuple[str, int]] = Counter()
    best: Counter[str] = Counter()
    for position in _asked(choko_games.openings(), known):
        if position.endswith(" 2"):
            exact = known[position]
            for move, value in exact.moves.items():
                third[kind_of_move(move), _sign(value)] += 1
            kinds = {kind_of_move(m) for m, v in exact.moves.items() if v == exact.value}
            best[" or ".join(sorted(kinds))] += 1
    start = make("choko").start()
    return {
        "replies": {square: known[start.apply(square).position].moves for square in CLASSES},
        "third": [[kind, sign, count] for (kind, sign), count in sorted(third.items())],
        "third_best": dict(sorted(best.items())),
    }


def _early(known: Mapping[str, Exact]) -> Data:
    (position,) = _asked([choko_games.EARLY_CAPTURE], known)
    return {"position": position, "moves": known[position].moves}


# Games and the sample


def judged(game: choko_games.Played, known: Mapping[str, Exact]) -> list[Any]:
    """A game in numbers: outcome, actions, the number of the first action that threw the value
    away (0 for none) and its kind, such actions of Blue and of Red, and how many decisions
    of Blue and of Red could have been such: those in positions that were not lost."""
    first, how, thrown, could = 0, "", [0, 0], [0, 0]
    _asked((position for position, _ in game.moves), known)
    for number, (position, move) in enumerate(game.moves, 1):
        exact, side = known[position], "br".index(position.split()[1])
        could[side] += exact.value >= 0
        if exact.throws(move):
            thrown[side] += 1
            if not first:
                first, how = number, kind_of_move(move)
    return [game.outcome, len(game.moves), first, how, *thrown, *could]


def _phase_facts(here: list[Exact]) -> Data:
    """What a random mover throws away in some positions, and what jumps and corners are worth."""
    facts: Counter[str] = Counter()
    shares = 0.0
    for exact in here:
        if exact.value < 0:
            facts["lost"] += 1
            continue
        bad = sum(exact.throws(move) for move in exact.moves)
        shares += bad / len(exact.moves)
        facts["critical"] += bad > 0
        if exact.value > 0:
            _note_jumps_and_corners(exact, facts)
    keys = ("lost", "critical", "jumps", "jumps_fail", "corners", "corners_best")
    out: Data = {"positions": len(here)} | {key: facts[key] for key in keys}
    return out | {"random_throws": round(shares / max(1, len(here) - facts["lost"]), 6)}


def _note_jumps_and_corners(exact: Exact, facts: Counter[str]) -> None:
    """Of a won position: can a jump be played, does none win; is a corner free, and quickest."""
    kinds = {move: kind_of_move(move) for move in exact.moves}
    jumps = [exact.moves[move] for move, kind in kinds.items() if kind == "jump"]
    facts["jumps"] += bool(jumps)
    facts["jumps_fail"] += bool(jumps) and max(jumps) <= 0
    corners = [exact.moves[move] for move, kind in kinds.items() if kind == "corner"]
    facts["corners"] += bool(corners)
    facts["corners_best"] += exact.value in corners


def _by_kind(sample: list[Seen]) -> list[list[Any]]:
    """[phase, whether the position is won, whether the mover is free, kind of move, moves, of
    which throw the value away]."""
    counts: Counter[tuple[str, bool, bool, str]] = Counter()
    thrown: Counter[tuple[str, bool, bool, str]] = Counter()
    for seen in sample:
        if seen.exact.value >= 0:
            for move in seen.exact.moves:
                key = seen.phase, seen.exact.value > 0, seen.free, kind_of_move(move)
                counts[key] += 1
                thrown[key] += seen.exact.throws(move)
    order = sorted(
        counts, key=lambda k: (PHASES.index(k[0]), not k[1], not k[2], KINDS.index(k[3]))
    )
    return [[*key, counts[key], thrown[key]] for key in order]


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)
