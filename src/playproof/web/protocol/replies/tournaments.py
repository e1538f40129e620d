"""Answers about tournaments and matches."""

from __future__ import annotations

from typing import Literal

from playproof.web.protocol.replies.base import News, Reply
from playproof.web.protocol.replies.jobs import Job

TournamentState = Literal["done", "running", "waiting", "stopped"]
# Lower and upper end with 95 % confidence; null is an open one.
Interval = tuple[float | None, float | None]


class Tournament(Reply):
    """A tournament: its players by number, ``pairs`` of games in every pairing, ``played`` of
    ``games`` in all. ``game`` is a spec and ``name`` the game's name; ``file`` is not null where
    it is not in the lab's own file."""

    id: int
    game: str
    name: str
    title: str
    board: str
    players: list[str]
    pairs: int
    games: int
    openings: str
    seed: int
    created: str
    done: bool
    formats: list[str]
    file: str | None
    played: int
    state: TournamentState
    job: str | None


class Tournaments(Reply):
    """Tournaments, the latest first; ``workers`` is how many one may have."""

    tournaments: list[Tournament]
    workers: int


class PlayerRating(Reply):
    """A player's Elo; null where it cannot be told."""

    elo: float | None
    interval: Interval
    text: str
    games: int
    points: float


class Pairing(Reply):
    """What the first of two players got against the second; ``plies`` of a game in the mean."""

    players: tuple[int, int]
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    mean: float | None
    interval: Interval
    plies: float | None


class SequentialTest(Reply):
    """A sequential test of two players: its hypotheses in Elo, its errors, and how far the
    log-likelihood ratio is between its bounds."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    lower: float
    upper: float
    llr: float
    decision: Literal["accept H0", "accept H1", "undecided"]


class TournamentTable(News, tag_field="type", tag="table"):
    """The table of a tournament: ratings by player, ``order`` has the best first; how often
    games ended by a failure. Those who watch hear it again when a game was added."""

    id: int
    game: str
    name: str
    title: str
    board: str
    players: list[str]
    pairs: int
    games: int
    openings: str
    seed: int
    created: str
    done: bool
    formats: list[str]
    played: int
    order: list[int]
    ratings: list[PlayerRating]
    pairings: list[Pairing]
    failures: dict[str, int]
    test: SequentialTest | None
    file: str | None
    state: TournamentState
    job: str | None


class TournamentGame(Reply):
    """A game of a tournament: the ``leg`` of its ``pair``, from that opening."""

    id: int
    pair: int
    leg: int
    first: str
    second: str
    result: str  # as its file says
    reason: str | None
    opening: str
    plies: int


class TournamentGames(Reply):
    """Games of two players by opening; ``next`` is where to go on after them."""

    games: list[TournamentGame]
    next: int | None


class StartedTournament(Reply):
    """The number of a tournament that was started, and the job that plays it."""

    tournament: int
    job: Job
