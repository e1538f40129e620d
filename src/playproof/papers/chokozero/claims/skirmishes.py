"""The claims about the paper's own positions: Skirmish 1, Skirmish 2 and Figure 7.

The text does not name all pieces.  So a claim about a position holds if it holds in every way to
add the fewest pieces that make the text true, does not hold if it holds in none, and is not decided
if that depends on the way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from playproof.arena.tactics.positions import Tactics
from playproof.core.state import State
from playproof.papers.chokozero.claims import reconstructions as paper
from playproof.papers.chokozero.claims.nets import PPO, PaperNet
from playproof.papers.chokozero.claims.reconstructions import Truth, Ways, distribution
from playproof.papers.chokozero.claims.results import (
    FAILS,
    HOLDS,
    UNDECIDED,
    ClaimResult,
    Estimate,
    judged,
    share_of,
)
from playproof.papers.chokozero.claims.searches import chosen_actions, search_agent

EVADES, DEFENDS, CAPTURES_C2, SACRIFICES = "B3-B4", "D4xB4,A1", "D4xB4,C2", "A3xC3,E3"
MORE = ((0, 3), (2, 1))  # pieces added in further ways of Skirmish 2, (Red, Blue)
HAND = 4  # pieces in each hand in others; PPO V1 to V3 do not see how many
SEARCHED = 200  # further ways that the search is asked about
SEEDS, FEW_SEEDS = 20, 3  # of the searches in Figure 7
_FIRST_JUMP = 125  # the first action that is a capture
_PIECES, _MORE_PIECES = 6, 8  # in play, for the tables
_ONE_PERCENT = (0.005, 0.015)  # what is printed as 1 %
_ABSENT = 0.005  # below this, a printed probability is 0 %
_PRINTED = {
    "skirmish-2-fourth": (
        "Skirmish 2: the optimal move is the fourth of V3, with only 1 %",
        f"{DEFENDS} is the fourth move, with 0.5 to 1.5 %; not decided if only in some ways",
    ),
    "skirmish-2-absent": (
        "Skirmish 2: the optimal move does not even show up in V2",
        f"{DEFENDS} has less than 0.5 %; not decided if only in some ways",
    ),
}
Flags = npt.NDArray[np.bool_]


def by_ways(holds: Flags) -> str:
    """The verdict on a claim about a position of which only some pieces are known."""
    return HOLDS if holds.all() else UNDECIDED if holds.any() else FAILS


def claims(
    nets: Mapping[str, PaperNet], tactics: Tactics, seed: int, *, quick: bool = False
) -> list[ClaimResult]:
    """All claims about the paper's own positions; ``quick`` leaves out the further ways."""
    game = nets["v3"].game
    ppo = [nets[name] for name in PPO]
    fewest = paper.ways(game, "skirmish-2")
    more = [] if quick else [paper.ways(game, "skirmish-2", added=added) for added in MORE]
    cases = [fewest, *more]
    probe = paper.solved_tables(_PIECES if quick else _MORE_PIECES)
    truths = [paper.truth(probe, ways, DEFENDS) for ways in cases]
    others = [paper.truth(probe, ways, CAPTURES_C2) for ways in cases]
    return [
        _skirmish_1(ppo, paper.ways(game, "skirmish-1")),
        _best_move(cases, truths, others),
        _printed("skirmish-2-fourth", nets["v3"], cases),
        _printed("skirmish-2-absent", nets["v2"], cases),
        _policies(ppo, [*cases, paper.ways(game, "skirmish-2", hand=HAND)]),
        _search(nets["v3"], cases, truths, seed),
        _critic(ppo, cases),
        _figure_7(nets, tactics, seed, quick),
        _fork(tactics),
    ]


def _skirmish_1(nets: Sequence[PaperNet], ways: Ways) -> ClaimResult:
    estimates, verdicts, moves = [], {}, []
    for net in nets:
        move = distribution(net, ways, EVADES)
        first = move.rank == 1
        verdicts[net.name] = by_ways(first)
        estimates.append(_share(f"{net.title}: likeliest", first, decides=net.name == "v2"))
        moves.append(move)
    return ClaimResult(
        "skirmish-1", "4.3", "Skirmish 1: PPO V2 aptly chooses to evade by moving B3 to B4",
        f"{EVADES} is V2's likeliest move in all {len(ways)} ways; not decided if only in some",
        tuple(estimates), verdicts["v2"], distributions=tuple(moves),
    )  # fmt: skip


