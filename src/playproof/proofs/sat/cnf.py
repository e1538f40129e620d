"""From a circuit and its requirements to clauses, and from a model back to words.

Every gate is defined in both directions (Tseitin, 1968), so a model of the
clauses is an evaluation of the circuit, and if no input meets the requirements
there is no model.  Trees of one kind of gate become one gate with many inputs.
``cardinality`` counts.  The same problem gives the same bytes in any process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from playproof.core.errors import DataError, UsageError
from playproof.proofs.sat.cardinality import Clause, at_least, check_cardinality
from playproof.proofs.sat.words import AND, FALSE, INPUT, TRUE, Graph, Word


@dataclass
class Cnf:
    """Clauses over the variables 1 ... ``variables``, and what the variables stand for."""

    variables: int
    clauses: list[Clause]
    words: dict[str, tuple[int, ...]]  # by bit: a signed variable, or 0 if the bit is constant
    constants: dict[str, int]  # the bits of each word that are constant ones
    labels: dict[int, str]  # of variables
    places: dict[str, Sequence[str]] = field(default_factory=dict)  # the names of a word's bits

    def decode(self, model: Iterable[int]) -> dict[str, int]:
        """The value of every named word in a model, given as signed variables."""
        true = {literal for literal in model if literal > 0}
        values = {}
        for name, literals in self.words.items():
            values[name] = self.constants[name] | sum(
                1 << bit
                for bit, literal in enumerate(literals)
                if literal and (abs(literal) in true) == (literal > 0)
            )
        return values

    def fix(self, **values: int) -> list[int]:
        """The literals that set named words to values; constant bits must agree."""
        literals = []
        for name, value in values.items():
            if self._clash(name, value):
                raise DataError(f"{value:#x} does not fit {name}: some of its bits are constant")
            literals += [v if value >> i & 1 else -v for i, v in enumerate(self.words[name]) if v]
        return literals

    def _clash(self, name: str, value: int) -> bool:
        free = sum(1 << bit for bit, literal in enumerate(self.words[name]) if literal)
        return value & ~free != self.constants[name]

    def differs(self, **values: int) -> Clause | None:
        """The clause that some named word differs from its value; None if it always does."""
        if any(self._clash(name, value) for name, value in values.items()):
            return None
        return tuple(-literal for literal in self.fix(**values))

    def dimacs(self, comments: Sequence[str] = ()) -> bytes:
        """The formula in DIMACS format, with a comment line for each named variable."""
        lines = [f"c {comment}" for comment in comments]
        lines += [f"c variable {v} is {label}" for v, label in sorted(self.labels.items())]
        for line in lines:
            if not line.isprintable():  # another line would be another formula
                raise UsageError(f"a comment of a formula must be one printable line: {line!r}")
        lines.append(f"p cnf {self.variables} {len(self.clauses)}")
        lines += [" ".join(map(str, clause)) + " 0" for clause in self.clauses]
        return ("\n".join(lines) + "\n").encode()


@dataclass
class Problem:
    """A circuit and the requirements on it."""

    graph: Graph = field(default_factory=Graph)
    cardinality: str = "mtotalizer"
    _words: dict[str, tuple[Word, Sequence[str]]] = field(default_factory=dict)
    _clauses: list[Clause] = field(default_factory=list)
    _bounds: list[tuple[Clause, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_cardinality(self.cardinality)

    def input(self, name: str, squares: int, places: Sequence[str]) -> Word:
        """A named word of ``len(places)`` bits, free on ``squares``; places name its bits."""
        return self.name(name, self.graph.input_word(len(places), squares), places)

    def name(self, name: str, word: Word, places: Sequence[str]) -> Word:
        """Name a word, so that a model can be decoded to its value and its variables get labels."""
        self._words[name] = (word, places)
        return word

    def require(self, literal: int) -> None:
        """Require a literal to be true; a conjunction requires each of its operands."""
        pending = list(self._literals((literal,)))
        while pending:
            literal = pending.pop()
            if literal == TRUE:
                continue
            if self.graph.kinds[literal >> 1] == AND and literal & 1 == 0:
                pending += reversed(self.graph.fanins[literal >> 1])
            elif self.graph.kinds[literal >> 1] == AND:
                a, b = self.graph.fanins[literal >> 1]
                self.require_any((a ^ 1, b ^ 1))
            else:
                self.require_any((literal,))

    def require_any(self, literals: Iterable[int]) -> None:
        """Require at least one of the literals to be true."""
        literals = self._literals(literals)
        clause = tuple(dict.fromkeys(literal for literal in literals if literal != FALSE))
        if not clause:
            self.at_least((), 1)
        elif TRUE not in clause and not any(literal ^ 1 in clause for literal in clause):
            self._clauses.append(clause)

    def at_least(self, literals: Iterable[int], bound: int) -> None:
        """Require at least ``bound`` of the literals to be true."""
        literals = self._literals(literals)
        bound -= literals.count(TRUE)
        self._bounds.append((tuple(x for x in literals if x not in (TRUE, FALSE)), bound))

    def at_most(self, literals: Iterable[int], bound: int) -> None:
        """Require at most ``bound`` of the literals to be true."""
        literals = self._literals(literals)
        self.at_least([literal ^ 1 for literal in literals], len(literals) - bound)

    def _literals(self, literals: Iterable[int]) -> tuple[int, ...]:
        """The literals as plain ints, each checked to be a literal of this graph.

        Anything else would silently change the question: False, say, is the constant false
        literal, and requiring that refutes everything.
        """
        checked = tuple(literals)
        for literal in checked:
            if isinstance(literal, bool) or not isinstance(literal, int):
                label = "a word" if isinstance(literal, Word) else repr(literal)
                raise UsageError(
                    f"{label[:80]} is no literal: want a bit of a word, word.any() or "
                    "word.equals(number)"
                )
            if not 0 <= literal < 2 * len(self.graph.kinds):
                raise UsageError(f"{int(literal)} is no literal of this problem's graph")
        return tuple(map(int, checked))

    def encode(self) -> Cnf:
        """The clauses; inputs are numbered first, then gates, then counters."""
        return _Encoder(self).cnf()


class _Encoder:
    def __init__(self, problem: Problem) -> None:
        self.problem, self.graph = problem, problem.graph
        self.uses = self._count_uses()
        self.variable = {node: i for i, node in enumerate(self.graph.inputs, 1)}
        self.clauses: list[Clause] = []

    def _roots(self) -> Iterable[int]:
        for clause in self.problem._clauses:
            yield from clause
        for literals, _ in self.problem._bounds:
            yield from literals
        for word, _ in self.problem._words.values():
            yield from word.literals

    def _count_uses(self) -> dict[int, int]:
        """How often each node is used, among the nodes that the requirements depend on."""
        uses: dict[int, int] = {}
        pending = [literal >> 1 for literal in self._roots()]
        while pending:
            node = pending.pop()
            uses[node] = uses.get(node, 0) + 1
            if uses[node] == 1 and self.graph.kinds[node] != INPUT:
                pending += (literal >> 1 for literal in self.graph.fanins[node])
        return uses

    def _merges(self, literal: int, sign: int) -> bool:
        """Whether a literal is a conjunction (of that sign) with no other use."""
        node = literal >> 1
        return self.graph.kinds[node] == AND and literal & 1 == sign and self.uses[node] == 1

    def _spread(self, literals: Iterable[int], sign: int) -> list[int]:
        """The leaves of a tree of gates of one kind, without repetition.

        ``sign`` 0 is for conjunctions, 1 for disjunctions.
        """
        leaves: dict[int, None] = {}
        pending = list(literals)[::-1]
        while pending:
            literal = pending.pop()
            if self._merges(literal, sign):
                pending += (part ^ sign for part in reversed(self.graph.fanins[literal >> 1]))
            else:
                leaves[literal] = None
        return list(leaves)

    def _signed(self, literal: int) -> int:
        variable = self.variable[literal >> 1]
        return -variable if literal & 1 else variable

    def cnf(self) -> Cnf:
        problem = self.problem
        clauses = [self._spread(clause, 1) for clause in problem._clauses]
        roots = {literal >> 1 for clause in clauses for literal in clause}
        roots |= {literal >> 1 for literals, _ in problem._bounds for literal in literals}
        roots |= {literal >> 1 for word, _ in problem._words.values() for literal in word.literals}
        gates = self._gates(roots)
        for node in sorted(gates):
            self.variable[node] = len(self.variable) + 1
        for node, leaves in sorted(gates.items()):
            self._define(node, leaves)
        for clause in clauses:
            self._add(clause)
        top = len(self.variable)
        for literals, bound in problem._bounds:
            counted = [self._signed(literal) for literal in literals]
            counter = at_least(counted, bound, top, problem.cardinality)
            self.clauses += counter.clauses
            top = counter.top
        places = {name: places for name, (_, places) in self.problem._words.items()}
        return Cnf(top, self.clauses, *self._names(), places)

    def _gates(self, roots: set[int]) -> dict[int, list[int]]:
        """The gates that get a variable, each with its leaves."""
        gates: dict[int, list[int]] = {}
        pending = sorted(roots)
        while pending:
            node = pending.pop()
            if node in gates or self.graph.kinds[node] == INPUT:
                continue
            fanins = self.graph.fanins[node]
            is_and = self.graph.kinds[node] == AND
            gates[node] = self._spread(fanins, 0) if is_and else list(fanins)
            pending += (leaf >> 1 for leaf in gates[node])
        return gates

    def _define(self, node: int, leaves: list[int]) -> None:
        output = self.variable[node]
        signed = [self._signed(leaf) for leaf in leaves]
        if self.graph.kinds[node] == AND:
            if any(-leaf in signed for leaf in signed):
                self.clauses.append((-output,))
                return
            self.clauses += ((-output, leaf) for leaf in signed)
            self.clauses.append((output, *(-leaf for leaf in signed)))
        else:
            a, b = signed
            self.clauses += [(-output, a, b), (-output, -a, -b), (output, -a, b), (output, a, -b)]

    def _add(self, literals: Iterable[int]) -> None:
        clause = [self._signed(literal) for literal in literals]
        if not any(-literal in clause for literal in clause):
            self.clauses.append(tuple(clause))

    def _names(self) -> tuple[dict[str, tuple[int, ...]], dict[str, int], dict[int, str]]:
        words: dict[str, tuple[int, ...]] = {}
        constants: dict[str, int] = {}
        labels: dict[int, str] = {}
        for name, (word, places) in self.problem._words.items():
            words[name] = tuple(0 if x in (TRUE, FALSE) else self._signed(x) for x in word.literals)
            constants[name] = sum(1 << i for i, x in enumerate(word.literals) if x == TRUE)
            for place, literal in zip(places, words[name], strict=True):
                if literal > 0:
                    labels.setdefault(literal, f"{name} {place}")
        return words, constants, labels
