"""How many discs can one move of Othello turn over?  A statement of your own, in one file.

At most 18: a position shows that 18 are possible, and anyone who has this file can check the proof
that 19 are not.

    playproof --load othello_flips.py prove othello-flips --at-least 18
    playproof --load othello_flips.py prove othello-flips --at-least 19 --certificate no-19
    playproof --load othello_flips.py check no-19

docs/proofs/your-own.md explains each part.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import playproof
from playproof.proofs import Problem, Statement, cardinality_field, decide, register_statement
from playproof.proofs.othello.boards import PLACES, add_position, position_text
from playproof.proofs.othello.play import only_one
from playproof.rules import othello


@register_statement
@dataclass(frozen=True)
class OthelloFlips(Statement):
    """A position of Othello with a move that turns over ``at_least`` discs, or a proof of none."""

    family: ClassVar[str] = "othello-flips"

    at_least: int
    size: Literal[4, 6, 8] = 8
    cardinality: str = cardinality_field()  # how discs are counted

    def __post_init__(self) -> None:
        if self.at_least < 1:
            raise playproof.UsageError(f"at least {self.at_least} discs: want 1 or more")

    def sentence(self) -> str:
        board = f"{self.size}x{self.size}"
        return f"an Othello move on {board} that turns over at least {self.at_least} discs"

    def problem(self) -> Problem:
        problem = Problem(cardinality=self.cardinality)
        # Free words: the discs of the side to move, those of the other side, and the move's square.
        own, opponent = add_position(problem, self.size)
        move = problem.input("move", othello.board(self.size), PLACES)
        only_one(problem, move)
        for square in range(64):  # the square is empty; ^ 1 negates a literal
            problem.require_any((move[square] ^ 1, own[square] ^ 1))
            problem.require_any((move[square] ^ 1, opponent[square] ^ 1))
        # The rule of the game, called on words, builds the circuit.
        flips = problem.name("flips", othello.flips(own, opponent, move), PLACES)
        problem.at_least(flips.literals, self.at_least)
        return problem

    def describe(self, witness: dict[str, int]) -> str:
        """The position and the move, played by the game's own rules: the solver is not trusted."""
        text = position_text((witness["own"], witness["opponent"]), self.size)
        state = playproof.make("othello", size=self.size).position(text)
        move = PLACES[witness["move"].bit_length() - 1]
        turned = text[:-2].count("O") - state.play(move).position[:-2].count("O")
        return f"{state}\nposition  {text}\nmove      {move}\nturned    {turned} discs"


def main() -> None:
    for bound in (18, 19):
        decision = decide(OthelloFlips(bound))
        print(f"{bound}: {decision.answer.status}")


if __name__ == "__main__":
    main()
