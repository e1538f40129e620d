"""Truth over HTTP: Choko solved, position by position and game by game; endings of Othello,
and small boards.

``routes(lab)`` is all that the server needs.  Tables are looked for in the lab's own folder,
where the page builds them, and in the data folder, should that be another.
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
from playproof.web.pages.truth import overview as truth_told
from playproof.web.pages.truth import parse_text as truth_text
from playproof.web.pages.truth import small_boards as truth_small
from playproof.web.pages.truth.evaluate import Answer, Oracle, pieces_in_play, slices_after
from playproof.web.pages.truth.games import judge, verdict
from playproof.web.protocol import bodies
from playproof.web.protocol.codec import read
from playproof.web.protocol.replies import truth as replies
from playproof.web.protocol.replies.jobs import Job

if TYPE_CHECKING:
    from playproof.web.lab import Lab

Json = dict[str, Any]


def routes(lab: Lab) -> list[Route]:
    from playproof.web.http.routes import body

    oracle = Oracle(lambda lone_jump: _folders(lab, lone_jump))

    @operation(replies.Truth)
    async def whole(request: Request) -> Json:
        """What is known of Choko, positions worth a look, and the tables here."""
        jobs = building.jobs(lab)
        tables = await run_in_threadpool(building.state, lab, oracle)
        told = await run_in_threadpool(truth_told.told)
        endings = truth_endings.told()
        return told | {"tables": {**tables, "jobs": jobs}, "endings": endings}

    @operation(replies.ChokoPosition, query=("text", "ply"))
    @_threaded
    def look(request: Request) -> Json:
        """A position: its value, that of every move, and best play."""
        query = request.query_params
        course = truth_text.read(query.get("text", ""))
        return look_at(oracle, course, course.at(_number(query.get("ply", ""))))

    @operation(replies.JudgedGame, query=("text",))
    @_threaded
    def game(request: Request) -> Json:
        """A game: what each move was worth, and where a win was lost."""
        course = truth_text.read(request.query_params.get("text", ""))
        judged = judge(oracle, course)
        return {
            "text": course.text,
            "moves": [one.to_json() for one in judged],
            "verdict": verdict(course, judged),
        }

    @operation(replies.Ending, query=("text",))
    @_threaded
    def ending(request: Request) -> Json:
        """An ending of Othello: what each move is worth, and best play."""
        return truth_endings.look(request.query_params.get("text", ""))

    @operation(replies.SmallBoards)
    @_threaded
    def small(request: Request) -> Json:
        """Small boards of Go and Quantum Go with their values."""
        return truth_small.listed()

    @operation(replies.SmallPosition, query=("moves",))
    @_threaded
    def small_board(request: Request) -> Json:
        """A small board after some moves: its value, and that of every choice."""
        board, variant = (request.path_params[name] for name in ("board", "variant"))
        return truth_small.look(board, variant, request.query_params.get("moves", "")[:2000])

    @operation(Job, body=bodies.BuildTables)
    async def build(request: Request) -> Json:
        """Build tables up to so many pieces, as a job; for who started the lab."""
        lab.owner(request)
        fields = read(await body(request), bodies.BuildTables, "building tables")
        return building.start(lab, fields.pieces)

    return [
        Route("/api/truth", whole, methods=["GET"]),
        Route("/api/truth/look", look, methods=["GET"]),
        Route("/api/truth/game", game, methods=["GET"]),
        Route("/api/truth/build", build, methods=["POST"]),
        Route("/api/truth/ending", ending, methods=["GET"]),
        Route("/api/truth/small", small, methods=["GET"]),
        Route("/api/truth/small/{board}/{variant}", small_board, methods=["GET"]),
    ]


def _threaded(answer: Callable[[Request], Json]) -> Callable[[Request], Awaitable[Json]]:
    """Opening tables takes a second, solving a small board three: others do not wait."""

    @functools.wraps(answer)
    async def answered(request: Request) -> Json:
        return await run_in_threadpool(answer, request)

    return answered


def _folders(lab: Lab, lone_jump: bool) -> list[Path]:
    from playproof.tables.choko.store import default_folder

    own = [] if lone_jump else [building.folder(lab)]
    return list(dict.fromkeys([*own, default_folder(lone_jump)]))


def look_at(oracle: Oracle, course: truth_text.Course, ply: int) -> Json:
    """A position of a course: its picture, its value, that of every move, and best play."""
    state = course.states[ply]
    answer = oracle.ask(state, line=True)
    view = state.view().to_json()
    view["turn"]["who"] = "you"
    return {
        "text": course.text,
        "base": course.base_text,
        "names": list(course.names),
        "ply": ply,
        "position": state.position,
        "view": view,
        "pieces": pieces_in_play(state),
        "over": state.is_terminal,
        "left": None if state.is_terminal else state.game.actions_left(state),  # type: ignore[attr-defined]
        "known": None if answer is None else _known(state, answer),
        "beyond": _beyond(state)
        if answer is None or not (answer.moves or state.is_terminal)
        else None,
    }


def _known(state: State, answer: Answer) -> Json:
    return {
        "value": answer.value.to_json(),
        "source": answer.source,
        "moves": [{"n": state.name(action), **value.to_json()} for action, value in answer.moves],
        "line": _names(state, answer.line),
    }


def _names(state: State, line: tuple[int, ...]) -> list[str]:
    """The names of a line, which may go on beyond the game's cap."""
    return [state.game.action_name(action) for action in line]


def _beyond(state: State) -> Json:
    """What it would take to know more of a position; None where no game comes to it."""
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
