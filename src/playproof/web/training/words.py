"""What the figures of a run mean, in plain words, for someone who knows none of this."""

from __future__ import annotations

from typing import NamedTuple


class Words(NamedTuple):
    """A figure's title, what it means, and which way is good: "up", "down" or ""."""

    title: str
    about: str
    good: str = ""


_EARLIER = {
    "alphazero": "the best net so far",
    "dql": "itself, an iteration earlier",
    "ppo": "itself, ten iterations earlier",
}

# In the order in which they are shown; those before FEW are shown at first.
_FIGURES: dict[str, Words] = {
    "random_score": Words(
        "Score against a random player",
        "Points won against someone who makes any move by chance: 100 % is every game won, and "
        "a draw is half a point.",
        "up",
    ),
    "earlier_score": Words(
        "Score against {earlier}",
        "Above 50 % it plays better than it did. Near 50 % it no longer gets better fast.",
        "up",
    ),
    "test_top1": Words(
        "Same move as in the games, first choice",
        "How often, in games it has never seen, its first choice is the move that was played.",
        "up",
    ),
    "test_top3": Words(
        "Same move as in the games, first three choices",
        "How often the move that was played is among its first three choices.",
        "up",
    ),
    "policy_loss": Words(
        "Policy loss",
        "How far its choice of moves is from the one it should learn. Smaller is closer; it need "
        "not reach 0.",
        "down",
    ),
    "value_loss": Words(
        "Value loss",
        "How far its guess of who wins is from what came of it, squared. Smaller is closer.",
        "down",
    ),
    "loss": Words(
        "Loss",
        "How far its values are from those it should learn. Smaller is closer.",
        "down",
    ),
    "entropy": Words(
        "Entropy, in nats",
        "How undecided the net is. 0: it always plays the same move. The larger, the more moves "
        "it hesitates between.",
    ),
    "value": Words("Value of the chosen moves", "What it expects from the moves it makes."),
    "goal": Words("Value to learn", "What those moves turned out to be worth."),
    "clipped": Words(
        "Clipped",
        "The share of decisions whose change was cut because it was too large for one step.",
    ),
    "divergence": Words(
        "Divergence of an update, in nats",
        "How much its choices changed in one iteration.",
    ),
    "gradient_norm": Words(
        "Norm of the gradient", "How strongly one step would change the net, before it is cut."
    ),
    "game_length": Words("Length of a game, in moves", "The mean of the games it played."),
    "positions": Words("Positions, new", "How many positions this iteration added to learn from."),
    "replay": Words("Positions, in memory", "How many positions it can learn from now."),
    "superiority": Words(
        "Likelihood of superiority",
        "How surely the latest net is stronger than the best so far: 50 % is no idea.",
    ),
    "promoted": Words(
        "Took the place of the best", "1 where the latest net became the best so far, 0 where not."
    ),
}
# Where a figure means something else for one algorithm.
_OWN: dict[tuple[str, str], Words] = {
    ("ppo", "policy_loss"): Words(
        "Policy loss",
        "Below 0: in this iteration, moves that had gone well became likelier. Its size says "
        "little about strength.",
    ),
}
MAIN = (
    "random_score", "earlier_score", "test_top1", "policy_loss", "value_loss", "loss", "entropy",
)  # fmt: skip
SHARES = ("clipped", "superiority")
_RESULTS = {"wins": "won", "draws": "drawn", "losses": "lost"}


def words(name: str, algorithms: set[str]) -> Words:
    """The words for a figure of runs of these algorithms."""
    known = _EARLIER.get(next(iter(algorithms))) if len(algorithms) == 1 else None
    earlier = known or "an earlier net"
    own = _OWN.get((next(iter(algorithms)), name)) if len(algorithms) == 1 else None
    if own is not None:
        return own
    if name in _FIGURES:
        found = _FIGURES[name]
        return found._replace(title=found.title.format(earlier=earlier))
    opponent, _, kind = name.rpartition("_")
    if opponent in ("random", "earlier") and kind in _RESULTS:
        other = "a random player" if opponent == "random" else earlier
        return Words(f"Games {_RESULTS[kind]} against {other}", "In percent of the games played.")
    return Words(name.replace("_", " ").capitalize(), "")


def place(name: str) -> int:
    """Where a figure stands among all."""
    known = list(_FIGURES)
    return known.index(name) if name in known else len(known)
