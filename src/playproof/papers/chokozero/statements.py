"""ChokoZero's statements about its agents' strength, tested on our games.

A draw is half a point.  An agent is stronger if the 95 % interval of its score
lies above one half, weaker if it lies below; otherwise the games do not decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playproof.arena.statistics.score import Score
from playproof.papers.chokozero.games import RoundRobinResults
from playproof.papers.chokozero.players import BY_NAME, PAPER


@dataclass(frozen=True)
class StrengthStatement:
    """``one`` is stronger than ``two``; ``why`` says what makes it worth testing."""

    one: str
    two: str
    why: str

    @property
    def text(self) -> str:
        return f"{BY_NAME[self.one].title} is stronger than {BY_NAME[self.two].title}"

    @property
    def paper(self) -> str:
        """The paper's wins, draws and losses of ``one``, in percent of about 20 games."""
        won, lost = PAPER.get((self.one, self.two)), PAPER.get((self.two, self.one))
        return "" if won is None or lost is None else f"+{won} % ={100 - won - lost} % -{lost} %"


STATEMENTS = (
    StrengthStatement("v1", "dql", "DQL was the weakest"),
    StrengthStatement("v2", "dql", "DQL was the weakest"),
    StrengthStatement("v3", "dql", "DQL was the weakest"),
    StrengthStatement("v2", "v1", "ancestors as opponents"),
    StrengthStatement("v3", "v1", "one more layer, the initiative, no reward for captures"),
    StrengthStatement("v3", "v2", "one more layer, the initiative, no reward for captures"),
    StrengthStatement("pgts", "v3", "search with its own net"),
    StrengthStatement("pgts", "v2", "PGTS outperformed all"),
    StrengthStatement("pgts", "v1", "PGTS outperformed all"),
    StrengthStatement("pgts", "dql", "PGTS outperformed all"),
    StrengthStatement("pgts7", "pgts", "seven plies or five"),
    StrengthStatement("minimax", "v1", "a Minimax that sees every win"),
    StrengthStatement("minimax", "v2", "a Minimax that sees every win"),
    StrengthStatement("minimax", "v3", "a Minimax that sees every win"),
    StrengthStatement("pgts", "minimax", "a Minimax that sees every win"),
    StrengthStatement("pgts7", "minimax", "a Minimax that sees every win"),
    StrengthStatement("plus", "v3", "ours beyond the paper"),
    StrengthStatement("plus", "pgts", "ours beyond the paper"),
    StrengthStatement("plus", "minimax", "ours beyond the paper"),
    StrengthStatement("pgts-plus", "plus", "ours beyond the paper"),
    StrengthStatement("pgts-plus", "pgts", "ours beyond the paper"),
    StrengthStatement("pgts-plus", "minimax", "ours beyond the paper"),
)


@dataclass(frozen=True)
class StatementResult:
    statement: StrengthStatement
    score: Score

    @property
    def holds(self) -> bool | None:
        """None if the games do not decide."""
        lower, upper = self.score.interval()
        if lower is not None and lower > 0.5:
            return True
        return False if upper is not None and upper < 0.5 else None

    @property
    def verdict(self) -> str:
        return {True: "holds", False: "does not hold", None: "not decided"}[self.holds]

    def to_json(self) -> dict[str, Any]:
        return {
            "says": self.statement.text, "why": self.statement.why, "paper": self.statement.paper,
            "score": self.score.mean, "interval": self.score.interval(),
            "wins": self.score.wins, "draws": self.score.draws, "losses": self.score.losses,
            "elo": self.score.elo, "holds": self.holds,
        }  # fmt: skip


def check(results: RoundRobinResults) -> list[StatementResult]:
    """The statements whose two agents have met."""
    met = ((statement, results.score(statement.one, statement.two)) for statement in STATEMENTS)
    return [StatementResult(statement, score) for statement, score in met if score is not None]
