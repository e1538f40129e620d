"""Truth over HTTP: Choko by position and by game, endings of Othello, and small boards.

Tables are looked for in the lab's own folder, where the page builds them, and in the default data
folder if that is another one.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import Route

from playproof.core.errors import UsageError
from playproof.core.state import State
from playproof.web.http.operations import operation
from playproof.web.pages.truth import build_tables as building
from playproof.web.pages.truth import othello_endings as truth_endings
from playproof.web.pages.truth import overview as truth_overview
from playproof.web.pages.truth import parse_text as truth_text
from playproof.web.pages.truth import small_boards as truth_small
from playproof.web.pages.truth.evaluate import (
    Oracle,
    SolvedPosition,
    pieces_in_play,
    slices_after,
)
from playproof.web.pages.truth.games import review_game, summary
from playproof.web.protocol import bodies
from playproof.web.protocol.codec import read
from playproof.web.protocol.replies import truth as replies
from playproof.web.protocol.replies.jobs import Job

if TYPE_CHECKING:
    from playproof.web.lab import Lab

Json = dict[str, Any]


def routes(lab: Lab) -> list[Route]:
    """The routes below ``/api/truth``."""
    from playproof.web.http.routes import body

    oracle = Oracle(lambda lone_jump: _folders(lab, lone_jump))

    @operation(replies.Truth)
    async def overview(request: Request) -> Json:
        """What is known of Choko, positions worth a look, and the tables on this machine."""
        jobs = building.jobs(lab)
        tables = await run_in_threadpool(building.state, lab, oracle)
        content = await run_in_threadpool(truth_overview.overview)
        endings = truth_endings.example()
        return content | {"tables": {**tables, "jobs": jobs}, "endings": endings}

    @operation(replies.ChokoPosition, query=("text", "ply"))
    @_threaded
    def position(request: Request) -> Json:
        """A position: its value, the value of every move, and best play."""
        query = request.query_params
        sequence = truth_text.read(query.get("text", ""))
        return evaluate_position(oracle, sequence, sequence.at(_number(query.get("ply", ""))))

    @operation(replies.JudgedGame, query=("text",))
    @_threaded
    def game(request: Request) -> Json:
        """A game: the value of each move, and where a win was given away."""
        sequence = truth_text.read(request.query_params.get("text", ""))
        reviews = review_game(oracle, sequence)
        return {
            "text": sequence.text,
            "moves": [one.to_json() for one in reviews],
            "verdict": summary(sequence, reviews),
        }

    @operation(replies.Ending, query=("text",))
    @_threaded
    def ending(request: Request) -> Json:
        """An ending of Othello: the value of each move, and best play."""
        return truth_endings.solve_ending(request.query_params.get("text", ""))

    @operation(replies.SmallBoards)
    @_threaded
    def small(request: Request) -> Json:
        """Small boards of Go and Quantum Go with their values."""
        return truth_small.all_boards()

    @operation(replies.SmallPosition, query=("moves",))
    @_threaded
    def small_board(request: Request) -> Json:
        """A small board after some moves: its value, and the value of every choice."""
        board, variant = (request.path_params[name] for name in ("board", "variant"))
        moves = request.query_params.get("moves", "")[:2000]
        return truth_small.solve_position(board, variant, moves)

    @operation(Job, body=bodies.BuildTables)
    async def build(request: Request) -> Json:
        """Build tables up to a number of pieces, as a job; for the owner only."""
        lab.owner(request)
        fields = read(await body(request), bodies.BuildTables, "building tables")
        return building.start(lab, fields.pieces)

    return [
        Route("/api/truth", overview, methods=["GET"]),
        Route("/api/truth/look", position, methods=["GET"]),
        Route("/api/truth/game", game, methods=["GET"]),
        Route("/api/truth/build", build, methods=["POST"]),
        Route("/api/truth/ending", ending, methods=["GET"]),
        Route("/api/truth/small", small, methods=["GET"]),
        Route("/api/truth/small/{board}/{variant}", small_board, methods=["GET"]),
    ]


def _threaded(endpoint: Callable[[Request], Json]) -> Callable[[Request], Awaitable[Json]]:
    """Run an endpoint in a thread: opening tables takes a second, a small board three."""

    @functools.wraps(endpoint)
    async def run(request: Request) -> Json:
        return await run_in_threadpool(endpoint, request)

    return run


def _folders(lab: Lab, lone_jump: bool) -> list[Path]:
    from playproof.tables.choko.store import default_folder

    own = [] if lone_jump else [building.folder(lab)]
    return list(dict.fromkeys([*own, default_folder(lone_jump)]))


def evaluate_position(oracle: Oracle, sequence: truth_text.MoveSequence, ply: int) -> Json:
    """A position of a sequence: its picture, its value, the value of every move, and best play."""
    state = sequence.states[ply]
    solved = oracle.look_up(state, line=True)
    view = state.view().to_json()
    view["turn"]["who"] = "you"
    return {
        "text": sequence.text,
        "base": sequence.base_text,
        "names": list(sequence.names),
        "ply": ply,
        "position": state.position,
        "view": view,
        "pieces": pieces_in_play(state),
        "over": state.is_terminal,
        "left": None if state.is_terminal else state.game.actions_left(state),  # type: ignore[attr-defined]
        "known": None if solved is None else _known_position(state, solved),
        "beyond": _beyond(state)
        if solved is None or not (solved.moves or state.is_terminal)
        else None,
    }


def _known_position(state: State, solved: SolvedPosition) -> Json:
    return {
        "value": solved.value.to_json(),
        "source": solved.source,
        "moves": [{"n": state.name(action), **value.to_json()} for action, value in solved.moves],
        "line": _names(state, solved.line),
    }


def _names(state: State, line: tuple[int, ...]) -> list[str]:
    """The names of a line, which may continue beyond the game's limit of moves."""
    return [state.game.action_name(action) for action in line]


def _beyond(state: State) -> Json:
    """The tables needed to know more of a position; not possible if no game reaches it."""
    from playproof.tables.choko.slices import belongs

    lone_jump = bool(state.game.options["lone_jump"])
    if not all(belongs(one, lone_jump) for one in slices_after(state)):
        return {"possible": False}
    return {"possible": True, **building.cost(pieces_in_play(state))}


def _number(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 6:
        raise UsageError(f"ply={text[:12]}: want a whole number from 0 on")
    return int(text)
