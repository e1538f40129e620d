"""Words of literals, which turn the rules of a game into a circuit.

A ``Word`` has the operators of a machine word, ``& | ^ ~ << >>``, but each of
its bits is a literal of an and-inverter graph (Kuehlmann et al., 2002).  So
the functions that play a game, called on words, build the circuit of the
rules, and nothing is encoded a second time.

A literal is an int: twice the number of a node, plus one for its complement.
Node 0 is the constant false, so the literal 0 is false and 1 is true.  The bits of
a word are of the class ``Literal``, an int that refuses integer arithmetic: ``a & b`` of
two ints is an int too, and would silently be a different literal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NoReturn, Union

from playproof.core.errors import UsageError

FALSE, TRUE = 0, 1
INPUT, AND, XOR = 0, 1, 2  # kinds of node; exclusive or is a gate of its own, for adders


class Graph:
    """An and-inverter graph: gates with two inputs, where equal gates are one node."""

    def __init__(self) -> None:
        self.kinds = [INPUT]  # by node
        self.fanins: list[tuple[int, int]] = [(0, 0)]  # two literals, by node
        self.inputs: list[int] = []  # nodes, in the order of their creation
        self._gates: dict[tuple[int, int, int], int] = {}

    def input(self) -> int:
        """A new literal that may be true or false."""
        self.inputs.append(len(self.kinds))
        self.kinds.append(INPUT)
        self.fanins.append((0, 0))
        return 2 * self.inputs[-1]

    def _gate(self, kind: int, a: int, b: int) -> int:
        key = (kind, a, b)
        node = self._gates.get(key)
        if node is None:
            node = self._gates[key] = len(self.kinds)
            self.kinds.append(kind)
            self.fanins.append((a, b))
        return 2 * node

    def conjunction(self, a: int, b: int) -> int:
        """``a and b``: constants, equals and opposites need no gate."""
        if a > b:
            a, b = b, a
        if a == FALSE or a ^ 1 == b:
            return FALSE
        if a in (TRUE, b):
            return b
        return self._gate(AND, a, b)

    def disjunction(self, a: int, b: int) -> int:
        """``a or b``, by De Morgan's law."""
        return self.conjunction(a ^ 1, b ^ 1) ^ 1

    def exclusive(self, a: int, b: int) -> int:
        """``a xor b``; complements move to the output, so that all signs share one gate."""
        a, b = int(a), int(b)
        sign = (a ^ b) & 1
        a, b = sorted((a & ~1, b & ~1))
        if a == b:
            return sign
        if a == FALSE:
            return b ^ sign
        return self._gate(XOR, a, b) ^ sign

    def all_of(self, literals: Iterable[int]) -> int:
        """The conjunction of any number of literals; of none, true."""
        result = TRUE
        for literal in literals:
            result = self.conjunction(result, literal)
        return result

    def any_of(self, literals: Iterable[int]) -> int:
        """The disjunction of any number of literals; of none, false."""
        return self.all_of(literal ^ 1 for literal in literals) ^ 1

    def input_word(self, width: int, squares: int = -1) -> Word:
        """A word that is free on ``squares`` and false elsewhere."""
        return Word(self, [self.input() if squares >> i & 1 else FALSE for i in range(width)])

    def constant(self, width: int, value: int) -> Word:
        """The word of an int, reduced to ``width`` bits."""
        return Word(self, [value >> i & 1 for i in range(width)])


class Literal(int):
    """A bit of a word.  ``literal ^ 1`` is its negation; gates come from the graph's methods."""

    __slots__ = ()

    def __xor__(self, other: int, /) -> Literal:
        if type(other) is not int or other not in (0, 1):
            _refuse("^")
        return Literal(int(self) ^ other)

    __rxor__ = __xor__

    def __and__(self, other: int, /) -> int:
        if type(other) is not int or other not in (1, ~1):  # the sign, or everything else
            _refuse("&")
        return int(self) & other

    __rand__ = __and__

    def __or__(self, other: int, /) -> NoReturn:
        _refuse("|")

    __ror__ = __or__

    def __invert__(self) -> NoReturn:
        raise UsageError("~ does not negate a literal: want literal ^ 1")

    def __neg__(self) -> NoReturn:
        raise UsageError("- does not negate a literal: want literal ^ 1")

    def __bool__(self) -> NoReturn:
        raise UsageError(
            "a literal is neither true nor false here: want literal ^ 1 to negate it, or "
            "problem.require(literal)"
        )


def _refuse(operator: str) -> NoReturn:
    gate = {"&": "conjunction", "|": "disjunction", "^": "exclusive"}[operator]
    raise UsageError(
        f"{operator} between literals builds no gate: want problem.graph.{gate}(a, b), or "
        f"{operator} between words"
    )


Operand = Union["Word", int]


