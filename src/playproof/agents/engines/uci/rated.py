"""An engine whose strength can be set to a rating (UCI_Elo), as an opponent to be rated against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playproof.agents import registry
from playproof.agents.engines.uci.agent import UciAgent
from playproof.core import spec
from playproof.core.errors import UsageError
from playproof.core.registry import make

_MOVETIME = 20  # milliseconds, where no limit is given


@dataclass(frozen=True)
class RatedEngine:
    """An engine with rating levels, at one limit of thinking."""

    spec: str  # without a level
    title: str  # name and version
    limits: str
    timed: bool
    lowest: int
    highest: int

    @classmethod
    def of(cls, text: str, game: str, **limits: int | None) -> RatedEngine:
        """From the spec string of an engine; ``limits`` are movetime, depth and nodes.

        If neither they nor the spec set a limit, the engine has 20 ms for a move.
        """
        name, settings = spec.parse(text)
        cls_of_agent = registry.find(name)
        if not issubclass(cls_of_agent, UciAgent):
            raise UsageError(f"{name} has no levels to rate by: want uci:stockfish or the like")
        options = cls_of_agent.settled(settings)
        limits = {key: value for key, value in limits.items() if value}
        if not limits and not any(options[key] for key in ("movetime", "depth", "nodes", "tc")):
            limits = {"movetime": _MOVETIME}
        if limits:
            options |= dict.fromkeys(("movetime", "depth", "nodes"), 0) | {"tc": ""} | limits
        if options["elo"] or options["skill"] >= 0:
            raise UsageError(f"{text} names a level already: give levels by --levels")
        agent = cls_of_agent(make(game), **options)
        try:
            engine = agent.engine()
            bounds = engine.options.get("uci_elo")
            if bounds is None or bounds.minimum is None or bounds.maximum is None:
                raise UsageError(f"{engine.title} has no option UCI_Elo, and so no levels")
            spec_text = cls_of_agent.written(options)
            ends = bounds.minimum, bounds.maximum
            return cls(spec_text, engine.title, agent.pace, agent.timed, *ends)
        finally:
            agent.close()

    def at(self, level: int) -> str:
        """The spec string of one level."""
        name, settings = spec.parse(self.spec)
        agent = registry.find(name)
        return agent.written({**agent.settled(settings), "elo": level})

    def check(self, levels: Sequence[int]) -> None:
        for level in levels:
            if not self.lowest <= level <= self.highest:
                raise UsageError(
                    f"{self.title} has levels from {self.lowest} to {self.highest}, not {level}"
                )
