"""The claims of each paper beside our figures, and what can be run again from the page.

Claims and the papers' figures come from ``playproof.papers``. Ours come from the pages about the
papers (``papers/pages.py``), which are also in docs/papers, so no figure is written down twice.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from playproof.core.errors import UsageError, one_of
from playproof.papers import pages
from playproof.papers.claims import Claim

_NAME = re.compile(r"`([a-z0-9-]+)`")
_OUTPUT = re.compile(
    r"^(?P<name>[a-z0-9-]+): .*(?:\n    paper: .*)?\n    found: (?P<found>.*(?:\n           .*)*)"
    r"\n    (?P<verdict>holds|DOES NOT HOLD|estimated)",
    re.MULTILINE,
)
_FIGURE = re.compile(
    r"^Figure (?P<number>\d), .*: (?P<found>equals our rules \(.*\))$", re.MULTILINE
)


@dataclass(frozen=True)
class Paper:
    """A paper. ``quick`` are parts without claims of their own that can be run from the page, each
    (label, arguments, how long it takes). ``section`` is the section of the documentation page
    whose first table has the claims, for papers whose code has none."""

    name: str
    title: str
    authors: str
    game: str
    about: str  # what it is about, in a sentence or two
    command: str
    quick: dict[str, tuple[str, tuple[str, ...], str]]
    section: str | None = None
    words: str = ""  # explains terms in the figures
    slow: tuple[str, ...] = ()  # claims that take minutes, besides those marked long


PAPERS = (
    Paper(
        "othello33",
        "The maximum number of legal moves of Othello in reachable positions is 33",
        "H. Takizawa, 2023",
        "othello",
        "How many moves can a player have to choose from in a game of Othello? 33, says the paper, "
        "and proves with solvers that no game reaches 34. Its longest proof took 15 hours.",
        "playproof paper othello33",
        {},
        words="SAT: a solver found such a position. UNSAT: it proved that there is none. Stones "
        "are discs on the board, plies single moves.",
        slow=("34-38", "generated", "positions", "28", "29"),
    ),
    Paper(
        "chokozero",
        "ChokoZero",
        "E. Francisco, B. Wirth and N. Kannan",
        "choko",
        "Networks learn the Gambian game Choko by playing themselves, and a search that a network "
        "guides is said to beat them all. We trained them again and let everyone meet in 400 games "
        "a pair, not 20.",
        "playproof paper chokozero",
        {
            "curves": ("The training curves", ("--only", "curves"), "seconds"),
            "truth": ("What a full solve of the game says", ("--truth",), "seconds"),
            "openings": (
                "Do they open in the corners?", ("--only", "openings", "--quick"), "a minute",
            ),
            "table": (
                "The table of results, 20 games a pair", ("--only", "table", "--quick"),
                "two or three minutes",
            ),
        },
        section="What holds",
        words="DQL and PPO V1 to V3 are networks that learned by themselves, PGTS a search that V3 "
        "guides, Minimax a plain search three moves deep; names with + are ours. "
        "The paper's figures are percent of about 20 games won, drawn and lost. Ours are "
        "percent of the points in 400 games, a draw being half a point, with the interval that "
        "holds the truth in 95 of 100 cases. A claim holds if all of that lies above 50.",
    ),
    Paper(
        "quantum-go",
        "Quantum Go",
        "A. Ranchin, 2016",
        "quantum-go",
        "Go with stones that are in two places at once until they touch another. The paper gives "
        "rules, two games and a formula, and asks what the right to play pairs is worth.",
        "playproof paper quantum-go",
        {},
        words="Margins are by how many points Black is ahead. Forced: one choice is left; free: "
        "more than one.",
    ),
    Paper(
        "rl-chess",
        "Reinforcement Learning in Chess",
        "J. Chu, S. Li and W. M. Loh",
        "chess",
        "A plan without results: a network learns chess from engines' games, then from its own, "
        "and meets Stockfish. We carry it out.",
        "playproof paper rl-chess",
        {
            "quick": (
                "All of it, very small", ("--quick", "--seed", "1"),
                "a minute; it needs Stockfish",
            ),
        },
        section="",
    ),
)  # fmt: skip
BY_NAME = {paper.name: paper for paper in PAPERS}


def paper(name: str) -> Paper:
    """A paper by its name."""
    if name not in BY_NAME:
        raise UsageError(f"there is no paper {name[:40]!r}: want {one_of(list(BY_NAME))}")
    return BY_NAME[name]


def argv(one: Paper, run: str) -> list[str]:
    """The command that runs a claim or part, if it may be run from the page."""
    if run in one.quick:
        return ["paper", one.name, *one.quick[run][1]]
    if run in quick_claims(one):
        return ["paper", one.name, "--only", run]
    names = [*one.quick, *quick_claims(one)]
    raise UsageError(f"{run[:40]!r} cannot be run from the page: want {one_of(names)}")


def quick_claims(one: Paper) -> list[str]:
    """The names of the claims that can be run from the page."""
    return [c.name for c in _claims_in_code(one.name) if not c.long and c.name not in one.slow]


@functools.cache
def _claims_in_code(name: str) -> tuple[Claim, ...]:
    """The claims of a paper that are defined in code; none if they are in a table."""
    if name == "othello33":
        from playproof.papers import othello33

        return othello33.CLAIMS
    if name == "quantum-go":
        from playproof.papers.quantum_go import paper as quantum_go
        from playproof.papers.quantum_go.komi import Effort

        return quantum_go.claims(Effort())
    return ()


def claims(one: Paper) -> list[dict[str, Any]]:
    """A paper's claims, each with the paper's figure and ours, in the fields of replies.Claim."""
    from_code = _claims_in_code(one.name)
    if not from_code:
        return list(_claims_in_table(one))
    ours = our_figures(one.name)
    quick = quick_claims(one)
    return [
        {
            "name": claim.name,
            "says": claim.text,
            "paper": claim.paper,
            "paper_seconds": claim.seconds,
            "ours": ours.get(claim.name, ""),
            "verdict": "",
            "command": f"{one.command} --only {claim.name}",
            "run": claim.name if claim.name in quick else None,
        }
        for claim in from_code
    ]


def _claims_in_table(one: Paper) -> Iterator[dict[str, Any]]:
    """The claims in a table of the documentation page; its heads name the columns."""
    table = pages.tables(pages.shipped()[one.name], one.section)[0]
    heads = table["columns"]
    theirs = next(i for i, head in enumerate(heads) if head in ("paper", "the paper"))
    here = heads.index("here")
    verdict = heads.index("") if "" in heads[1:] else None
    for row in table["rows"]:
        yield {
            "name": row[0],
            "says": row[0],
            "paper": row[theirs],
            "paper_seconds": None,
            "ours": row[here],
            "verdict": "" if verdict is None else row[verdict].strip("*"),
            "command": None,
            "run": None,
        }


@functools.cache
def our_figures(name: str) -> dict[str, str]:
    """Our figures by claim, from the tables of the documentation page and the outputs on it."""
    page = pages.shipped()[name]
    figures: dict[str, str] = {}
    for table in pages.tables(page):
        for row in table["rows"]:
            key = _key(table["columns"], row)
            if key is not None:
                figures[key] = _figure(table["columns"], row)
    for section in page["sections"]:
        for block in section["blocks"]:
            code = block.get("code", "")
            for match in _OUTPUT.finditer(code):
                figures.setdefault(match["name"], re.sub(r"\s*\n\s*", "; ", match["found"]))
            for match in _FIGURE.finditer(code):
                figures[f"figure-{match['number']}"] = match["found"]
    return figures


def _key(columns: list[str], row: list[str]) -> str | None:
    """The claim that a row is about."""
    if "`--only`" in columns:
        return row[columns.index("`--only`")].strip("`")
    if columns[0] == "stones":
        return "census" if row[0] == "all" else row[0]
    if columns[0] == "figure":
        return f"figure-{row[0].lower()}"
    named = _NAME.search(row[0])
    return named[1] if named else None


def _figure(columns: list[str], row: list[str]) -> str:
    """Our figure in a row."""
    for head in ("ours", "found"):
        if head in columns:
            return row[columns.index(head)]
    if columns[0] == "stones":
        return f"{row[2]} of {row[1]} candidates, {row[columns.index('search')]}"
    pairs = zip(columns[1:], row[1:], strict=True)
    return ", ".join(f"{head} {cell}" for head, cell in pairs if cell)
