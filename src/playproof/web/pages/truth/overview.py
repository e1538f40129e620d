"""What the Truth page shows first: Choko's value, the first placements, and positions worth a
look. All of it is shipped (``papers/data/choko_truth.json``)."""

from __future__ import annotations

import functools
from typing import Any

from playproof.papers.choko_solved import truth as choko_truth
from playproof.papers.choko_solved.report import (
    ENDINGS,
    LINE_CAPTIONS,
    drawn_starts,
    quickest,
)
from playproof.web.pages.truth import parse_text as truth_text

Json = dict[str, Any]
COMMAND = "playproof paper chokozero --truth"


@functools.cache
def overview() -> Json:
    """The content of the page, in the fields of replies.Truth."""
    truth = choko_truth.shipped()
    first = truth.off.first
    fewest, most = min(first.values()), max(first.values())
    return {
        "command": COMMAND,
        "value": truth.off.value,
        "positions": truth.off.all.positions,
        "first": first,
        "first_words": (
            f"The number is how many moves of both sides Blue needs to win if the first piece goes "
            f"there: {fewest} from a corner, {most} at the slowest. All 25 win."
        ),
        "facts": _sentences(truth),
        "line": " ".join(truth.line),
        "examples": [one | {"position": _position(one)} for one in _examples(truth)],
    }


def _position(example: Json) -> str:
    sequence = truth_text.read(example["text"])
    return sequence.states[sequence.at(example["ply"])].position


def _sentences(truth: choko_truth.Truth) -> list[str]:
    """A few sentences, each with a figure of the solve."""
    steps, lose = sum(truth.third["step"]), truth.third["step"][2]
    opening = truth.sample["opening"]
    fewer = ", ".join(map(str, drawn_starts(truth)))
    return [
        f"{truth.off.all.positions:,} positions were worked out backwards from the ends of all "
        f"games, and each of {truth.off.stored:,} stored values was derived again in a second way: "
        f"{truth.off.wrong} were wrong.",
        f"Stepping too early loses: of Blue's {steps:,} steps after two placements {lose:,} lose.",
        f"A jump takes two pieces and still gives the win away in {opening['jumps_fail']:,} of "
        f"{opening['jumps']:,} sampled openings in which one can jump: placing keeps the other "
        "side busy.",
        f"With {fewer} pieces a side instead of twelve the empty board is a draw.",
    ]


def _examples(truth: choko_truth.Truth) -> list[Json]:
    """Positions to choose, each as a text that the page opens at a ply."""
    line = " ".join(truth.line)
    out = [
        {
            "id": "line",
            "title": "The best line",
            "about": f"Both sides without a mistake, {len(truth.line)} moves. Step through it.",
            "text": line,
            "ply": 0,
        }
    ]
    out += [
        {
            "id": f"line-{ply}",
            "title": f"The best line, move {ply}",
            "about": why,
            "text": line,
            "ply": ply,
        }
        for ply, why in LINE_CAPTIONS.items()
    ]
    position, moves = truth.early_capture
    jump = next(move for move in moves if "x" in move)
    best, value = quickest(moves)
    out.append(
        {
            "id": "early",
            "title": "Two pieces, and the win is gone",
            "about": f"{jump} takes both Red pieces and only draws. {' or '.join(best)} wins in "
            f"{value}.",
            "text": position,
            "ply": 0,
        }
    )
    for ending in ENDINGS:
        upset = truth.upset(ending.slice)
        of = truth.off.slices[ending.slice].positions
        out.append(
            {
                "id": ending.slice,
                "title": ending.title,
                "about": f"{ending.why} So it is in {upset.positions:,} of {of:,} positions.",
                "text": upset.example,
                "ply": 0,
            }
        )
    longest = sorted(truth.longest.items(), key=lambda item: (-item[1][0], -item[0]))
    out += [
        {
            "id": f"longest-{hands}",
            "title": f"Won in {actions}" + (", the longest of all" if place == 0 else ""),
            "about": f"The longest win with {hands or 'no'} pieces in each hand. A game is called "
            "off after 100 moves, so in play it is a draw.",
            "text": position,
            "ply": 0,
        }
        for place, (hands, (actions, position)) in enumerate(longest[:4])
    ]
    return out
