"""The output of ``playproof tactics``: boards, tables, and lines on the paper's positions."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from playproof.arena.tactics.families import MEANINGS
from playproof.arena.tactics.measure import PaperAnswer, PolicyQuality, TacticsReport, pose
from playproof.arena.tactics.positions import PAPER, Tactics
from playproof.arena.yardstick.critical import CriticalPosition
from playproof.arena.yardstick.measure import ALL
from playproof.cli.output import table
from playproof.core.game import Game
from playproof.formats import terminal


def print_reports(reports: Sequence[TacticsReport]) -> None:
    """Print the results by family, and the agents' moves in the paper's positions."""
    if reports[0].positions:
        _print_families(reports)
    for number, answer in enumerate(reports[0].paper):
        figure = answer.reconstruction.figure
        print(f"{figure.title}: {figure.move} ({figure.description}). {figure.paper_result}.")
        for report in reports:
            print(f"  {report.agent}: {_answer_line(report.paper[number])}")
            for by_search in report.paper_by_search[number : number + 1]:
                print(f"  {by_search.agent}: {_answer_line(by_search)}")


def _print_families(reports: Sequence[TacticsReport]) -> None:
    """Print a table with the agents of each family next to each other."""
    families = [report.families for report in reports]
    columns = ["family", "agent", "solved", "by chance"]
    has_policies = any(result.policy for results in families for result in results.values())
    if has_policies:
        columns += ["right moves get", "best one's rank"]
    rows = []
    for name in families[0]:
        for place, (report, results) in enumerate(zip(reports, families, strict=True)):
            result = results[name]
            row = ["" if place else name, report.agent, str(result.share)]
            row.append(f"{100 * result.random:.1f} %")
            rows.append(row + _policy_cells(result.policy) if has_policies else row)
    count = families[0][ALL].share.positions
    table(f"Choko: tactics, {count:,} positions", columns, rows, right="llrrrr")


def _policy_cells(policy: PolicyQuality | None) -> list[str]:
    """The mean probability of the right moves, and the rank of the likeliest of them."""
    if policy is None:
        return ["-", "-"]
    ranks = f"{policy.mean_rank:.1f}, median {policy.median_rank:g}"
    return [f"{100 * policy.probability:.1f} %", ranks]


def _answer_line(answer: PaperAnswer) -> str:
    line = f"{answer.move}, {'right' if answer.is_right else 'wrong'}"
    if answer.probability is None:
        return line
    return (
        f"{line}; the paper's move has {100 * answer.probability:.1f} %, rank {answer.rank}; "
        f"the likeliest is {answer.likeliest}"
    )


def draw(
    game: Game,
    tactics: Tactics,
    reports: Sequence[TacticsReport],
    *,
    families: Sequence[str],
    limit: int | None,
    seed: int,
) -> None:
    """Draw the positions that agents are asked about, with the moves of those that were asked."""
    for number, posed in enumerate(pose(tactics, families=families, limit=limit, seed=seed)):
        moves = [(report.agent, report.moves[number].move) for report in reports]
        print(f"{posed.family}: {MEANINGS[posed.family]}")
        _draw(game, posed.critical, moves)
    if PAPER not in families:
        return
    for number, one in enumerate(tactics.paper):
        figure, names = one.figure, game.position(one.critical.position).legal_names()
        print(f"{figure.title}: {figure.description}")
        added = [
            f"{side} {squares}"
            for side, squares in (("Red", one.added_red), ("Blue", one.added_blue))
            if squares
        ]
        print(f"Added to what the text names: {', '.join(added)}.")
        moves = [(report.agent, names.index(report.paper[number].move)) for report in reports]
        _draw(game, one.critical, moves)


def _draw(game: Game, position: CriticalPosition, moves: Iterable[tuple[str, int]]) -> None:
    out = sys.stdout
    state = game.position(position.position)
    names = state.legal_names()
    colour, signs = terminal.supports_colour(out), terminal.supports_unicode(out)
    print(terminal.render(state.view(), colour=colour, unicode=signs))
    right = [name for move, name in enumerate(names) if position.keeps(move)]
    print(f"{'Won' if position.value > 0 else 'Drawn'} by {', '.join(right)} alone.")
    for agent, move in moves:
        print(f"{agent} plays {names[move]}, {'right' if position.keeps(move) else 'wrong'}.")
    print(f"Position: {position.position}\n")
