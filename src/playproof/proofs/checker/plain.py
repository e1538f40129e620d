"""A checker of LRAT proofs to be read aloud: plain Python, no search.

    python plain.py FORMULA.cnf PROOF.lrat

An LRAT proof (Cruz-Filipe et al., 2017) adds clauses until one is empty.  A line of it is one of
    ID LITERAL… 0 HINT… 0      add a clause under the number ID, larger than all before
    ID d ID… 0                 forget clauses
and a clause is justified by its hints, the numbers of other clauses, in one of two ways:
RUP   Suppose that every literal of the clause is false.  Then each hint in turn is a clause whose
      literals are all false but one, which must be true, until all literals of a hint are false.
RAT   Otherwise the first literal, the pivot, may be made true without harm if every clause
      with the opposite of the pivot still holds.  The number of each stands negated among
      the hints.  If no hints follow it, another literal of the clause is true already; if
      some do, they lead to a conflict once its other literals, too, are supposed to be false.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path


class Rejected(Exception):
    """The proof is not accepted; the message says where and why, in one line."""


def numbers(words: list[str]) -> list[int]:
    for word in words:
        if not re.fullmatch("0|-?[1-9][0-9]{0,17}", word):
            raise Rejected(f"{word[:40]!a} is no whole number of at most 18 digits")
    return [int(word) for word in words]


def read_formula(lines: Iterable[str]) -> list[tuple[int, ...]]:
    """The clauses of a DIMACS file; their numbers are 1, 2, 3 ..."""
    clauses, sizes, clause = list[tuple[int, ...]](), list[int](), list[int]()
    for line in lines:
        words = line.split()
        if not words or words[0] == "c":
            continue
        if not sizes:
            if words[:2] != ["p", "cnf"] or len(words) != 4:
                raise Rejected("formula: want 'p cnf VARIABLES CLAUSES' before the clauses")
            sizes = numbers(words[2:])
            continue
        for literal in numbers(words):
            if abs(literal) > sizes[0]:
                raise Rejected(f"formula: {literal} is beyond the last variable, {sizes[0]}")
            if literal:
                clause.append(literal)
            else:
                clauses.append(tuple(clause))
                clause = []
    if not sizes or clause or len(clauses) != sizes[1]:
        raise Rejected(f"formula: {len(clauses)} whole clauses, not what its header says")
    return clauses


class Checker:
    """The clauses that hold so far, by number; ``add`` accepts a clause or raises."""

    def __init__(self, clauses: list[tuple[int, ...]]) -> None:
        self.clauses, self.last = dict[int, tuple[int, ...]](), 0
        self.with_literal = dict[int, set[int]]()
        for number, clause in enumerate(clauses, 1):
            self.keep(number, clause)

    def keep(self, number: int, clause: tuple[int, ...]) -> None:
        self.clauses[number], self.last = clause, number
        for literal in clause:
            self.with_literal.setdefault(literal, set()).add(number)

    def add(self, number: int, clause: tuple[int, ...], hints: list[int]) -> None:
        if number <= self.last:
            raise Rejected(f"clause {number} needs a number larger than {self.last}")
        false = set(clause)
        first = next((at for at, hint in enumerate(hints) if hint < 0), len(hints))
        if not self.conflict(false, hints[:first]):
            if not clause:
                raise Rejected("the hints of the empty clause lead to no conflict")
            self.check_pivot(clause[0], false, hints[first:])
        self.keep(number, clause)

    def conflict(self, false: set[int], hints: list[int]) -> bool:
        """Whether the hints lead to a clause that is false; ``false`` grows on the way."""
        for hint in hints:
            if hint not in self.clauses:
                raise Rejected(f"hint {hint} is not a clause")
            left = {literal for literal in self.clauses[hint] if literal not in false}
            if not left:
                return True
            if len(left) > 1:
                raise Rejected(f"hint {hint} has {len(left)} literals left: want one or none")
            false.add(-left.pop())
        return False

    def check_pivot(self, pivot: int, false: set[int], hints: list[int]) -> None:
        groups: dict[int, list[int]] = {}
        for hint in hints:
            if hint < 0:
                group = groups[-hint] = []
            else:
                group.append(hint)
        opposed = self.with_literal.get(-pivot, set())
        if stray := groups.keys() - opposed:
            raise Rejected(f"hint {-min(stray)} is not a clause with the literal {-pivot}")
        for number in sorted(opposed):
            others = [literal for literal in self.clauses[number] if literal != -pivot]
            supposed = false.union(others)
            named = groups.get(number)
            holds = named == [] and (pivot in others or any(-x in supposed for x in others))
            if not holds and (named is None or not self.conflict(supposed, named)):
                raise Rejected(f"the hints lead to no conflict with clause {number}")

    def forget(self, numbers: list[int]) -> None:
        for number in numbers:
            if number not in self.clauses:
                raise Rejected(f"clause {number} is to be forgotten, but is not there")
            for literal in set(self.clauses.pop(number)):
                self.with_literal[literal].discard(number)


def refute(formula: Iterable[str], proof: Iterable[str]) -> int:
    """Check a proof that ``formula`` has no model; the line that adds the empty clause."""
    checker = Checker(read_formula(formula))
    for at, line in enumerate(proof, 1):
        try:
            words = line.split()
            deletes = words[1:2] == ["d"]
            values = numbers(words[:1] + words[1 + deletes :])
            zeros = [place for place, value in enumerate(values) if value == 0]
            if len(zeros) != 2 - deletes or zeros[-1] != len(values) - 1 or values[0] < 1:
                raise Rejected("want 'ID LITERAL… 0 HINT… 0' or 'ID d ID… 0'")
            if deletes:
                checker.forget(values[1:-1])
                continue
            checker.add(values[0], tuple(values[1 : zeros[0]]), values[zeros[0] + 1 : -1])
            if zeros[0] == 1:
                return at
        except Rejected as error:
            raise Rejected(f"line {at}: {error}") from None
    raise Rejected("the proof ends without the empty clause")


if __name__ == "__main__":
    try:
        formula, proof = (Path(path).read_text("utf-8").splitlines() for path in sys.argv[1:])
        print(f"verified: line {refute(formula, proof)} adds the empty clause")
    except (Rejected, OSError, ValueError) as error:
        sys.exit(f"not verified: {error}")
