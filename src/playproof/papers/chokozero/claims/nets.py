"""The networks that the claims are about: their policies and their critics, for many positions."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.agents.registry import make_agent
from playproof.core.batch import Batch
from playproof.core.errors import DataError
from playproof.core.game import Game
from playproof.core.registry import make
from playproof.learning.runs import log as run_logs
from playproof.learning.runs.run import NET
from playproof.nets import shipped
from playproof.nets.architectures import forward
from playproof.nets.forward.mlp import softmax
from playproof.papers.chokozero.players import BY_NAME, GAME, PRESETS, PaperAgent

PPO = ("v1", "v2", "v3")  # what the paper calls "our PPO agents"
TRAINED = ("dql", *PPO)  # what it calls "all agents that we trained"
OURS = "plus"  # beside them
_ROWS = 100_000  # positions evaluated at once


@dataclass(frozen=True)
class PaperNet:
    """A network of the paper, by the agent that plays with it."""

    agent: PaperAgent
    file: str  # the name of a shipped net, or a path

    @property
    def name(self) -> str:
        return self.agent.name

    @property
    def title(self) -> str:
        return self.agent.title

    @property
    def spec(self) -> str:
        return self.agent.spec(self.file)

    @property
    def is_critic(self) -> bool:
        """Whether the network has a value of its own; deep Q-learning has values of moves."""
        return self.name in (*PPO, OURS)

    @functools.cached_property
    def game(self) -> Game:
        return make(GAME)

    @functools.cached_property
    def _net(self) -> Any:
        return shipped.find(self.file, self.game)

    @functools.cached_property
    def _forward(self) -> Any:
        return forward(self._net)

    @functools.cached_property
    def _temperature(self) -> float:
        return float(make_agent(self.spec, self.game).options["temperature"])

    def policy(self, batch: Batch) -> npt.NDArray[np.float64]:
        """The probability of each legal move, in the order of ``Batch.legal_lists``."""
        if not len(batch):
            return np.zeros(0)
        legal = batch.legal_lists()
        logits, _ = self._forward.logits(batch.observe(self._net.observation), legal)
        return softmax(legal, logits, temperature=self._temperature).astype(np.float64)

    def values(self, batch: Batch) -> npt.NDArray[np.float64]:
        """The critic's value of each position for the player to move; a win is 1, a loss -1.

        Nothing is clipped, so rewards for captures may lead beyond 1.
        """
        parts = []
        for first in range(0, len(batch), _ROWS):
            part = batch.take(np.arange(first, min(first + _ROWS, len(batch))))
            observed = part.observe(self._net.observation)
            _, own = self._forward.logits(observed, part.legal_lists())
            parts.append(np.asarray(own, np.float64).reshape(-1) / self._net.win)
        return np.concatenate(parts) if parts else np.zeros(0)


def paper_nets(files: Mapping[str, str]) -> dict[str, PaperNet]:
    """The networks by the names of their agents.

    ``files`` names files by preset, where they are not the shipped nets.
    """
    return {
        name: PaperNet(BY_NAME[name], files.get(BY_NAME[name].preset, BY_NAME[name].preset))
        for name in (*TRAINED, OURS)
    }


def files_of_runs(folder: Path) -> dict[str, str]:
    """The nets of training runs in a folder and the folders below it, by preset."""
    files: dict[str, str] = {}
    for path in run_logs.find([folder]):
        preset = run_logs.read(path).preset
        if preset not in PRESETS or not (path / NET).is_file():
            continue
        if preset in files:
            raise DataError(f"{folder} has two runs of {preset}: want one of each preset")
        files[preset] = str(path / NET)
    if not files:
        raise DataError(
            f"{folder} holds no net of ChokoZero: want a folder with runs of {', '.join(PRESETS)}"
        )
    return files
