"""``playproof table``: exact values of Choko, from tables of solved positions.

If no tables were built, ``probe`` and ``line`` answer from a few thousand values that come
with the package.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from playproof.cli.commands import table_build, table_serve
from playproof.cli.commands.table_build import (
    choko_options,
    row,
    shares_text,
    write_answers,
)
from playproof.cli.output import (
    GameArgument,
    JsonOption,
    SeedOption,
    emit,
    note,
    progress,
    settle_seed,
)
from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.core.registry import make
from playproof.formats.any_text import read_state
from playproof.papers.choko_solved import values as choko_values
from playproof.papers.choko_solved.values import preference
from playproof.tables.choko.build import summarize_slice
from playproof.tables.choko.cpu import Cpu
from playproof.tables.choko.game import open_source
from playproof.tables.choko.probe import Probe, TableValue
from playproof.tables.choko.report import signed_distance, summary
from playproof.tables.choko.solve import disagreements
from playproof.tables.choko.store import DISTANCE, FileStore, MissingTable, default_folder
from playproof.tables.choko.verify import check_sample

if TYPE_CHECKING:
    from playproof.core.state import State
    from playproof.papers.choko_solved.values import ShippedValue
    from playproof.tables.choko.probe import Probe, TableValue
    from playproof.tables.choko.probe_server.client import RemoteStore
    from playproof.tables.choko.store import FileStore

T = TypeVar("T")

app = typer.Typer(no_args_is_help=True, help="Solve Choko and query its tables.")
app.command("build")(table_build.build)
app.command("serve")(table_serve.serve)

TablesOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        help="The folder of the tables, in the data folder if not given; or unix:SOCKET for those "
        "of 'playproof table serve'.",
    ),
]

PositionArgument = Annotated[
    str,
    typer.Argument(metavar="RECORD|POSITION", help="What to look up; the start if not given."),
]
GameOption = Annotated[str, typer.Option("--game", help="choko, or choko:lone_jump=on")]


def _store(game: str, out: Path | None) -> FileStore | RemoteStore:
    """The tables of a game in a folder or of a server, those with distances if they exist."""
    lone_jump = choko_options(game)
    return open_source(out or default_folder(lone_jump), lone_jump)


def _read_position(game: str, position: str) -> State:
    choko_options(game)
    text = sys.stdin.read() if position == "-" else position
    return read_state(game, text) if position else make(game).start()


def _answer(
    state: State,
    game: str,
    out: Path | None,
    tables: Callable[[Probe], T],
    shipped: Callable[[ShippedValue], T],
) -> tuple[T, str]:
    """The answer of the tables, or of the shipped values if the tables are missing; and its source.

    If the user names a folder, only its tables are used.
    """
    try:
        return tables(Probe(_store(game, out))), "tables"
    except MissingTable as missing:
        if out is not None:
            raise
        stored = choko_values.find(state)
        if stored is None:
            raise MissingTable(
                f"{missing}; the values that come with Playproof do not have this position"
            ) from None
        return shipped(stored), "shipped"


def _value(stored: ShippedValue, number: int, state: State, capped: bool = False) -> TableValue:
    """A shipped number as a value from the mover's side."""
    outcome, remaining = (number > 0) - (number < 0), state.game.actions_left(state)
    if not stored.exact:
        if capped and remaining is not None:
            raise UsageError(
                "only the winner of this position is known: leave out --cap, or build tables"
            )
        return TableValue(outcome, None)
    if capped and remaining is not None and abs(number) > remaining:
        outcome = 0
    return TableValue(outcome, abs(number) if outcome else None)


def _note_source(source: str, known_moves: bool = True) -> None:
    if source == "shipped":
        note(
            "from the values that come with Playproof, since the tables for it were not built here"
            + ("" if known_moves else "; the values of its moves are not known")
        )