def _share(measure: str, flags: Flags, *, decides: bool) -> Estimate:
    return share_of(measure, int(flags.sum()), len(flags), unit="ways", decides=decides)


def _best_move(
    cases: Sequence[Ways], truths: Sequence[Truth], others: Sequence[Truth]
) -> ClaimResult:
    estimates, wrong = [], []
    for ways, right, other in zip(cases, truths, others, strict=True):
        holdable = right.holdable
        estimates += [
            _share(f"{ways.label}: right", right.right[holdable], decides=True),
            _share(f"{ways.label}: the only right move", right.only[holdable], decides=False),
        ]
        wrong.append(f"{int(other.right[holdable].sum())} of {int(holdable.sum())}")
    return ClaimResult(
        "skirmish-2-best", "4.3",
        f"Skirmish 2: the optimal move would likely be {DEFENDS}",
        f"{DEFENDS} keeps the value in at least half of the ways that are not lost, by tables",
        *judged(estimates, 0.5),
        f"{CAPTURES_C2}, which the paper's nets preferred, is right in {', '.join(wrong)}.",
    )  # fmt: skip


def _printed(name: str, net: PaperNet, cases: Sequence[Ways]) -> ClaimResult:
    """What the paper prints of the right move in one of its policies, in all ways together."""
    words, test = _PRINTED[name]
    estimates, every = [], []
    for ways in cases:
        move = distribution(net, ways, DEFENDS)
        fits = move.probability < _ABSENT
        if name == "skirmish-2-fourth":
            low, high = _ONE_PERCENT
            fits = (move.rank == 4) & (move.probability >= low) & (move.probability < high)
        estimates.append(_share(f"{net.title}, {ways.label}", fits, decides=False))
        every.append(fits)
    return ClaimResult(name, "4.3", words, test, tuple(estimates), by_ways(np.concatenate(every)))


def _policies(nets: Sequence[PaperNet], cases: Sequence[Ways]) -> ClaimResult:
    estimates, moves = [], []
    preferred: list[Flags] = []
    for net in nets:
        for ways in cases:
            best, other = (distribution(net, ways, move) for move in (DEFENDS, CAPTURES_C2))
            name = f"{net.title}, {ways.label}: {DEFENDS} likeliest"
            estimates.append(_share(name, best.rank == 1, decides=False))
            moves += [best, other]
            if net.name != "v1":
                preferred.append(other.rank == 1)
    return ClaimResult(
        "skirmish-2-policy", "4.3",
        f"Skirmish 2: {CAPTURES_C2} is the most probable move of both V2 and V3, with 79 %",
        f"{CAPTURES_C2} is the likeliest move of V2 and V3; not decided if only in some ways",
        tuple(estimates), by_ways(np.concatenate(preferred)), distributions=tuple(moves),
    )  # fmt: skip


def _search(
    net: PaperNet, cases: Sequence[Ways], truths: Sequence[Truth], seed: int
) -> ClaimResult:
    action = net.game.parse_action(DEFENDS)
    agent = search_agent(net, seed)
    rng = np.random.default_rng(seed)
    estimates, verdict = [], UNDECIDED
    for number, (ways, right) in enumerate(zip(cases, truths, strict=True)):
        rows = ways.rows[right.holdable & right.right]
        if len(rows) > SEARCHED:
            rows = rows[np.sort(rng.permutation(len(rows))[:SEARCHED])]
        finds = chosen_actions(agent, rows) == action
        estimates.append(_share(ways.label, finds, decides=number == 0))
        if number == 0:
            verdict = by_ways(finds)
    return ClaimResult(
        "skirmish-2-search", "4.3", "PGTS identified the optimal move in Skirmish 2",
        f"PGTS with V3 plays {DEFENDS} in every way with the fewest pieces in which it is right; "
        "not decided if only in some",
        tuple(estimates), verdict,
    )  # fmt: skip


