"""*Reinforcement Learning in Chess* (Chu, Li and Loh): its pipeline, run to its end.

Games become positions (Algorithm 1), a network imitates their moves, a tree with
greedy games to the end teaches it on (Algorithm 2), and Stockfish's levels rate
its policy (Algorithm 4).  The paper has no results: it stops at its protocol, so
that is what stands beside our figures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from playproof.agents.engines.process import find_program
from playproof.agents.registry import make_agent
from playproof.core.batch import Batch
from playproof.core.bits import derive_seed
from playproof.core.errors import UsageError
from playproof.core.kernels import ONGOING
from playproof.core.registry import make
from playproof.formats.pgn.records import write

TITLE = "Reinforcement Learning in Chess"
_OPENING = 6  # random plies that begin a game of our own making
_RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Sizes:
    """How much of everything; None is as the preset has it."""

    games: int  # made, where no data is given
    plies: int  # of such a game at most; it is drawn then
    sample: float
    imitation: dict[str, str]  # changes of its preset
    self_play: dict[str, str]
    level: int
    rated_games: int


_LITTLE = {"blocks": "1", "filters": "8", "observation": "paper-13"}
QUICK = Sizes(
    games=24, plies=60, sample=1.0,
    imitation=_LITTLE | {
        "iterations": "4", "steps": "10", "batch": "64", "evaluate_every": "4",
        "evaluation_positions": "512",
    },
    self_play=_LITTLE | {
        "iterations": "2", "cycles": "64", "leaves": "16", "state_visits": "2", "ply_limit": "40",
        "minibatch": "32", "replay": "2000", "evaluate_every": "2", "evaluation_games": "4",
        "evaluation_simulations": "8",
    },
    level=1350, rated_games=8,
)  # fmt: skip
FULL = Sizes(games=0, plies=0, sample=0.2, imitation={}, self_play={}, level=2000, rated_games=1000)


def changed(sizes: Sizes, changes: dict[str, str]) -> Sizes:
    """Other sizes: ``imitation.KEY`` and ``self-play.KEY`` are settings of these runs, ``level``
    and ``games`` are of the rating."""
    runs = {"imitation": dict(sizes.imitation), "self-play": dict(sizes.self_play)}
    numbers = {"level": sizes.level, "games": sizes.rated_games}
    for name, value in changes.items():
        part, _, key = name.partition(".")
        if part in runs and key:
            runs[part][key] = value
        elif name in numbers and value.isdecimal():
            numbers[name] = int(value)
        else:
            raise UsageError(
                f"--set {name}={value}: want imitation.KEY, self-play.KEY, level or games, as in "
                "--set self-play.iterations=1"
            )
    return replace(
        sizes, imitation=runs["imitation"], self_play=runs["self-play"], level=numbers["level"],
        rated_games=numbers["games"],
    )  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """A line of the protocol: the paper's size or figure, and ours."""

    part: str
    what: str
    paper: str
    here: str


def make_games(count: int, plies: int, seed: int) -> str:
    """Games of a small alpha-beta search with itself, as PGN; random plies begin them."""
    game = make("chess")
    batch = Batch.start(game, count, seed=seed)
    agent = make_agent("alphabeta:depth=1", game, seed=seed)
    played: list[list[int]] = [[] for _ in range(count)]
    for ply in range(plies):
        open_ = np.flatnonzero(batch.outcome() == ONGOING)
        if not len(open_):
            break
        chosen = np.full(count, -1, np.int64)
        if ply < _OPENING:
            chosen[open_] = batch.take(open_).random_actions()
        else:
            chosen[open_] = [one.action for one in agent.choose(batch.take(open_))]
        batch.apply(chosen)
        for row in open_.tolist():
            played[row].append(int(chosen[row]))
    texts = []
    for actions, outcome in zip(played, batch.outcome().tolist(), strict=True):
        state = game.start()
        for action in actions:
            state = state.apply(action)
        result = _RESULTS.get(outcome, _RESULTS[0])
        texts.append(write(state, ("playproof", "playproof"), result=result))
    return "\n".join(texts)


def run(
    folder: Path,
    sizes: Sizes,
    *,
    data: Path | None = None,
    device: str = "cpu",
    seed: int = 1,
    tell: Tell = lambda text: None,
) -> list[Figure]:
    """The pipeline in a folder; what was finished there is not done again."""
    found = []
    if data is None:
        data = folder / "data"
        found += _build(folder, data, sizes, seed, tell)
    net, told = _imitate(folder, data, sizes, device, seed, tell)
    found += told
    better, told = _self_play(folder, net, sizes, device, seed, tell)
    return found + told + _rate(folder, better, sizes, device, seed, tell)


