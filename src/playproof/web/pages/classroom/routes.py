"""The Quantum Go classroom over HTTP: lessons on a game, the guided tour, and CHSH.

``routes(lab)`` is all that the server needs.  Of the lab it uses ``find``, which
checks who may see a game, and of a game ``state_at``.
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

Answer = Callable[[], Reply]


class Room(Protocol):
    def state_at(self, ply: int | None) -> State: ...


class Lab(Protocol):
    def find(self, request: Any, id: str, /) -> Room: ...


def routes(lab: Lab) -> list[Route]:
    """What the classroom answers, below ``/api/classroom``."""

    @operation(Tour | Lesson, query=("step",))
    @_told
    def of_tour(request: Request) -> Answer:
        """The guided tour of Quantum Go, or the lesson of one step of it.

        The tour has headings, words, moves and pictures."""
        return partial(tour_or_step, request.query_params)

    @operation(Chsh, query=("id", "ply", "step", "a", "a2", "b", "b2", "n", "seed"))
    @_told
    def of_chsh(request: Request) -> Answer:
        """The CHSH game on two stones of a position: S, correlations, a sampled experiment.

        ``a``, ``a2``, ``b``, ``b2`` choose points, ``n`` and ``seed`` the collapses; ``step``
        instead of ``id`` takes a position of the tour."""
        query = request.query_params
        if "step" in query or "id" not in query:
            return lambda: chsh_of(tour_state(query), query)
        return partial(chsh_of, _state(lab, request, query["id"]), query)

    @operation(Lesson, query=("ply", "choice"))
    @_told
    def of_game(request: Request) -> Answer:
        """The lesson on a position of a game of Quantum Go.

        ``choice``, such as C3, asks how the turn can end after that move."""
        state = _state(lab, request, request.path_params["id"])
        return partial(lesson_of, state, request.query_params)

    return [
        Route("/api/classroom/tour", of_tour, methods=["GET"]),
        Route("/api/classroom/chsh", of_chsh, methods=["GET"]),
        Route("/api/classroom/{id}", of_game, methods=["GET"]),
    ]


def lesson_of(state: State, query: Mapping[str, str]) -> Lesson:
    """The lesson on a position; ``choice`` asks what a move would lead to."""
    choice = query.get("choice", "").strip()
    if len(choice) > _LONGEST:
        raise UsageError(f"choice={choice[:_LONGEST]}...: want the name of a move, such as C3")
    return build(Lesson, lesson(state) | {"preview": preview(state, choice or None)})


def tour_or_step(query: Mapping[str, str]) -> Tour | Lesson:
    """The whole tour, or the lesson of the step that is asked for."""
    number = _number(query, "step")
    return build(Tour, tour.tour()) if number is None else build(Lesson, tour.step_lesson(number))


def chsh_of(state: State, query: Mapping[str, str]) -> Chsh:
    """The CHSH game on a position."""
    return build(Chsh, demonstration(state, query))


def tour_state(query: Mapping[str, str]) -> State:
    """The position of a step of the tour; without one, the middle of the game."""
    number = _number(query, "step")
    return tour.states()[tour.MIDDLE if number is None else tour.check_step(number)]


def _state(lab: Lab, request: Request, id: str) -> State:
    return lab.find(request, id).state_at(_number(request.query_params, "ply"))


def _number(query: Mapping[str, str], name: str) -> int | None:
    """A whole number from 0 on, or None where nothing is said."""
    text = query.get(name, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > _LONGEST:
        raise UsageError(f"{name}={text[:_LONGEST]}: want a whole number from 0 on")
    return int(text)


def _told(find: Callable[[Request], Answer]) -> Callable[[Request], Awaitable[Reply | Response]]:
    """An endpoint: ``find`` looks up what is asked about, its answer is worked out in a thread,
    and what is wrong is told in one line."""

    @functools.wraps(find)
    async def endpoint(request: Request) -> Reply | Response:
        try:
            # A board of 19x19 takes a fifth of a second: others must not wait for it.
            return await run_in_threadpool(find(request))
        except Refusal as refusal:
            wrong = refusal
        except PlayproofError as error:
            wrong = Refusal("bad", one_line(error))
        return respond(Error.of(wrong), wrong.status)

    return endpoint
