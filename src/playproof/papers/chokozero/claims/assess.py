"""All claims of section 4.3, and of the discussion where they are about the same abilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from playproof.arena.tactics import positions as tactics_sets
from playproof.arena.tactics.positions import Tactics
from playproof.arena.yardstick import positions as yardsticks
from playproof.papers.chokozero.claims import (
    captures,
    critic,
    dangers,
    placements,
    searches,
    self_play,
    skirmishes,
)
from playproof.papers.chokozero.claims.nets import paper_nets
from playproof.papers.chokozero.claims.results import (
    CONSISTENTLY,
    UNTESTABLE,
    ClaimResult,
)

# Claims that no measurement of a trained network can settle, and why.
UNTESTED = (
    ClaimResult(
        "quickly", "4.3", "how quickly the agents converged to a consistent opening style", "", (),
        UNTESTABLE, "It is about the course of training, and only the final nets are measured.",
    ),
    ClaimResult(
        "foresight", "4.3", "the move requires deep and critical strategic foresight", "", (),
        UNTESTABLE, "A single move says nothing of how it was chosen; 'search-cures' has the rates "
        "for sacrifices.",
    ),
    ClaimResult(
        "against-humans", "abstract", "our PGTS fares competitively against human players", "", (),
        UNTESTABLE, "It needs human opponents; the paper gives no results of such games.",
    ),
)  # fmt: skip
ELSEWHERE = {
    "4.1": "--only table: who wins against whom, and what 20 games can decide",
    "4.2": "--only curves: win rates ahead and falling, V2's rise, clipped ratios, plateaus",
    "5": "--only times: seven plies of PGTS in the time of Minimax's three; sizes and training",
}


@dataclass(frozen=True)
class ClaimSizes:
    """How much is measured."""

    games: int  # of each net against itself
    per_family: int | None  # positions of each family of tactics; all if None
    yardstick: int | None  # positions of the yardstick; all if None
    searched: int  # positions of own games that PGTS is asked about
    quick: bool


FULL = ClaimSizes(games=400, per_family=None, yardstick=None, searched=300, quick=False)
QUICK = ClaimSizes(games=20, per_family=40, yardstick=120, searched=40, quick=True)


@dataclass(frozen=True)
class Assessment:
    """The claims with their verdicts."""

    seed: int
    sizes: ClaimSizes
    claims: tuple[ClaimResult, ...]

    @property
    def consistently(self) -> tuple[ClaimResult, ...]:
        """The claims in which the paper says *consistently*."""
        return tuple(claim for claim in self.claims if claim.says_consistently)

    def to_json(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "games": self.sizes.games,
            "consistently": {
                "share": CONSISTENTLY,
                "deserved": {claim.name: claim.verdict for claim in self.consistently},
            },
            "claims": [claim.to_json() for claim in self.claims],
            "elsewhere": ELSEWHERE,
        }


def assess(
    files: Mapping[str, str],
    *,
    quick: bool = False,
    sizes: ClaimSizes | None = None,
    seed: int = 1,
    on_progress: Callable[[str], None] = lambda part: None,
) -> Assessment:
    """Measure all claims; ``files`` names nets by preset, where they are not the shipped ones."""
    sizes = sizes or (QUICK if quick else FULL)
    nets = paper_nets(files)
    tactics = _limited(tactics_sets.shipped(), sizes.per_family, seed)
    yardstick = yardsticks.shipped(nets["v3"].game)
    every = list(nets.values())
    on_progress("games of the nets against themselves")
    games = {name: self_play.play(net, sizes.games, seed) for name, net in nets.items()}
    own = list(games.values())
    parts: dict[str, Callable[[], list[ClaimResult]]] = {
        "corners": lambda: placements.claims(own, seed),
        "captures": lambda: captures.claims(every, own, tactics, seed),
        "evasion": lambda: dangers.claims(every, own, tactics, seed),
        "the paper's positions": lambda: skirmishes.claims(nets, tactics, seed, quick=sizes.quick),
        "search": lambda: searches.claims(nets["v3"], games["v3"], tactics, seed, sizes.searched),
        "critics": lambda: critic.claims(every, tactics, yardstick, sizes.yardstick, seed),
    }
    results: list[ClaimResult] = []
    for title, part in parts.items():
        on_progress(title)
        results += part()
    return Assessment(seed, sizes, (*results, *UNTESTED))


def _limited(tactics: Tactics, per_family: int | None, seed: int) -> Tactics:
    """The set with so many positions of each family, drawn at random."""
    if per_family is None:
        return tactics
    rng = np.random.default_rng(seed)
    families = {
        name: tuple(positions[i] for i in np.sort(rng.permutation(len(positions))[:per_family]))
        for name, positions in tactics.families.items()
    }
    return replace(tactics, families=families)
