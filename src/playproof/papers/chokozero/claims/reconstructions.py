"""The paper's own positions, in every way in which the text can be true.

The figures are pictures, so a position is a distribution here: what a network gives to the paper's
move over all ways to add pieces, and whether that move is right, by tables that are built for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.arena.tactics.make import exact_values
from playproof.arena.tactics.paper_positions import FIGURES, Figure, positions, row_of
from playproof.arena.yardstick.critical import sign
from playproof.core.batch import Batch
from playproof.core.game import Game
from playproof.core.kernels import Words
from playproof.papers.chokozero.claims.nets import PaperNet
from playproof.papers.chokozero.claims.results import MoveDistribution
from playproof.tables.choko.build import build, plan_build
from playproof.tables.choko.cpu import Cpu
from playproof.tables.choko.probe import Probe
from playproof.tables.choko.store import DISTANCE, MemoryStore

BY_NAME = {figure.name: figure for figure in FIGURES}


@dataclass(frozen=True)
class Ways:
    """The ways to add pieces to what the text names; ``label`` says how many are added."""

    figure: Figure
    label: str
    rows: Words
    hand: int = 0

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True)
class Truth:
    """What the tables say of some ways: whether Red can hold each of them, whether a move is right
    there, and whether no other is."""

    holdable: npt.NDArray[np.bool_]
    right: npt.NDArray[np.bool_]
    only: npt.NDArray[np.bool_]


def ways(game: Game, name: str, *, added: tuple[int, int] | None = None, hand: int = 0) -> Ways:
    """All ways for one of the paper's positions; ``added`` pieces, or the fewest, and ``hand``
    pieces in each hand."""
    figure = BY_NAME[name]
    rows = [row_of(game, red, blue, hand=hand) for red, blue in positions(figure, added)]
    red, blue = added or figure.added
    more = f"{red} Red and {blue} Blue added" + (f", {hand} in each hand" if hand else "")
    return Ways(figure, more, np.stack(rows), hand)


def solved_tables(pieces: int) -> Probe:
    """Exact values of all positions with empty hands and so many pieces, built in memory."""
    device = Cpu()
    store = MemoryStore(False, DISTANCE, device)
    build(plan_build(False, DISTANCE, hands=0, pieces=pieces), device, store)
    return Probe(store)


def truth(probe: Probe, cases: Ways, move: str) -> Truth:
    """Whether a move is right in each of the ways."""
    action = probe.game.parse_action(move)
    holdable, right, only = [], [], []
    for values in exact_values(probe, cases.rows):
        best = max(map(sign, values.values()))
        good = [one for one, value in values.items() if sign(value) == best]
        holdable.append(best >= 0)
        right.append(action in good)
        only.append(good == [action])
    return Truth(*(np.array(flags) for flags in (holdable, right, only)))


def distribution(net: PaperNet, cases: Ways, move: str) -> MoveDistribution:
    """The probability and the rank that a network gives to a move in each of the ways."""
    batch = Batch(net.game, cases.rows)
    legal, policy = batch.legal_lists(), net.policy(batch)
    action = net.game.parse_action(move)
    probabilities, ranks = [], []
    for row in range(len(batch)):
        weights = policy[legal.offsets[row] : legal.offsets[row + 1]]
        weight = float(weights[legal.of(row) == action][0])
        probabilities.append(weight)
        ranks.append(1 + int((weights > weight).sum()))
    return MoveDistribution(net.title, cases.label, move, np.array(probabilities), np.array(ranks))


def critic_prefers(net: PaperNet, cases: Ways, better: str, worse: str) -> npt.NDArray[np.bool_]:
    """In which ways the critic values the position after one move above that after another."""
    values = []
    for move in (better, worse):
        batch = Batch(net.game, cases.rows.copy())
        batch.apply(np.full(len(batch), net.game.parse_action(move)))
        values.append(-net.values(batch))
    return np.asarray(values[0] > values[1])
