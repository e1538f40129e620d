"""``playproof analyse``: an agent's evaluation of a position, move by move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from playproof.agents.analysis.value_text import certain_words
from playproof.agents.limits import Limits
from playproof.agents.registry import make_agent
from playproof.cli.output import (
    GameArgument,
    JsonOption,
    SeedOption,
    emit,
    note,
    refuse_option,
    settle_seed,
    table,
    working,
)
from playproof.core.errors import DataError
from playproof.core.registry import make
from playproof.formats.any_text import read_state

if TYPE_CHECKING:
    from playproof.agents.base import Decision, MoveReport, Statistics
    from playproof.core.state import State


def analyse(
    game: GameArgument,
    position: Annotated[
        str,
        typer.Argument(
            metavar="RECORD|POSITION",
            help="Moves, a position, a record or a file; the start if not given.",
        ),
    ] = "",
    agent: Annotated[str, typer.Option(help="The agent: alphabeta, mcts, pgts ...")] = "alphabeta",
    lines: Annotated[
        int | None,
        typer.Option(min=1, help="Best moves to show, each with value and continuation."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Moves to show at most, without --lines.")] = 10,
    seconds: Annotated[
        float | None, typer.Option(min=0.0, help="Thinking time, instead of the agent's default.")
    ] = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show an agent's values of the best moves (from the first player's side)."""
    refuse_option(position)
    made_game = make(game)
    state = read_state(made_game, position) if position else made_game.start()
    if state.is_terminal:
        raise DataError(f"the game is over ({state.view().over}): there is nothing to analyse")
    if state.is_chance:
        raise DataError("chance is to move here: play its outcome first")
    seed = settle_seed(seed)
    limits = Limits(seconds=seconds, lines=lines or top)
    count = top if lines is None else lines
    # A record brings its own options, so the game is that of the position.
    made_agent = make_agent(agent, state.game, seed=seed)
    with working(agent) as update:
        decision = made_agent.decide(
            state,
            seed=seed,
            limits=limits,
            on_progress=lambda so_far: update(_progress_line(state, so_far)),
        )
    if as_json:
        _print_json(state, agent, seed, decision, count)
    else:
        _print_table(state, agent, seed, decision, count)


def _progress_line(state: State, decision: Decision) -> str:
    """One line while the agent thinks: its progress, and the move that it would play."""
    statistics = decision.statistics
    progress = next(
        (f"{key} {statistics[key]:,}" for key in ("simulations", "depth") if statistics.get(key)),
        "",
    )
    value = "" if decision.value is None else f"{decision.value:+.3f}"
    return f"{progress}  {state.name(decision.action)} {value}"


def _words(state: State, agent: str, decision: Decision, of: Decision | MoveReport) -> str:
    """The value of a decision, or of one of its moves, in words if it is certain, else empty."""
    line = decision.line if of.action == decision.action else of.line
    has_distance = "distance" in decision.statistics
    is_proven = of is decision and bool(decision.statistics.get("proven"))
    return certain_words(
        state, of.value, agent, line, has_distance=has_distance, is_proven=is_proven
    )


def _print_json(state: State, agent: str, seed: int, decision: Decision, top: int) -> None:
    """Print a line for each move, best first, and then a line with the decision."""
    for rank, move in enumerate(decision.moves[:top], 1):
        emit(
            {
                "rank": rank,
                "move": state.name(move.action),
                "visits": move.visits,
                "prior": move.prior,
                "value": move.value,
                "words": _words(state, agent, decision, move),
                "line": state.names_of(move.line),
            }
        )
    emit(
        {
            "game": state.game.spec,
            "position": state.position,
            "agent": agent,
            "seed": seed,
            "best": state.name(decision.action),
            "value": decision.value,
            "words": _words(state, agent, decision, decision),
            "line": state.names_of(decision.line),
            **_plain_statistics(decision.statistics),
        }
    )


def _print_table(state: State, agent: str, seed: int, decision: Decision, top: int) -> None:
    def cell(value: Any, form: str) -> str:
        return "" if value is None else format(value, form)

    rows = [
        [
            state.name(move.action),
            cell(move.visits, ","),
            cell(move.prior, ".3f"),
            _words(state, agent, decision, move) or cell(move.value, "+.3f"),
            " ".join(state.names_of(move.line)[:8]),
        ]
        for move in decision.moves[:top]
    ]
    if rows:
        table(
            f"{state.game.title}: {agent}",
            ["move", "visits", "prior", "value", "line"],
            rows,
            right=" rrr",
        )
    words = _words(state, agent, decision, decision)
    value = words or cell(decision.value, "+.3f")
    print(f"best {state.name(decision.action)}  value {value}  "
          f"line {' '.join(state.names_of(decision.line)[:12])}")  # fmt: skip
    statistics = ", ".join(
        f"{key} {_format(value)}" for key, value in _plain_statistics(decision.statistics).items()
    )
    note(f"{statistics}; seed {seed}" if statistics else f"seed {seed}")


def _plain_statistics(statistics: Statistics) -> dict[str, Any]:
    """An agent's statistics as JSON can hold them.  A third-party agent may use NumPy's numbers, or
    any other type."""
    plain: dict[str, Any] = {}
    for key, statistic in statistics.items():
        value: Any = statistic
        value = value.tolist() if hasattr(value, "tolist") else value
        is_plain = value is None or isinstance(value, bool | int | float | str | list)
        plain[str(key)] = value if is_plain else str(value)
    return plain


def _format(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return str(value)
    return f"{value:,.3g}" if isinstance(value, float) else f"{value:,}"
