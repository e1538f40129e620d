"""ChokoZero's Figures 1 to 3 redrawn, and what its section 4.2 reads out of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playproof.arena.statistics.score import wilson
from playproof.formats.chart.chart import Chart, Panel, Series
from playproof.learning.runs import curves
from playproof.papers.chokozero.curves import CLIPPED, RESULTS, Course, Share

FIGURES = {"choko-ppo-v1": 1, "choko-ppo-v2": 2, "choko-ppo-v3": 3}
_PARTS = 20  # of a run: means are over one of them


def chart(courses: Sequence[Course], theme: str = "light") -> Chart:
    """A panel for each run: won, drawn and lost over its iterations."""
    panels = []
    for course in courses:
        smooth = max(1, course.log.done // _PARTS)
        lines = []
        for style, (name, word) in enumerate(RESULTS.items()):
            made = curves.curve(course.log, name, smooth)
            lines.append(Series(word, made.iterations, made.values, made.lower, made.upper, style))
        figure = f" (Figure {FIGURES[course.preset]})" if course.preset in FIGURES else ""
        panels.append(
            Panel(f"{course.title}{figure}", tuple(lines), "iteration", percent=True, low=0.0,
                  high=1.0, x_low=0.0, x_high=float(course.log.done))
        )  # fmt: skip
    note = (
        "Games against itself 10 iterations earlier (DQL: 200 gradient steps), means over a "
        f"{_PARTS}th of the run. Shaded: 95 % intervals (Wilson)."
    )
    return Chart("ChokoZero: training against an earlier self", tuple(panels), note, theme)


@dataclass(frozen=True)
class Trend:
    """A statement of section 4.2 and our figures for it; ``holds`` is None where our games
    do not decide, or where there is nothing to decide."""

    says: str
    found: str
    holds: bool | None

    @property
    def verdict(self) -> str:
        return {True: "holds", False: "does not hold", None: "-"}[self.holds]


def trends(courses: Sequence[Course]) -> list[Trend]:
    """For the runs that there are; of several seeds the first."""
    of = {course.preset: course for course in reversed(courses)}
    found: list[Trend] = []
    if (v1 := of.get("choko-ppo-v1")) is not None:
        found += [
            _ahead("V1: wins stay ahead of losses", v1.part(0.0, 1.0)),
            _moves("V1: the win rate falls, first to last quarter",
                   v1.part(0.0, 0.25), v1.part(0.75, 1.0), up=False),
        ]  # fmt: skip
    if (v2 := of.get("choko-ppo-v2")) is not None:
        found += [
            _moves("V2: the win rate grows slightly, second to last quarter",
                   v2.part(0.25, 0.5), v2.part(0.75, 1.0), up=True),
            _end("V2: at the end 140 % more wins than losses", v2.part(0.9, 1.0)),
        ]  # fmt: skip
    if (v3 := of.get("choko-ppo-v3")) is not None:
        found += [
            _moves("V3: the win rate rises, second to third quarter",
                   v3.part(0.25, 0.5), v3.part(0.5, 0.75), up=True),
            _end("V3: at the end 44 % and 42 %, near an equilibrium", v3.part(0.9, 1.0)),
        ]  # fmt: skip
    one, two = (of[name].clipped if name in of else None for name in CLIPPED)
    if one is not None and two is not None:
        told = f"{100 * one:.2f} % and {100 * two:.2f} %"
        found.append(Trend("V1 is clipped less than V2: 3.41 % and 4.1 %", told, one < two))
    return found


def _moves(says: str, before: Share, after: Share, *, up: bool) -> Trend:
    """Whether the share of wins rises, or falls: the intervals of both must lie apart."""
    (low, high), (least, most) = (wilson(share.wins, share.games) for share in (before, after))
    told = f"{_won(before)} [{100 * low:.1f}, {100 * high:.1f}], then "
    told += f"{_won(after)} [{100 * least:.1f}, {100 * most:.1f}]"
    rises, falls = least > high, most < low
    return Trend(says, told, rises == up if rises or falls else None)


def _won(share: Share) -> str:
    return f"{100 * share.wins / share.games:.1f} %" if share.games else "-"


def _ahead(says: str, share: Share) -> Trend:
    """Whether more is won than lost."""
    low, high = wilson(share.wins, share.wins + share.losses)
    told = f"{share.percent()} % won, drawn and lost"
    return Trend(says, told, True if low > 0.5 else False if high < 0.5 else None)


def _end(says: str, share: Share) -> Trend:
    """The last tenth of a run; the paper tells a figure, not a claim."""
    more = f"{100 * (share.wins / share.losses - 1):+.0f} %" if share.losses else "no losses"
    return Trend(says, f"{share.percent()} % won, drawn and lost: {more}", None)
