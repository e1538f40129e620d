"""LRAT by hand: proofs with hints, planted changes, and the definition word by word."""

from __future__ import annotations

import io
import random
from collections.abc import Callable

from playproof.proofs.checker import lrat, plain
from playproof.proofs.checker.check import check
from tests.support.proofs.naive_drat import Clause, Step, dimacs, drat

Lines = list[str]


def lrat_of(formula: list[Clause], steps: list[Step]) -> Lines | None:
    """The LRAT lines of a DRAT proof; None if it is not verified."""
    out = io.BytesIO()
    verdict = check(dimacs(formula), drat(steps), lrat=out)
    return out.getvalue().decode().splitlines() if verdict.verified else None


def plain_objection(formula: list[Clause], lines: Lines) -> str:
    """What the plain checker says against a proof; empty if it accepts it."""
    try:
        plain.refute(dimacs(formula).decode().splitlines(), lines)
    except plain.Rejected as error:
        return str(error)
    return ""


def fast_objection(formula: list[Clause], lines: Lines) -> str:
    """What the fast checker says against a proof; empty if it accepts it."""
    verdict = lrat.check(dimacs(formula), "".join(line + "\n" for line in lines).encode())
    assert verdict.verified == (verdict.reason == "verified")
    return "" if verdict.verified else verdict.reason


# The naive checker: true literals instead of false ones, and nothing but the definition.
#
# With ``strict`` it accepts only what every program does that reads the published format:
# lrat-check and cake_lpr take a repeated literal for two, and lrat-check wants resolvents in order.


def closes(
    clauses: dict[int, Clause], hints: list[int], true: set[int], strict: bool = False
) -> bool | None:
    """Whether hints lead to a conflict; None if one of them is no unit clause."""
    for hint in hints:
        free = [x for x in clauses.get(hint, [1, 2]) if -x not in true]
        if hint not in clauses or len(free if strict else set(free)) > 1:
            return None
        if not free:
            return True
        true |= set(free)
    return False


def is_justified(
    clauses: dict[int, Clause], lemma: Clause, hints: list[int], strict: bool = False
) -> bool:
    groups: list[list[int]] = [[0]]
    for hint in hints:
        groups += [[hint]] if hint < 0 else []
        groups[-1] += [hint] if hint > 0 else []
    true = {-x for x in lemma}
    outcome = closes(clauses, groups[0][1:], true, strict)
    if outcome is not False or not lemma:
        return outcome is True
    against = {number for number, clause in clauses.items() if -lemma[0] in clause}
    named = {-group[0]: group[1:] for group in groups[1:]}
    if named.keys() - against or (strict and list(named) != sorted(named)):
        return False
    for number in against:
        rest = {x for x in clauses[number] if x != -lemma[0]}
        assumed = true | {-x for x in rest}
        holds = lemma[0] in rest or bool(rest & assumed)
        if number not in named:
            return False
        if holds and not named[number]:
            continue
        if closes(clauses, named[number], assumed, strict) is not True:
            return False
    return True


def naive_accepts(formula: list[Clause], lines: Lines, strict: bool = False) -> bool:
    clauses, last = dict(enumerate(formula, 1)), len(formula)
    for line in lines:
        number, *words = line.split()
        if words[0] == "d":
            for word in words[1:-1]:
                if clauses.pop(int(word), None) is None:
                    return False
            continue
        numbers = [int(word) for word in words[:-1]]
        middle = numbers.index(0)
        lemma = numbers[:middle]
        if int(number) <= last or not is_justified(clauses, lemma, numbers[middle + 1 :], strict):
            return False
        if not lemma:
            return True
        clauses[int(number)], last = lemma, int(number)
    return False


# Changes: each takes a formula and lines, and returns None if it finds nothing to change.

Change = Callable[[random.Random, list[Clause], Lines], tuple[list[Clause], Lines] | None]
CHANGES: dict[str, Change] = {}


