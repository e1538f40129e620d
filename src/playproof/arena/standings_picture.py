"""The table of a tournament as a picture: ratings with intervals, and every pairing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from playproof.arena.standings import Standings
from playproof.arena.statistics.ratings import Rating
from playproof.arena.statistics.score import Score
from playproof.formats.svg.theme import BLUE, FONT, PAPERS, RED, Paper
from playproof.formats.svg.writer import escape, fit, num, tag, text, width

_MARGIN, _HEAD, _ROW, _CELL, _PLOT = 20.0, 96.0, 46.0, 86.0, 190.0
_LETTERS = 14.0  # size of names
_SMALL = 10.5


def render(standings: Standings, *, theme: str = "light") -> str:
    """The picture as SVG text."""
    paper = PAPERS[theme]
    n = len(standings.players)
    names = min(260.0, max(width(name, _LETTERS) for name in standings.players) + 34.0)
    left, table = _MARGIN + names, _MARGIN + names + _PLOT + 24.0
    wide = table + n * _CELL + _MARGIN
    high = _HEAD + n * _ROW + 46.0
    title = f"{standings.game}: {n} players, seed {standings.seed}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {num(wide)} {num(high)}" '
        f'width="{num(wide)}" height="{num(high)}" font-family="{escape(FONT)}" role="img" '
        f'aria-label="{escape(_spoken(standings))}">',
        f"<title>{escape(title)}</title>",
        tag("rect", x=0.5, y=0.5, width=wide - 1, height=high - 1, rx=10.0, fill=paper.card,
            stroke=paper.edge),
        text(_MARGIN, 28.0, fit(title, 17.0, wide - 2 * _MARGIN, True), 17.0, paper.text,
             bold=True),
        text(left, 62.0, "Elo, 95 % interval", _SMALL, paper.quiet),
        text(table, 62.0, "Score against number", _SMALL, paper.quiet),
        *_plot(standings, left, paper),
    ]  # fmt: skip
    for place, i in enumerate(standings.order):
        middle = _HEAD + (place + 0.5) * _ROW
        name = fit(f"{place + 1}  {standings.players[i]}", _LETTERS, names - 10.0)
        parts.append(text(_MARGIN, middle, name, _LETTERS, paper.text))
        across = table + (place + 0.5) * _CELL
        parts.append(text(across, 84.0, str(place + 1), _SMALL, paper.quiet, anchor="middle"))
        for other, j in enumerate(standings.order):
            if i != j:
                parts += _cell(standings.score(i, j), table + other * _CELL, middle, paper)
    games = max((score.games for score in standings.scores.values()), default=0)
    foot = f"{games} games in a pairing, in pairs with sides swapped; draws count one half"
    parts.append(
        text(_MARGIN, high - 22.0, fit(foot, _SMALL, wide - 2 * _MARGIN), _SMALL, paper.quiet)
    )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _cell(score: Score, x: float, middle: float, paper: Paper) -> Iterator[str]:
    mean = score.mean
    top = middle - _ROW / 2 + 2.0
    if mean is None:
        yield text(x + _CELL / 2, middle, "-", _LETTERS, paper.quiet, anchor="middle")
        return
    # The farther from even, the stronger the tint, but never so strong that it hides the text.
    strength = 0.5 * abs(mean - 0.5)
    yield tag("rect", x=x + 2.0, y=top, width=_CELL - 4.0, height=_ROW - 4.0, rx=5.0,
              fill=BLUE if mean >= 0.5 else RED, fill_opacity=strength)  # fmt: skip
    lower, upper = score.interval()
    ends = f"[{100 * (lower or 0.0):.0f}, {100 * (upper or 0.0):.0f}]"
    yield text(x + _CELL / 2, middle - 7.0, f"{100 * mean:.1f} %", 13.0, paper.text,
               anchor="middle", bold=True)  # fmt: skip
    yield text(x + _CELL / 2, middle + 10.0, ends, _SMALL, paper.quiet, anchor="middle")


def _plot(standings: Standings, left: float, paper: Paper) -> Iterator[str]:
    """Ratings on an axis; an arrow where an interval is open."""
    ratings = standings.ratings.players
    ends = [e for r in ratings for e in (r.elo, r.lower, r.upper) if e is not None]
    if not ends:
        return
    low, high = min(ends), max(ends)
    spread = max(high - low, 1.0)

    def x(elo: float) -> float:
        return left + 10.0 + (elo - low) / spread * (_PLOT - 20.0)

    bottom = _HEAD + len(ratings) * _ROW
    if low <= 0.0 <= high:
        yield tag("line", x1=x(0.0), y1=_HEAD, x2=x(0.0), y2=bottom, stroke=paper.edge)
    for place, i in enumerate(standings.order):
        yield from _whisker(ratings[i], _HEAD + (place + 0.5) * _ROW, x, left, paper)


def _whisker(
    rating: Rating, y: float, x: Callable[[float], float], left: float, paper: Paper
) -> Iterator[str]:

    known = [e for e in (rating.lower, rating.upper) if e is not None]
    label = str(rating)
    if known:
        start = x(rating.lower) if rating.lower is not None else left
        end = x(rating.upper) if rating.upper is not None else left + _PLOT
        yield tag("line", x1=start, y1=y + 6.0, x2=end, y2=y + 6.0, stroke=BLUE, stroke_width=3.0,
                  stroke_opacity=0.45, stroke_linecap="round")  # fmt: skip
        if rating.upper is None:
            yield _arrow(end, y + 6.0, 1.0)
        if rating.lower is None:
            yield _arrow(start, y + 6.0, -1.0)
    if rating.elo is not None:
        yield tag("circle", cx=x(rating.elo), cy=y + 6.0, r=4.5, fill=BLUE)
    yield text(left + _PLOT / 2, y - 10.0, label, _SMALL, paper.text, anchor="middle")


def _arrow(x: float, y: float, way: float) -> str:
    points = f"{num(x + 6.0 * way)},{num(y)} {num(x)},{num(y - 5.0)} {num(x)},{num(y + 5.0)}"
    return tag("polygon", points=points, fill=BLUE)


def _spoken(standings: Standings) -> str:
    """The table in words, for screen readers."""
    lines = [
        f"{place + 1}. {standings.players[i]} {standings.ratings.players[i]}"
        for place, i in enumerate(standings.order)
    ]
    return f"Tournament of {standings.game}. " + "; ".join(lines)
