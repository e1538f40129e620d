"""Figures and sentences about the solved Choko, for the command line and the lab."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from playproof.core.registry import make
from playproof.core.view import Mark, View
from playproof.papers.choko_solved.truth import (
    CLASSES,
    EARLIER,
    EARLIER_ENDINGS,
    EVEN,
    GameReview,
    Truth,
)
from playproof.rules.choko import PIECES

# The best line is drawn after these numbers of actions, with these captions.
LINE_CAPTIONS = {
    16: "Both sides begin in the corners and fill the rim, all 16 pits of it.",
    24: "All 24 pieces are placed, and one pit is empty. Nobody has stepped or jumped yet.",
    31: "Seven actions later, six of them jumps, Blue has eight pieces and Red four.",
    58: "Captures come in twos, so the last two go together: E4 jumps over E3 and takes D4 too.",
}


@dataclass(frozen=True)
class SurprisingEnding:
    """An ending against the odds; ``slice`` names it among the exceptions of the solve."""

    slice: str
    title: str
    why: str


ENDINGS = (
    SurprisingEnding(
        "h0-4v12",
        "Four beat twelve",
        "Blue is to move and wins. Twelve pieces are in each other's way: not one Red piece can "
        "jump, since wherever it would land another one stands. A5 and E5 are safe in their "
        "corners.",
    ),
    SurprisingEnding(
        "h0-10v4",
        "Ten lose to four",
        "Blue is to move and loses. No Blue piece can jump, since its own pieces stand on the pits "
        "behind the Red ones. Every Red piece can, to either side.",
    ),
    SurprisingEnding(
        "h0-2v6",
        "Two beat six",
        "Blue jumps C3xE3,B4. On E3 it stands between two Red pieces, each on the pit where "
        "the other would land, and A5 is in the corner: nothing can be taken, and four jumps "
        "threaten.",
    ),
)


@dataclass(frozen=True)
class PlaySummary:
    """How often a player threw the value away in games against itself."""

    games: int
    blue_won: int
    drawn: int
    red_won: int
    actions: float  # a game
    threw: int  # games in which Blue, who wins from the start, gave the win up
    first: float  # the action with which that happened, on average
    first_kinds: dict[str, int]  # games by the kind of that action
    errors: float  # actions that threw a value away, of both sides, a game
    blue_rate: float  # of the decisions in positions that are not lost
    red_rate: float


def summarize_play(games: Sequence[GameReview]) -> PlaySummary:
    """The summary of a player's games."""
    count = len(games)
    first = [game.first for game in games if game.first]
    kinds = Counter(game.first_kind for game in games if game.first)
    return PlaySummary(
        games=count,
        blue_won=sum(game.outcome > 0 for game in games),
        drawn=sum(game.outcome == 0 for game in games),
        red_won=sum(game.outcome < 0 for game in games),
        actions=sum(game.actions for game in games) / count,
        threw=len(first),
        first=sum(first) / max(1, len(first)),
        first_kinds=dict(kinds.most_common()),
        errors=sum(game.blue_errors + game.red_errors for game in games) / count,
        blue_rate=sum(g.blue_errors for g in games) / max(1, sum(g.blue_chances for g in games)),
        red_rate=sum(g.red_errors for g in games) / max(1, sum(g.red_chances for g in games)),
    )


def best_replies(truth: Truth, square: str) -> tuple[int, list[str]]:
    """The most actions Red can hold out after a first placement, and the replies that do."""
    replies = truth.replies[square]
    longest = min(replies.values())
    return -longest, sorted(move for move, value in replies.items() if value == longest)


def drawn_starts(truth: Truth) -> list[int]:
    """The numbers of pieces a side with which the empty board is drawn.

    The empty board with fewer pieces in hand is the start of that smaller game."""
    return [n for n in EVEN if n < PIECES and truth.off.slices[f"h{n}-0v0"].draws]


def quickest(moves: dict[str, int]) -> tuple[list[str], int]:
    """The quickest wins among the moves, and how many actions they take."""
    value = min(value for value in moves.values() if value > 0)
    return sorted(move for move in moves if moves[move] == value), value


def first_placements(truth: Truth) -> View:
    """The empty board with, on each pit, the number of actions in which Blue wins from there."""
    view = make("choko").start().view()
    marks = tuple(Mark(square, "num", value) for square, value in sorted(truth.off.first.items()))
    fewest, most = min(truth.off.first.values()), max(truth.off.first.values())
    say = f"Blue wins from every pit: in {fewest} actions from a corner, in {most} at the slowest."
    return replace(view, marks=marks, say=say, legal=(), hands=(), score={})


def as_data(truth: Truth) -> dict[str, Any]:
    """Everything that the command prints, as JSON data."""
    readings = {}
    for name, solved in (("off", truth.off), ("on", truth.on)):
        readings[name] = {
            "value": solved.value,
            "stored": solved.stored,
            "solving_seconds": solved.seconds,
            "checking_seconds": solved.checking,
            "wrong": solved.wrong,
            "first_placements": solved.first,
            "all": solved.all.to_json(),
            "hands": {str(hands): counts.to_json() for hands, counts in solved.hands.items()},
            "lead": {str(lead): counts.to_json() for lead, counts in solved.lead.items()},
            "earlier": EARLIER[name],
        }
    endings = {f"{a}v{b}": truth.off.ending(a, b).to_json() for a in EVEN for b in EVEN}
    return {
        "lone_jump": readings,
        "line": list(truth.line),
        "replies": {square: best_replies(truth, square)[1] for square in CLASSES},
        "after_two_placements": {
            "moves": {kind: dict(zip(("won", "drawn", "lost"), counts, strict=True))
                      for kind, counts in truth.third.items()},
            "quickest": truth.third_best,
        },
        "drawn_starts": drawn_starts(truth),
        "endings": endings,
        "earlier_endings": EARLIER_ENDINGS,
        "longest": {str(h): {"actions": n, "position": p} for h, (n, p) in truth.longest.items()},
        "upsets": [asdict(upset) for upset in truth.upsets],
        "early_capture": dict(zip(("position", "moves"), truth.early_capture, strict=True)),
        "games": {player: asdict(summarize_play(games)) for player, games in truth.games.items()},
        "sample": truth.sample,
        "moves": [
            dict(zip(("phase", "won", "free", "kind", "moves", "throw"), row, strict=True))
            for row in truth.moves
        ],
    }  # fmt: skip
