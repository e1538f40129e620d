"""Makes the data that ``truth`` reads from full solves of Choko, with and without lone jumps."""

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
_POSITIONS_HINT = "'playproof paper chokozero --positions FILE' writes the positions to ask about"


class ExactValues(NamedTuple):
    """The exact value of a position, and of every move: actions to a win, -actions to a loss."""

    value: int
    moves: dict[str, int]

    def throws_away(self, move: str) -> bool:
        """Whether a move turns a win into less, or a draw into a loss."""
        return _sign(self.moves[move]) < _sign(self.value)


class SampledPosition(NamedTuple):
    """A position of the sample with its exact values."""

    phase: str
    free: bool  # not forced to place
    exact: ExactValues

    @classmethod
    def of(cls, position: str, answers: Mapping[str, ExactValues]) -> SampledPosition:
        blue, red = map(int, position.split()[2:4])
        return cls(phase_of((blue, red)), blue == red, answers[position])


def make_truth(
    off: Path, on: Path, answers_file: Path, on_progress: Callable[[str], None] = lambda what: None
) -> Data:
    """The data that is shipped.

    ``off`` and ``on`` are what ``playproof table build --all --json`` printed without and with
    lone jumps; ``answers_file`` has the answers about ``sample_games.positions_to_query``.
    """
    solves = {"off": read_solve(off, False), "on": read_solve(on, True)}
    on_progress("reading answers")
    answers = read_answers(answers_file)
    start, examples = solves["off"]["start"], solves["off"].get("examples")
    if "line" not in start or not examples:
        raise DataError(f"{off} has no line and no examples: solve with --distance --in-memory")
    games = {}
    for player in choko_games.PLAYERS:
        on_progress(f"playing {player.spec}")
        games[player.spec] = [review_game(game, answers) for game in choko_games.play_games(player)]
    on_progress("sampling positions")
    sample = [
        SampledPosition.of(position, answers)
        for position in _answered(choko_games.sample_positions(), answers)
    ]
    return {
        "format": FORMAT,
        **{name: _solve_data(solve) for name, solve in solves.items()},
        "line": start["line"],
        "openings": _openings(answers),
        "longest": examples["longest"],
        "upsets": [[u["slice"], u["positions"], u["example"]] for u in examples["upsets"]],
        "early_capture": _early_capture(answers),
        "games": games,
        "sample": {
            phase: _phase_statistics([one.exact for one in sample if one.phase == phase])
            for phase in PHASES
        },
        "moves": _by_kind(sample),
    }


def as_text(data: Data) -> str:
    """The data as JSON with one part per line, so that two versions can be compared."""
    parts = [f'"{key}":{json.dumps(part, separators=(",", ":"))}' for key, part in data.items()]
    return "{" + ",\n".join(parts) + "}\n"


# Reading


def read_solve(file: Path, lone_jump: bool) -> Data:
    """The report that a solve of the whole game printed, checked slice by slice."""
    spec = f"choko:lone_jump={'on' if lone_jump else 'off'}"
    hint = f"want what 'playproof table build {spec} --all --distance --json' prints"
    try:
        report: Data = json.loads(read_bytes(file))
        game, slices, _ = report["game"], report["slices"], report["start"]["value"]
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{file} is not a report of a full solve: {hint}") from None
    if game != spec or report.get("kind") != "distance":
        raise DataError(f"{file} is of {game}, {report.get('kind')}: {hint}")
    expected: list[Slice] = [one for pair in pairs(lone_jump) for one in pair]
    for one in expected:
        positions = slices.get(one.name)
        if (
            positions is None
            or positions["wins"] + positions["draws"] + positions["losses"] != one.raw
        ):
            raise DataError(f"{file}: the slice {one.name} is missing or incomplete; {hint}")
    if len(slices) != len(expected):
        raise DataError(f"{file} has slices that no game reaches: {hint}")
    return report


def read_answers(file: Path) -> dict[str, ExactValues]:
    """The exact values of positions that the tables gave; the file may be compressed (``.gz``)."""
    content = read_bytes(file)
    try:
        text = gzip.decompress(content) if file.suffix == ".gz" else content
        answers = {}
        for line in text.decode().splitlines():
            answer = json.loads(line)
            answers[answer["position"]] = ExactValues(answer["value"], answer["moves"])
    except (OSError, EOFError, ValueError, KeyError, TypeError):
        raise DataError(
            f"{file} holds no answers of 'playproof table query': {_POSITIONS_HINT}"
        ) from None
    return answers


