"""What can be said of the naive Quantum Go by exhaustion: reachable positions, values on 2x2.

Positions are counted as the single stones with the pairing, the empty board included, whoever is
to move. Any position that some sequence of turns reaches is reached in a game with superko too:
cut the loops out of the sequence, and let a player pass wherever that upsets the alternation.
So ko is left aside, and either side may move anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.support.oracles.quantum_go_naive import BLACK, PASS, WHITE, Key, Naive

# A turn without its pass: the number of the position it leads to, or who chooses between what.
Tree = int | tuple[int, list["Tree"]]


def endings(game: Naive) -> Iterator[Naive]:
    """Every way to finish the turn that this game is in, passes and barred turns aside."""
    for decision in game.options():
        if decision == PASS:
            continue
        after = game.copy()
        after.apply(decision)
        if after.new:
            yield from endings(after)
        elif after.barred is None:
            yield after


def with_side(game: Naive, side: int) -> Naive:
    """The same position with this side to move."""
    twin = game.copy()
    twin.to_move, twin.passes = side, 0
    return twin


def reachable(width: int, height: int, variant: str) -> set[Key]:
    """The positions that games of this variant can come to between two turns."""
    start = Naive(width, height, variant, ko="none")
    reached, edge = {start.key()}, [start]
    while edge:
        here = edge.pop()
        for side in (BLACK, WHITE):
            for after in endings(with_side(here, side)):
                if after.key() not in reached:
                    reached.add(after.key())
                    edge.append(after)
    return reached


class Solver:
    """Games with superko searched with their whole past in the state, so nothing is approximate.

    Only for boards with room for one group at a time: there a position's ages do not matter.
    """

    def __init__(self, width: int, height: int, variant: str) -> None:
        start = Naive(width, height, variant, ko="none")
        self.games = [start]
        self.numbers = {start.key(): 0}
        self.turns: dict[tuple[int, int], list[Tree]] = {}
        self.finals: dict[tuple[int, int], float] = {}  # by position and who passed last
        for number, game in enumerate(self.games):  # the list grows on the way
            for side in (BLACK, WHITE):
                here = with_side(game, side)
                turns = [self.tree(here, d) for d in here.legal() if d != PASS]
                self.turns[number, side] = turns
                here.passes = 1
                here.play(PASS)
                self.finals[number, side] = settled(here)

    def tree(self, game: Naive, decision: object) -> Tree:
        """What may follow a decision within its turn."""
        after = game.copy()
        after.play(decision)
        if after.new:
            return after.player(), [self.tree(after, d) for d in after.legal()]
        assert len(after.groups) <= 1, "ages would matter here"
        if after.key() not in self.numbers:
            self.numbers[after.key()] = len(self.games)
            self.games.append(after)
        return self.numbers[after.key()]

    def at_least(self, margin: float) -> bool:
        """Whether Black can be sure of this margin."""
        self.margin = margin
        self.memo: dict[tuple[int, int, bool, int], bool] = {}
        return self.black_gets_it(0, BLACK, False, 1)

    def black_gets_it(self, position: int, side: int, passed: bool, past: int) -> bool:
        """Between two turns; past has a bit for each position that must not come back."""
        state = position, side, passed, past
        if state not in self.memo:
            black, turns = side == BLACK, self.turns[position, side]
            # A second pass ends the game. To ask it first is what keeps the search small.
            ended = (self.finals[position, side] >= self.margin) if passed else None
            if ended is black or any(self.within(t, side, past) is black for t in turns):
                self.memo[state] = black
            elif passed:
                self.memo[state] = not black
            else:
                self.memo[state] = self.black_gets_it(position, 1 - side, True, past)
        return self.memo[state]

    def within(self, tree: Tree, side: int, past: int) -> bool | None:
        """Within a turn; None where superko bars every completion."""
        if isinstance(tree, int):
            if past >> tree & 1:
                return None
            return self.black_gets_it(tree, 1 - side, False, past | 1 << tree)
        chooser, branches = tree
        answers = [self.within(branch, side, past) for branch in branches]
        answers = [answer for answer in answers if answer is not None]
        black = chooser == BLACK
        return black if black in answers else (not black if answers else None)


def settled(game: Naive) -> float:
    """The score once both players have kept what suits them of the leftovers."""
    if game.is_over():
        return game.score()
    values = []
    for decision in game.legal():
        after = game.copy()
        after.play(decision)
        values.append(settled(after))
    return max(values) if game.player() == BLACK else min(values)
