"""The registry of statements: built-in ones, and those of other packages and files.

A statement is registered by ``register_statement``, by ``--load FILE``, or by an
entry point in the group ``playproof.statements`` whose value is its class::

    [project.entry-points."playproof.statements"]
    othello-flips = "othello_flips:OthelloFlips"

A certificate holds only the name of its statement.  Which code that name stands for
is decided here and never by the folder that is checked.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from playproof.core.errors import DataError, PlayproofError, UsageError, one_line, one_of
from playproof.core.plugins import load_files
from playproof.proofs.fields import check_types, read_fields, read_name
from playproof.proofs.statements import Statement

GROUP = "playproof.statements"

_BUILTIN = {
    "choko-mobility": "playproof.proofs.choko.mobility:ChokoMobility",
    "choko-removals": "playproof.proofs.choko.mobility:ChokoRemovals",
    "equivalence": "playproof.proofs.othello.equivalence:Equivalence",
    "othello-chain": "playproof.proofs.othello.last_placements:OthelloChain",
    "othello-mobility": "playproof.proofs.othello.mobility:OthelloMobility",
    "othello-unroll": "playproof.proofs.othello.unrolled_game:OthelloUnroll",
}
_registered: dict[str, type[Statement]] = {}
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# Names of options of `playproof prove`, which no field may have.
_OPTIONS = (
    "certificate", "check", "dimacs", "help", "json", "load", "portfolio", "proof", "seconds",
    "solution", "solver", "solver_option", "solver_options",
)  # fmt: skip


class UnknownStatement(DataError):
    """The name of a statement whose class is not registered here."""

    def __init__(self, name: str) -> None:
        # The name may come from an untrusted file: one that could not be registered is not kept.
        self.name = name if len(name) < 80 and _NAME.fullmatch(name) else None
        super().__init__(
            f"no statement is called {name[:80]!a}: want {one_of(names())}; one of your own needs "
            "--load FILE or the package that has it"
        )


def register_statement(statement: type[Statement]) -> type[Statement]:
    """Register a statement in this process; usable as a class decorator.

    ``docs/proofs/your-own.md`` explains how to write one.  Here a built-in statement gets
    another name:

    >>> import playproof
    >>> from playproof.proofs.othello.mobility import OthelloMobility
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Wide(OthelloMobility):
    ...     family = "othello-wide"
    >>> _ = playproof.register_statement(Wide)
    >>> playproof.prove("othello-wide", size=4, at_least=9).verdict
    'refuted'
    """
    _check(statement)
    name = statement.family
    if name in names() and _registered.get(name) is not statement:
        raise UsageError(f"a statement called '{name}' is already there: choose another name")
    _registered[name] = statement
    return statement


def registered() -> list[type[Statement]]:
    """The statements registered with ``register_statement`` in this process."""
    return list(_registered.values())


def names() -> list[str]:
    """The names of all statements, sorted."""
    return sorted({*_BUILTIN, *third_party_names()})


def builtin_names() -> list[str]:
    """The names of the statements that come with Playproof, sorted."""
    return sorted(_BUILTIN)


def third_party_names() -> list[str]:
    """The names of the statements that are not built in, sorted."""
    load_files()
    return sorted({*_registered, *_entry_points()})


def find(name: str) -> type[Statement]:
    """The class of the statement called ``name``."""
    if name in _BUILTIN:
        module, _, attribute = _BUILTIN[name].partition(":")
        return getattr(import_module(module), attribute)  # type: ignore[no-any-return]
    load_files()
    if name in _registered:
        return _registered[name]
    if name in (points := _entry_points()):
        return _load(points[name])
    raise UnknownStatement(name)


def read_statement(text: str | bytes) -> Statement:
    """Read a statement from the output of ``Statement.json``."""
    name, data = read_name(text, "statement")
    statement: Statement = read_fields(find(name), "statement", name, data)
    if not statement.sentence().isprintable():  # its text may come from an untrusted file
        raise DataError(f"the sentence of the statement {name} must be one printable line")
    return statement


def source_of(statement: Statement) -> dict[str, str] | None:
    """Where a statement's class comes from, as a hint for people who do not have it:
    ``{"package": "NAME VERSION"}`` or ``{"file": "my.py"}``; None for a built-in statement."""
    name = statement.family
    if name in _BUILTIN:
        return None
    point = _entry_points().get(name)
    if name not in _registered and point is not None and point.dist is not None:
        return {"package": f"{point.dist.name} {point.dist.version}"}
    file = file_of(statement)
    return None if file is None else {"file": file.name}


def file_of(statement: Statement) -> Path | None:
    """The file that defines the statement's class."""
    file = getattr(sys.modules.get(type(statement).__module__), "__file__", None)
    return None if file is None else Path(file)


def _entry_points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _load(point: EntryPoint) -> type[Statement]:
    try:
        statement = point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a broken plug-in must not take the lab down
        raise PlayproofError(
            f"the statement '{point.name}' of {point.value} cannot be loaded: {one_line(error)}"
        ) from error
    _check(statement)
    if statement.family != point.name:
        raise PlayproofError(
            f"the statement '{point.name}' of {point.value} calls itself '{statement.family}'"
        )
    return statement  # type: ignore[no-any-return]


def _check(statement: type) -> None:
    """Reject a class that could not be certified, in one line that says what is missing."""
    if not (isinstance(statement, type) and issubclass(statement, Statement)):
        raise UsageError(f"{statement!r} is no class derived from playproof.proofs.Statement")
    label = statement.__name__
    name = getattr(statement, "family", None)
    if not isinstance(name, str):
        raise UsageError(f'{label} needs a name: want family = "othello-flips", for instance')
    if not _NAME.fullmatch(name):
        pattern = 'small letters and digits with hyphens between them, such as "othello-flips"'
        raise UsageError(f"{label} cannot be called {name[:80]!r}: want {pattern}")
    # The base class is a dataclass too, so look in the class's own attributes.
    if "__dataclass_fields__" not in vars(statement):
        raise UsageError(f"{label} must be a dataclass: write @dataclass(frozen=True) above it")
    for method in ("problem", "sentence"):
        if getattr(statement, method) is getattr(Statement, method):
            raise UsageError(f"{label} has no {method}(): a statement needs problem and sentence")
    for method in dir(statement):
        if getattr(getattr(statement, method), "__isabstractmethod__", False):
            raise UsageError(f"{label} has no {method}(): its base class needs it")
    for field in dataclasses.fields(statement):
        if field.name == "family":
            raise UsageError(
                f'{label}.family must not be a field: write family: ClassVar[str] = "{name}"'
            )
        if field.name in (*_OPTIONS, *statement.reserved):
            raise UsageError(f"{label}.{field.name} is an option of prove: choose another name")
    check_types(statement)
