"""*Reinforcement Learning in Chess* (Chu, Li and Loh): its pipeline from start to end.

Games are turned into positions (Algorithm 1), a network imitates their moves, self-play by a tree
with greedy rollouts continues its training (Algorithm 2), and Stockfish's levels rate its policy
(Algorithm 4).  The paper has no results, only a protocol, so our figures stand next to that.
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
_OPENING = 6  # random plies at the start of a generated game
_RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}

OnProgress = Callable[[str], None]


@dataclass(frozen=True)
class Sizes:
    """The sizes of the pipeline's parts."""

    games: int  # to generate if no data is given
    plies: int  # after which a generated game is drawn
    sample: float  # share of positions
    imitation: dict[str, str]  # changes to the preset's settings
    self_play: dict[str, str]  # changes to the preset's settings
    level: int  # Stockfish's, in Elo
    rated_games: int


_SMALL = {"blocks": "1", "filters": "8", "observation": "paper-13"}
QUICK = Sizes(
    games=24, plies=60, sample=1.0,
    imitation=_SMALL | {
        "iterations": "4", "steps": "10", "batch": "64", "evaluate_every": "4",
        "evaluation_positions": "512",
    },
    self_play=_SMALL | {
        "iterations": "2", "cycles": "64", "leaves": "16", "state_visits": "2", "ply_limit": "40",
        "minibatch": "32", "replay": "2000", "evaluate_every": "2", "evaluation_games": "4",
        "evaluation_simulations": "8",
    },
    level=1350, rated_games=8,
)  # fmt: skip
FULL = Sizes(games=0, plies=0, sample=0.2, imitation={}, self_play={}, level=2000, rated_games=1000)


def apply_changes(sizes: Sizes, changes: dict[str, str]) -> Sizes:
    """Change sizes: ``imitation.KEY`` and ``self-play.KEY`` are settings of these runs, ``level``
    and ``games`` are those of the rating."""
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
    """A line of the comparison: a size or figure in the paper, and here."""

    part: str
    what: str
    paper: str
    here: str


def make_games(count: int, plies: int, seed: int) -> str:
    """Games of a shallow alpha-beta search against itself from random openings, as PGN."""
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
    on_progress: OnProgress = lambda text: None,
) -> list[Figure]:
    """Run the pipeline in a folder; parts that are finished there are not run again."""
    figures = []
    if data is None:
        data = folder / "data"
        figures += _build(folder, data, sizes, seed, on_progress)
    net, imitation = _imitate(folder, data, sizes, device, seed, on_progress)
    best_net, self_play = _self_play(folder, net, sizes, device, seed, on_progress)
    rating = _rate(folder, best_net, sizes, device, seed, on_progress)
    return figures + imitation + self_play + rating


def _build(
    folder: Path, data: Path, sizes: Sizes, seed: int, on_progress: OnProgress
) -> list[Figure]:
    from playproof.core.files.atomic_write import write_atomically
    from playproof.learning.datasets import build as position_build

    on_progress("making games")
    file = folder / "games.pgn"
    if not file.exists():
        write_atomically(file, make_games(sizes.games, sizes.plies, seed).encode())
    config = position_build.BuildConfig((file,), share=sizes.sample, seed=seed)
    metadata = position_build.build(config, data, workers=1)
    return [
        Figure("data", "games", "1,183,411 (CCRL)", f"{metadata['games']:,} of our own"),
        Figure("data", "share of positions taken", "0.2", f"{sizes.sample:g}"),
        Figure("data", "positions", "5,000,000", f"{metadata['positions']:,}"),
        Figure(
            "data", "split", "80:20, 5-fold, stratified",
            f"{metadata['folds']} folds, whole games, stratified",
        ),
    ]  # fmt: skip


