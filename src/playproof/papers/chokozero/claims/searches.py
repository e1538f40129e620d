"""The paper's search, PGTS, beside the policy of its own network in the same positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.agents.base import Agent
from playproof.agents.registry import make_agent
from playproof.arena.statistics.bootstrap import mcnemar
from playproof.arena.tactics.effects import move_effects
from playproof.arena.tactics.families import DEFENCE, FAMILIES, SECURE
from playproof.arena.tactics.measure import measure
from playproof.arena.tactics.positions import Tactics
from playproof.arena.yardstick.critical import rows_of
from playproof.core.batch import Batch, LegalLists
from playproof.core.kernels import Words
from playproof.nets import shipped
from playproof.nets.evaluators.network import evaluator
from playproof.papers.chokozero.claims.captures import commitment, keeps
from playproof.papers.chokozero.claims.nets import PaperNet
from playproof.papers.chokozero.claims.results import (
    CONSISTENT_SHARE,
    CONSISTENTLY,
    ClaimResult,
    Estimate,
    group_sums,
    judged,
    mean_of,
    share_of,
    weighted_share,
)
from playproof.papers.chokozero.claims.self_play import OwnGames
from playproof.papers.chokozero.players import BY_NAME
from playproof.search.evaluators import Evaluation, material

Floats = npt.NDArray[np.float64]
_BATCH = 1024  # positions put before the search at once
_TITLES = {name: name.replace("-", " ") for name in FAMILIES}


def search_agent(net: PaperNet, seed: int, *, agent: str = "pgts") -> Agent:
    """PGTS with a network; ``agent`` is its name in ``players``."""
    return make_agent(BY_NAME[agent].spec(net.file), net.game, seed=seed)


def search_by_material(net: PaperNet, seed: int) -> Agent:
    """PGTS that follows the network's policy, but counts pieces where the critic would be asked."""
    network = evaluator(shipped.find(net.file, net.game), net.game)

    def evaluate(batch: Batch, legal: LegalLists) -> Evaluation:
        return Evaluation(network(batch, legal).priors, material(batch, legal).values)

    return make_agent("pgts", net.game, seed=seed, evaluator=evaluate)


def chosen_actions(agent: Agent, rows: Words) -> npt.NDArray[np.int64]:
    """The agent's move in every row."""
    actions: list[int] = []
    for first in range(0, len(rows), _BATCH):
        part = Batch(agent.game, rows[first : first + _BATCH].copy())
        actions += [decision.action for decision in agent.choose(part)]
    return np.array(actions, np.int64)


@dataclass(frozen=True)
class PairedResult:
    """What a policy and two searches do in the positions of a family.

    policy    (n,) the probability of right moves
    greedy    (n,) whether the likeliest move is right
    search    (n,) whether the move of PGTS is right
    material  (n,) whether that of PGTS is which counts pieces instead of asking the critic
    """

    policy: Floats
    greedy: npt.NDArray[np.bool_]
    search: npt.NDArray[np.bool_]
    material: npt.NDArray[np.bool_]


def paired(net: PaperNet, tactics: Tactics, seed: int) -> dict[str, PairedResult]:
    """The policy and the searches of a network in the same positions, by family."""
    report = measure(tactics, BY_NAME["pgts"].spec(net.file), families=FAMILIES, seed=seed)
    positions = [one.critical for one in report.positions]
    rows = rows_of(net.game, positions)
    effects, policy = move_effects(net.game, rows), net.policy(Batch(net.game, rows))
    right, which = keeps(effects, positions), effects.position
    likeliest = np.lexsort((-policy, which))[effects.offsets[:-1]]
    mass = group_sums(which, policy * right, len(rows))
    search = np.array(
        [one.keeps(chosen.move) for one, chosen in zip(positions, report.moves, strict=True)]
    )
    by_material = chosen_actions(search_by_material(net, seed), rows)
    counted = group_sums(which, right & (effects.actions == by_material[which]), len(rows)) > 0
    families = np.array([one.family for one in report.positions])
    return {
        name: PairedResult(
            *(column[families == name] for column in (mass, right[likeliest], search, counted))
        )
        for name in FAMILIES
    }


# Claims


def claims(
    net: PaperNet, own: OwnGames, tactics: Tactics, seed: int, own_limit: int
) -> list[ClaimResult]:
    """The claims about PGTS, with the network of PPO V3."""
    results = paired(net, tactics, seed)
    return [
        _disappeared(results, seed),
        _uncompromised(net, own, tactics, seed, own_limit),
        _credit(results, seed),
    ]


