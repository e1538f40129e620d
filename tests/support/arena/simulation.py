"""Simulated matches whose true strengths are known: do the statistics keep what they promise?

The opening of a pair favours the side that begins, which drives its two games
apart, and suits one of the players, which ties them together.  So games are
correlated as in real matches.  Openings come from a book, each pair's at
random; the true Elo difference is that of the expected score over the book.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from playproof.arena.statistics.ratings import rate
from playproof.arena.statistics.score import Score, score_of_elo
from playproof.arena.statistics.sprt import Sprt

BOOK = 64  # openings
SIDE, TASTE = 150.0, 50.0  # Elo: standard deviations of what openings give to a side, to a player
NAT = 400.0 / math.log(10.0)  # Elo points


def _game(difference: np.ndarray, draw_rate: float) -> np.ndarray:
    """Chances of (loss, draw, win), shape (3, BOOK), by a draw rate that holds among equals."""
    win, loss = np.exp(difference / 2), np.exp(-difference / 2)
    draw = np.full_like(win, 2.0 * draw_rate / (1.0 - draw_rate))
    return np.stack([loss, draw, win]) / (win + draw + loss)


@cache
def pair_chances(elo: float, draw_rate: float, side: float = SIDE, taste: float = TASTE):
    """Chances of the six kinds of pairs between players who truly differ by ``elo``."""
    random = np.random.default_rng(20)
    side_gift = random.normal(0.0, side / NAT, BOOK)
    taste_gift = random.normal(0.0, taste / NAT, BOOK)

    def games(strength: float) -> tuple[np.ndarray, np.ndarray]:
        there = strength + taste_gift
        return _game(there + side_gift, draw_rate), _game(there - side_gift, draw_rate)

    low, high = -40.0, 40.0
    for _ in range(80):
        middle = (low + high) / 2
        scores = [(game[2] + game[1] / 2).mean() for game in games(middle)]
        low, high = (middle, high) if sum(scores) / 2 < score_of_elo(elo) else (low, middle)
    joint = np.einsum("ab,cb->ac", *games(low)) / BOOK
    return np.array(
        [
            joint[0, 0],
            joint[0, 1] + joint[1, 0],
            joint[1, 1],
            joint[0, 2] + joint[2, 0],
            joint[1, 2] + joint[2, 1],
            joint[2, 2],
        ]
    )


def _score(counts: np.ndarray) -> Score:
    return Score(tuple(counts.tolist()))


def _holds(interval: tuple[float | None, float | None], truth: float) -> bool:
    lower, upper = interval
    return (lower is None or lower <= truth) and (upper is None or truth <= upper)


def coverage(
    elo: float, draw_rate: float, pairs: int, matches: int, seed: int, **openings: float
) -> float:
    """The share of matches of ``pairs`` pairs whose 95 % interval holds the true difference."""
    chances = pair_chances(elo, draw_rate, **openings)
    counts = np.random.default_rng(seed).multinomial(pairs, chances, size=matches)
    different, times = np.unique(counts, axis=0, return_counts=True)
    held = [_holds(_score(row).elo_interval(), elo) for row in different]
    return float(np.dot(held, times)) / matches


def sprt_errors(
    elo_true: float,
    elo0: float,
    elo1: float,
    trials: int,
    seed: int,
    draw_rate: float = 0.5,
    most_pairs: int = 20_000,
) -> tuple[float, float, float, float]:
    """Shares of trials that (accept H1, accept H0, end undecided), and the mean pairs played.

    The test looks after every pair, which is when it errs most.
    """
    test = Sprt(elo0, elo1)
    lower, upper = test.bounds
    chances = pair_chances(elo_true, draw_rate)
    pentanomial = np.array([*chances[:2], chances[2] + chances[3], *chances[4:]])
    random = np.random.default_rng(seed)
    counts = np.zeros((trials, 5))  # of the trials that still run
    accepted1 = accepted0 = played = 0
    for _ in range(most_pairs):
        if not len(counts):
            break
        counts[np.arange(len(counts)), random.choice(5, len(counts), p=pentanomial)] += 1
        played += len(counts)
        llrs = test.llrs(counts)
        accepted1 += int((llrs >= upper).sum())
        accepted0 += int((llrs <= lower).sum())
        counts = counts[(lower < llrs) & (llrs < upper)]
    return accepted1 / trials, accepted0 / trials, len(counts) / trials, played / trials


def ratings_coverage(
    players: int, pairs: int, tournaments: int, seed: int, stratified_sample: float = 300.0,
    draw_rate: float = 0.4,
) -> float:  # fmt: skip
    """The share of 95 % rating intervals that hold the true rating, in round robins.

    Players lie evenly over ``spread`` Elo, with ``pairs`` pairs for every two.
    The openings are no part of the model; so the true rating is what it gives
    for a tournament without end.
    """
    names = [f"player {i}" for i in range(players)]
    elos = np.linspace(stratified_sample / 2, -stratified_sample / 2, players)
    met = [(i, j) for i in range(players) for j in range(i + 1, players)]
    chances = {(i, j): pair_chances(float(elos[i] - elos[j]), draw_rate) for i, j in met}
    endless = {key: _score(np.rint(row * 1e9).astype(np.int64)) for key, row in chances.items()}
    truth = [player.elo for player in rate(names, endless).players]
    random = np.random.default_rng(seed)
    held = 0
    for _ in range(tournaments):
        results = {key: _score(random.multinomial(pairs, row)) for key, row in chances.items()}
        for player, elo in zip(rate(names, results).players, truth, strict=True):
            held += _holds((player.lower, player.upper), elo)
    return held / (tournaments * players)


def long_check(matches: int = 1000, trials: int = 1000) -> list[str]:
    """Every promise at full size, as lines of text; an AssertionError names the one not kept.

    Intervals must hold the truth in 93 to 97 % of matches.  A thousand of
    them know this share to 0.7 % (one standard deviation).  Errors of the SPRT
    must be 5 % at most, plus two standard deviations of the simulation, 1.4 %.
    """
    lines = [
        "interval of a match: share that hold the true difference (draw rates are among equals)"
    ]
    for draw_rate in (0.0, 0.3, 0.6, 0.9):
        for elo in (0.0, 100.0, -300.0):
            shares = {
                pairs: coverage(elo, draw_rate, pairs, matches, 7) for pairs in (50, 150, 500)
            }
            told = ", ".join(f"{share:.1%} with {n} pairs" for n, share in shares.items())
            lines.append(f"  draws {draw_rate:.0%}, {elo:+.0f} Elo: {told}")
            for share in shares.values():
                assert 0.93 <= share <= 0.97, lines[-1]
    lines.append("ratings: share of intervals that hold the true rating")
    for players, pairs, stratified_sample in ((2, 50, 200.0), (4, 50, 300.0), (8, 25, 400.0)):
        share = ratings_coverage(players, pairs, matches, 8, stratified_sample)
        lines.append(f"  {players} players, {pairs} pairs for every two: {share:.1%}")
        assert 0.93 <= share <= 0.97, lines[-1]
    lines.append("SPRT: accepted H1, accepted H0, undecided; pairs played")
    noise = 2.0 * math.sqrt(0.05 * 0.95 / trials)
    for elo0, elo1, draw_rate in ((0.0, 10.0, 0.5), (0.0, 20.0, 0.9), (-50.0, 100.0, 0.2)):
        for truth in (elo0, elo1):
            h1, h0, open_, pairs = sprt_errors(truth, elo0, elo1, trials, 9, draw_rate)
            lines.append(
                f"  {elo0:+.0f} against {elo1:+.0f}, draws {draw_rate:.0%}, truly {truth:+.0f}: "
                f"{h1:.1%}, {h0:.1%}, {open_:.1%}; {pairs:.0f}"
            )
            assert (h1 if truth == elo0 else h0) <= 0.05 + noise, lines[-1]
            assert open_ == 0.0, lines[-1]
    return lines


if __name__ == "__main__":
    print("\n".join(long_check()))