def _imitate(
    folder: Path, data: Path, sizes: Sizes, device: str, seed: int, on_progress: OnProgress
) -> tuple[Path, list[Figure]]:
    from playproof.learning.runs.run import NET, SETTINGS, Run

    on_progress("imitation")
    home = folder / "imitation"
    changes = {**sizes.imitation, "data": str(data), "seed": str(seed)}
    run = (
        Run.open(home)
        if (home / SETTINGS).exists()
        else Run.create(home, "imitation-paper", changes)
    )
    run.resume(device=device)
    last = run.metrics()[-1]
    s = run.settings
    blocks, filters, decay = (getattr(s, name) for name in ("blocks", "filters", "decay"))
    return home / NET, [
        Figure("imitation", "network", "12 blocks x 256", f"{blocks} blocks x {filters}"),
        Figure("imitation", "c of the loss", "5", f"{decay:g}: 5 pulls every weight to zero"),
        Figure("imitation", "held-out top-1, top-3", "none given",
               f"{100 * last['test_top1']:.1f} %, {100 * last['test_top3']:.1f} %"),
        Figure("imitation", "held-out value error", "none given",
               f"{last['test_value_error']:.3f}"),
    ]  # fmt: skip


def _self_play(
    folder: Path, net: Path, sizes: Sizes, device: str, seed: int, on_progress: OnProgress
) -> tuple[Path, list[Figure]]:
    from playproof.learning.runs.run import NET, SETTINGS, Run

    on_progress("self-play")
    home = folder / "self-play"
    changes = {**sizes.self_play, "start": str(net), "seed": str(seed)}
    run = Run.open(home) if (home / SETTINGS).exists() else Run.create(home, "rl-chess", changes)
    run.resume(checkpoint_every=1, device=device)
    s, metrics = run.settings, run.metrics()
    cycles = getattr(s, "cycles", 0)
    lines = [line for line in metrics if "earlier_wins" in line]
    counts = [sum(int(line[f"earlier_{k}"]) for line in lines) for k in ("wins", "draws", "losses")]
    promoted = sum(int(line["promoted"]) for line in lines)
    return home / NET, [
        Figure("self-play", "cycles between updates", "50,000", f"{cycles:,}"),
        Figure("self-play", "states in all", "1,000,000", f"{cycles * len(metrics):,}"),
        Figure("self-play", "states learned from", "all of a tree",
               f"{sum(int(line['positions']) for line in metrics):,}, visited often enough"),
        Figure("self-play", "against the best before it", "not played",
               "/".join(map(str, counts)) + f" won/drawn/lost, {promoted} times the better"),
    ]  # fmt: skip


def _rate(
    folder: Path, net: Path, sizes: Sizes, device: str, seed: int, on_progress: OnProgress
) -> list[Figure]:
    """Rate Algorithm 4's policy by games against a level of Stockfish."""
    if find_program("stockfish") is None:
        return [Figure("Elo", "games", "1,000 with Stockfish at 2000", "Stockfish is missing")]
    from playproof.agents.engines.uci.rated import RatedEngine
    from playproof.arena.database import GameDatabase
    from playproof.arena.elo.run import EloMeasurement
    from playproof.arena.statistics.score import format_elo
    from playproof.arena.tournament import MatchConfig

    on_progress("Elo")
    config = MatchConfig(
        pairs=sizes.rated_games // 2, workers=1, seed=derive_seed(seed, 1) % 2**32,
        openings="random:plies=4,balance=1",
    )  # fmt: skip
    with GameDatabase(folder / "games.sqlite") as database:
        opponent = RatedEngine.of("uci:stockfish", "chess", depth=1)
        player = f"net:{net},greedy=on" + (",device=cuda" if device == "cuda" else "")
        rating = EloMeasurement("chess", player, opponent, [sizes.level], config, database).run()
    level = rating.levels[0]
    score = level.score
    return [
        Figure("Elo", "opponent", "Stockfish at 2000",
               f"{opponent.title} at {sizes.level}, {opponent.limits}"),
        Figure("Elo", "games", "1,000", f"{score.games:,}"),
        Figure("Elo", "won/drawn/lost", "none given",
               f"{score.wins}/{score.draws}/{score.losses}"),
        Figure("Elo", "difference to that level", "none given", format_elo(score)),
    ]  # fmt: skip
