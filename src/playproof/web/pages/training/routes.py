"""Training over HTTP and as the topic "run:ID": runs, their curves, nets and games."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from playproof.core.errors import PlayproofError
from playproof.core.jobs.store import to_plain_json
from playproof.learning.runs.charts import Training
from playproof.learning.runs.log import RunLog
from playproof.nets import run_nets
from playproof.web.game import replay as replays
from playproof.web.http.operations import operation
from playproof.web.http.redaction import redact
from playproof.web.http.routes import body
from playproof.web.pages.training import start as training_start
from playproof.web.pages.training.games import Games
from playproof.web.pages.training.runs import Known, Runs
from playproof.web.pages.training.serializers import compared, headline, message, points
from playproof.web.protocol import bodies
from playproof.web.protocol.codec import build, read
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.base import Deleted
from playproof.web.protocol.replies.training import (
    ComparedRuns,
    EvaluationGames,
    RunMetrics,
    RunNews,
    StartedRun,
    TrainingRuns,
    WholeRun,
)

if TYPE_CHECKING:
    from playproof.web.lab import Lab

MOST_COMPARED = 8
_FILES = {
    "metrics.jsonl": "application/x-ndjson",
    "games.jsonl": "application/x-ndjson",
    "settings.json": "application/json",
    "net.safetensors": "application/octet-stream",
}


def routes(lab: Lab) -> list[Route]:
    door = Door(lab)
    lab.subscriptions.register("run", door.look)
    run = "/api/runs/{id}"
    return [
        Route("/api/runs", door.listed, methods=["GET"]),
        Route("/api/runs", door.start, methods=["POST"]),
        Route("/api/runs/compare", door.compare, methods=["GET"]),
        Route("/api/runs/compare.svg", door.compare_picture, methods=["GET"]),
        Route(run, door.run, methods=["GET"]),
        Route(f"{run}/metrics", door.metrics, methods=["GET"]),
        Route(f"{run}/chart.svg", door.picture, methods=["GET"]),
        Route(f"{run}/games", door.games, methods=["GET"]),
        Route(f"{run}/games/{{number}}", door.game, methods=["GET"]),
        Route(f"{run}/games/{{number}}/views", door.views, methods=["GET"]),
        Route(f"{run}/games/{{number}}/{{kind}}", door.record, methods=["GET"]),
        Route(f"{run}/delete", door.delete, methods=["POST"]),
        Route(f"{run}/{{file}}", door.file, methods=["GET"]),
    ]


class Door(replays.RecordedGameRoutes):
    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.runs = Runs(lab.folder)
        self.played = Games()

    # Looking

    def look(self, id: str, mark: Any) -> tuple[Any, RunNews | None]:
        """What is new about a run since ``mark``, for those who watch it."""
        known = self.runs.find(id)
        seen = self.runs.signature(known)
        if mark is not None and mark[0] == seen:
            return mark, None
        log = self.runs.log(known)
        news = message(known, log, after=mark[1] if mark else None)
        return (seen, log.done), build(RunNews, news)

    @operation(TrainingRuns)
    async def listed(self, request: Request) -> TrainingRuns:
        """Every training run, the latest first, and those that the page can start."""

        def work() -> TrainingRuns:
            known = self.runs.all()
            logs = [self.runs.log(one) for one in known]
            found = [headline(one, log) for one, log in zip(known, logs, strict=True)]
            recipes = training_start.offered(logs)
            return build(TrainingRuns, {"runs": found, "recipes": recipes})

        return await asyncio.to_thread(work)

    @operation(WholeRun)
    async def run(self, request: Request) -> WholeRun:
        """One run: how it stands, its settings, its curves with their intervals."""
        owner = self.lab.access.require_person(request).owner

        def work() -> WholeRun:
            known = self._find(request)
            log = self.runs.log(known)
            own = {"folder": str(known.folder)} if owner else {}
            settings = to_plain_json(log.settings if owner else redact(log.settings))
            return build(WholeRun, {**message(known, log), "settings": settings, **own})

        return await asyncio.to_thread(work)

    @operation(RunMetrics, query=("after",))
    async def metrics(self, request: Request) -> RunMetrics:
        """The lines of metrics after an iteration, as they were written."""
        after = replays.number(request.query_params, "after", 0, most=2**53)

        def work() -> RunMetrics:
            known = self._find(request)
            log = self.runs.log(known)
            return build(RunMetrics, {"run": headline(known, log), "points": points(log, after)})

        return await asyncio.to_thread(work)

    @operation(ComparedRuns, query=("runs", "together"))
    async def compare(self, request: Request) -> ComparedRuns:
        """Several runs beside each other: settings that differ, figures, curves.

        ``runs`` are their names with commas between, ``together=1`` makes seeds one."""
        together = request.query_params.get("together") == "1"

        owner = self.lab.access.require_person(request).owner

        def work() -> ComparedRuns:
            known, logs = self._several(request)
            found = build(ComparedRuns, compared(known, logs, together=together))
            if not owner:
                found.differ = redact(found.differ)
            return found

        return await asyncio.to_thread(work)

    @operation(query=("theme",), media="image/svg+xml")
    async def picture(self, request: Request) -> Response:
        """The curves of a run as a picture."""
        known = await asyncio.to_thread(self._find, request)
        return await self._picture(request, lambda: [self.runs.log(known)], known.id)

    @operation(query=("runs", "theme"), media="image/svg+xml")
    async def compare_picture(self, request: Request) -> Response:
        """The curves of several runs as one picture."""
        return await self._picture(request, lambda: self._several(request)[1], "runs")

    async def _picture(self, request: Request, logs: Any, name: str) -> Response:
        theme = "dark" if request.query_params.get("theme") == "dark" else "light"

        def work() -> str:
            try:
                return Training.of(logs()).chart(theme).svg()
            except PlayproofError:
                raise Refusal("gone", "no iteration is finished yet") from None

        headers = {"content-disposition": f'inline; filename="{name}.svg"'}
        text = await asyncio.to_thread(work)
        return Response(text, media_type="image/svg+xml", headers=headers)

    @operation(media="*/*")
    async def file(self, request: Request) -> Response:
        """A file of a run: metrics.jsonl, games.jsonl, settings.json or net.safetensors."""
        name = request.path_params["file"]
        if name not in _FILES:
            raise Refusal("gone", f"there is no {name[:40]!r}: want {', '.join(_FILES)}")
        if name == "settings.json":  # it may say where the data lies that a net learns from
            self.lab.owner(request)
        known = await asyncio.to_thread(self._find, request)
        path = known.folder / name
        if not path.is_file():
            raise Refusal("gone", f"the run {known.id} has no {name} yet")
        return FileResponse(path, media_type=_FILES[name], filename=f"{known.id}-{name}")

    # Games

    @operation(EvaluationGames, query=("before",))
    async def games(self, request: Request) -> EvaluationGames:
        """Games of a run's evaluations, the latest first."""
        before = replays.number(request.query_params, "before", 2**53, most=2**53)

        def work() -> EvaluationGames:
            return build(EvaluationGames, self.played.listed(self._find(request).folder, before))

        return await asyncio.to_thread(work)

    def _file(self, request: Request) -> str:
        id, number = (request.path_params[name] for name in ("id", "number"))
        return f"{id}-{number}"

    def _game(self, request: Request) -> Any:
        number = replays.number(request.path_params, "number", 0, most=2**53)
        return self.played.game(self._find(request).folder, number)

    # Doing

    @operation(StartedRun, body=bodies.StartRun)
    async def start(self, request: Request) -> StartedRun:
        """Start a small run; the run's name, and the job that trains it."""
        self.lab.owner(request)
        fields = read(await body(request), bodies.StartRun, "a run")
        wanted = training_start.check(fields, self.lab.folder)
        with self.lab.jobs.reserve():
            folder = await asyncio.to_thread(training_start.begin, wanted, self.lab.folder)
            command = wanted.command(folder)
            try:
                job = self.lab.jobs.start(
                    "train", f"Train {wanted.recipe.title}", command,
                    resume=command, folder=folder, link=f"#/train/{wanted.name}", reserved=True,
                )  # fmt: skip
            except Refusal:  # the disk is full
                training_start.undo(folder)
                raise
        return build(StartedRun, {"run": wanted.name, "job": job})

    @operation(Deleted, body=bodies.Nothing)
    async def delete(self, request: Request) -> Deleted:
        """Delete a run of the data folder that is not being trained, with its nets."""
        self.lab.owner(request)

        def work() -> None:
            known = self._find(request)
            if known.going is not None:
                raise Refusal("turn", "this run is being trained: stop it first")
            home = (self.lab.folder / run_nets.RUNS).resolve()
            if known.folder.is_symlink() or home not in known.folder.resolve().parents:
                raise Refusal("access", "this run lies elsewhere: delete its folder by hand")
            _remove(known.folder, home)

        await asyncio.to_thread(work)
        return Deleted()

    # Parts

    def _find(self, request: Request) -> Known:
        return self.runs.find(request.path_params["id"])

    def _several(self, request: Request) -> tuple[list[Known], list[RunLog]]:
        names = list(dict.fromkeys(request.query_params.get("runs", "").split(",")))
        if not 1 <= len(names) <= MOST_COMPARED or not names[0]:
            raise Refusal("bad", f"name 1 to {MOST_COMPARED} runs: runs=ONE,TWO")
        known = [self.runs.find(name) for name in names]
        return known, [self.runs.log(one) for one in known]


def _remove(folder: Path, home: Path) -> None:
    """A run's folder, and those around it that are then empty."""
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise Refusal("limit", f"it cannot be deleted: {error.strerror or error}") from None
    outer = folder.resolve().parent
    while outer != home and not any(outer.iterdir()):
        outer.rmdir()
        outer = outer.parent
