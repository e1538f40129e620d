"""Positions of Othello with exact numbers of moves and empty squares: how many, and does
a game reach one?

    playproof prove othello-counts --size 6 --moves 20 --empties 20 --enumerate 99
    playproof prove othello-counts --size 6 --moves 20 --empties 20 --reachable

both with --load othello_counts.py.  docs/proofs/othello-statements.md explains it.
"""

from dataclasses import dataclass
from typing import ClassVar

from playproof.proofs import (
    OthelloPosition,
    PositionWords,
    find_positions,
    prove_reachable,
    register_statement,
)


@register_statement
@dataclass(frozen=True)
class ExactCounts(OthelloPosition):
    """A position of Othello with exactly ``moves`` moves and ``empties`` empty squares."""

    family: ClassVar[str] = "othello-counts"

    moves: int
    empties: int

    def condition(self) -> str:
        return f"with exactly {self.moves} moves and {self.empties} empty squares"

    def requirements(self, position: PositionWords) -> None:
        position.exactly(self.moves, position.own_moves)
        position.exactly(self.empties, position.empties)


def main() -> None:
    statement = ExactCounts(moves=20, empties=20, size=6, placements=0)
    positions = find_positions(statement)
    print(f"{len(positions.positions)} positions up to symmetry, complete: {positions.complete}")
    print("in a game:", prove_reachable(statement).verdict)


if __name__ == "__main__":
    main()
