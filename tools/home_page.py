"""Write the data of the lab's home page, ``web/static/pages/home/home.json``::

    python tools/home_page.py

Nothing in it is invented: every picture and number comes from a game, a paper's page or a run.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

from playproof.core.registry import make
from playproof.core.view import Arrow, View
from playproof.papers import pages
from playproof.papers.choko_solved import truth as choko_truth
from playproof.papers.choko_solved.report import first_placements
from playproof.papers.chokozero import curves as chokozero_curves
from playproof.web.pages.home import FILE, Json

# The fewest plies after which a player has 33 moves (docs/papers/othello33.md).
_THIRTY_THREE = "e6f6f5f4c3c6c5d6f7b5g4f3e2f2g2c4b4b3b7b6d7e3b2a3g6"
# Morphy against the Duke of Brunswick and Count Isouard, Paris 1858, two moves before mate.
_OPERA = (
    "e4 e5 Nf3 d6 d4 Bg4 dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3 Qe7 Nc3 c6 Bg5 b5 Nxb5 cxb5 Bxb5+ Nbd7 "
    "O-O-O Rd8 Rxd7 Rxd7 Rd1 Qe6 Bxd7+ Nxd7"
)
# The first pairs of Example 1 (Ranchin, 2016), before any collapse.
_PAIRS = "D3 C2 C4 D5"
_POINTS = 20  # of a curve


def build_home() -> Json:
    """The data of the page, from the games, the papers' pages and the shipped runs."""
    truth = choko_truth.shipped()
    othello, chess, choko = make("othello"), make("chess"), make("choko")
    opera = chess.start().play(_OPERA).view()
    pictures = {
        "play": othello.start().view(),
        "analyse": replace(opera, arrows=(Arrow("b3", "b8", 0.9, best=True),), last=()),
        "classroom": make("quantum-go", board="6x6").start().play(_PAIRS).view(),
        "games": choko.start().play(list(truth.line[:31])).view(),
        "rules": choko.position("2r2/1br2/2b2/1r3/5 b 9 9 - 8").view(),
        "proofs": othello.start().play(_THIRTY_THREE).view(),
        "truth": first_placements(truth),
    }
    return {
        "views": {name: _static_view(view) for name, view in pictures.items()},
        "curve": _curve(),
        "ratings": _ratings(),
        "times": _times(),
    }


def _static_view(view: View) -> Json:
    """The JSON of a View without moves, since nothing can be clicked."""
    return view.to_json() | {"legal": [], "actions": [], "steps": []}


def _curve() -> Json:
    """How often a net wins, draws and loses against itself ten iterations earlier."""
    run = next(one for one in chokozero_curves.shipped() if one.preset == "choko-ppo-v1")
    parts = [run.results_between(i / _POINTS, (i + 1) / _POINTS) for i in range(_POINTS)]
    lines = {
        word: [round(getattr(part, name) / part.games, 4) for part in parts]
        for word, name in (("won", "wins"), ("drawn", "draws"), ("lost", "losses"))
    }
    return {"title": run.title, "iterations": run.log.done, "lines": lines}


def _ratings() -> list[Json]:
    """The Elo ratings of ChokoZero's agents, from the paper's page."""
    rows = pages.tables(pages.shipped()["chokozero"], "Table 1")[1]["rows"]
    ratings = []
    for name, rating, _ in rows:
        numbers = [int(n) for n in re.findall(r"[-+]\d+", rating.replace("\N{MINUS SIGN}", "-"))]
        ratings.append(dict(zip(("elo", "low", "high"), numbers, strict=True)) | {"name": name})
    return ratings


def _times() -> Json:
    """Seconds to prove that no game reaches 34 moves, in the paper and here."""
    from playproof.papers.othello33 import CLAIMS

    claim = next(one for one in CLAIMS if one.name == "unreachable")
    rows = pages.tables(pages.shipped()["othello33"], "Claim by claim")[0]["rows"]
    ours = next(row[3] for row in rows if row[4] == "`unreachable`")
    return {"paper": claim.seconds, "here": float(ours.split(" s")[0])}


if __name__ == "__main__":
    FILE.write_text(json.dumps(build_home(), indent=1) + "\n", encoding="utf-8")
