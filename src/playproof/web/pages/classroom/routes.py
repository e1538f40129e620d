"""The Quantum Go classroom over HTTP: lessons on a game, the guided tour, and CHSH.

Of the lab only ``find`` is used, which checks who may see a game, and of a game ``state_at``.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Protocol

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from playproof.core.errors import PlayproofError, UsageError, one_line
from playproof.core.state import State
from playproof.web.http.operations import operation, respond
from playproof.web.pages.classroom import tour
from playproof.web.pages.classroom.chsh import demonstration
from playproof.web.pages.classroom.lesson import lesson
from playproof.web.pages.classroom.preview import preview
from playproof.web.protocol.codec import build
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.base import Reply
from playproof.web.protocol.replies.classroom import Chsh, Lesson, Tour
from playproof.web.protocol.replies.games import Error

_LONGEST = 12  # characters of a number or a point in a query

Work = Callable[[], Reply]


class Room(Protocol):
    def state_at(self, ply: int | None) -> State: ...


class Lab(Protocol):
    def find(self, request: Any, id: str, /) -> Room: ...


def routes(lab: Lab) -> list[Route]:
    """The routes below ``/api/classroom``."""

    @operation(Tour | Lesson, query=("step",))
    @_in_thread
    def of_tour(request: Request) -> Work:
        """The guided tour of Quantum Go, or the lesson on one of its steps.

        The tour has headings, texts, moves and pictures."""
        return partial(tour_or_step, request.query_params)

    @operation(Chsh, query=("id", "ply", "step", "a", "a2", "b", "b2", "n", "seed"))
    @_in_thread
    def of_chsh(request: Request) -> Work:
        """The CHSH experiment on a position: S, correlations, and a sampled experiment.

        ``a``, ``a2``, ``b`` and ``b2`` choose points, ``n`` and ``seed`` the collapses. ``step``
        instead of ``id`` uses a position of the tour."""
        query = request.query_params
        if "step" in query or "id" not in query:
            return lambda: chsh_of(tour_state(query), query)
        return partial(chsh_of, _state(lab, request, query["id"]), query)

    @operation(Lesson, query=("ply", "choice"))
    @_in_thread
    def of_game(request: Request) -> Work:
        """The lesson on a position of a game of Quantum Go.

        ``choice``, such as C3, shows how the turn can end after that move."""
        state = _state(lab, request, request.path_params["id"])
        return partial(lesson_of, state, request.query_params)

    return [
        Route("/api/classroom/tour", of_tour, methods=["GET"]),
        Route("/api/classroom/chsh", of_chsh, methods=["GET"]),
        Route("/api/classroom/{id}", of_game, methods=["GET"]),
    ]


def lesson_of(state: State, query: Mapping[str, str]) -> Lesson:
    """The lesson on a position; with ``choice``, what that move would lead to."""
    choice = query.get("choice", "").strip()
    if len(choice) > _LONGEST:
        raise UsageError(f"choice={choice[:_LONGEST]}...: want the name of a move, such as C3")
    return build(Lesson, lesson(state) | {"preview": preview(state, choice or None)})


def tour_or_step(query: Mapping[str, str]) -> Tour | Lesson:
    """The whole tour, or the lesson on the step that the query names."""
    number = _number(query, "step")
    return build(Tour, tour.tour()) if number is None else build(Lesson, tour.step_lesson(number))


def chsh_of(state: State, query: Mapping[str, str]) -> Chsh:
    """The CHSH experiment on a position."""
    return build(Chsh, demonstration(state, query))


def tour_state(query: Mapping[str, str]) -> State:
    """The position of a step of the tour, by default the middle of the game."""
    number = _number(query, "step")
    return tour.states()[tour.MIDDLE if number is None else tour.check_step(number)]


def _state(lab: Lab, request: Request, id: str) -> State:
    return lab.find(request, id).state_at(_number(request.query_params, "ply"))


def _number(query: Mapping[str, str], name: str) -> int | None:
    """A whole number from a query; None if it is absent."""
    text = query.get(name, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > _LONGEST:
        raise UsageError(f"{name}={text[:_LONGEST]}: want a whole number from 0 on")
    return int(text)


def _in_thread(
    prepare: Callable[[Request], Work],
) -> Callable[[Request], Awaitable[Reply | Response]]:
    """An endpoint: ``prepare`` looks up the position, and the work it returns runs in a thread.

    Errors are answered in one line.
    """

    @functools.wraps(prepare)
    async def endpoint(request: Request) -> Reply | Response:
        try:
            # A board of 19x19 takes 0.2 s: others must not wait for it.
            return await run_in_threadpool(prepare(request))
        except Refusal as refusal:
            error = refusal
        except PlayproofError as cause:
            error = Refusal("bad", one_line(cause))
        return respond(Error.of(error), error.status)

    return endpoint