def _critic(nets: Sequence[PaperNet], cases: Sequence[Ways]) -> ClaimResult:
    estimates = []
    verdict = UNDECIDED
    for net in nets:
        for number, ways in enumerate(cases):
            prefers = paper.critic_prefers(net, ways, DEFENDS, CAPTURES_C2)
            decides = net.name == "v3" and number == 0
            estimates.append(_share(f"{net.title}, {ways.label}", prefers, decides=decides))
            if decides:
                verdict = by_ways(prefers)
    return ClaimResult(
        "skirmish-2-critic", "4.3",
        "both moves of Skirmish 2 capture as many pieces, the only difference being the critic's "
        "value",
        f"V3's critic values the position after {DEFENDS} above that after {CAPTURES_C2}",
        tuple(estimates), verdict,
    )  # fmt: skip


# Figure 7, where the text allows one position


def _figure_7(
    nets: Mapping[str, PaperNet], tactics: Tactics, seed: int, quick: bool
) -> ClaimResult:
    game = nets["v3"].game
    ways = paper.ways(game, "figure-7")
    (shown,) = (one for one in tactics.paper if one.figure.name == "figure-7")
    names = game.position(shown.critical.position).legal_names()
    right = [name for place, name in enumerate(names) if shown.critical.keeps(place)]
    plays = {
        agent: [
            game.action_name(int(chosen_actions(one, ways.rows)[0]))
            for one in (
                search_agent(nets["v3"], seed + i, agent=agent)
                for i in range(FEW_SEEDS if quick else SEEDS)
            )
        ]
        for agent in ("pgts", "pgts7")
    }
    found = {agent: np.array([move == SACRIFICES for move in plays[agent]]) for agent in plays}
    counts = {
        agent: ", ".join(f"{move} {count}" for move, count in Counter(moves).most_common())
        for agent, moves in plays.items()
    }
    courses = []
    for net in nets.values():
        move = distribution(net, ways, SACRIFICES)
        courses.append(f"{net.title} {100 * move.probability[0]:.2g} % (rank {move.rank[0]})")
    return ClaimResult(
        "figure-7", "4.3", f"Figure 7: PGTS chooses {SACRIFICES}",
        "PGTS with V3 plays it in the only position that fits the text, whatever the seed",
        tuple(
            share_of(
                f"{title} plays it", int(found[agent].sum()), len(found[agent]), unit="seeds",
                decides=agent == "pgts",
            )
            for agent, title in (("pgts", "PGTS"), ("pgts7", "PGTS 7"))
        ),
        by_ways(found["pgts"]),
        f"By seed, which breaks ties of the policy, PGTS plays {counts['pgts']}; with seven plies "
        f"{counts['pgts7']}. Right are {', '.join(right)}. The nets give {SACRIFICES} "
        f"{', '.join(courses)}.",
    )  # fmt: skip


def _fork(tactics: Tactics) -> ClaimResult:
    (shown,) = (one for one in tactics.paper if one.figure.name == "figure-7")
    state = tactics.game.position(shown.critical.position)
    after = state.apply(tactics.game.parse_action(SACRIFICES))
    replies = after.legal_actions()
    sure = [can_capture(after.apply(reply)) for reply in replies]
    escapes = [
        tactics.game.action_name(one) for one, caught in zip(replies, sure, strict=True)
        if not caught
    ]  # fmt: skip
    return ClaimResult(
        "figure-7-fork", "4.3", "sacrificing B4 but forking E2 into a guaranteed capture",
        "after each reply of Blue, Red can capture the piece that stood on E2",
        (share_of("replies", sum(sure), len(sure), unit="replies"),),
        FAILS if escapes else HOLDS,
        f"E2 escapes by {', '.join(escapes)}." if escapes else "",
    )  # fmt: skip


def can_capture(state: State) -> bool:
    """Whether the mover can capture, and so take any piece: by the jump or by the removal."""
    return any(action >= _FIRST_JUMP for action in state.legal_actions())