def _answered(positions: Iterable[str], answers: Mapping[str, ExactValues]) -> list[str]:
    """The positions as a list; raises DataError if one has no answer."""
    listed = list(positions)
    for position in listed:
        if position not in answers:
            raise DataError(f"the answers lack {position!r}: {_POSITIONS_HINT}")
    return listed


def _solve_data(solve: Data) -> Data:
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


def _openings(answers: Mapping[str, ExactValues]) -> Data:
    """Replies to the first placements, one of each class, and moves after any two."""
    third: Counter[tuple[str, int]] = Counter()
    best: Counter[str] = Counter()
    for position in _answered(choko_games.openings(), answers):
        if position.endswith(" 2"):
            exact = answers[position]
            for move, value in exact.moves.items():
                third[kind_of_move(move), _sign(value)] += 1
            kinds = {kind_of_move(m) for m, v in exact.moves.items() if v == exact.value}
            best[" or ".join(sorted(kinds))] += 1
    start = make("choko").start()
    return {
        "replies": {square: answers[start.apply(square).position].moves for square in CLASSES},
        "third": [[kind, sign, count] for (kind, sign), count in sorted(third.items())],
        "third_best": dict(sorted(best.items())),
    }


def _early_capture(answers: Mapping[str, ExactValues]) -> Data:
    (position,) = _answered([choko_games.EARLY_CAPTURE], answers)
    return {"position": position, "moves": answers[position].moves}


# Games and the sample


def review_game(game: choko_games.SelfPlayGame, answers: Mapping[str, ExactValues]) -> list[Any]:
    """The fields of a ``truth.GameReview`` of a game, in their order."""
    first, first_kind, errors, chances = 0, "", [0, 0], [0, 0]
    _answered((position for position, _ in game.moves), answers)
    for number, (position, move) in enumerate(game.moves, 1):
        exact, side = answers[position], "br".index(position.split()[1])
        chances[side] += exact.value >= 0
        if exact.throws_away(move):
            errors[side] += 1
            if not first:
                first, first_kind = number, kind_of_move(move)
    return [game.outcome, len(game.moves), first, first_kind, *errors, *chances]


def _phase_statistics(positions: list[ExactValues]) -> Data:
    """How often random moves throw the value away in these positions, and how good jumps and
    corners are."""
    counts: Counter[str] = Counter()
    shares = 0.0
    for exact in positions:
        if exact.value < 0:
            counts["lost"] += 1
            continue
        bad = sum(exact.throws_away(move) for move in exact.moves)
        shares += bad / len(exact.moves)
        counts["critical"] += bad > 0
        if exact.value > 0:
            _count_jumps_and_corners(exact, counts)
    keys = ("lost", "critical", "jumps", "jumps_fail", "corners", "corners_best")
    out: Data = {"positions": len(positions)} | {key: counts[key] for key in keys}
    return out | {"random_throws": round(shares / max(1, len(positions) - counts["lost"]), 6)}


def _count_jumps_and_corners(exact: ExactValues, counts: Counter[str]) -> None:
    """Count a won position in which a jump is legal, and if no jump wins; and likewise in which a
    corner is free, and if one wins quickest."""
    kinds = {move: kind_of_move(move) for move in exact.moves}
    jumps = [exact.moves[move] for move, kind in kinds.items() if kind == "jump"]
    counts["jumps"] += bool(jumps)
    counts["jumps_fail"] += bool(jumps) and max(jumps) <= 0
    corners = [exact.moves[move] for move, kind in kinds.items() if kind == "corner"]
    counts["corners"] += bool(corners)
    counts["corners_best"] += exact.value in corners


def _by_kind(sample: list[SampledPosition]) -> list[list[Any]]:
    """One row per group of moves: phase, whether the position is won, whether the mover is free,
    kind of move, number of moves, number that throw the value away."""
    counts: Counter[tuple[str, bool, bool, str]] = Counter()
    errors: Counter[tuple[str, bool, bool, str]] = Counter()
    for position in sample:
        if position.exact.value >= 0:
            for move in position.exact.moves:
                key = position.phase, position.exact.value > 0, position.free, kind_of_move(move)
                counts[key] += 1
                errors[key] += position.exact.throws_away(move)
    order = sorted(
        counts, key=lambda k: (PHASES.index(k[0]), not k[1], not k[2], KINDS.index(k[3]))
    )
    return [[*key, counts[key], errors[key]] for key in order]


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)
