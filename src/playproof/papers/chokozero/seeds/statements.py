"""The paper's statements about strength, tested over the runs: the order of V1, V2 and V3 first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playproof.papers.chokozero.seeds.agents import AGENT_BY_NAME
from playproof.papers.chokozero.seeds.results import Comparison, SeedResults
from playproof.papers.chokozero.statements import StrengthStatement


@dataclass(frozen=True)
class OrderStatement:
    """Several comparisons that are one statement; each has the stronger agent first."""

    text: str
    pairs: tuple[tuple[str, str], ...]


STATEMENTS = (
    OrderStatement("V1 < V2 < V3", (("v2", "v1"), ("v3", "v2"), ("v3", "v1"))),
    OrderStatement("V3 literal is stronger than V3", (("v3-literal", "v3"),)),
    OrderStatement(
        "DQL is the weakest", (("v1", "dql"), ("v2", "dql"), ("v3", "dql"), ("v3-literal", "dql"))
    ),
    OrderStatement(
        "PGTS is stronger than all nets of the paper",
        (("pgts", "v3"), ("pgts", "v2"), ("pgts", "v1"), ("pgts", "dql")),
    ),
    OrderStatement(
        "Minimax is stronger than all of them",
        (("minimax", "pgts"), ("minimax", "v3"), ("minimax", "v2"), ("minimax", "v1")),
    ),
)


@dataclass(frozen=True)
class OrderResult:
    """A statement with those of its comparisons whose agents have met."""

    statement: OrderStatement
    comparisons: tuple[Comparison, ...]

    @property
    def holds(self) -> bool | None:
        """True if every comparison holds, False if one does not; None if the runs do not decide."""
        verdicts = [comparison.holds for comparison in self.comparisons]
        if False in verdicts:
            return False
        whole = len(verdicts) == len(self.statement.pairs)
        return True if whole and all(verdicts) else None

    @property
    def verdict(self) -> str:
        return {True: "holds", False: "does not hold", None: "not decided"}[self.holds]

    def to_json(self) -> dict[str, object]:
        return {
            "says": self.statement.text, "holds": self.holds,
            "comparisons": [
                {**comparison.to_json(), "paper": paper(comparison)}
                for comparison in self.comparisons
            ],
        }  # fmt: skip


def check(results: SeedResults) -> list[OrderResult]:
    """The statements of which at least one comparison was played."""
    checked = []
    for statement in STATEMENTS:
        met = (results.compare(*pair) for pair in statement.pairs)
        comparisons = tuple(comparison for comparison in met if comparison is not None)
        if comparisons:
            checked.append(OrderResult(statement, comparisons))
    return checked


def text_of(comparison: Comparison) -> str:
    """What the comparison is about: the first agent is stronger."""
    own = "its own " if comparison.paired else ""
    return f"{comparison.one.title} is stronger than {own}{comparison.two.title}"


def paper(comparison: Comparison) -> str:
    """The paper's wins, draws and losses, in percent; empty if it has none."""
    return StrengthStatement(comparison.one.name, comparison.two.name, "").paper


def missing(statements: Sequence[OrderResult]) -> list[str]:
    """The agents of the statements of which there is no run, by title."""
    met = {
        agent.name
        for result in statements
        for comparison in result.comparisons
        for agent in (comparison.one, comparison.two)
    }
    named = dict.fromkeys(name for s in STATEMENTS for pair in s.pairs for name in pair)
    return [AGENT_BY_NAME[name].title for name in named if name not in met]
