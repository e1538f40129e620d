"""A stand-in for Ray, whose cluster is this process: the real one takes half a minute to start."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from types import ModuleType, SimpleNamespace
from typing import Any

from playproof.core.parallel.executor import SerialExecutor


class FakeRay(ModuleType):
    def __init__(self, *, cores: int = 3) -> None:
        super().__init__("ray")
        self.cores = cores
        self.settings: dict[str, Any] | None = None  # what it was started with
        self.tasks: list[str] = []  # functions that were called there
        self.ended = False

    def init(self, **settings: Any) -> None:
        if settings["address"] == "nowhere":
            raise ConnectionError("nobody\nanswers")
        self.settings = settings

    def shutdown(self) -> None:
        self.ended = True

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.cores), "memory": 1e9}

    def remote(self, function: Callable[..., Any]) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            self.tasks.append(function.__name__)
            done: Future[Any] = SerialExecutor().submit(function, *arguments, **named)
            return SimpleNamespace(future=lambda: done)

        return SimpleNamespace(remote=call)
