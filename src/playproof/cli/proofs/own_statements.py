"""``playproof prove NAME`` for statements of third-party packages and files: a command whose
options are the statement's fields."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from playproof.cli.output import JsonOption
from playproof.cli.proofs.events import ProofPrinter
from playproof.cli.proofs.options import (
    CertificateOption,
    CheckOption,
    DimacsOption,
    PortfolioOption,
    ProofOption,
    SecondsOption,
    SolutionOption,
    SolverOption,
    SolverOptionOption,
    require_certificate,
    require_exclusive,
    solving_options,
)
from playproof.cli.proofs.positions import (
    EnumerateOption,
    ReachableOption,
    print_positions,
    print_reachable,
)
from playproof.cli.proofs.results import print_file, print_statement_result, require_decided
from playproof.core.errors import PlayproofError, UsageError, one_line, one_of
from playproof.core.plugins import line_in
from playproof.proofs import registry
from playproof.proofs.api import export_dimacs, prove
from playproof.proofs.fields import describe_type, parse_field, types_of
from playproof.proofs.othello.positions import OthelloPosition
from playproof.proofs.registry import file_of, third_party_names

if TYPE_CHECKING:
    from playproof.proofs.statements import Statement

_SHARED = {
    "solver": (SolverOption, None),
    "solver_option": (SolverOptionOption, None),
    "portfolio": (PortfolioOption, None),
    "solution": (SolutionOption, None),
    "proof": (ProofOption, None),
    "seconds": (SecondsOption, None),
    "certificate": (CertificateOption, None),
    "check": (CheckOption, False),
    "dimacs": (DimacsOption, None),
    "as_json": (JsonOption, False),
}

# The options of a statement about positions of Othello.
_OF_POSITIONS = {"reachable": (ReachableOption, False), "enumerate": (EnumerateOption, None)}


class StatementGroup(TyperGroup):
    """The built-in commands, and one for each statement that is registered or installed."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Give ``--portfolio`` without a value its default: Typer has no optional values."""
        words: list[str] = []
        for place, word in enumerate(args):
            following = args[place + 1 : place + 2]
            alone = not following or following[0].startswith("-")
            words.append(f"{word}=default" if word == "--portfolio" and alone else word)
        return super().parse_args(ctx, words)

    def list_commands(self, ctx: Any) -> list[str]:
        built_in = super().list_commands(ctx)
        return [*built_in, *(name for name in third_party_names() if name not in built_in)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        built_in = super().get_command(ctx, cmd_name)
        if built_in is not None or cmd_name.startswith("-"):
            return built_in
        if cmd_name not in registry.names():
            names = one_of(self.list_commands(ctx))
            raise UsageError(
                f"no statement is called {cmd_name!r}: want {names}; one of your own needs "
                "--load FILE or the package that has it"
            )
        try:
            return _command(registry.find(cmd_name))
        except PlayproofError as error:  # a broken plug-in must not hide the others in the help
            return _broken(cmd_name, error)


def _command(kind: type[Statement]) -> Any:
    """The command that proves statements of this class."""

    options_of_kind = {
        **_SHARED, **(_OF_POSITIONS if issubclass(kind, OthelloPosition) else {})
    }  # fmt: skip

    def run(**arguments: Any) -> None:
        shared = {name: arguments.pop(name) for name in options_of_kind}
        statement = _statement(kind, arguments)
        with _locating_errors(statement):
            _prove(statement, **shared)

    options = [_option(kind, field) for field in dataclasses.fields(kind)]
    options += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default)
        for name, (hint, default) in options_of_kind.items()
    ]
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    text = (kind.__doc__ or "").strip()
    # Without a docstring of its own, a dataclass has its signature there.
    run.__doc__ = f"Prove {kind.family}." if text.startswith(f"{kind.__name__}(") else text
    return _single(kind.family, run)


def _broken(name: str, error: PlayproofError) -> Any:
    def run() -> None:
        raise error

    run.__doc__ = str(error)
    return _single(name, run)


def _single(name: str, run: Any) -> Any:
    app = typer.Typer(add_completion=False)
    app.command(name)(run)
    command = typer.main.get_command(app)
    command.name = name
    return command


def _option(kind: type[Statement], field: dataclasses.Field[Any]) -> inspect.Parameter:
    hint, option = types_of(kind)[field.name], "--" + field.name.replace("_", "-")
    words = bool(field.metadata.get("words"))
    help = field.metadata.get("help") or describe_type(hint, words).capitalize()
    no_default = dataclasses.MISSING
    required = field.default is no_default and field.default_factory is no_default
    annotation: Any
    default: Any
    if hint is bool:
        annotation = Annotated[bool, typer.Option(f"{option}/--no-{option[2:]}", help=help)]
        default = False if required else field.default
    else:
        has_default = not required and field.default is not no_default
        note = f"; {field.default} if not given" if has_default else ""
        annotation = Annotated[
            str if required else str | None, typer.Option(option, help=f"{help}{note}")
        ]
        default = inspect.Parameter.empty if required else None
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default
    )


def _statement(kind: type[Statement], arguments: dict[str, Any]) -> Statement:
    values = {
        name: parse_field(kind, name, value) if isinstance(value, str) else value
        for name, value in arguments.items()
        if value is not None
    }
    try:
        return kind(**values)
    except ValueError as error:  # raised by a third-party class
        raise UsageError(f"{kind.family} cannot be: {error}") from None


@contextmanager
def _locating_errors(statement: Statement) -> Iterator[None]:
    """Name the file and line of an error that is raised in the statement's own file."""
    try:
        yield
    except Exception as error:
        file = file_of(statement)
        line = None if file is None else line_in(file, error)
        if file is None or line is None:
            raise
        kind = "" if isinstance(error, PlayproofError) else f"{type(error).__name__}: "
        raise UsageError(f"{file.name}, line {line}: {kind}{one_line(error)}") from error


def _prove(
    statement: Statement,
    *,
    seconds: Any,
    certificate: Any,
    check: bool,
    dimacs: Any,
    as_json: bool,
    reachable: bool = False,
    enumerate: Any = None,
    **solving: Any,
) -> None:
    ways = {"--dimacs": dimacs, "--enumerate": enumerate}
    options = solving_options(
        certificate=certificate, others={**ways, "--reachable": reachable}, **solving
    )
    require_exclusive({**ways, "--certificate": certificate})
    require_certificate(check, certificate)
    if isinstance(statement, OthelloPosition) and enumerate is not None:
        print_positions(statement, enumerate, seconds, as_json)
        return
    if isinstance(statement, OthelloPosition) and reachable:
        print_reachable(
            statement, solver=options["solver"], seconds=seconds, certificate=certificate,
            check=check, as_json=as_json,
        )  # fmt: skip
        return
    if dimacs is not None:
        print_file(export_dimacs(statement, dimacs), as_json)
        return
    printer = ProofPrinter(quiet=as_json, certificate=certificate, statement=statement)
    with printer:
        proof = prove(
            statement, certificate=certificate, check=check, seconds=seconds, on_event=printer,
            **options,
        )  # fmt: skip
    require_decided(proof)
    if proof.witness is not None and not as_json:
        print(_description(statement, proof.witness))
    print_statement_result(proof, as_json, witness=proof.witness)


def _description(statement: Statement, witness: dict[str, int]) -> str:
    """The result of ``describe``, checked to be text."""
    text: object = statement.describe(witness)
    if not isinstance(text, str):
        label = f"{type(statement).__name__}.describe()"
        raise UsageError(f"{label} must return text, not {type(text).__name__}")
    return text
