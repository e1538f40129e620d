"""``playproof analyse``: what an agent thinks of a position, move by move."""

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
            metavar="RECORD|POSITION", help="Moves, a position, a record or a file; start if none."
        ),
    ] = "",
    agent: Annotated[str, typer.Option(help="Who looks: alphabeta, mcts, pgts ...")] = "alphabeta",
    lines: Annotated[
        int | None,
        typer.Option(min=1, help="Best moves to show, each with value and continuation."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Moves to show at most, without --lines.")] = 10,
    seconds: Annotated[
        float | None, typer.Option(min=0.0, help="Of thinking, instead of the agent's own pace.")
    ] = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what an agent thinks of the best moves (values are the first player's)."""
    refuse_option(position)
    made = make(game)
    state = read_state(made, position) if position else made.start()
    made = state.game  # a record brings its own options
    if state.is_terminal:
        raise DataError(f"the game is over ({state.view().over}): there is nothing to analyse")
    if state.is_chance:
        raise DataError("chance is to move here: play its outcome first")
    seed = settle_seed(seed)
    limits = Limits(seconds=seconds, lines=lines or top)
    shown = top if lines is None else lines
    made_agent = make_agent(agent, made, seed=seed)
    with working(agent) as update:
        decision = made_agent.decide(
            state, seed=seed, limits=limits, on_progress=lambda now: update(_so_far(state, now))
        )
    if as_json:
        _print_json(state, agent, seed, decision, shown)
    else:
        _print_table(state, agent, seed, decision, shown)


def _so_far(state: State, decision: Decision) -> str:
    """One line while the agent thinks: how far it is, and what it would play."""
    facts = decision.statistics
    far = next((f"{key} {facts[key]:,}" for key in ("simulations", "depth") if facts.get(key)), "")
    value = "" if decision.value is None else f"{decision.value:+.3f}"
    return f"{far}  {state.name(decision.action)} {value}"


def _named(state: State, line: tuple[int, ...]) -> list[str]:
    return state.names_of(line)


def _words(state: State, agent: str, decision: Decision, of: Decision | MoveReport) -> str:
    """What the value of a decision, or of one of its moves, means where it is certain."""
    line = decision.line if of.action == decision.action else of.line
    known = "distance" in decision.statistics
    proven = of is decision and bool(decision.statistics.get("proven"))
    return certain_words(state, of.value, agent, line, has_distance=known, is_proven=proven)


def _print_json(state: State, agent: str, seed: int, decision: Decision, top: int) -> None:
    """A line a move, best first, then a line with the decision."""
    for rank, move in enumerate(decision.moves[:top], 1):
        emit(
            {
                "rank": rank,
                "move": state.name(move.action),
                "visits": move.visits,
                "prior": move.prior,
                "value": move.value,
                "words": _words(state, agent, decision, move),
                "line": _named(state, move.line),
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
            "line": _named(state, decision.line),
            **_plain(decision.statistics),
        }
    )


def _print_table(state: State, agent: str, seed: int, decision: Decision, top: int) -> None:
    def shown(value: Any, form: str) -> str:
        return "" if value is None else format(value, form)

    rows = [
        [
            state.name(move.action),
            shown(move.visits, ","),
            shown(move.prior, ".3f"),
            _words(state, agent, decision, move) or shown(move.value, "+.3f"),
            " ".join(_named(state, move.line)[:8]),
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
    value = words or shown(decision.value, "+.3f")
    print(f"best {state.name(decision.action)}  value {value}  "
          f"line {' '.join(_named(state, decision.line)[:12])}")  # fmt: skip
    facts = ", ".join(f"{key} {_shown(val)}" for key, val in _plain(decision.statistics).items())
    note(f"{facts}; seed {seed}" if facts else f"seed {seed}")


def _plain(statistics: Statistics) -> dict[str, Any]:
    """Whatever an agent counts, as JSON can hold it: an agent's author may use NumPy's numbers,
    or anything else."""
    plain: dict[str, Any] = {}
    for key, given in statistics.items():
        value: Any = given
        value = value.tolist() if hasattr(value, "tolist") else value
        known = value is None or isinstance(value, bool | int | float | str | list)
        plain[str(key)] = value if known else str(value)
    return plain


def _shown(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
    return f"{value:,.3g}" if isinstance(value, float) else f"{value:,}"
