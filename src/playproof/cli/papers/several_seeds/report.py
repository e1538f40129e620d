"""ChokoZero's agents over several seeds, in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.cli.output import table
from playproof.cli.papers.choko_solved import print_heading, print_paragraph
from playproof.papers.chokozero.seeds import statements
from playproof.papers.chokozero.seeds.curves import TrendCount, count_trends, curves
from playproof.papers.chokozero.seeds.recorded import SeedRecord
from playproof.papers.chokozero.seeds.results import Comparison, SeedResults, SpreadCell

_PLACES = (0.0, 0.5, 1.0)  # in a run: its first point, the middle, its last one


def print_record(record: SeedRecord, *, shipped: bool) -> None:
    results = record.results
    _statements(results)
    _table_1(results)
    _runs(results)
    _curves(record)
    _trends(count_trends(record.curves))
    made = (
        f"{len(results.kinds)} pairs of players with {results.games} games each, from "
        f"{results.openings} openings, seed {results.seed}."
    )
    if shipped:
        made += " These are the recorded figures; --runs FOLDER plays with the runs there."
    print_paragraph(made)


def _statements(results: SeedResults) -> None:
    print_heading("Who is stronger, over seeds?")
    rows = []
    for statement in statements.check(results):
        rows.append([statement.statement.text, "", "", "", statement.verdict])
        rows += [
            [f"  {statements.text_of(c)}", statements.paper(c) or "-", score_text(c),
             _single_runs(c), c.verdict]
            for c in statement.comparisons
        ]  # fmt: skip
    columns = ["statement", "paper", "score here [95 % over seeds]", "runs", "here"]
    table("A draw is half a point", columns, rows)
    missing = statements.missing(statements.check(results))
    if missing:
        print_paragraph(f"Not among the players: {', '.join(missing)}.")
    print_paragraph(
        "The interval treats the runs of both agents, and the openings, as samples. The column "
        "runs has the lowest and the highest score of one run against another."
    )


def _single_runs(comparison: Comparison) -> str:
    if comparison.pairs_of_runs == 1:
        return "-"
    return f"{100 * comparison.lowest:.1f} to {100 * comparison.highest:.1f}"


def score_text(comparison: Comparison) -> str:
    """``54.2 % [48.0, 60.4]``; without brackets if one seed gives no interval."""
    mean = f"{100 * comparison.mean:.1f} %"
    if comparison.interval is None:
        return mean
    lower, upper = comparison.interval
    return f"{mean} [{100 * lower:.1f}, {100 * upper:.1f}]"


def _table_1(results: SeedResults) -> None:
    print_heading("Table 1: percent of games that the column wins against the row")
    agents = results.agents
    rows = [
        [row.title, *(_cell(results.table.get((column.name, row.name))) for column in agents)]
        for row in agents
    ]
    table("Median runs, lowest and highest pair of runs, drawn, and the paper's wins",
          ["", *(agent.title for agent in agents)], rows)  # fmt: skip


def _cell(cell: SpreadCell | None) -> str:
    if cell is None:
        return ""
    lines = [f"{100 * cell.won:.0f} %"]
    if cell.pairs_of_runs > 1:
        lines.append(f"{100 * cell.lowest:.0f} to {100 * cell.highest:.0f}")
    lines.append(f"= {100 * cell.drawn:.0f} %")
    if cell.paper is not None:
        lines.append(f"p {100 * cell.paper:.0f} %")
    return "\n".join([*lines, ""])


def _runs(results: SeedResults) -> None:
    medians = set(results.medians.values())
    rows = []
    for i, entry in enumerate(results.entries):
        median = "median" if i in medians and entry.seed is not None else ""
        rows.append(
            [entry.title, f"{100 * results.strength(i):.1f} %", str(results.ratings.players[i]),
             median, entry.digest[:8]]
        )  # fmt: skip
    columns = ["run", "mean score", "Elo [95 %, its games]", "", "net"]
    table("Runs: the mean score against the other agents, each counting the same", columns, rows)


def _curves(record: SeedRecord) -> None:
    print_heading("Figures 1 to 3, over seeds")
    rows = []
    for curve in curves(record.curves):
        low, high = curve.range
        cells = []
        for place in _PLACES:
            n = int(place * (len(curve.iterations) - 1))
            cells.append("/".join(map(_point, curve.median[n], low[n], high[n])))
        rows.append([curve.title, str(len(curve.seeds)), *cells])
    columns = ["net", "runs", "first 20th", "middle", "last 20th"]
    table("Won/drawn/lost in percent: median (lowest to highest run)", columns, rows)


def _point(median: float, low: float, high: float) -> str:
    text = f"{100 * median:.0f}"
    return text if low == high else f"{text} ({100 * low:.0f} to {100 * high:.0f})"


def _trends(counts: Sequence[TrendCount]) -> None:
    table("Section 4.2", ["statement", "here"], [[c.text, c.result] for c in counts])
