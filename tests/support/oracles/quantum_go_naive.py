"""Go and Quantum Go by the book (Ranchin, 2016): dictionaries of stones, one rule after another.

Nothing here is shared with the engine. A mistake would have to be made twice, in two quite
different ways of writing the rules down, before the two could agree on it.

Where the rules are silent, this is how they are read here; each reading has one place:

 1. Superko and ko compare the single stones and the groups (owner and points), neither the
    groups' ages nor the player to move. The start counts; passing may repeat.
 2. Simple ko bars the position before the opponent's last turn, and a pass is a turn.
 3. Suicide is barred: a turn that would take any stone of the mover's off is illegal. Allowed:
    the stones so lost are the opponent's prisoners, and superko still bars a lone stone's.
 4. A side that places k stones at once and finds fewer than k empty points can only pass.
 5. A choice with one option is still asked for; nothing is played unasked.
 6. Symmetric play asks for one point, the lower of the two; the other one is accepted as well.
 7. Which groups are touched is settled as the stones go down, before any of them collapses.
 8. W: a touched group loses one stone in a turn, however many of its stones are touched, the
    new group too. All that is left of a group that shrank in steps 1 and 2 "survived".
 9. Leftovers: oldest group first, after the last passer's own the other player's; nothing is
    captured and no ko is tested. W removes stone after stone until one is left.
10. Born, pairs and GHZ: an outcome is the point that stays. In a|0>x|1>y - b|1>x|0>y, x is the
    point that comes first by column, then row, as in the paper's Figure 7: y stays with |a|^2.
    GHZ is measured by its label, so that contact leaves exactly one: 1/k for each point.
11. Born, W: equal amplitudes whatever the size. Every touched stone is measured, ("present", p)
    with 1/m or ("absent", p), as long as its group is one.
12. Born: groups of both sides by age, hence the new one last. Rule 5 stands: an outcome that it
    forbids is excluded like one without a legal completion. Outcomes of weight 0 never happen.
    Leftovers are measured too (W: at the lowest point), in the order of reading 9.
13. Resigning is play("resign"), which is never listed; a score exists only after two passes.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

from tests.support.oracles.quantum_go_naive_board import (
    BLACK,
    WHITE,
    Board,
    Point,
    Stones,
    point_of,
)

CHANCE = -1
PASS = "pass"
RESIGN = "resign"

Decision = Point | str | tuple[str, Point]
Key = tuple[frozenset[tuple[Point, int]], frozenset[tuple[int, frozenset[Point]]]]


@dataclass(frozen=True)
class Group:
    """Entangled stones; one of them will be real. The age is the number of the turn."""

    owner: int
    points: tuple[Point, ...]
    age: int


@dataclass(frozen=True)
class Question:
    """A collapse to be settled: in which step, of which group, measured where (W by chance)."""

    step: int
    age: int
    at: Point | None = None


class Naive:
    """A game in progress. play() changes it; copy() first to look ahead.

    variant: words joined by "+" out of classical, standard, weak, symmetric, semi-black (Black
    places groups, White singles), semi-white, ghz-k and w-k.
    """

    born_by_age = True
    born_keeps_rule_5 = True

    def __init__(
        self,
        width: int,
        height: int,
        variant: str = "standard",
        *,
        collapse: str = "choice",  # or "born"
        amplitudes: tuple[complex, complex] = (0.5**0.5, 0.5**0.5),
        suicide: bool = False,
        ko: str = "superko",  # or "simple", or "none" to study positions rather than games
        scoring: str = "area",  # or "territory"
        komi: float = 0,
        handicap: Sequence[Point] = (),
    ) -> None:
        if collapse not in ("choice", "born") or scoring not in ("area", "territory"):
            raise ValueError("collapse is choice or born, scoring is area or territory")
        if ko not in ("superko", "simple", "none"):
            raise ValueError("ko is superko, simple or none")
        self.board = Board(width, height)
        self.read_variant(variant)
        self.born, self.amplitudes = collapse == "born", amplitudes
        self.suicide, self.ko, self.scoring, self.komi = suicide, ko, scoring, komi
        self.singles: Stones = dict.fromkeys(handicap, BLACK)
        self.groups: list[Group] = []
        self.prisoners = [0, 0]  # stones taken by Black, by White
        self.to_move = WHITE if handicap else BLACK
        self.turns = self.passes = 0
        self.resigned: int | None = None
        self.new: list[Point] = []  # the stones of this turn, as far as they are known
        self.questions: list[Question] = []  # the collapses that this turn still has to settle
        self.survivors: set[Point] = set()  # stones left by steps 1 and 2 of this turn
        self.barred: str | None = None  # why the last turn should not have been played
        self.positions = [self.key()]  # the one of the start, then one for each turn

    def read_variant(self, variant: str) -> None:
        """Stones to a turn for each side, contact, and how a group collapses."""
        words = variant.split("+")
        sizes = [int(word.split("-")[1]) for word in words if word.startswith(("ghz-", "w-"))]
        size = sizes[0] if sizes else 2
        self.shrinks = any(word.startswith("w-") for word in words)
        self.weak, self.symmetric = "weak" in words, "symmetric" in words
        self.sizes = {
            BLACK: 1 if "classical" in words or "semi-white" in words else size,
            WHITE: 1 if "classical" in words or "semi-black" in words else size,
        }
        known = {"classical", "standard", "weak", "symmetric", "semi-black", "semi-white"}
        rest = [word for word in words if word not in known]
        if len(rest) != len(sizes) or len(sizes) > 1 or size < 2 or (self.symmetric and sizes):
            raise ValueError(f"unknown variant {variant!r}")

    def set_up(self, singles: Stones, groups: Sequence[tuple[int, str]], to_move: int) -> Naive:
        """A position nobody has played to; groups oldest first, as (owner, "A1 C3")."""
        self.singles = dict(singles)
        self.groups = [
            Group(owner, self.ordered(point_of(n) for n in names.split()), age)
            for age, (owner, names) in enumerate(groups, 1)
        ]
        self.turns, self.to_move = len(groups), to_move
        self.positions = [self.key()]
        return self

    def ordered(self, points) -> tuple[Point, ...]:
        """Points by their index."""
        return tuple(sorted(points, key=self.board.index))

    def copy(self) -> Naive:
        """A game that can go its own way; only what never changes is shared."""
        twin = copy.copy(self)
        twin.singles, twin.groups = dict(self.singles), list(self.groups)
        twin.new, twin.questions = list(self.new), list(self.questions)
        twin.survivors, twin.prisoners = set(self.survivors), list(self.prisoners)
        return twin

    # What can be seen.

    def stones(self) -> Stones:
        """The single stones."""
        return dict(self.singles)

    def pairs(self) -> list[tuple[int, tuple[Point, ...]]]:
        """The entangled groups, oldest first: owner and points."""
        return [(group.owner, group.points) for group in self.groups]

    def everything(self) -> Stones:
        """All stones, entangled ones included: they occupy their points."""
        return self.singles | {p: group.owner for group in self.groups for p in group.points}

    def key(self) -> Key:
        """What must not come back: the single stones and the pairing."""
        groups = frozenset((group.owner, frozenset(group.points)) for group in self.groups)
        return frozenset(self.singles.items()), groups

    def touching(self, point: Point) -> list[Point]:
        """The points in contact with this one."""
        return self.board.around(point, diagonal=self.weak)

    def group(self, age: int) -> Group | None:
        """The group of that age, unless it has collapsed."""
        return next((group for group in self.groups if group.age == age), None)

    def is_over(self) -> bool:
        """Two passes and nothing left to settle, or a resignation."""
        return self.resigned is not None or (self.passes == 2 and not self.questions)

    def decision(self) -> tuple[str, int]:
        """The phase and its step.

        ("point", n-th), ("keep" | "remove" | "measure", 1 to 3), the same with 4 and 5 for the
        leftovers of the last passer and of the other player, ("over", 0).
        """
        if self.is_over():
            return "over", 0
        if not self.questions:
            return "point", len(self.new) + 1
        phase = "measure" if self.born else "remove" if self.shrinks else "keep"
        return phase, self.questions[0].step

    def player(self) -> int | None:
        """0 Black, 1 White, -1 chance, None after the end."""
        if self.is_over():
            return None
        if not self.questions:
            return self.to_move
        return CHANCE if self.born else self.group(self.questions[0].age).owner

    def score(self) -> float:
        """Black's margin at the end of a game that nobody resigned."""
        if not self.is_over() or self.resigned is not None:
            raise ValueError("only a game that was played to its end has a score")
        if self.scoring == "area":
            black, white = self.board.area(self.singles)
        else:
            black, white = self.board.territory(self.singles)
            black, white = black + self.prisoners[BLACK], white + self.prisoners[WHITE]
        return black - white - self.komi

    # What can be done.

    def legal(self, either_order: bool = False) -> list[Decision]:
        """The decisions, by index and the pass last; a group's points in rising order.

        A person may click them in any order: play() takes either_order's decisions as well. After
        a first point that only goes with lower ones, these are the ones that are listed.
        """
        decisions = [d for d in self.options(either_order) if self.leads_on(d, either_order)]
        if not decisions and not either_order and not self.is_over():
            return self.legal(either_order=True)
        return decisions

    def chance(self) -> list[tuple[Decision, float]]:
        """The outcomes that have a legal completion, with probabilities that sum to 1."""
        if self.player() != CHANCE:
            raise ValueError("nothing is left to chance here")
        weights = [(d, w) for d, _, w in self.outcomes() if self.leads_on(d)]
        total = sum(weight for _, weight in weights)
        return [(decision, weight / total) for decision, weight in weights]

    def play(self, decision: Decision) -> None:
        """Make a legal decision, or resign; anything else is a mistake of the caller."""
        if decision == RESIGN and self.player() in (BLACK, WHITE):
            self.resigned = self.player()
            return
        either = self.options(either_order=True)
        if decision not in either or not self.leads_on(decision, either_order=True):
            raise ValueError(f"{decision} is not legal here")
        self.apply(decision)

    # Rule 11: what has a legal completion.

    def leads_on(self, decision: Decision, either_order: bool = False) -> bool:
        """Whether the turn can still be finished legally after this decision."""
        if decision == PASS:
            return True
        after = self.copy()
        after.apply(decision)
        return after.completes(either_order)

    def completes(self, either_order: bool = False) -> bool:
        """Whether some way to finish this turn is legal, whoever chooses; ended turns included."""
        if not self.new:
            return self.barred is None
        return any(self.leads_on(d, either_order) for d in self.options(either_order))

    # Rules 2 to 6: what may be chosen, before asking for a completion. Too few empty points for
    # all the stones of a turn need no rule of their own: there is no completion.

    def options(self, either_order: bool = False) -> list[Decision]:
        """Points for new stones, or the outcomes of the collapse that is to be settled."""
        if self.is_over():
            return []
        if self.questions:
            return [decision for decision, _, _ in self.outcomes()]
        stones, size = self.everything(), self.sizes[self.to_move]
        free = [p for p in self.board.points if p not in stones and p not in self.new]
        if self.symmetric and size > 1:
            free = [p for p in free if either_order or p == self.ordered(self.twins(p))[0]]
        elif self.new and not either_order:
            free = [p for p in free if self.board.index(p) > self.board.index(self.new[-1])]
        return free if self.new else [*free, PASS]

    def twins(self, point: Point) -> list[Point]:
        """Symmetric play: the point and the one opposite, unless that is the same or occupied."""
        opposite = self.board.mirror(point)
        return [point] if opposite == point or opposite in self.everything() else [point, opposite]

    def outcomes(self) -> list[tuple[Decision, tuple[Point, ...], float]]:
        """Each outcome of the next collapse: the decision, the points it leaves, its weight."""
        question = self.questions[0]
        points = self.group(question.age).points
        options: list[tuple[Decision, tuple[Point, ...], float]] = []
        if self.shrinks and self.born:
            at, m = question.at, len(points)
            options.append((("absent", at), tuple(p for p in points if p != at), (m - 1) / m))
            options.append((("present", at), (at,), 1 / m))
        elif self.shrinks:
            options += [(point, tuple(p for p in points if p != point), 1.0) for point in points]
        else:
            options += [(point, (point,), self.weight(point, points)) for point in points]
        if question.step == 3 and not (self.born and not self.born_keeps_rule_5):
            bound = self.bound() & set(points)
            options = [one for one in options if not bound or bound & set(one[1])]
        return [one for one in options if one[2] > 0]

    def weight(self, point: Point, points: tuple[Point, ...]) -> float:
        """Born's probability that this one of a pair or a GHZ group is the one that is there."""
        if not self.born or len(points) > 2:
            return 1 / len(points)
        alpha, beta = self.amplitudes
        return abs(beta if point == min(points) else alpha) ** 2

    def bound(self) -> set[Point]:
        """Rule 5: the new stones that touch a stone which survived steps 1 and 2 of this turn."""
        # A W-stone may stay once and then be found absent: it must still stand.
        standing = self.survivors & set(self.everything())
        return {p for p in self.new if standing & set(self.touching(p))}

    # What decisions do.

    def apply(self, decision: Decision) -> None:
        """Carry out a decision that options() listed, without a look at its consequences."""
        if decision == PASS:
            self.pass_turn()
        elif self.questions:
            self.settle(decision)
        elif self.symmetric and self.sizes[self.to_move] > 1:
            self.new = self.twins(decision)
            self.put_down()
        else:
            self.new = [*self.new, decision]
            if len(self.new) == self.sizes[self.to_move]:
                self.put_down()

    def put_down(self) -> None:
        """Rules 3 and 4: the new stones lie on the board; who has to collapse what, in order."""
        mover, before = self.to_move, self.everything()
        near = {q for p in self.new for q in self.touching(p)}
        mine, theirs = (
            [g for g in self.groups if g.owner == side and near & set(g.points)]
            for side in (mover, 1 - mover)
        )
        steps = [(1, group) for group in mine] + [(2, group) for group in theirs]
        self.turns += 1
        if len(self.new) == 1:
            self.singles[self.new[0]] = mover
        else:
            fresh = Group(mover, self.ordered(self.new), self.turns)
            self.groups.append(fresh)
            if near & (set(before) | set(self.new)):
                steps.append((3, fresh))
        if self.born and self.born_by_age:
            steps.sort(key=lambda pair: pair[1].age)
        for step, group in steps:
            if self.shrinks and self.born:
                # The stones to measure: old ones beside a new one, new ones beside any other.
                others = self.new if step < 3 else [*before, *self.new]
                hit = {q for p in others for q in self.touching(p)}
                self.questions += [Question(step, group.age, p) for p in group.points if p in hit]
            else:
                self.questions.append(Question(step, group.age))
        self.go_on()

    def settle(self, decision: Decision) -> None:
        """One collapse: some of the group is left, and what is left alone is a single stone."""
        left = next(left for known, left, _ in self.outcomes() if known == decision)
        question = self.questions.pop(0)
        self.reduce(self.group(question.age), left)
        if question.step in (1, 2):
            self.survivors |= set(left)
        if self.passes == 2 and self.group(question.age) is not None:
            self.questions.insert(0, self.leftover(question.step, self.group(question.age)))
        self.questions = [q for q in self.questions if self.group(q.age) is not None]
        if self.passes < 2:
            self.go_on()

    def reduce(self, group: Group, left: tuple[Point, ...]) -> None:
        """Put what is left in the place of a group, which keeps its age."""
        spot = self.groups.index(group)
        self.groups[spot : spot + 1] = [Group(group.owner, left, group.age)] if left[1:] else []
        if len(left) == 1:
            self.singles[left[0]] = group.owner

    def go_on(self) -> None:
        """Once nothing is left to settle, captures and the ban on repetition end the turn."""
        if self.questions:
            return
        self.capture()
        key = self.key()
        if self.repeats(key):
            self.barred = self.barred or "ko"
        self.end_turn(key)
        self.passes = 0

    def end_turn(self, key: Key) -> None:
        """The opponent's turn; the position joins the ones that must not come back."""
        self.new, self.survivors = [], set()
        self.positions = [*self.positions, key]
        self.to_move = 1 - self.to_move

    def repeats(self, key: Key) -> bool:
        """Rule 10, or the option of a simple ko."""
        if self.ko == "simple":
            return len(self.positions) > 1 and key == self.positions[-2]
        return self.ko == "superko" and key in self.positions

    def capture(self) -> None:
        """Rule 7: the opponent's chains without liberties first, then the mover's own."""
        self.take(1 - self.to_move)
        if self.take(self.to_move) and not self.suicide:
            self.barred = "suicide"

    def take(self, colour: int) -> bool:
        """Take this colour's chains without liberties off; whether there were any."""
        dead = self.board.without_liberties(self.everything(), colour)
        for point in dead & set(self.singles):
            del self.singles[point]
            self.prisoners[1 - colour] += 1
        for group in [g for g in self.groups if dead & set(g.points)]:
            assert self.shrinks, "an entangled stone was in a chain"
            left = tuple(p for p in group.points if p not in dead)
            self.reduce(group, left)
            self.prisoners[1 - colour] += not left
        return bool(dead)

    def pass_turn(self) -> None:
        """Rule 12: the second pass in a row ends the game, up to the groups that are left."""
        passer = self.to_move
        self.passes += 1
        self.end_turn(self.key())
        if self.passes == 2:
            for step, side in ((4, passer), (5, 1 - passer)):
                self.questions += [self.leftover(step, g) for g in self.groups if g.owner == side]

    def leftover(self, step: int, group: Group) -> Question:
        """The question of what stays of a group after the end."""
        return Question(step, group.age, group.points[0] if self.born and self.shrinks else None)


def play(game: Naive, *decisions: str) -> Naive:
    """Play decisions by their names, blanks between them, so that tests read like a record."""
    for name in " ".join(decisions).split():
        game.play(name if name in (PASS, RESIGN) else point_of(name))
    return game
