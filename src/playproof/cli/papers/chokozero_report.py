"""ChokoZero's experiments in a terminal: our figures beside the paper's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from playproof.cli.output import table
from playproof.cli.papers.choko_solved import print_heading, print_paragraph
from playproof.papers.chokozero.costs import PAPER_PARAMETERS, PAPER_SECONDS
from playproof.papers.chokozero.curves import CLIPPED
from playproof.papers.chokozero.letter import MINIMAXES, NETS, SEARCHES, grid, readings
from playproof.papers.chokozero.openings import CORNERS_AT_RANDOM, KINDS
from playproof.papers.chokozero.times import PAPER

if TYPE_CHECKING:
    from playproof.papers.chokozero.costs import NetCost
    from playproof.papers.chokozero.curves import EvaluatedRun
    from playproof.papers.chokozero.games import Cell, RoundRobinResults
    from playproof.papers.chokozero.letter import PaperComparison
    from playproof.papers.chokozero.openings import OpeningStatistics
    from playproof.papers.chokozero.statements import StatementResult
    from playproof.papers.chokozero.times import SearchTime
    from playproof.papers.chokozero.trends import Trend


_PARTS = ((0.0, 0.1), (0.45, 0.55), (0.9, 1.0))  # of a run: its first tenth, middle, last tenth


def table_1(results: RoundRobinResults, nets: Mapping[str, str]) -> None:
    """Print the percentages, then ratings; ``nets`` names files by preset, where they are not the
    shipped nets."""
    print_heading("Table 1: percent of games that the column wins against the row")
    agents = results.agents
    rows = [
        [row.title, *(_cell(results.cells.get((column.name, row.name))) for column in agents)]
        for row in agents
    ]
    table("Won, its 95 % interval, drawn, and the paper's wins", ["", *(a.title for a in agents)],
          rows)  # fmt: skip
    compared = [cell for cell in results.cells.values() if cell.paper is not None]
    differ = sum(cell.differs for cell in compared)
    games = max((cell.games for cell in results.cells.values()), default=0)
    print_paragraph(
        f"{games} games in a pair, from {results.standings.openings} openings, each played twice "
        "with sides swapped: searches without chance would repeat one game from the empty board, "
        "from which the paper's games began. "
        f"The paper's figures are from about 20 games. {differ} of {len(compared)} of them are "
        "marked *: the 95\u00a0% intervals of its figure and of ours have nothing in common."
    )
    order = sorted(range(len(agents)), key=lambda i: -_strength(results, i))
    ratings = results.ratings.players
    table(
        "Ratings",
        ["agent", "Elo [95 %]", "points", "spec"],
        [
            [agents[i].title, str(ratings[i]), f"{ratings[i].points:g}/{ratings[i].games}",
             agents[i].spec(nets.get(agents[i].preset, agents[i].preset))]
            for i in order
        ],
    )  # fmt: skip


def _strength(results: RoundRobinResults, i: int) -> float:
    rating = results.ratings.players[i]
    finite = [elo for elo in (rating.elo, rating.lower, rating.upper) if elo is not None]
    return finite[0] if finite else float("-inf")


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    low, high = cell.won_interval
    lines = [
        f"{100 * cell.won:.1f} %",
        f"[{100 * low:.0f}, {100 * high:.0f}]",
        f"= {100 * cell.drawn:.1f} %",
    ]
    if cell.paper is not None:
        lines.append(f"p {100 * cell.paper:.0f} %{' *' if cell.differs else ''}")
    return "\n".join([*lines, ""])


def statements(results: Sequence[StatementResult], title: str = "Who is stronger?") -> None:
    print_heading(title)
    rows = []
    for one in results:
        score, (low, high) = one.score, one.score.interval()
        mean = f"{100 * (score.mean or 0.0):.1f} % [{100 * (low or 0.0):.1f}, "
        rows.append(
            [one.statement.text, one.statement.paper or "-", f"{mean}{100 * (high or 0.0):.1f}]",
             f"+{score.wins} ={score.draws} -{score.losses}", one.verdict]
        )  # fmt: skip
    columns = ["statement", "paper", "score here [95 %]", "games", "here"]
    table("A draw is half a point", columns, rows)


def letter(results: RoundRobinResults, from_empty: RoundRobinResults) -> None:
    """Print every reading of Minimax and PGTS beside the paper's figures."""
    print_heading("The letter of the text: other readings of Minimax and PGTS")
    for title, played in (("From openings", results), ("From the empty board", from_empty)):
        opponents = [SEARCHES[0], MINIMAXES[0], *NETS[:-1]]
        rows = []
        for reading in readings(played):
            cells = {pair.two.name: pair for pair in reading.comparisons}
            texts = [_beside_paper(cells.get(agent.name)) for agent in opponents]
            rows.append([reading.agent.title, *texts, f"{reading.distance:.0f} %"])
        columns = ["", *(agent.title for agent in opponents), "distance"]
        table(f"{title}: won, its 95 % interval, =drawn -lost; the paper's", columns, rows)
        pairs = [
            [pair.one.title, pair.two.title, _won_drawn_lost(pair), str(pair.score.games),
             f"{pair.distance:.0f} %"]
            for pair in grid(played)
        ]  # fmt: skip
        if pairs:
            columns = ["PGTS", "Minimax", "won, drawn, lost", "games", "distance"]
            table(f"{title}: PGTS against Minimax; the paper: +15 =85 -0", columns, pairs)
    print_paragraph(
        "The distance is the share of games whose result would have to change to give the paper's "
        "figures, for a reading the mean over its opponents. Searches that draw nothing at random "
        "play two games from the empty board. What the readings are: docs/papers/chokozero.md."
    )


