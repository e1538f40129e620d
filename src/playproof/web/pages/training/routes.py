"""The HTTP routes of training runs, with their curves, nets and games, and the topic "run:ID"."""

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
from playproof.learning.runs.charts import TrainingCurves
from playproof.learning.runs.log import RunLog
from playproof.nets import run_nets
from playproof.web.game import replay as replays
from playproof.web.http.operations import operation
from playproof.web.http.redaction import redact
from playproof.web.http.routes import body
from playproof.web.pages.training import start as training_start
from playproof.web.pages.training.games import EvaluationGameFiles
from playproof.web.pages.training.runs import NamedRun, Runs
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
    handlers = TrainingHandlers(lab)
    lab.subscriptions.register("run", handlers.run_news)
    run = "/api/runs/{id}"
    return [
        Route("/api/runs", handlers.list_runs, methods=["GET"]),
        Route("/api/runs", handlers.start, methods=["POST"]),
        Route("/api/runs/compare", handlers.compare, methods=["GET"]),
        Route("/api/runs/compare.svg", handlers.compare_picture, methods=["GET"]),
        Route(run, handlers.run, methods=["GET"]),
        Route(f"{run}/metrics", handlers.metrics, methods=["GET"]),
        Route(f"{run}/chart.svg", handlers.picture, methods=["GET"]),
        Route(f"{run}/games", handlers.games, methods=["GET"]),
        Route(f"{run}/games/{{number}}", handlers.game, methods=["GET"]),
        Route(f"{run}/games/{{number}}/views", handlers.views, methods=["GET"]),
        Route(f"{run}/games/{{number}}/{{kind}}", handlers.record, methods=["GET"]),
        Route(f"{run}/delete", handlers.delete, methods=["POST"]),
        Route(f"{run}/{{file}}", handlers.file, methods=["GET"]),
    ]


