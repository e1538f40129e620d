"""Statements about how many legal actions a position of Choko can have.

Actions are counted as the game lists them: placements, steps, and for every
jump one action for each piece it may remove.  Adding up each jump's removals
bit by bit gives a formula that is hard for solvers.  But all jumps of a position
have the same number of removals, one less than the enemy's pieces.
``ChokoRemovals`` states the contrary and is to be refuted; ``ChokoMobility``
counts jumps and multiplies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from playproof.core.errors import UsageError, one_of
from playproof.proofs.sat.bracketing import Maximum, maximum
from playproof.proofs.sat.cardinality import cardinality_field, check_cardinality
from playproof.proofs.sat.cnf import Problem
from playproof.proofs.sat.oracles import Oracle
from playproof.proofs.sat.solvers import ShouldStop
from playproof.proofs.sat.words import FALSE, TRUE, Graph, Word, population, unary_count
from playproof.proofs.statements import Statement
from playproof.rules import choko as rules

SQUARES = 25
PLACES = tuple(f"{'ABCDE'[i % 5]}{i // 5 + 1}" for i in range(SQUARES))
# The shift against each direction, as the rules want it, and the offset of the jumped square.
DIRECTIONS = ((rules.down, 5), (rules.left, 1), (rules.up, -5), (rules.right, -1))

# Of every pit, jumps in all directions, each with all removals: more than any position has.
MOST_ACTIONS = SQUARES * len(DIRECTIONS) * rules.PIECES

CONDITIONS = {
    "none": "any position that the game can read",
    "material": "pieces and hands that play can leave",
    "placed": "nothing captured, reached by placements alone",
}


def _removals_of_a_jump(enemies: int, lone_jump: bool) -> int:
    """How many actions one jump gives against so many pieces on the board."""
    return enemies - 1 if enemies > 1 else int(lone_jump and enemies == 1)


def _add_pieces(problem: Problem) -> tuple[Word, Word]:
    own = problem.input("own", rules.BOARD, PLACES)
    enemy = problem.input("enemy", rules.BOARD, PLACES)
    for a, b in zip(own.literals, enemy.literals, strict=True):
        problem.require_any((a ^ 1, b ^ 1))
    return own, enemy


@dataclass(frozen=True)
class ChokoRemovals(Statement):
    """A jump whose number of removals is not one less than the enemy's pieces on the board.

    Against a lone piece, if the option allows it, a jump has one removal.
    """

    family: ClassVar[str] = "choko-removals"

    lone_jump: bool = False

    def sentence(self) -> str:
        return "a Choko jump with another number of removals than the enemy's other pieces"

    def assumptions(self) -> list[str]:
        return ["lone jumps are allowed"] if self.lone_jump else []

    def problem(self) -> Problem:
        problem = Problem()
        graph = problem.graph
        own, enemy = _add_pieces(problem)
        lone = rules.BOARD if self.lone_jump else 0
        enemies = population(enemy)
        right = enemies - 1
        if self.lone_jump:
            single = Word(graph, [enemies.equals(1)] + [FALSE] * (SQUARES - 1))
            right = right | single  # against a lone piece, one less would be 0
        wrong = []
        for backward, jumped in DIRECTIONS:
            jumps = rules.jumps(backward, own, enemy, rules.BOARD, lone)
            for square, jump in enumerate(jumps.literals):
                if jump != FALSE:
                    removals = population(rules.removals(enemy, 1 << (square + jumped), lone))
                    wrong.append(graph.conjunction(jump, removals.equals(right) ^ 1))
        problem.require_any(wrong)
        return problem


@dataclass(frozen=True)
class ChokoMobility(Statement):
    """A position in which the side to move has ``at_least`` legal actions.

    ``condition`` is one of CONDITIONS.  The hands are as play leaves them: equal
    if the mover is free, one piece more for a mover who must place.  ``cardinality`` names
    the counting of pieces; actions are counted by ``unary_count``.
    """

    family: ClassVar[str] = "choko-mobility"

    at_least: int
    condition: str = "none"
    lone_jump: bool = False
    cardinality: str = cardinality_field(before="totalizer")

    def __post_init__(self) -> None:
        if self.condition not in CONDITIONS:
            choices = one_of(list(CONDITIONS))
            raise UsageError(f"no condition {self.condition!a:.80} on a position: want {choices}")
        if not 1 <= self.at_least <= MOST_ACTIONS:
            raise UsageError(f"at_least={self.at_least} actions: want 1 to {MOST_ACTIONS}")
        check_cardinality(self.cardinality)

    def sentence(self) -> str:
        lone = ", lone jumps allowed" if self.lone_jump else ""
        return (
            f"a Choko position with at least {self.at_least} legal actions "
            f"({CONDITIONS[self.condition]}{lone})"
        )

    def assumptions(self) -> list[str]:
        return ["both hands are equal, or the mover has one piece more and must place it"]

    def problem(self) -> Problem:
        problem = Problem(cardinality=self.cardinality)
        graph = problem.graph
        own, enemy = _add_pieces(problem)
        hand = problem.input("hand", -1, [f"of {n} or more" for n in range(1, rules.PIECES + 1)])
        forced = problem.input("forced", -1, ["to place"])[0]
        for more, less in zip(hand.literals[1:], hand.literals, strict=False):
            problem.require_any((more ^ 1, less))
        problem.require_any((forced ^ 1, hand[0]))
        self._bound_material(problem, own, enemy, hand, forced)

        holds = Word(graph, [hand[0]] * SQUARES)
        free = Word(graph, [forced ^ 1] * SQUARES)
        lone = rules.BOARD if self.lone_jump else 0
        singles = list(rules.placements(own, enemy, holds).literals)
        jumps: list[int] = []
        for backward, _ in DIRECTIONS:
            singles += rules.steps(backward, own, enemy, free).literals
            jumps += rules.jumps(backward, own, enemy, free, lone).literals
        self._require_actions(problem, enemy, _possible(singles), _possible(jumps))
        return problem

    def _bound_material(
        self, problem: Problem, own: Word, enemy: Word, hand: Word, forced: int
    ) -> None:
        graph, most = problem.graph, rules.PIECES
        mine = (*own.literals, *hand.literals)
        # The enemy's hand equals ours, or is one less if we are forced.  So this counts the
        # enemy's pieces plus one.
        theirs = (*enemy.literals, *hand.literals, forced ^ 1)
        problem.at_most(mine, most)
        problem.at_most(theirs, most + 1)
        if self.condition == "placed":
            problem.at_least(mine, most)
            problem.at_least(theirs, most + 1)
        elif self.condition == "material":
            # The side that moved last has a piece on the board, except before the first move.
            problem.require_any((*enemy.literals, hand[most - 1]))
            if not self.lone_jump:  # then pieces are captured in pairs
                problem.require(_odd(graph, mine) ^ 1)
                problem.require(_odd(graph, theirs))

    def _require_actions(
        self, problem: Problem, enemy: Word, singles: list[int], jumps: list[int]
    ) -> None:
        """Require the total: singles + jumps * (removals of one jump).

        For every number of enemies and every j: if there are at most j jumps,
        then the singles must make up the actions that j jumps do not give.
        """
        graph = problem.graph
        enemies = [TRUE, *unary_count(graph, enemy.literals), FALSE]
        jumping = [TRUE, *unary_count(graph, jumps), FALSE]
        others = [TRUE, *unary_count(graph, singles)]
        for count in range(rules.PIECES + 1):
            weight = _removals_of_a_jump(count, self.lone_jump)
            for j in range(len(jumps) + 1):
                missing = self.at_least - weight * j
                if missing > 0:
                    enough = others[missing] if missing < len(others) else FALSE
                    exactly = (enemies[count] ^ 1, enemies[count + 1])
                    problem.require_any((*exactly, jumping[j + 1], enough))


def _possible(literals: list[int]) -> list[int]:
    return [literal for literal in literals if literal != FALSE]


def _odd(graph: Graph, literals: tuple[int, ...]) -> int:
    odd = FALSE
    for literal in literals:
        odd = graph.exclusive(odd, literal)
    return odd


def position_text(witness: dict[str, int]) -> str:
    """A witness in the notation of the game, with Blue to move."""
    own, enemy = witness["own"], witness["enemy"]
    hand, forced = witness["hand"].bit_count(), witness["forced"]
    ranks = []
    for rank in reversed(range(5)):
        squares = range(5 * rank, 5 * rank + 5)
        letters = ("b" if own >> s & 1 else "r" if enemy >> s & 1 else "." for s in squares)
        ranks.append("".join(letters).replace(".", "1"))
    played = 2 * rules.PIECES - 2 * hand + forced
    return f"{'/'.join(ranks)} b {hand} {hand - forced} {'r' if forced else '-'} {played + forced}"


def largest(
    condition: str = "none",
    lone_jump: bool = False,
    *,
    solver: Oracle | str | None = None,
    seconds: float | None = None,
    on_progress: Callable[[int, int, float], None] | None = None,
    should_stop: ShouldStop | None = None,
) -> Maximum:
    """Find the largest number of legal actions, with a witness for it and a refutation of one
    more."""
    return maximum(
        lambda bound: ChokoMobility(bound, condition, lone_jump),
        lambda witness: count_actions(witness, lone_jump),
        # More than all placements, and all pieces jumping in all directions with all removals.
        above=SQUARES + 4 * rules.PIECES * rules.PIECES,
        solver=solver,
        seconds=seconds,
        on_progress=on_progress,
        should_stop=should_stop,
    )


def count_actions(witness: dict[str, int], lone_jump: bool) -> int:
    """The number of legal actions of a witness, counted by the rules on plain ints."""
    own, enemy = witness["own"], witness["enemy"]
    free = 0 if witness["forced"] else rules.BOARD
    lone = rules.BOARD if lone_jump else 0
    placements: Any = rules.placements(own, enemy, rules.BOARD if witness["hand"] else 0)
    total = int(placements).bit_count()
    for backward, jumped in DIRECTIONS:
        total += int(rules.steps(backward, own, enemy, free)).bit_count()
        jumps = int(rules.jumps(backward, own, enemy, free, lone))
        for square in range(SQUARES):
            if jumps >> square & 1:
                total += int(rules.removals(enemy, 1 << (square + jumped), lone)).bit_count()
    return total
