"""What ChokoZero says of its agents' strength, held against our games with intervals.

A draw is half a point.  One agent is stronger if the 95 % interval of its score
lies above one half, weaker if below; else the games do not decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playproof.arena.statistics.score import Score
from playproof.papers.chokozero.games import Results
from playproof.papers.chokozero.players import BY_NAME, PAPER


@dataclass(frozen=True)
class Statement:
    """``one`` is stronger than ``two``; ``why`` it is asked."""

    one: str
    two: str
    why: str

    @property
    def says(self) -> str:
        return f"{BY_NAME[self.one].title} is stronger than {BY_NAME[self.two].title}"

    @property
    def paper(self) -> str:
        """Won and lost by the first, in percent of about 20 games."""
        won, lost = PAPER.get((self.one, self.two)), PAPER.get((self.two, self.one))
        return "" if won is None or lost is None else f"+{won} % ={100 - won - lost} % -{lost} %"


STATEMENTS = (
    Statement("v1", "dql", "DQL was the weakest"),
    Statement("v2", "dql", "DQL was the weakest"),
    Statement("v3", "dql", "DQL was the weakest"),
    Statement("v2", "v1", "ancestors as opponents"),
    Statement("v3", "v1", "one more layer, the initiative, no reward for captures"),
    Statement("v3", "v2", "one more layer, the initiative, no reward for captures"),
    Statement("pgts", "v3", "search with its own net"),
    Statement("pgts", "v2", "PGTS outperformed all"),
    Statement("pgts", "v1", "PGTS outperformed all"),
    Statement("pgts", "dql", "PGTS outperformed all"),
    Statement("pgts7", "pgts", "seven plies or five"),
    Statement("minimax", "v1", "a Minimax that sees every win"),
    Statement("minimax", "v2", "a Minimax that sees every win"),
    Statement("minimax", "v3", "a Minimax that sees every win"),
    Statement("pgts", "minimax", "a Minimax that sees every win"),
    Statement("pgts7", "minimax", "a Minimax that sees every win"),
    Statement("plus", "v3", "ours beyond the paper"),
    Statement("plus", "pgts", "ours beyond the paper"),
    Statement("plus", "minimax", "ours beyond the paper"),
    Statement("pgts-plus", "plus", "ours beyond the paper"),
    Statement("pgts-plus", "pgts", "ours beyond the paper"),
    Statement("pgts-plus", "minimax", "ours beyond the paper"),
)


@dataclass(frozen=True)
class Found:
    statement: Statement
    score: Score

    @property
    def holds(self) -> bool | None:
        """None where the games do not decide."""
        lower, upper = self.score.interval()
        if lower is not None and lower > 0.5:
            return True
        return False if upper is not None and upper < 0.5 else None

    @property
    def verdict(self) -> str:
        return {True: "holds", False: "does not hold", None: "not decided"}[self.holds]

    def to_json(self) -> dict[str, Any]:
        return {
            "says": self.statement.says, "why": self.statement.why, "paper": self.statement.paper,
            "score": self.score.mean, "interval": self.score.interval(),
            "wins": self.score.wins, "draws": self.score.draws, "losses": self.score.losses,
            "elo": self.score.elo, "holds": self.holds,
        }  # fmt: skip


def check(results: Results) -> list[Found]:
    """Those statements whose two agents have met."""
    met = ((statement, results.score(statement.one, statement.two)) for statement in STATEMENTS)
    return [Found(statement, score) for statement, score in met if score is not None]