class Word:
    """A fixed number of literals of one graph, lowest bit first.

    Int operands are constants.  Bits shifted out at either end are lost, as in a
    machine word; ``+ - *`` are modulo two to the width.
    """

    __slots__ = ("_bits", "graph")

    def __init__(self, graph: Graph, literals: Sequence[int]) -> None:
        self.graph = graph
        self._bits = tuple(literals)

    @property
    def literals(self) -> tuple[Literal, ...]:
        return tuple(map(Literal, self._bits))

    def __len__(self) -> int:
        return len(self._bits)

    def __bool__(self) -> bool:
        raise UsageError(
            "a word of literals is neither true nor false: a rule must not branch on it"
        )

    def __eq__(self, other: object) -> bool:
        raise UsageError("== does not compare words: want word.equals(other), a literal")

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, bit: int) -> Literal:
        return Literal(self._bits[bit])

    def _operand(self, other: Operand) -> Sequence[int]:
        """The literals of the other operand, which must have our width."""
        if isinstance(other, int):
            return [other >> i & 1 for i in range(len(self))]
        if other.graph is not self.graph or len(other) != len(self):
            raise UsageError(
                "words of different graphs or widths do not mix: want the same graph and width"
            )
        return other._bits

    def __and__(self, other: Operand) -> Word:
        both = zip(self._bits, self._operand(other), strict=True)
        return Word(self.graph, [self.graph.conjunction(a, b) for a, b in both])

    def __or__(self, other: Operand) -> Word:
        both = zip(self._bits, self._operand(other), strict=True)
        return Word(self.graph, [self.graph.disjunction(a, b) for a, b in both])

    def __xor__(self, other: Operand) -> Word:
        both = zip(self._bits, self._operand(other), strict=True)
        return Word(self.graph, [self.graph.exclusive(a, b) for a, b in both])

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Word:
        return Word(self.graph, [literal ^ 1 for literal in self._bits])

    def __lshift__(self, by: int) -> Word:
        return Word(self.graph, ((FALSE,) * by + self._bits)[: len(self)])

    def __rshift__(self, by: int) -> Word:
        return Word(self.graph, (self._bits + (FALSE,) * by)[by : by + len(self)])

    # Arithmetic by ripple-carry adders, for the figures of the paper and for counting

    def _sum(self, other: Operand, carry: int) -> Word:
        graph, total = self.graph, []
        for a, b in zip(self._bits, self._operand(other), strict=True):
            odd = graph.exclusive(a, b)
            total.append(graph.exclusive(odd, carry))
            carry = graph.disjunction(graph.conjunction(a, b), graph.conjunction(odd, carry))
        return Word(graph, total)

    def __add__(self, other: Operand) -> Word:
        return self._sum(other, FALSE)

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Word:
        return self._sum(~other, TRUE)

    def __neg__(self) -> Word:
        return (~self)._sum(0, TRUE)

    def __mul__(self, factor: int) -> Word:
        total = self.graph.constant(len(self), 0)
        for i in range(len(self)):
            if factor >> i & 1:
                total = total + (self << i)
        return total

    # Predicates of the whole word; each is one literal

    def any(self) -> Literal:
        """True if some bit is set."""
        return Literal(self.graph.any_of(self._bits))

    def equals(self, other: Operand) -> Literal:
        """True if every bit agrees."""
        return (self ^ other).any() ^ 1


def unary_count(graph: Graph, literals: Sequence[int]) -> list[int]:
    """The count of true literals in unary: one literal each for "at least 1", "at least 2" ...

    The counts of two halves are merged, as in a totalizer (Bailleux and Boufkhad, 2003).
    """
    if len(literals) < 2:
        return list(literals)
    half = len(literals) // 2
    low = [TRUE, *unary_count(graph, literals[:half])]
    high = [TRUE, *unary_count(graph, literals[half:])]
    return [
        graph.any_of(
            graph.conjunction(low[i], high[count - i])
            for i in range(len(low))
            if 0 <= count - i < len(high)
        )
        for count in range(1, len(literals) + 1)
    ]


def population(word: Word) -> Word:
    """The number of bits that are set, as a word of the same width, by ripple-carry adders."""
    graph, width = word.graph, len(word)
    total = graph.constant(width, 0)
    for start in reversed(range(0, width, 8)):
        count = graph.constant(width, 0)
        for bit in word.literals[start : start + 8]:
            count = count + Word(graph, [bit] + [FALSE] * (width - 1))
        total = total + count
    return total


def word_of(value: Operand, like: Word) -> Word:
    """``value`` as a word of the width of ``like``; a rule that needs no gate may return an int."""
    return value if isinstance(value, Word) else like.graph.constant(len(like), value)


def choose(condition: int, yes: Word, no: Word) -> Word:
    """``yes`` where the literal ``condition`` is true, else ``no``."""
    graph = yes.graph
    mask = Word(graph, [condition] * len(yes))
    return yes & mask | no & ~mask
