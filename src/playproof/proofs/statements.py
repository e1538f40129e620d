"""Statements: small descriptions from which a formula is rebuilt to the byte.

A statement says what is looked for.  A model of its formula is a witness that
it exists; a proof that there is none is worth exactly as much as the way from
the statement to the formula, so that way is short and free of choices.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from playproof.core.errors import DataError, one_of
from playproof.proofs.cnf import Cnf, Problem
from playproof.proofs.solvers import Answer, Progress, Watch, solve

FORMAT = 1  # of the JSON; a formula that is built otherwise would be another format

# Each family, as the module and class that a statement of it is read by.
FAMILIES = {
    "othello-mobility": "playproof.proofs.othello_mobility:OthelloMobility",
    "othello-chain": "playproof.proofs.othello_chain:OthelloChain",
    "othello-unroll": "playproof.proofs.othello_unroll:OthelloUnroll",
    "equivalence": "playproof.proofs.equivalence:Equivalence",
    "choko-mobility": "playproof.proofs.choko_mobility:ChokoMobility",
    "choko-removals": "playproof.proofs.choko_mobility:ChokoRemovals",
}


@dataclass(frozen=True)
class Statement:
    """What a family of statements shares; its fields are the JSON's."""

    family: ClassVar[str]

    def problem(self) -> Problem:
        """The circuit and what is asked of it."""
        raise TypeError(f"{type(self).__name__} says nothing")

    def sentence(self) -> str:
        """What a model would show, as one line for a person."""
        raise TypeError(f"{type(self).__name__} says nothing")

    @functools.cached_property
    def cnf(self) -> Cnf:
        return self.problem().encode()

    def dimacs(self) -> bytes:
        """The formula: the same bytes for the same statement, in any process."""
        return self.cnf.dimacs([f"playproof: {self.sentence()}", self.json()])

    def json(self) -> str:
        """One line of JSON; words are written in hexadecimal."""
        return write_fields(self, "statement", self.family)


def write_fields(thing: Any, label: str, name: str) -> str:
    """A dataclass as one line of JSON: fields at their default are left out."""
    fields = {}
    for field in dataclasses.fields(thing):
        value = getattr(thing, field.name)
        if value != field.default:
            fields[field.name] = _hexadecimal(value) if field.metadata.get("words") else value
    return json.dumps({"format": FORMAT, label: name, **fields}, sort_keys=True)


def word_field(default: Any) -> Any:
    """A field of squares: a word, or words in tuples."""
    return dataclasses.field(default=default, metadata={"words": True})


def _hexadecimal(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_hexadecimal(part) for part in value]
    return f"{value:#x}"


def _numbers(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_numbers(part) for part in value)
    if not isinstance(value, str):
        raise ValueError
    return int(value, 16)


def read(text: str) -> Statement:
    """The statement that ``Statement.json`` wrote."""
    found: Statement = read_fields(text, "statement", FAMILIES)
    return found


def read_fields(text: str, label: str, families: Mapping[str, str]) -> Any:
    """What ``write_fields`` wrote: ``families`` says which class a name means."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise DataError(f"a {label} must be JSON") from None
    if not isinstance(data, dict) or data.pop("format", None) != FORMAT:
        raise DataError(f'a {label} must be a JSON object with "format": {FORMAT}')
    name = str(data.pop(label, None))
    if name not in families:
        raise DataError(f"no {label} is called {name!r}: want {one_of(list(families))}")
    module, _, class_name = families[name].partition(":")
    kind = getattr(importlib.import_module(module), class_name)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for key, value in data.items():
        if key not in fields:
            raise DataError(f"a {label} {name} has no {key!r}: want {one_of(list(fields))}")
        if fields[key].metadata.get("words"):
            try:
                data[key] = _numbers(value)
            except ValueError:
                raise DataError(f"{key} of {name} must be words such as '0x1c'") from None
        elif type(value).__name__ != fields[key].type:  # a flag is no number
            raise DataError(f"{key} of {name} cannot be {value!r}")
    try:
        return kind(**data)
    except TypeError:
        raise DataError(f"the {label} {name} is incomplete: {text.strip()}") from None


@dataclass(frozen=True)
class Decision:
    """A statement with a solver's answer; the witness is the value of each named word."""

    statement: Statement
    answer: Answer
    witness: dict[str, int] | None


def decide(
    statement: Statement,
    *,
    solver: str | None = None,
    proof: Path | None = None,
    seconds: float | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Decision:
    """Ask a solver for a witness of the statement."""
    cnf = statement.cnf
    answer = solve(
        cnf, solver=solver, proof=proof, seconds=seconds, seed=seed, progress=progress, watch=watch
    )
    witness = None if answer.model is None else cnf.decode(answer.model)
    return Decision(statement, answer, witness)
