"""One side has no move, the other has many: how many, in a game of Othello?

    playproof --load othello_one_sided.py prove othello-one-sided --moves 20
    playproof --load othello_one_sided.py prove othello-one-sided --moves 20 --reachable

The first command finds a position, the second one that a game reaches, with its record.
docs/proofs/othello-statements.md explains it.
"""

from dataclasses import dataclass
from typing import ClassVar

from playproof.proofs import OthelloPosition, PositionWords, prove_reachable, register_statement


@register_statement
@dataclass(frozen=True)
class OneSided(OthelloPosition):
    """A position of Othello in which one side has ``moves`` moves and the other has none."""

    family: ClassVar[str] = "othello-one-sided"

    moves: int

    def condition(self) -> str:
        return f"in which the side to move has {self.moves} moves and the other side none"

    def requirements(self, position: PositionWords) -> None:
        position.exactly(self.moves, position.own_moves)
        position.exactly(0, position.opponent_moves)


def main() -> None:
    for moves in (5, 6):
        proof = prove_reachable(OneSided(moves, size=4))
        print(f"{moves} on 4x4: {proof.verdict}")


if __name__ == "__main__":
    main()
