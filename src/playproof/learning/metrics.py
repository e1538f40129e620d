"""The columns of ``metrics.jsonl``: what a metric is called, means, and how it is shown.

An algorithm declares its columns once, as :class:`Metric` and :class:`Opponent`; the line of an
iteration, ``playproof runs``, ``playproof plot`` and the Train page all read them from there
(``columns.py``).  A metric that nobody declared is shown too, under its own name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from playproof.core.errors import PlayproofError

ITERATION = "iteration"  # the column that every line has
# Games of an evaluation by result, as columns end: earlier_wins, earlier_draws, earlier_losses.
RESULTS = {"wins": "won", "draws": "drawn", "losses": "lost"}
SCORE = "score"  # points in a share of all games, which readers work out from the three

Direction = Literal["up", "down", ""]


@dataclass(frozen=True)
class Metric:
    """One column.

    ``title`` and ``meaning`` are for someone who knows none of this; ``good`` is the way in which
    it gets better.  ``line`` is how the line of an iteration writes it, such as ``"loss {:.3f}"``;
    empty: the line leaves it away.  ``percent``: a share from 0 to 1, shown in percent; ``whole``:
    on an axis that reaches from 0 to 100 %.  ``evaluation``: it comes from evaluating the network,
    and so not with every iteration.  ``main``: the Train page shows it at first.
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
        """What is wrong with a declared column, in a line; empty if nothing is."""
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
    """Somebody whom the network is tried against.  Its columns are ``NAME_wins``, ``NAME_draws``
    and ``NAME_losses``, numbers of games; ``title`` says who it is after "against", ``meaning``
    what a score against it tells."""

    name: str
    title: str = ""
    meaning: str = "Points won: 100 % is every game won, and a draw is half a point."

    def __post_init__(self) -> None:
        if not self.title:
            object.__setattr__(self, "title", self.name.replace("_", " "))

    def metric(self, kind: str) -> Metric:
        """The column of a result, ``wins``, ``draws``, ``losses`` or ``score``, as a share."""
        name, title = f"{self.name}_{kind}", f"{RESULTS.get(kind, kind)} against {self.title}"
        score = kind == SCORE
        return Metric(
            name, title[0].upper() + title[1:],
            self.meaning if score else "In percent of the games played.",
            "up" if score else "", percent=True, whole=True, evaluation=True, main=score,
        )  # fmt: skip


def plain_numbers(metrics: Mapping[str, object]) -> dict[str, float]:
    """The metrics of an iteration as JSON can hold them; a PlayproofError names what is no
    number."""
    found: dict[str, float] = {}
    for name, value in metrics.items():
        number = value.item() if isinstance(value, np.generic) else value
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise PlayproofError(
                f"the metric {name} is {str(value)[:40]!r} of type {type(value).__name__}: want a "
                "number"
            )
        found[name] = number
    if ITERATION not in found:
        raise PlayproofError(f"metrics without {ITERATION}: want the number of the iteration")
    return found


def result_of(name: str) -> tuple[str, str] | None:
    """(opponent, kind) of a column of results; None for any other name."""
    opponent, _, kind = name.rpartition("_")
    return (opponent, kind) if opponent and (kind in RESULTS or kind == SCORE) else None


# Columns that several algorithms have

RANDOM = Opponent(
    "random",
    "a random player",
    "Points won against someone who makes any move by chance: 100 % is every game won, and a draw "
    "is half a point.",
)


def earlier(title: str) -> Opponent:
    """The network as it was before; ``title`` says when."""
    return Opponent(
        "earlier",
        title,
        "Above 50 % it plays better than it did. Near 50 % it no longer gets better fast.",
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
    meaning="How far its guess of who wins is from what came of it, squared. Smaller is closer.",
    good="down",
    line="value loss {:.3f}",
    main=True,
)
ENTROPY = Metric(
    "entropy",
    "Entropy, nats",
    "How undecided the net is. 0: it always plays the same move. The larger, the more moves it "
    "hesitates between.",
    line="entropy {:.2f}",
    main=True,
)
GRADIENT_NORM = Metric(
    "gradient_norm",
    "Norm of the gradient",
    "How strongly one step would change the net, before it is cut.",
)
