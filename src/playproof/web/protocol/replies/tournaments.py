"""Replies about tournaments and matches."""

from __future__ import annotations

from typing import Literal

from playproof.web.protocol.replies.base import News, Reply
from playproof.web.protocol.replies.jobs import Job

TournamentState = Literal["done", "running", "waiting", "stopped"]
# (lower, upper) end of a 95 % interval; null is an open end.
Interval = tuple[float | None, float | None]


class Tournament(Reply):
    """A tournament: its players by number, ``pairs`` of games in every pairing, and ``played`` of
    all ``games``. ``game`` is a spec and ``name`` the game's name; ``file`` is null for the lab's
    own file."""

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
    """Tournaments, the latest first; ``workers`` is the most that one may have."""

    tournaments: list[Tournament]
    workers: int


class PlayerRating(Reply):
    """A player's Elo rating; null if it is unknown."""

    elo: float | None
    interval: Interval
    text: str
    games: int
    points: float


class Pairing(Reply):
    """The results of the first of two players against the second; ``plies`` is the mean length of
    a game."""

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
    """A sequential test of two players: its hypotheses in Elo, its error rates, and the
    log-likelihood ratio with its bounds."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    lower: float
    upper: float
    llr: float
    decision: Literal["accept H0", "accept H1", "undecided"]


class TournamentTable(News, tag_field="type", tag="table"):
    """The table of a tournament. ``ratings`` are by player, ``order`` lists the players from the
    best on, and ``failures`` says how often each failure ended a game. Those who watch get it again
    when a game is added."""

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
    """A game of a tournament: its number ``leg`` in the ``pair``, and its opening."""

    id: int
    pair: int
    leg: int
    first: str
    second: str
    result: str  # as in the file
    reason: str | None
    opening: str
    plies: int


class TournamentGames(Reply):
    """Games of two players by opening; ``next`` is where the next page starts."""

    games: list[TournamentGame]
    next: int | None


class StartedTournament(Reply):
    """The number of the tournament that was started, and the job that plays it."""

    tournament: int
    job: Job