def change(
    edit: Callable[[random.Random, list[Clause], list[int], list[int]], bool],
) -> Callable[[random.Random, list[Clause], list[int], list[int]], bool]:
    """A change of one lemma: ``edit`` changes its literals and hints in place, if it can."""

    def changed(
        rng: random.Random, formula: list[Clause], lines: Lines
    ) -> tuple[list[Clause], Lines] | None:
        lines = list(lines)
        lemmas = [at for at, line in enumerate(lines) if line.split()[1] != "d"]
        for at in rng.sample(lemmas, len(lemmas)):
            numbers = [int(word) for word in lines[at].split()]
            middle = numbers.index(0)
            lemma, hints = numbers[1:middle], numbers[middle + 1 : -1]
            if edit(rng, formula, lemma, hints):
                lines[at] = " ".join(map(str, [numbers[0], *lemma, 0, *hints, 0]))
                return formula, lines
        return None

    CHANGES[edit.__name__] = changed
    return edit


@change
def drop_a_hint(
    rng: random.Random, formula: list[Clause], lemma: list[int], hints: list[int]
) -> bool:
    if hints:
        del hints[rng.randrange(len(hints))]
        return True
    return False


@change
def change_a_hint(
    rng: random.Random, formula: list[Clause], lemma: list[int], hints: list[int]
) -> bool:
    if hints:
        at = rng.randrange(len(hints))
        hints[at] = rng.randint(1, len(formula) + 20) * (1 if hints[at] > 0 else -1)
        return True
    return False


@change
def swap_hints(
    rng: random.Random, formula: list[Clause], lemma: list[int], hints: list[int]
) -> bool:
    if len(hints) > 1:
        at = rng.randrange(len(hints) - 1)
        hints[at], hints[at + 1] = hints[at + 1], hints[at]
        return True
    return False


@change
def drop_a_group(
    rng: random.Random, formula: list[Clause], lemma: list[int], hints: list[int]
) -> bool:
    starts = [at for at, hint in enumerate(hints) if hint < 0]
    if starts:
        first = rng.choice(starts)
        end = next((at for at in starts if at > first), len(hints))
        del hints[first:end]
        return True
    return False


@change
def drop_a_literal(
    rng: random.Random, formula: list[Clause], lemma: list[int], hints: list[int]
) -> bool:
    if lemma:
        del lemma[rng.randrange(len(lemma))]
        return True
    return False


@change
def turn_a_literal(
    rng: random.Random, formula: list[Clause], lemma: list[int], hints: list[int]
) -> bool:
    if lemma:
        at = rng.randrange(len(lemma))
        lemma[at] = -lemma[at]
        return True
    return False


@change
def another_pivot(
    rng: random.Random, formula: list[Clause], lemma: list[int], hints: list[int]
) -> bool:
    if len(lemma) > 1 and any(hint < 0 for hint in hints):
        lemma.append(lemma.pop(0))
        return True
    return False


def drop_a_clause(
    rng: random.Random, formula: list[Clause], lines: Lines
) -> tuple[list[Clause], Lines]:
    """Replaced by a new variable, so that the numbers of the others stay."""
    new = 1 + max(abs(x) for clause in formula for x in clause) + 1000
    at = rng.randrange(len(formula))
    return [*formula[:at], [new], *formula[at + 1 :]], lines


def drop_a_line(
    rng: random.Random, formula: list[Clause], lines: Lines
) -> tuple[list[Clause], Lines]:
    at = rng.randrange(len(lines))
    return formula, [*lines[:at], *lines[at + 1 :]]


def repeat_a_line(
    rng: random.Random, formula: list[Clause], lines: Lines
) -> tuple[list[Clause], Lines]:
    at = rng.randrange(len(lines))
    return formula, [*lines[: at + 1], *lines[at:]] if len(lines) > 1 else lines[:0]


def renumber_a_lemma(
    rng: random.Random, formula: list[Clause], lines: Lines
) -> tuple[list[Clause], Lines]:
    at = rng.choice([at for at, line in enumerate(lines) if line.split()[1] != "d"])
    number, _, rest = lines[at].partition(" ")
    other = rng.choice([1, int(number) - 1, int(number) + 1, 10**17])
    return formula, [*lines[:at], f"{other} {rest}", *lines[at + 1 :]]


def end_early(
    rng: random.Random, formula: list[Clause], lines: Lines
) -> tuple[list[Clause], Lines]:
    return formula, lines[: rng.randrange(len(lines))]


for _change in (drop_a_clause, drop_a_line, repeat_a_line, renumber_a_lemma, end_early):
    CHANGES[_change.__name__] = _change
