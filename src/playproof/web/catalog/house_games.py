"""What the lab offers for the games of Playproof: variants, opponents by level, analysts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

GAMES = ("othello", "choko", "quantum-go", "chess", "go")


@dataclass(frozen=True)
class Variant:
    """A variant of a game: its options, under an id."""

    id: str
    label: str
    about: str
    options: dict[str, Any]


@dataclass(frozen=True)
class Opponent:
    """An agent to play against, by its spec."""

    level: str
    spec: str
    about: str


@dataclass(frozen=True)
class Analyst:
    """An agent to analyse with, by its spec."""

    label: str
    spec: str


def _square(side: int) -> str:
    return f"{side} \N{MULTIPLICATION SIGN} {side}"


def _go(side: int, komi: float, about: str, name: str = "") -> Variant:
    board = f"{side}x{side}"
    return Variant(name or board, _square(side), about, {"board": board, "komi": komi})


def _quantum(name: str, label: str, about: str, **options: Any) -> Variant:
    return Variant(name, label, about, {"board": "9x9", **options})


VARIANTS: dict[str, tuple[Variant, ...]] = {
    "othello": (
        Variant("standard", _square(8), "The usual board.", {}),
        Variant("6x6", _square(6), "A smaller board and a shorter game.", {"size": 6}),
        Variant("4x4", _square(4), "Tiny: a game of a minute.", {"size": 4}),
        Variant(
            "empties",
            f"{_square(8)}, empties to the winner",
            "Squares left empty at the end count for the winner.",
            {"empties_to_winner": True},
        ),
    ),
    "choko": (
        Variant("standard", "Standard", "A draw after 100 moves.", {}),
        Variant(
            "lone-jump",
            "Lone jump",
            "A jump may also take the only enemy piece on the board.",
            {"lone_jump": True},
        ),
        Variant("no-limit", "No limit", "The game is never called off.", {"cap": 0}),
    ),
    "quantum-go": (
        _quantum("standard", _square(9), "Pairs of stones; the owner chooses which one stays."),
        _quantum("5x5", _square(5), "A small board to learn on.", board="5x5"),
        _quantum("7x7", _square(7), "A short game.", board="7x7"),
        _quantum("13x13", _square(13), "A long game.", board="13x13"),
        _quantum("19x19", _square(19), "The full board.", board="19x19"),
        _quantum(
            "born",
            "Chance decides",
            "Chance, not the owner, says which stone of a pair stays (Born's rule).",
            collapse="born",
        ),
        _quantum("weak", "Weak", "Diagonal contact collapses a pair too.", variant="weak"),
        _quantum(
            "symmetric",
            "Symmetric",
            "The second stone stands opposite, seen from the centre.",
            variant="symmetric",
        ),
        _quantum(
            "semi-black", "Only Black has pairs", "White plays plain Go.", variant="semi-black"
        ),
        _quantum(
            "semi-white", "Only White has pairs", "Black plays plain Go.", variant="semi-white"
        ),
        _quantum("triples", "Triples", "Three entangled stones instead of two.", k=3),
        _quantum(
            "w", "W states", "Contact takes one stone of three away, not two.", k=3, group="w"
        ),
    ),
    "chess": (
        Variant("standard", "Standard", "The same position three times is a draw.", {}),
        Variant(
            "claimed",
            "Draws are claimed",
            "The same, but a player has to say that it is a draw.",
            {"draws": "claimed"},
        ),
        Variant(
            "none",
            "No such draws",
            "A position may come back as often as it likes.",
            {"draws": "none"},
        ),
    ),
    "go": (
        _go(9, 7.0, "A short game; White gets 7 points for being second.", "standard"),
        _go(5, 0.0, "A small board to learn on."),
        _go(7, 9.0, "A very short game."),
        _go(13, 7.5, "Half an hour."),
        _go(19, 7.5, "The full board."),
    ),
}

RANDOM = Opponent("Beginner", "random", "makes any move, by chance")
GREEDY = Opponent("Easy", "greedy", "takes what it can get at once")
OPPONENTS: dict[str, tuple[Opponent, ...]] = {
    "othello": (
        RANDOM,
        GREEDY,
        Opponent("Medium", "alphabeta:depth=3", "looks three moves ahead"),
        Opponent("Hard", "alphabeta:depth=6", "looks six moves ahead"),
        Opponent("Expert", "alphabeta:time=2", "thinks for two seconds, plays the end perfectly"),
    ),
    "choko": (
        RANDOM,
        GREEDY,
        Opponent("Medium", "net:choko-ppo-v1", "a small network, by intuition alone"),
        Opponent("Hard", "alphabeta:depth=4", "looks four moves ahead"),
        Opponent("Expert", "alphabeta:time=2", "thinks for two seconds"),
        # The ChokoZero paper's agents, and ours beside them; the shares are the yardstick's.
        Opponent("PPO V3", "net:choko-ppo-v3", "the paper's network: 79 % of results kept"),
        Opponent("PGTS", "pgts:net=choko-ppo-v3", "the paper's search: 71 % of results kept"),
        Opponent("PPO+", "net:choko-ppo-plus", "our network: 81 % of results kept"),
        Opponent("PGTS+", "pgts:net=choko-ppo-plus", "their search, our network: 84 % kept"),
    ),
    "quantum-go": (
        RANDOM,
        GREEDY,
        Opponent("Medium", "mcts:simulations=200", "tries 200 games in its head"),
        Opponent("Hard", "mcts:simulations=2000", "tries 2,000 games in its head"),
        Opponent("Expert", "mcts:simulations=50000,time=4", "thinks for four seconds"),
    ),
    "chess": (
        RANDOM,
        GREEDY,
        Opponent("Medium", "alphabeta:depth=2,quiescence=true", "looks two moves ahead"),
        Opponent("Intuition", "net:chess-10x128,greedy", "a network that moves at a glance"),
        Opponent("Hard", "alphabeta:depth=4,quiescence=true", "looks four moves ahead"),
        Opponent("Expert", "alphabeta:time=2,quiescence=true", "thinks for two seconds"),
    ),
    "go": (
        RANDOM,
        GREEDY,
        Opponent("Medium", "mcts:simulations=400", "tries 400 games in its head"),
        Opponent("Hard", "mcts:simulations=4000", "tries 4,000 games in its head"),
        Opponent("Expert", "mcts:simulations=50000,time=4", "thinks for four seconds"),
    ),
}
PERFECT = Opponent("Perfect", "perfect:choko", "makes no mistake: it knows every position")

TREES = (
    Analyst("Tree search, 2 seconds", "mcts:simulations=50000,time=2"),
    Analyst("Tree search, 10 seconds", "mcts:simulations=200000,time=10"),
)
SEARCH = (
    Analyst("Alpha-beta, 2 seconds", "alphabeta:time=2"),
    Analyst("Alpha-beta, 10 seconds", "alphabeta:time=10"),
)
ANALYSTS: dict[str, tuple[Analyst, ...]] = {
    "othello": (*SEARCH, *TREES),
    "choko": (
        *SEARCH,
        Analyst("Network and tree search", "mcts:simulations=20000,time=3,net=choko-ppo-v3"),
        Analyst("Network alone", "net:choko-ppo-v3"),
        Analyst("Policy-guided search", "pgts:net=choko-ppo-v3"),
        Analyst("PPO+ alone", "net:choko-ppo-plus"),
        Analyst("Policy-guided search with PPO+", "pgts:net=choko-ppo-plus"),
        *TREES,
    ),
    "quantum-go": (*TREES, *SEARCH),
    "chess": (
        Analyst("Alpha-beta, 2 seconds", "alphabeta:time=2,quiescence=true"),
        Analyst("Alpha-beta, 10 seconds", "alphabeta:time=10,quiescence=true"),
        Analyst("Network and tree search", "mcts:simulations=20000,time=3,net=chess-10x128"),
        Analyst("Network alone", "net:chess-10x128"),
        *TREES,
    ),
    "go": TREES,
}

# About a second of thought, for a hint.
HINTERS = {
    "othello": "alphabeta:time=1",
    "choko": "alphabeta:time=1",
    "quantum-go": "mcts:simulations=20000,time=1.5",
    "chess": "alphabeta:time=1,quiescence=true",
    "go": "mcts:simulations=20000,time=1.5",
}
