"""Replies about tournaments and matches."""

from __future__ import annotations

from typing import Literal

from playproof.web.protocol.replies.base import News, Reply
from playproof.web.protocol.replies.jobs import Job

TournamentState = Literal["done", "running", "waiting", "stopped"]
# (lower, upper) end of a 95 % interval; null is an open end.
Interval = tuple[float | None, float | None]


class Tournament(Reply):
    """A tournament. Players are numbered as in ``players``, from 0. In every pairing they play
    ``pairs`` pairs of games; ``played`` of all ``games`` have been played. ``game`` is the game's
    spec, ``name`` its name in the spec, ``title`` its name for people, and ``board`` its variant.
    ``formats`` are those that its games can be downloaded in. ``file`` is the file of games, or
    null for the lab's own. ``job`` is the id of the latest job that plays the tournament."""

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
    """Tournaments, the latest first. A new one may use at most ``workers`` workers."""

    tournaments: list[Tournament]
    workers: int


class PlayerRating(Reply):
    """A player's Elo rating, null if it is unknown, with its interval; ``text`` shows both.
    ``points`` were scored in ``games``."""

    elo: float | None
    interval: Interval
    text: str
    games: int
    points: float


class Pairing(Reply):
    """The score of the first of two players against the second. ``mean`` is the mean score of a
    game, 0 to 1, with its interval, and ``plies`` is the mean length of a game; they are null
    before the first game."""

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
    """A sequential test of two players. The hypotheses H0 and H1 are the differences ``elo0`` and
    ``elo1`` in Elo; ``alpha`` and ``beta`` are the error rates. The test ends when the
    log-likelihood ratio ``llr`` reaches ``lower`` or ``upper``."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    lower: float
    upper: float
    llr: float
    decision: Literal["accept H0", "accept H1", "undecided"]


class TournamentTable(News, tag_field="type", tag="table"):
    """The table of a tournament, with the fields of Tournament. ``ratings`` has an entry for each
    player, and ``order`` lists the numbers of the players, the best first. ``failures`` counts the
    games that each kind of failure ended. Subscribers get the table again when a game is added."""

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
    """A game of a tournament. A ``pair`` is two games from the same opening, leg 0 and leg 1, in
    which the players swap sides. ``first`` and ``second`` are the players in the order of moving.
    ``reason`` is the failure that ended the game; null if the rules ended it."""

    id: int
    pair: int
    leg: int
    first: str
    second: str
    result: str  # as stored in the file, which may hold more than a Result
    reason: str | None
    opening: str
    plies: int


class TournamentGames(Reply):
    """A page of the games of two players, by opening; ``next`` is where the next page starts, or
    null after the last one."""

    games: list[TournamentGame]
    next: int | None


class StartedTournament(Reply):
    """The number of the tournament that was started, and the job that plays it."""

    tournament: int
    job: Job
