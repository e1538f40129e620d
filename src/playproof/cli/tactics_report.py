"""What ``playproof tactics`` prints: pictures, tables, and lines on the paper's positions."""

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


def tell(results: Sequence[TacticsReport]) -> None:
    if results[0].posed:
        _tell_families(results)
    for number, told in enumerate(results[0].paper):
        figure = told.one.figure
        print(f"{figure.title}: {figure.move} ({figure.says}). {figure.tells}.")
        for result in results:
            print(f"  {result.agent}: {_line(result.paper[number])}")
            for searched in result.searched[number : number + 1]:
                print(f"  {searched.agent}: {_line(searched)}")


def _tell_families(results: Sequence[TacticsReport]) -> None:
    """Family by family, so that agents stand side by side."""
    families = [result.families for result in results]
    columns = ["family", "agent", "solved", "by chance"]
    opinions = any(part.policy for found in families for part in found.values())
    if opinions:
        columns += ["right moves get", "best one's rank"]
    rows = []
    for name in families[0]:
        for place, (result, found) in enumerate(zip(results, families, strict=True)):
            part = found[name]
            row = ["" if place else name, result.agent, str(part.share)]
            row.append(f"{100 * part.random:.1f} %")
            rows.append(row + _opinion(part.policy) if opinions else row)
    asked = families[0][ALL].share.positions
    table(f"Choko: tactics, {asked:,} positions", columns, rows, right="llrrrr")


def _opinion(policy: PolicyQuality | None) -> list[str]:
    """The mean probability of right moves; the mean rank of the likeliest, and the median."""
    if policy is None:
        return ["-", "-"]
    ranks = f"{policy.mean_rank:.1f}, median {policy.median_rank:g}"
    return [f"{100 * policy.probability:.1f} %", ranks]


def _line(told: PaperAnswer) -> str:
    line = f"{told.plays}, {'right' if told.right else 'wrong'}"
    if told.probability is None:
        return line
    return (
        f"{line}; the paper's move has {100 * told.probability:.1f} %, rank {told.rank}; "
        f"the likeliest is {told.likeliest}"
    )


def draw(
    game: Game,
    tactics: Tactics,
    results: Sequence[TacticsReport],
    *,
    families: Sequence[str],
    limit: int | None,
    seed: int,
) -> None:
    """The positions that agents were asked about, or would be, and their moves."""
    for number, posed in enumerate(pose(tactics, families=families, limit=limit, seed=seed)):
        answers = [(result.agent, result.answers[number].move) for result in results]
        print(f"{posed.family}: {MEANINGS[posed.family]}")
        _draw(game, posed.critical, answers)
    if PAPER not in families:
        return
    for number, one in enumerate(tactics.paper):
        figure, names = one.figure, game.position(one.critical.position).legal_names()
        print(f"{figure.title}: {figure.says}")
        added = [
            f"{side} {squares}"
            for side, squares in (("Red", one.red), ("Blue", one.blue))
            if squares
        ]
        print(f"Added to what the text names: {', '.join(added)}.")
        moves = [(result.agent, names.index(result.paper[number].plays)) for result in results]
        _draw(game, one.critical, moves)


def _draw(game: Game, one: CriticalPosition, answers: Iterable[tuple[str, int]]) -> None:
    out = sys.stdout
    state = game.position(one.position)
    names = state.legal_names()
    colour, signs = terminal.supports_colour(out), terminal.supports_unicode(out)
    print(terminal.render(state.view(), colour=colour, unicode=signs))
    good = [name for move, name in enumerate(names) if one.keeps(move)]
    print(f"{'Won' if one.value > 0 else 'Drawn'} by {', '.join(good)} alone.")
    for agent, move in answers:
        print(f"{agent} plays {names[move]}, {'right' if one.keeps(move) else 'wrong'}.")
    print(f"Position: {one.position}\n")
