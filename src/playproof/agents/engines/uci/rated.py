"""An engine whose strength can be set to a rating (UCI_Elo), as something to measure against."""

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
    """An engine with levels, at one limit."""

    spec: str  # without a level
    title: str  # name and version
    limits: str
    timed: bool
    lowest: int
    highest: int

    @classmethod
    def of(cls, text: str, game: str, **limits: int | None) -> RatedEngine:
        """From the spec string of an engine; ``limits`` are movetime, depth and nodes.  Where
        neither they nor the spec name one, it has 20 ms for a move."""
        name, settings = spec.parse(text)
        found = registry.find(name)
        if not issubclass(found, UciAgent):
            raise UsageError(f"{name} has no levels to rate by: want uci:stockfish or the like")
        options = found.settled(settings)
        given = {key: value for key, value in limits.items() if value}
        if not given and not any(options[key] for key in ("movetime", "depth", "nodes", "tc")):
            given = {"movetime": _MOVETIME}
        if given:
            options |= dict.fromkeys(("movetime", "depth", "nodes"), 0) | {"tc": ""} | given
        if options["elo"] or options["skill"] >= 0:
            raise UsageError(f"{text} names a level already: give levels by --levels")
        agent = found(make(game), **options)
        try:
            engine = agent.engine()
            bounds = engine.options.get("uci_elo")
            if bounds is None or bounds.minimum is None or bounds.maximum is None:
                raise UsageError(f"{engine.title} has no option UCI_Elo, and so no levels")
            ends = bounds.minimum, bounds.maximum
            return cls(found.written(options), engine.title, agent.pace, agent.timed, *ends)
        finally:
            agent.close()

    def at(self, level: int) -> str:
        """The spec string of one level."""
        name, settings = spec.parse(self.spec)
        found = registry.find(name)
        return found.written({**found.settled(settings), "elo": level})

    def check(self, levels: Sequence[int]) -> None:
        for level in levels:
            if not self.lowest <= level <= self.highest:
                raise UsageError(
                    f"{self.title} has levels from {self.lowest} to {self.highest}, not {level}"
                )