class TrainingHandlers(replays.RecordedGameRoutes):
    """The handlers of the routes below /api/runs."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.runs = Runs(lab.folder)
        self.game_files = EvaluationGameFiles()

    # Reading

    def run_news(self, id: str, mark: Any) -> tuple[Any, RunNews | None]:
        """The news of a run since ``mark``, for its subscribers: (new mark, news or None)."""
        run = self.runs.find(id)
        signature = self.runs.signature(run)
        if mark is not None and mark[0] == signature:
            return mark, None
        log = self.runs.log(run)
        news = message(run, log, after=mark[1] if mark else None)
        return (signature, log.done), build(RunNews, news)

    @operation(TrainingRuns)
    async def list_runs(self, request: Request) -> TrainingRuns:
        """Every training run, the latest first, and the small runs that the page can start."""

        def work() -> TrainingRuns:
            runs = self.runs.all()
            logs = [self.runs.log(run) for run in runs]
            headlines = [headline(run, log) for run, log in zip(runs, logs, strict=True)]
            recipes = training_start.list_recipes(logs)
            return build(TrainingRuns, {"runs": headlines, "recipes": recipes})

        return await asyncio.to_thread(work)

    @operation(WholeRun)
    async def run(self, request: Request) -> WholeRun:
        """One run: its progress, its settings, its curves with their intervals."""
        owner = self.lab.access.require_person(request).owner

        def work() -> WholeRun:
            run = self._find(request)
            log = self.runs.log(run)
            own = {"folder": str(run.folder)} if owner else {}
            settings = to_plain_json(log.settings if owner else redact(log.settings))
            return build(WholeRun, {**message(run, log), "settings": settings, **own})

        return await asyncio.to_thread(work)

    @operation(RunMetrics, query=("after",))
    async def metrics(self, request: Request) -> RunMetrics:
        """The lines of metrics after an iteration, as they were written."""
        after = replays.number(request.query_params, "after", 0, most=2**53)

        def work() -> RunMetrics:
            run = self._find(request)
            log = self.runs.log(run)
            return build(RunMetrics, {"run": headline(run, log), "points": points(log, after)})

        return await asyncio.to_thread(work)

    @operation(ComparedRuns, query=("runs", "together"))
    async def compare(self, request: Request) -> ComparedRuns:
        """Several runs side by side: settings that differ, figures, curves.

        ``runs`` are their names, separated by commas; ``together=1`` draws seeds as their mean."""
        together = request.query_params.get("together") == "1"
        owner = self.lab.access.require_person(request).owner

        def work() -> ComparedRuns:
            runs, logs = self._find_several(request)
            reply = build(ComparedRuns, compared(runs, logs, together=together))
            if not owner:
                reply.differ = redact(reply.differ)
            return reply

        return await asyncio.to_thread(work)

    @operation(query=("theme",), media="image/svg+xml")
    async def picture(self, request: Request) -> Response:
        """The curves of a run as a picture."""
        run = await asyncio.to_thread(self._find, request)
        return await self._picture(request, lambda: [self.runs.log(run)], run.id)

    @operation(query=("runs", "theme"), media="image/svg+xml")
    async def compare_picture(self, request: Request) -> Response:
        """The curves of several runs as one picture."""
        return await self._picture(request, lambda: self._find_several(request)[1], "runs")

    async def _picture(self, request: Request, logs: Any, name: str) -> Response:
        theme = "dark" if request.query_params.get("theme") == "dark" else "light"

        def work() -> str:
            try:
                return TrainingCurves.of(logs()).chart(theme).svg()
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
        if name == "settings.json":  # it may contain the path of the training data
            self.lab.owner(request)
        run = await asyncio.to_thread(self._find, request)
        path = run.folder / name
        if not path.is_file():
            raise Refusal("gone", f"the run {run.id} has no {name} yet")
        return FileResponse(path, media_type=_FILES[name], filename=f"{run.id}-{name}")

    # Games

    @operation(EvaluationGames, query=("before",))
    async def games(self, request: Request) -> EvaluationGames:
        """The games of a run's evaluations, the latest first."""
        before = replays.number(request.query_params, "before", 2**53, most=2**53)

        def work() -> EvaluationGames:
            return build(
                EvaluationGames, self.game_files.list_games(self._find(request).folder, before)
            )

        return await asyncio.to_thread(work)

    def _file(self, request: Request) -> str:
        id, number = (request.path_params[name] for name in ("id", "number"))
        return f"{id}-{number}"

    def _game(self, request: Request) -> Any:
        number = replays.number(request.path_params, "number", 0, most=2**53)
        return self.game_files.game(self._find(request).folder, number)

    # Starting and deleting

    @operation(StartedRun, body=bodies.StartRun)
    async def start(self, request: Request) -> StartedRun:
        """Start a small run; returns its name and the job that trains it."""
        self.lab.owner(request)
        fields = read(await body(request), bodies.StartRun, "a run")
        run_request = training_start.check(fields, self.lab.folder)
        with self.lab.jobs.reserve():
            folder = await asyncio.to_thread(
                training_start.create_run, run_request, self.lab.folder
            )
            command = run_request.command(folder)
            try:
                job = self.lab.jobs.start(
                    "train", f"Train {run_request.recipe.title}", command,
                    resume=command, folder=folder, link=f"#/train/{run_request.name}",
                    reserved=True,
                )  # fmt: skip
            except Refusal:  # for example because the disk is full
                training_start.remove_run(folder)
                raise
        return build(StartedRun, {"run": run_request.name, "job": job})

    @operation(Deleted, body=bodies.Nothing)
    async def delete(self, request: Request) -> Deleted:
        """Delete a run of the data folder with its nets, unless it is being trained."""
        self.lab.owner(request)

        def work() -> None:
            run = self._find(request)
            if run.job_state is not None:
                raise Refusal("turn", "this run is being trained: stop it first")
            home = (self.lab.folder / run_nets.RUNS).resolve()
            if run.folder.is_symlink() or home not in run.folder.resolve().parents:
                raise Refusal("access", "this run is stored elsewhere: delete its folder by hand")
            _remove(run.folder, home)

        await asyncio.to_thread(work)
        return Deleted()

    # Helpers

    def _find(self, request: Request) -> NamedRun:
        return self.runs.find(request.path_params["id"])

    def _find_several(self, request: Request) -> tuple[list[NamedRun], list[RunLog]]:
        names = list(dict.fromkeys(request.query_params.get("runs", "").split(",")))
        if not 1 <= len(names) <= MOST_COMPARED or not names[0]:
            raise Refusal("bad", f"name 1 to {MOST_COMPARED} runs: runs=ONE,TWO")
        runs = [self.runs.find(name) for name in names]
        return runs, [self.runs.log(run) for run in runs]


def _remove(folder: Path, home: Path) -> None:
    """Delete a run's folder, and the folders around it that are then empty."""
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise Refusal("limit", f"it cannot be deleted: {error.strerror or error}") from None
    outer = folder.resolve().parent
    while outer != home and not any(outer.iterdir()):
        outer.rmdir()
        outer = outer.parent
