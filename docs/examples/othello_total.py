"""The total mobility of a position, both sides' moves added up: how large can it be?

    playproof prove othello-total --size 6 --at-least 33 --certificate no-33
    playproof prove othello-total --size 4 --at-least 11 --reachable

both with --load othello_total.py.  docs/proofs/othello-statements.md explains it.
"""

from dataclasses import dataclass
from typing import ClassVar

from playproof.proofs import OthelloPosition, PositionWords, prove_reachable, register_statement
from playproof.proofs.sat.bracketing import Maximum, maximum


@register_statement
@dataclass(frozen=True)
class TotalMobility(OthelloPosition):
    """A position of Othello in which both sides together have ``at_least`` moves."""

    family: ClassVar[str] = "othello-total"

    at_least: int

    def condition(self) -> str:
        return f"with a total mobility of at least {self.at_least}"

    def requirements(self, position: PositionWords) -> None:
        # A square where both sides could move counts twice.
        position.at_least(self.at_least, position.own_moves, position.opponent_moves)


def largest(size: int, placements: int | None = None) -> Maximum:
    """The largest total mobility, with a witness, and the refutation of one more."""
    return maximum(
        lambda bound: TotalMobility(bound, size=size, placements=placements),
        lambda witness: sum(witness[w].bit_count() for w in ("own_moves", "opponent_moves")),
        above=2 * (size**2 - 4) + 1,  # each empty square counts twice at most
    )


def largest_reachable(size: int) -> tuple[int, str | None]:
    """The largest total mobility that a game reaches, with its record."""
    bound = largest(size, placements=0).value  # none is larger, reachable or not
    assert bound is not None
    while True:
        proof = prove_reachable(TotalMobility(bound, size=size))
        if proof.holds:
            return bound, proof.record
        bound -= 1


def main() -> None:
    for size in (4, 6):
        print(f"{size}x{size}: {largest(size).value}, reachable or not")
    print("4x4: {} in a game: {}".format(*largest_reachable(4)))


if __name__ == "__main__":
    main()
