"""Measures the nets that a run keeps: by solved positions, and by games against any agent.

Every finished measurement is a line of ``yardstick.jsonl`` in the folder of the run, so a command
that was stopped goes on where it was, and a run in progress is measured further as it goes on.  A
line counts only for the same net, positions and settings.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.arena.evaluate_positions import checked_spec, choose_moves, sample_evenly
from playproof.arena.statistics.score import Score
from playproof.arena.tournament import match
from playproof.arena.yardstick.critical import CriticalPosition, rows_of
from playproof.arena.yardstick.positions import Yardstick, shipped
from playproof.core.errors import DataError, UsageError
from playproof.core.game import Game
from playproof.core.registry import make
from playproof.learning.runs import log as run_logs
from playproof.learning.runs.log import RunLog
from playproof.learning.runs.run import NET, NETS
from playproof.learning.yardstick import PolicyYardstick, policy_network
from playproof.nets import files as net_files

LINES, GAMES = "yardstick.jsonl", "yardstick-games.sqlite"
POLICY = 0  # the number of simulations that means: the policy alone
OPENINGS = "random:plies=6,balance=0.3"
_DIGEST = 16  # characters

Bools = npt.NDArray[np.bool_]
Progress = Callable[[str, int, int], None]  # (what is measured, done, total)


@dataclass(frozen=True)
class NetCurveConfig:
    """What is measured.

    ``simulations``  of tree searches with the net, which are asked besides its policy alone
    ``positions``    how many of the set, evenly by phase; all if None
    ``against``      specs of opponents, of whom each net plays ``games``, with the most simulations
    ``match_every``  only nets of iterations divisible by it play, and the last one
    """

    simulations: tuple[int, ...] = ()
    positions: int | None = None
    seed: int = 1
    against: tuple[str, ...] = ()
    games: int = 100
    openings: str = OPENINGS
    match_every: int = 1
    device: str = "cpu"
    workers: int | None = 1

    def __post_init__(self) -> None:
        if any(number < 1 for number in self.simulations):
            raise UsageError("want 1 or more simulations: the policy alone is measured anyway")
        if self.match_every < 1:
            raise UsageError(f"matches of every {self.match_every}-th iteration: want 1 or more")
        if self.device not in ("cpu", "cuda"):
            raise UsageError(f"--device {self.device}: want cpu or cuda")
        if self.device == "cuda":
            import torch

            if not torch.cuda.is_available():
                raise UsageError("--device cuda: PyTorch finds no CUDA device here; want cpu")

    @property
    def players(self) -> tuple[int, ...]:
        """The players of each net by their simulations: the policy alone, then the searches."""
        return (POLICY, *sorted(set(self.simulations)))


@dataclass(frozen=True)
class KeptNet:
    """A net of a run that is kept in a file."""

    iteration: int
    file: Path
    digest: str

    def spec(self, simulations: int, device: str) -> str:
        """The agent that plays with the net."""
        where = "" if device == "cpu" else f",device={device}"
        if simulations == POLICY:
            return f"net:{self.file},greedy=true{where}"
        return f"mcts:net={self.file},simulations={simulations}{where}"


@dataclass(frozen=True)
class NetCurve:
    """The measurements of a run.

    ``kept[player]`` is (nets, positions): whether each net's player keeps the value.
    ``matches[opponent]`` has the score of the player with the most simulations by iteration."""

    log: RunLog
    config: NetCurveConfig
    game: Game
    positions: tuple[CriticalPosition, ...]
    nets: tuple[KeptNet, ...]
    kept: dict[int, Bools]
    matches: dict[str, dict[int, Score]] = field(default_factory=dict)

    @property
    def iterations(self) -> list[int]:
        return [net.iteration for net in self.nets]

    def minutes_at(self, iteration: int) -> float | None:
        """Minutes of training up to an iteration; None if unknown."""
        seconds = self.log.seconds_at(iteration) if iteration else 0.0
        return None if seconds is None else seconds / 60.0


def kept_nets(folder: Path) -> list[KeptNet]:
    """The nets that a run keeps, by iteration, with the latest one; a DataError without any."""
    files = {int(file.stem): file for file in (folder / NETS).glob("*.safetensors")
             if file.stem.isdecimal()}  # fmt: skip
    latest = folder / NET
    if latest.is_file():
        iteration = net_files.load(latest).metadata.get("iterations")
        if type(iteration) is int:
            files.setdefault(iteration, latest)
    if not files:
        raise DataError(f"{folder} has no nets yet: want a run of 'playproof train --keep N'")
    return [
        KeptNet(iteration, file, hashlib.sha256(file.read_bytes()).hexdigest()[:_DIGEST])
        for iteration, file in sorted(files.items())
    ]


def measure_nets(
    folder: Path,
    config: NetCurveConfig,
    *,
    yardstick: Yardstick | None = None,
    on_progress: Progress | None = None,
) -> NetCurve:
    """Measure all nets of a run, except for what an earlier call has measured.

    The positions are those of ``yardstick``, or of the set that comes with the package."""
    log = run_logs.read(folder)
    game = make(log.game)
    yardstick = yardstick or shipped(game)
    if yardstick.game.name != game.name:
        raise UsageError(f"the set is of {yardstick.game.spec}, but the run learns {game.spec}")
    config = replace(config, against=tuple(dict.fromkeys(map(checked_spec, config.against))))
    phases = [one.phase for one in yardstick.positions]
    chosen = sample_evenly(phases, config.positions, config.seed)
    positions = [yardstick.positions[index] for index in chosen]
    measuring = _Measuring(folder, config, yardstick.game, positions, chosen, on_progress)
    nets = kept_nets(folder)
    kept = {
        player: np.stack([measuring.kept(net, player) for net in nets]) for player in config.players
    }
    matches = {
        opponent: {
            net.iteration: measuring.score(net, opponent, game)
            for net in nets
            if net.iteration % config.match_every == 0 or net is nets[-1]
        }
        for opponent in config.against
    }
    return NetCurve(log, config, yardstick.game, tuple(positions), tuple(nets), kept, matches)


class _Measuring:
    """The measurements of one command, and the file of those that are finished."""

    def __init__(
        self,
        folder: Path,
        config: NetCurveConfig,
        game: Game,
        positions: Sequence[CriticalPosition],
        numbers: Sequence[int],
        on_progress: Progress | None,
    ) -> None:
        self._file, self._games_file = folder / LINES, folder / GAMES
        self._config, self._game, self._positions = config, game, positions
        self._numbers = numbers  # of the positions in their set
        self._on_progress = on_progress
        self._rows = rows_of(game, positions)
        self._set = hashlib.sha256("\n".join(p.position for p in positions).encode()).hexdigest()
        self._samples: dict[str, PolicyYardstick] = {}
        self._finished = {line["key"]: line for line in _read_lines(self._file)}

    # Positions

    def kept(self, net: KeptNet, player: int) -> Bools:
        """In which positions a player keeps the value, (positions,)."""
        key = f"{net.digest} {self._set[:_DIGEST]} {player}"
        if player != POLICY:  # a search draws random numbers
            key += f" seed {self._config.seed}"
        line = self._finished.get(key)
        n = len(self._positions)
        if line is None:
            kept = self._policy(net) if player == POLICY else self._search(net, player)
            bits = np.packbits(kept).tobytes().hex()
            about = {"iteration": net.iteration, "simulations": player, "positions": n}
            line = self._add(key, {**about, "kept": bits})
        return np.unpackbits(np.frombuffer(bytes.fromhex(line["kept"]), np.uint8))[:n].astype(bool)

    def _policy(self, net: KeptNet) -> Bools:
        loaded = net_files.load(net.file, self._game)
        sample = self._samples.get(loaded.observation)
        if sample is None:
            sample = PolicyYardstick.of(self._game, self._positions, loaded.observation)
            self._samples[loaded.observation] = sample
        self._report(f"iteration {net.iteration}, policy", 1, 1)
        network = policy_network(loaded.architecture, loaded.weights, self._config.device)
        return sample.kept(network)

    def _search(self, net: KeptNet, simulations: int) -> Bools:
        config, what = self._config, f"iteration {net.iteration}, {simulations} simulations"
        on_gpu = config.device != "cpu"
        moves = choose_moves(
            net.spec(simulations, config.device), self._game, self._rows, self._numbers,
            seed=config.seed, workers=1 if on_gpu else config.workers,
            batch_size=len(self._rows) if on_gpu else 32,  # a GPU searches all trees at once
            on_progress=lambda done, total: self._report(what, done, total),
        )  # fmt: skip
        pairs = zip(self._positions, moves, strict=True)
        return np.array([one.keeps(move.move) for one, move in pairs])

    # Games

    def score(self, net: KeptNet, opponent: str, game: Game) -> Score:
        """The score of a net, with the most simulations, in games against an opponent."""
        config, player = self._config, self._config.players[-1]
        key = (
            f"{net.digest} {player} against {opponent} in {game.spec}: {config.games} games "
            f"from {config.openings}, seed {config.seed}"
        )
        line = self._finished.get(key)
        if line is None:
            what = f"iteration {net.iteration} against {opponent}"
            on_gpu = config.device != "cpu"
            standings = match(
                game, net.spec(player, config.device), opponent, config.games,
                path=self._games_file, seed=config.seed, openings=config.openings,
                workers=1 if on_gpu else config.workers, together=on_gpu,
                batch=max(1, config.games // 2) if on_gpu else 64,
                on_progress=lambda done, total: self._report(what, done, total),
            )  # fmt: skip
            pairs = standings.score(0, 1).pairs
            about = {"iteration": net.iteration, "simulations": player, "against": opponent}
            line = self._add(key, {**about, "pairs": list(pairs)})
        return Score(tuple(line["pairs"]))

    # Lines

    def _report(self, what: str, done: int, total: int) -> None:
        if self._on_progress is not None:
            self._on_progress(what, done, total)

    def _add(self, key: str, measurement: dict[str, Any]) -> dict[str, Any]:
        line = {"key": key, **measurement}
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self._finished[key] = line
        return line


def _read_lines(file: Path) -> list[dict[str, Any]]:
    """The lines of a file of measurements; one that a kill has cut is dropped from the file."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror or error}") from None
    whole = text[: text.rfind("\n") + 1]
    try:
        lines = [json.loads(line) for line in whole.splitlines()]
        if not all(isinstance(line["key"], str) for line in lines):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DataError(f"{file} is damaged: delete it to measure again") from None
    if whole != text:
        file.write_text(whole, encoding="utf-8")
    return lines
