"""The games between runs, and the runs' curves, as a small file: one of them comes with the
package.  Every figure is computed from it again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from playproof.arena.statistics.score import PAIR_KINDS
from playproof.core.errors import DataError
from playproof.papers.chokozero import curves as chokozero_curves
from playproof.papers.chokozero.curves import EvaluatedRun
from playproof.papers.chokozero.seeds.agents import AGENT_BY_NAME, Entry
from playproof.papers.chokozero.seeds.results import SeedResults

FORMAT = "playproof chokozero seeds 1"
FILE = "chokozero_seeds.json"


@dataclass(frozen=True)
class SeedRecord:
    """What was played, and how the runs went: one condensed run for each trained net."""

    results: SeedResults
    curves: tuple[EvaluatedRun, ...]


def as_text(record: SeedRecord) -> str:
    """The record as JSON with one pairing per line.

    A pairing is [first, second, kinds]: two numbers of players, and a digit for each pair of games,
    which is an index into LL, LD, DD, WL, WD, WW from the first player's side."""
    results = record.results
    head = {
        "format": FORMAT, "seed": results.seed, "openings": results.openings,
        "kinds": PAIR_KINDS,
    }  # fmt: skip
    players = [
        {"agent": entry.agent.name, "seed": entry.seed, "net": entry.digest}
        for entry in results.entries
    ]
    pairings = [[i, j, "".join(map(str, kinds))] for (i, j), kinds in results.kinds.items()]
    curves = [chokozero_curves.run_data(run.log) for run in record.curves]
    parts = [json.dumps(head)[1:-1]]
    for name, rows in (("players", players), ("pairings", pairings), ("curves", curves)):
        lines = ",\n".join(map(json.dumps, rows))
        parts.append(f'"{name}": [\n{lines}\n]')
    return "{" + ",\n".join(parts) + "}\n"


def read(text: str) -> SeedRecord:
    """The record that ``as_text`` wrote."""
    try:
        data: dict[str, Any] = json.loads(text)
        if data["format"] != FORMAT:
            raise ValueError
        entries = tuple(
            Entry(AGENT_BY_NAME[one["agent"]], one["seed"], digest=one["net"])
            for one in data["players"]
        )
        kinds = {(i, j): tuple(map(int, digits)) for i, j, digits in data["pairings"]}
        curves = tuple(chokozero_curves.read_runs(data["curves"]))
    except (ValueError, KeyError, TypeError):
        raise DataError(
            "not the games of ChokoZero's runs: want a file that --only seeds --out FILE.json wrote"
        ) from None
    return SeedRecord(SeedResults(entries, kinds, data["seed"], data["openings"]), curves)


def shipped() -> SeedRecord:
    """The record that comes with the package."""
    file = resources.files("playproof.papers") / "data" / FILE
    return read(file.read_text(encoding="utf-8"))


def count_runs(record: SeedRecord) -> dict[str, int]:
    """The number of runs of each trained agent, by preset."""
    counts: dict[str, int] = {}
    for run in record.curves:
        counts[run.preset] = counts.get(run.preset, 0) + 1
    return counts


def trained_runs(results: SeedResults, curves: Sequence[EvaluatedRun]) -> SeedRecord:
    """The record of a tournament, with the curves of the runs that played in it."""
    played = {(entry.agent.preset, entry.seed) for entry in results.entries}
    kept = tuple(run for run in curves if (run.preset, run.log.seed) in played)
    return SeedRecord(results, kept)
