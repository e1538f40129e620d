"""Metrics: the columns of ``metrics.jsonl``, with their titles, meanings and formats.

An algorithm declares its columns once, as :class:`Metric` and :class:`Opponent`; the progress
line, ``playproof runs``, ``playproof plot`` and the Train page read them from there
(``columns.py``).  An undeclared metric is shown too, under its own name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from playproof.core.errors import PlayproofError

ITERATION = "iteration"  # the column that every line has
# Suffixes of the columns that count an evaluation's games by result: earlier_wins, and so on.
RESULTS = {"wins": "won", "draws": "drawn", "losses": "lost"}
SCORE = "score"  # suffix of points as a share of all games, which readers compute from these three

Direction = Literal["up", "down", ""]


@dataclass(frozen=True)
class Metric:
    """One column.

    ``title`` and ``meaning`` are written for newcomers; ``good`` is the direction of improvement.
    ``line`` is the metric's format in the progress line, such as ``"loss {:.3f}"``; empty: it is
    not printed there.  ``percent``: it is a share from 0 to 1, shown in percent; ``whole``: its
    axis goes from 0 to 100 %.  ``evaluation``: it comes from an evaluation, so not every iteration
    has it.  ``main``: the Train page shows it without opening "More figures".
    """

    name: str
    title: str = ""
    meaning: str = ""
    good: Direction = ""
    line: str = ""
    percent: bool = False
    whole: bool = False
    evaluation: bool = False
    main: bool = False

    def __post_init__(self) -> None:
        if not self.title:
            object.__setattr__(self, "title", self.name.replace("_", " ").capitalize())

    def problem(self) -> str:
        """One line about what is wrong with the declaration; empty if nothing is."""
        if not self.name or self.name == ITERATION:
            return f"a metric cannot be called '{self.name}': choose another name"
        if self.good not in ("up", "down", ""):
            return f"metric {self.name}: good={self.good!r}: want 'up', 'down' or ''"
        try:
            self.line.format(0.5)
        except (ValueError, IndexError, KeyError, AttributeError):
            return f"metric {self.name}: line={self.line!r}: want one such as 'loss {{:.3f}}'"
        return ""


@dataclass(frozen=True)
class Opponent:
    """An opponent in the evaluations.

    Its columns are ``NAME_wins``, ``NAME_draws`` and ``NAME_losses``, numbers of games.  ``title``
    follows the word "against"; ``meaning`` explains a score against it."""

    name: str
    title: str = ""
    meaning: str = "Points won: 100 % is every game won, and a draw is half a point."

    def __post_init__(self) -> None:
        if not self.title:
            object.__setattr__(self, "title", self.name.replace("_", " "))

    def metric(self, kind: str) -> Metric:
        """The column ``wins``, ``draws``, ``losses`` or ``score`` as a share of the games."""
        name, title = f"{self.name}_{kind}", f"{RESULTS.get(kind, kind)} against {self.title}"
        score = kind == SCORE
        return Metric(
            name, title[0].upper() + title[1:],
            self.meaning if score else "In percent of the games played.",
            "up" if score else "", percent=True, whole=True, evaluation=True, main=score,
        )  # fmt: skip


def plain_numbers(metrics: Mapping[str, object]) -> dict[str, float]:
    """An iteration's metrics as plain numbers, for JSON; a PlayproofError for anything else."""
    numbers: dict[str, float] = {}
    for name, value in metrics.items():
        number = value.item() if isinstance(value, np.generic) else value
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise PlayproofError(
                f"the metric {name} is {str(value)[:40]!r} of type {type(value).__name__}: want a "
                "number"
            )
        numbers[name] = number
    if ITERATION not in numbers:
        raise PlayproofError(f"metrics without {ITERATION}: want the number of the iteration")
    return numbers


def parse_result_name(name: str) -> tuple[str, str] | None:
    """Split the name of a result column into (opponent, kind); None for any other name."""
    opponent, _, kind = name.rpartition("_")
    return (opponent, kind) if opponent and (kind in RESULTS or kind == SCORE) else None


# Columns shared by several algorithms

RANDOM = Opponent(
    "random",
    "a random player",
    "Points won against someone who plays random moves: 100 % is every game won, and a draw is "
    "half a point.",
)


def earlier(title: str) -> Opponent:
    """The network at an earlier time, as an opponent; ``title`` says which."""
    return Opponent(
        "earlier",
        title,
        "Above 50 % it plays better than it did. Near 50 % it is no longer improving fast.",
    )


EARLIER = earlier("an earlier net")
POLICY_LOSS = Metric(
    "policy_loss",
    meaning="How far its choice of moves is from the one it should learn. Smaller is closer; it "
    "need not reach 0.",
    good="down",
    line="policy loss {:.4f}",
    main=True,
)
VALUE_LOSS = Metric(
    "value_loss",
    meaning="The squared error of its guess of who wins. Smaller is closer.",
    good="down",
    line="value loss {:.3f}",
    main=True,
)
ENTROPY = Metric(
    "entropy",
    "Entropy, nats",
    "How undecided the net is. At 0 it always plays the same move; the larger it is, the more "
    "moves it hesitates between.",
    line="entropy {:.2f}",
    main=True,
)
# The yardstick: the share of solved positions in which the policy alone keeps the value.
KEPT = (
    Metric(
        "kept",
        "Value kept without looking ahead",
        "How often its first choice keeps a win or a draw, in solved positions where another move "
        "throws it away. 100 % is perfect play; random moves keep about half.",
        good="up",
        line="kept {:.1%}",
        percent=True,
        whole=True,
        evaluation=True,
        main=True,
    ),
    *(
        Metric(
            f"kept_{phase}",
            f"Value kept {where}",
            f"The same in the positions {where} alone, {meaning}.",
            good="up",
            percent=True,
            whole=True,
            evaluation=True,
        )
        for phase, where, meaning in (
            ("opening", "in the opening", "while both hands hold most of their pieces"),
            ("middle", "in the middle game", "between opening and end"),
            ("end", "in the end", "when no piece is left in hand"),
        )
    ),
)
GRADIENT_NORM = Metric(
    "gradient_norm",
    "Norm of the gradient",
    "How strongly one step would change the net, before clipping.",
)