def _build(folder: Path, data: Path, sizes: Sizes, seed: int, tell: Tell) -> list[Figure]:
    from playproof.core.files.atomic_write import write_atomically
    from playproof.learning.datasets import build as position_build

    tell("making games")
    file = folder / "games.pgn"
    if not file.exists():
        write_atomically(file, make_games(sizes.games, sizes.plies, seed).encode())
    config = position_build.Wishes((file,), share=sizes.sample, seed=seed)
    facts = position_build.build(config, data, workers=1)
    return [
        Figure("data", "games", "1,183,411 (CCRL)", f"{facts['games']:,} of our own"),
        Figure("data", "share of positions taken", "0.2", f"{sizes.sample:g}"),
        Figure("data", "positions", "5,000,000", f"{facts['positions']:,}"),
        Figure(
            "data", "split", "80:20, 5-fold, stratified",
            f"{facts['folds']} folds, whole games, stratified",
        ),
    ]  # fmt: skip


def _imitate(
    folder: Path, data: Path, sizes: Sizes, device: str, seed: int, tell: Tell
) -> tuple[Path, list[Figure]]:
    from playproof.learning.runs.run import NET, SETTINGS, Run

    tell("imitation")
    home = folder / "imitation"
    changes = {**sizes.imitation, "data": str(data), "seed": str(seed)}
    run = (
        Run.open(home)
        if (home / SETTINGS).exists()
        else Run.begin(home, "imitation-paper", changes)
    )
    run.resume(device=device)
    last = run.metrics()[-1]
    s = run.settings
    blocks, filters, decay = (getattr(s, name) for name in ("blocks", "filters", "decay"))
    told = {name: value for name, value in last.items() if name.startswith("test_")}
    return home / NET, [
        Figure("imitation", "network", "12 blocks x 256", f"{blocks} blocks x {filters}"),
        Figure("imitation", "c of the loss", "5", f"{decay:g}: 5 pulls every weight to nought"),
        Figure("imitation", "held-out top-1, top-3", "none given",
               f"{100 * told['test_top1']:.1f} %, {100 * told['test_top3']:.1f} %"),
        Figure("imitation", "held-out value error", "none given",
               f"{told['test_value_error']:.3f}"),
    ]  # fmt: skip


def _self_play(
    folder: Path, net: Path, sizes: Sizes, device: str, seed: int, tell: Tell
) -> tuple[Path, list[Figure]]:
    from playproof.learning.runs.run import NET, SETTINGS, Run

    tell("self-play")
    home = folder / "self-play"
    changes = {**sizes.self_play, "start": str(net), "seed": str(seed)}
    run = Run.open(home) if (home / SETTINGS).exists() else Run.begin(home, "rl-chess", changes)
    run.resume(checkpoint_every=1, device=device)
    s, metrics = run.settings, run.metrics()
    cycles = getattr(s, "cycles", 0)
    met = [line for line in metrics if "earlier_wins" in line]
    counts = [sum(int(line[f"earlier_{k}"]) for line in met) for k in ("wins", "draws", "losses")]
    promoted = sum(int(line["promoted"]) for line in met)
    return home / NET, [
        Figure("self-play", "cycles between updates", "50,000", f"{cycles:,}"),
        Figure("self-play", "states in all", "1,000,000", f"{cycles * len(metrics):,}"),
        Figure("self-play", "states learned from", "all of a tree",
               f"{sum(int(line['positions']) for line in metrics):,}, visited often enough"),
        Figure("self-play", "against the best before it", "not played",
               "/".join(map(str, counts)) + f" won/drawn/lost, {promoted} times the better"),
    ]  # fmt: skip


def _rate(
    folder: Path, net: Path, sizes: Sizes, device: str, seed: int, tell: Tell
) -> list[Figure]:
    """Algorithm 4's policy against a level of Stockfish, and of that with itself."""
    if find_program("stockfish") is None:
        return [Figure("Elo", "games", "1,000 with Stockfish at 2000", "Stockfish is missing")]
    from playproof.agents.engines.uci.rated import RatedEngine
    from playproof.arena.database import GameDatabase
    from playproof.arena.elo.run import EloMeasurement
    from playproof.arena.statistics.score import format_elo
    from playproof.arena.tournament import MatchConfig

    tell("Elo")
    config = MatchConfig(
        pairs=sizes.rated_games // 2, workers=1, seed=derive_seed(seed, 1) % 2**32,
        openings="random:plies=4,balance=1",
    )  # fmt: skip
    with GameDatabase(folder / "games.sqlite") as database:
        opponent = RatedEngine.of("uci:stockfish", "chess", depth=1)
        player = f"net:{net},greedy=on" + (",device=cuda" if device == "cuda" else "")
        found = EloMeasurement("chess", player, opponent, [sizes.level], config, database).run()
    level = found.levels[0]
    score = level.score
    return [
        Figure("Elo", "opponent", "Stockfish at 2000",
               f"{opponent.title} at {sizes.level}, {opponent.limits}"),
        Figure("Elo", "games", "1,000", f"{score.games:,}"),
        Figure("Elo", "won/drawn/lost", "none given",
               f"{score.wins}/{score.draws}/{score.losses}"),
        Figure("Elo", "difference to that level", "none given", format_elo(score)),
    ]  # fmt: skip