@app.command("probe")
def probe(
    position: PositionArgument = "",
    game: GameOption = "choko",
    capped: Annotated[
        bool, typer.Option("--cap", help="Count a win only if it fits into the actions left.")
    ] = False,
    out: TablesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the value of a position and of every move."""
    state = _read_position(game, position)

    def from_tables(probe: Probe) -> tuple[TableValue, list[tuple[int, TableValue]]]:
        moves = probe.moves(state, capped=capped)
        return moves[0][1], moves

    def from_package(stored: ShippedValue) -> tuple[TableValue, list[tuple[int, TableValue]]]:
        order = sorted(stored.moves.items(), key=lambda move: (preference(move[1]), -move[0]))
        moves = [(action, _value(stored, n, state, capped)) for action, n in reversed(order)]
        return _value(stored, stored.value, state, capped), moves

    (value, moves), source = _answer(state, game, out, from_tables, from_package)
    if as_json:
        named = {state.name(action): signed_distance(worth) for action, worth in moves}
        data = {"position": state.position, "value": signed_distance(value), "moves": named}
        emit(data | {"source": source})
        return
    player = state.game.players[state.current_player or 0]
    print(f"{player} to move: {value.text}")
    for action, worth in moves:
        print(f"  {state.name(action):<12}{worth.text}")
    _note_source(source, bool(moves))


@app.command("line")
def line(
    position: PositionArgument = "",
    game: GameOption = "choko",
    out: TablesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show best play from a position: the winner hurries, the loser delays."""
    state = _read_position(game, position)

    def from_package(stored: ShippedValue) -> tuple[TableValue, list[int]]:
        if not stored.line and stored.value:
            raise DataError(
                f"the line of this position ({_value(stored, stored.value, state).text}) does not "
                "come with Playproof: build tables, see 'playproof table build --help'"
            )
        return _value(stored, stored.value, state), list(stored.line)

    (value, actions), source = _answer(
        state, game, out, lambda probe: (probe.value(state), probe.line(state)), from_package
    )
    names, current = [], state
    for action in actions:
        names.append(current.name(action))
        current = current.apply(action)
    if as_json:
        data = {"position": state.position, "value": signed_distance(value), "line": names}
        emit(data | {"source": source})
        return
    print(f"{state.game.players[state.current_player or 0]} to move: {value.text}")
    print(" ".join(names) if names else "every line is drawn with best play")
    _note_source(source)


@app.command("stats")
def stats(
    game: GameArgument = "choko", out: TablesOption = None, as_json: JsonOption = False
) -> None:
    """Show wins, draws, losses and the longest of them, by slice."""
    store = _store(game, out)
    summaries = [summarize_slice(one, store.counts(one)) for one in store.slices()]
    if as_json:
        emit({"game": "choko", "kind": store.kind, **summary(summaries)})
        return
    print("slice             positions       won     drawn      lost  longest win/loss")
    for summarized in summaries:
        print(row(summarized))
    whole = summary(summaries)["all"]
    print(f"all: {whole['positions']:,} positions, won/drawn/lost {shares_text(whole)}")


@app.command("verify")
def verify(
    game: GameArgument = "choko",
    samples: Annotated[
        int, typer.Option(min=1, help="Positions of each slice to derive again from the rules.")
    ] = 1000,
    everything: Annotated[bool, typer.Option("--all", help="Derive every position again.")] = False,
    seed: SeedOption = None,
    out: TablesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check the tables: the sums of the files, and positions by an independent move generator."""
    seed = settle_seed(seed)
    store = _store(game, out)
    check = _check_all if everything else _check_samples
    checked, wrong = check(store, samples, seed)
    data = {"slices": len(store.slices()), "checked": checked, "wrong": len(wrong), "seed": seed}
    if as_json:
        emit(data | {"examples": wrong[:20]})
    else:
        print(f"{data['slices']} slices, {checked:,} positions derived again, {len(wrong)} wrong")
        if not everything:
            note(f"seed {seed}")
    if wrong:
        raise PlayproofError(f"the tables are wrong, for instance {wrong[0]}: build them again")


def _check_samples(
    store: FileStore | RemoteStore, samples: int, seed: int
) -> tuple[int, list[str]]:
    probe, checked, wrong = Probe(store), 0, []
    names = store.slices()
    with progress("checking", "slices") as update:
        for done, one in enumerate(names, 1):
            if isinstance(store, FileStore):
                store.file(one).check()
            sample = check_sample(probe, one, samples, seed)
            checked += sample.checked
            wrong += sample.wrong
            update(done, len(names))
    return checked, wrong


def _check_all(store: FileStore | RemoteStore, samples: int, seed: int) -> tuple[int, list[str]]:
    if not isinstance(store, FileStore):
        raise UsageError("--all reads whole tables: want the folder of their files")
    if store.kind != DISTANCE:
        raise UsageError("--all compares distances: build the tables with --distance")
    device = Cpu()
    working = FileStore(store.folder, store.lone_jump, store.kind, device)
    checked, wrong = 0, []
    names = store.slices()
    with progress("checking", "slices") as update:
        for done, one in enumerate(names, 1):
            errors = disagreements(device, one, store.lone_jump, working.fetch)
            checked += one.cells
            wrong += [f"{one.name} ({errors:,} positions)"] if errors else []
            update(done, len(names))
    return checked, wrong


@app.command("query")
def query(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Positions, one a line.")],
    answers: Annotated[
        Path | None, typer.Option(help="File for the answers, as JSON lines; stdout if not given.")
    ] = None,
    solve: Annotated[
        bool,
        typer.Option(
            "--solve", help="First solve the whole game in memory, without storing tables."
        ),
    ] = False,
    device: Annotated[str, typer.Option(help="For --solve: cpu or cuda.")] = "cuda",
    game: GameOption = "choko",
    out: TablesOption = None,
) -> None:
    """Answer many positions in one run."""
    if solve:
        if answers is None:
            raise UsageError(
                "--solve takes long, so it needs a file for its answers: want --answers FILE"
            )
        table_build.build(
            game, None, None, True, True, device, None, True, False, file, answers, None, False
        )
        return
    if not file.is_file():
        raise DataError(f"{file} cannot be read: no such file")
    probe: Any = Probe(_store(game, out))
    write_answers(probe, file, answers)
