"""Replies about papers, and the data of the home page."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from playproof.web.protocol.replies.base import Reply, View
from playproof.web.protocol.replies.jobs import JobState

# Papers


class Paper(Reply):
    """A paper in a sentence or two, and the command that checks it."""

    name: str
    title: str
    authors: str
    game: str
    about: str
    command: str


class Papers(Reply):
    """The papers, each in a sentence."""

    papers: list[Paper]


class Claim(Reply):
    """A claim: the paper's figure and seconds, our figure, and a verdict. ``run`` is the name by
    which it can be run now."""

    name: str
    says: str
    paper: str
    paper_seconds: float | None
    ours: str
    verdict: str
    command: str | None
    run: str | None


class QuickPart(Reply):
    """A part of a paper that can be run now, and how long it takes."""

    run: str
    label: str
    takes: str
    command: str


class PageBlock(Reply):
    """A paragraph, the output of a command, a table or a list; texts are in Markdown."""

    text: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    columns: list[str] | UnsetType = UNSET
    rows: list[list[str]] | UnsetType = UNSET
    items: list[str] | UnsetType = UNSET


class PageSection(Reply):
    """A section of a page."""

    title: str
    blocks: list[PageBlock]


class PaperPage(Reply):
    """The documentation page about a paper."""

    title: str
    sections: list[PageSection]


class ClaimOutcome(Reply):
    """What a run found, and whether that confirms the claim; null for an estimate."""

    found: str | None
    holds: bool | None
    seconds: float | None


class ClaimRun(Reply):
    """The latest job that ran a claim or a part, and what it found."""

    job: str
    state: JobState
    outcome: ClaimOutcome | None


class WholePaper(Paper):
    """A paper with its claims beside our figures. ``words`` explains terms in the figures; ``runs``
    are the latest runs here, by claim or part."""

    words: str
    claims: list[Claim]
    quick: list[QuickPart]
    page: PaperPage
    runs: dict[str, ClaimRun]


# The home page


class HomeViews(Reply):
    """Positions of real games, by the page that each leads to."""

    play: View
    analyse: View
    classroom: View
    games: View
    rules: View
    proofs: View
    truth: View


class HomeLines(Reply):
    """Shares of games won, drawn and lost, by iteration of a training run."""

    won: list[float]
    drawn: list[float]
    lost: list[float]


class HomeCurve(Reply):
    """How a network learned, over a number of iterations."""

    title: str
    iterations: int
    lines: HomeLines


class HomeRating(Reply):
    """A player's rating, with its interval."""

    elo: int
    low: int
    high: int
    name: str


class HomeTimes(Reply):
    """Seconds that a proof took: in the paper, and here."""

    paper: float
    here: float


class Home(Reply):
    """The data of the pictures on the home page."""

    views: HomeViews
    curve: HomeCurve
    ratings: list[HomeRating]
    times: HomeTimes