def _beside_paper(pair: PaperComparison | None) -> str:
    if pair is None:
        return ""
    paper = "p +{:g} ={:g} -{:g}".format(*pair.paper)
    return f"{_won_drawn_lost(pair)}\n{paper}\n"


def _won_drawn_lost(pair: PaperComparison) -> str:
    (wins, draws, losses), (low, high) = pair.percent, pair.won_interval
    return f"+{wins:.0f} [{low:.0f}, {high:.0f}] ={draws:.0f} -{losses:.0f}"


def curves(runs: Sequence[EvaluatedRun], trends: Sequence[Trend], *, shipped: bool) -> None:
    print_heading("Figures 1 to 3: against itself ten iterations earlier")
    rows = []
    for run in runs:
        clipped, paper = run.clipped, CLIPPED.get(run.preset)
        seed = "" if len(runs) == len({c.preset for c in runs}) else f", {run.log.seed}"
        rows.append(
            [
                f"{run.title}{seed}", f"{run.log.done:,}",
                *(run.results_between(*part).percent() for part in _PARTS),
                "-" if clipped is None else f"{100 * clipped:.2f} %",
                "-" if paper is None else f"{100 * paper:.2f} %",
            ]
        )  # fmt: skip
    columns = ["net", "iterations", "first tenth", "middle", "last tenth", "clipped", "paper"]
    table("Won/drawn/lost in percent, and ratios clipped", columns, rows, right=" rrrrrr")
    if shipped:
        print_paragraph("These are the runs of the shipped nets; --runs FOLDER takes others.")
    table("Section 4.2", ["statement", "here", ""], [[t.text, t.result, t.verdict] for t in trends])


def openings(statistics: Sequence[OpeningStatistics]) -> None:
    print_heading("Do they open in the corners?")
    rows = []
    for one in statistics:
        first, reply = (
            "/".join(f"{100 * share:.0f}" for share in one.kinds[ply]) for ply in (0, 1)
        )
        corners = "/".join(f"{100 * one.corners(ply):.0f}" for ply in range(4))
        full = f"{100 * one.all_corners[3]:.0f}", f"{100 * one.all_corners[7]:.0f}"
        rows.append([one.agent.title, str(one.games), first, reply, corners, *full])
    columns = ["agent", "games", "Blue's first", "Red's first", "corners, plies 1 to 4",
               "all by 4", "by 8"]  # fmt: skip
    table(f"Percent of games: {'/'.join(KINDS)}", columns, rows, right=" rrrrrr")
    print_paragraph(
        "Each plays with itself from the empty board. The paper: all agents opened with corners. "
        f"At random {100 * CORNERS_AT_RANDOM:.0f}\u00a0% of first placements are corners. "
        "The last columns: games in which a piece was placed in each of the four corners by then."
    )


def times(search_times: Sequence[SearchTime]) -> None:
    print_heading("What a move costs")
    rows = []
    for one in search_times:
        paper = PAPER.get(one.title)
        rows.append(
            [one.title, f"{1000 * one.median:.2f} ms", f"{1000 * one.mean:.2f} ms",
             "-" if one.nodes is None else f"{one.nodes:,.0f}",
             "-" if paper is None else f"about {paper:g} s", one.spec]
        )  # fmt: skip
    columns = ["search", "median", "mean", "positions", "paper", "spec"]
    table("Time of a move, one position at a time", columns, rows, right=" rrrr")


def costs(net_costs: Sequence[NetCost]) -> None:
    rows = []
    for one in net_costs:
        parameters, paper = PAPER_PARAMETERS.get(one.preset), PAPER_SECONDS.get(one.preset)
        durations = [f"{where} {_duration(s)}" for where, s in one.seconds.items() if s is not None]
        rows.append(
            [one.title, f"{one.parameters:,}", "-" if parameters is None else f"{parameters:,}",
             ", ".join(durations) or "-", "-" if paper is None else _duration(paper)]
        )  # fmt: skip
    columns = ["net", "parameters", "paper", "training", "paper"]
    table("Sizes and training", columns, rows, right=" rr")


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