def _disappeared(results: dict[str, PairedResult], seed: int) -> ClaimResult:
    estimates: list[Estimate] = []
    tests = []
    for name, one in results.items():
        title, size = _TITLES[name], len(one.policy)
        with_search = share_of(f"{title}: PGTS", int(one.search.sum()), size)
        estimates += [
            mean_of(f"{title}: PPO V3", one.policy, seed=seed, decides=False),
            share_of(f"{title}: its likeliest move", int(one.greedy.sum()), size, decides=False),
            with_search if name == DEFENCE else with_search.beside(),
            mean_of(f"{title}: increase", one.search - one.policy, seed=seed, decides=False),
        ]
        gained = int((one.search & ~one.greedy).sum())
        lost = int((one.greedy & ~one.search).sum())
        tests.append(f"{title} {gained} to {lost} (p = {mcnemar(gained, lost):.2g})")
    return ClaimResult(
        "search-cures", "4.3",
        "once we applied PGTS to PPO V3, this lack of longer term strategic awareness disappeared",
        f"PGTS is right in at least {CONSISTENT_SHARE} of the positions to capture and defend",
        *judged(estimates, CONSISTENTLY),
        "Positions that only PGTS solves, to those that only V3's likeliest move solves "
        f"(McNemar): {'; '.join(tests)}.",
    )  # fmt: skip


def _uncompromised(
    net: PaperNet, own: OwnGames, tactics: Tactics, seed: int, own_limit: int
) -> ClaimResult:
    families = [*tactics.families[SECURE], *tactics.families[DEFENCE]]
    estimates = _safe_captures(
        net, rows_of(net.game, families), np.arange(len(families)), "test set", "positions", seed
    )
    rows, games = choices(own, own_limit, seed)
    estimates += _safe_captures(net, rows, games, "own games of V3", "games", seed)
    return ClaimResult(
        "search-leaves-safe", "4.3",
        "PGTS could consistently identify how to leverage captures so that its position after the "
        "capture was not compromised",
        "PGTS, where it captures and has a choice of removals: the removal leaves nothing to "
        f"take, at least {CONSISTENT_SHARE}",
        *judged(estimates, CONSISTENTLY),
    )  # fmt: skip


def choices(own: OwnGames, limit: int, seed: int) -> tuple[Words, npt.NDArray[np.int64]]:
    """At most ``limit`` positions of own games with a jump of which some removals leave nothing to
    take and others do not, and the game of each."""
    rng = np.random.default_rng(seed)
    batch = Batch(own.net.game, own.rows)
    legal = batch.legal_lists()
    counts = group_sums(
        np.repeat(np.arange(len(own.rows)), np.diff(legal.offsets)), legal.actions >= 125,
        len(own.rows),
    )  # fmt: skip
    can = rng.permutation(np.flatnonzero(counts > 1))
    chosen: list[int] = []
    for first in range(0, len(can), _BATCH):
        part = can[first : first + _BATCH]
        effects = move_effects(own.net.game, own.rows[part])
        even = np.ones(len(effects.actions))
        committed = commitment(effects, even, effects.exposed == 0).committed
        chosen += part[committed > 0].tolist()
        if len(chosen) >= limit:
            break
    picked = np.array(chosen[:limit], np.int64)
    return own.rows[picked], own.games[picked]


def _safe_captures(
    net: PaperNet, rows: Words, clusters: npt.NDArray[np.int64], title: str, unit: str, seed: int
) -> list[Estimate]:
    """The shares for PGTS, which decides, and for its network alone."""
    effects = move_effects(net.game, rows)
    actions = chosen_actions(search_agent(net, seed), rows)
    played = (effects.actions == actions[effects.position]).astype(np.float64)
    policies = {"PGTS": played, net.title: net.policy(Batch(net.game, rows))}
    estimates, count = [], int(clusters.max(initial=-1)) + 1
    for name, policy in policies.items():
        found = commitment(effects, policy, effects.exposed == 0)
        good, committed, chance = (
            group_sums(clusters, column, count)
            for column in (found.good, found.committed, found.chance)
        )
        estimate = weighted_share(
            f"{name}, {title}", good, committed, seed=seed, unit=unit, chance=chance
        )
        estimates.append(estimate if name == "PGTS" else estimate.beside())
    return estimates


def _credit(results: dict[str, PairedResult], seed: int) -> ClaimResult:
    """Whether the critic is what makes the search right, or looking ahead is enough."""
    estimates: list[Estimate] = []
    for name, one in results.items():
        title = _TITLES[name]
        less = one.search.astype(np.float64) - one.material
        difference = mean_of(f"{title}: critic less material", less, seed=seed)
        estimates += [
            share_of(f"{title}: material", int(one.material.sum()), len(one.material),
                     decides=False),
            difference if name == DEFENCE else difference.beside(),
        ]  # fmt: skip
    return ClaimResult(
        "critic-in-search", "4.3",
        "the only difference being the value assigned to those states from the critic",
        "in positions to capture and defend, PGTS is right more often than the same search that "
        "counts pieces at its leaves instead of asking the critic",
        *judged(estimates, 1e-9),
    )  # fmt: skip
