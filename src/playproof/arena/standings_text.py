"""The standings of a match or a tournament as plain text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playproof.arena.statistics.score import Score, format_elo

if TYPE_CHECKING:
    from playproof.arena.database import PairingStatistics
    from playproof.arena.standings import Standings

_SECONDS = re.compile(r"\d+\.\d+(?= s\b)")


def text(standings: Standings) -> str:
    """The text that ``print`` shows: a match line by line, a tournament as a table."""
    lines = match_lines(standings) if len(standings.players) == 2 else _table(standings)
    for reuse in standings.reuse:
        lines += reuse.lines()
    return "\n".join([*lines, *failure_lines(standings.failures)])


def match_lines(standings: Standings) -> list[str]:
    """The lines about a match, all from the first named player's side."""
    score, statistics = standings.scores[0, 1], standings.statistics[0, 1]
    one, two = standings.players
    lines = [
        f"{one} against {two}, {score.games} games of {standings.game}",
        f"score   {percent(score)}  ({results(score)})",
        f"Elo     {format_elo(score)}",
        f"pairs   {' '.join(map(str, score.pentanomial))}  (0, ½, 1, 1½ and 2 points)",
        f"likelihood of superiority   {score.superiority or 0.0:.1%}",
    ]
    if statistics.get("mean_plies") is not None and "seconds_a_game" in statistics:
        times = " and ".join(f"{1000 * t:.2f} ms" for t in seconds_per_move(statistics))
        lines.append(f"plies a game   {statistics['mean_plies']:.1f}, time a move {times}")
    if standings.sprt is not None:
        low, high = standings.sprt.bounds
        test = f"{standings.sprt.elo0:g}, {standings.sprt.elo1:g}"
        lines.append(
            f"SPRT [{test}]   {standings.verdict}, "
            f"log-likelihood ratio {standings.sprt.llr(score):+.2f} of [{low:.2f}, {high:.2f}]"
        )
    return lines


def failure_lines(failures: dict[str, int]) -> list[str]:
    return [
        f"{count} game{'s' if count > 1 else ''}: {reason}"
        for reason, count in group_failures(failures).items()
    ]


def group_failures(failures: dict[str, int]) -> dict[str, int]:
    """Failures by reason, with reasons merged that differ only in their seconds.

    A clock is never missed twice by the same time.
    """
    counts: dict[str, int] = {}
    seconds: dict[str, list[str]] = {}
    for reason, count in failures.items():
        key = _SECONDS.sub("\0", reason, count=1)
        counts[key] = counts.get(key, 0) + count
        seconds.setdefault(key, []).extend(_SECONDS.findall(reason)[:1])
    grouped = {}
    for key, count in counts.items():
        times = sorted(set(seconds[key]), key=float)
        span = f"{times[0]} to {times[-1]}" if len(times) > 1 else "".join(times)
        grouped[key.replace("\0", span)] = count
    return grouped


def _table(standings: Standings) -> list[str]:
    """One row per player, best first, with its scores against the others by their places."""
    order = standings.order
    rows = [["", "player", "Elo", "points", *(str(place + 1) for place in range(len(order)))]]
    for place, i in enumerate(order):
        total, rating = standings.total(i), str(standings.ratings.players[i])
        row = [str(place + 1), standings.players[i], rating, f"{total.points:g}/{total.games}"]
        rows.append(row + [_mean(standings, i, j) for j in order])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    games = sum(score.games for score in standings.scores.values())
    return [f"{standings.game}, {len(order)} players, {games} games, seed {standings.seed}", ""] + [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _mean(standings: Standings, i: int, j: int) -> str:
    if i == j or (min(i, j), max(i, j)) not in standings.scores:
        return ""
    mean = standings.score(i, j).mean
    return "-" if mean is None else f"{100 * mean:.1f} %"


def percent(score: Score) -> str:
    """``62.5 % [57.1, 67.6]``."""
    if score.mean is None:
        return "-"
    lower, upper = score.interval()
    return f"{100 * score.mean:.1f} % [{100 * (lower or 0):.1f}, {100 * (upper or 0):.1f}]"


def results(score: Score) -> str:
    return f"+{score.wins} ={score.draws} -{score.losses}"


def seconds_per_move(statistics: PairingStatistics) -> tuple[float, float]:
    """Each player's thinking time per move.  Moves of the opening do not count."""
    plies = (statistics["mean_plies"] or 0.0) - statistics["opening_plies"]
    moves = max(plies / 2, 1.0)
    one, two = statistics["seconds_a_game"]
    return (one or 0.0) / moves, (two or 0.0) / moves
