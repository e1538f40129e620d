"""The CHSH experiment: two distant parties, four questions, and a sum that stays within 2.

In the game every point can be inspected in every collapse, so each collapse gives a value to all
four questions at once, and a(b + b') + a'(b - b') is +2 or -2 whatever they are. Hence its mean
cannot leave this range; that is the whole proof (Clauser, Horne, Shimony and Holt, 1969), and the
sampled experiment shows it collapse by collapse. Ranchin (2016) says that his game obeys it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations, permutations, product

import numpy as np
import numpy.typing as npt

from playproof.core.errors import UsageError
from playproof.core.state import State
from playproof.games.quantum_go.state.bell import (
    CLASSICAL_BOUND,
    TSIRELSON_BOUND,
    Chsh,
    chsh_of_real_qubits,
    correlation,
    largest_chsh,
)
from playproof.games.quantum_go.state.quantum_state import QuantumState, quantum_of
from playproof.web.pages.classroom.lesson import Json, game_of

SETTINGS = ("a", "a2", "b", "b2")
SHOWN = 8  # collapses that are listed individually
MOST_COLLAPSES = 100_000
MOST_SEED = 2**32 - 1
_NORMAL = 1.959963984540054  # two-sided, 95 %
_SEARCHED = 6  # points of each party among which four different questions are searched
_TURN_STEP = 5  # degrees between two points of the curve for real qubits


def demonstration(state: State, query: Mapping[str, str]) -> Json:
    """S of a position, its four correlations, a sampled experiment, and real qubits to compare.

    ``query``: a, a2 (Alice's points) and b, b2 (Bob's), all or none; n, the number of collapses,
    and their seed.
    """
    quantum = quantum_of(state)
    n = _whole(query, "n", 1000, 1, MOST_COLLAPSES)
    seed = _whole(query, "seed", 1, 0, MOST_SEED)
    chosen = [name for name in SETTINGS if query.get(name, "").strip()]
    if chosen and len(chosen) < len(SETTINGS):
        raise UsageError(f"{', '.join(chosen)} given alone: want all of a, a2, b, b2, or none")
    setup = _chosen(quantum, query) if chosen else best(quantum)
    table = _table(quantum, setup)
    alpha = math.sqrt(game_of(state).later_stays)
    return {
        "settings": dict(zip(SETTINGS, setup.settings, strict=True)),
        "signs": list(setup.signs),
        "best": not chosen,
        "correlations": table,
        "S": table[0][0] + table[0][1] + table[1][0] - table[1][1],
        "bound": CLASSICAL_BOUND,
        "parties": dict(zip(("alice", "bob"), parties(quantum), strict=True)),
        "experiment": experiment(quantum, setup, n, seed),
        "real": real_qubits(alpha),
    }


def parties(quantum: QuantumState) -> tuple[list[str], list[str]]:
    """The points of Alice and of Bob: one stone of each group for Alice, the others for Bob.

    So they share all entanglement. Without groups, each gets one half of the board.
    """
    alice = [group.points[0] for group in quantum.groups]
    bob = [point for group in quantum.groups for point in group.points[1:]]
    if not alice:
        names = quantum.in_order(quantum.points.names)
        alice, bob = names[: len(names) // 2], names[len(names) // 2 :]
    return alice, bob


def best(quantum: QuantumState) -> Chsh:
    """The largest S with points of the two parties.

    Among equal ones, the first with four different points is preferred: it looks less like a trick
    than asking the same question twice.
    """
    alice, bob = parties(quantum)
    largest = largest_chsh(quantum, alice, bob)
    for a, a2 in combinations(alice[:_SEARCHED], 2):
        for b, b2 in permutations(bob[:_SEARCHED], 2):
            other = named(quantum, a, a2, b, b2)
            if other.value > largest.value - 1e-9:
                return other
    return largest


def named(quantum: QuantumState, a: str, a2: str, b: str, b2: str) -> Chsh:
    """S for four points, with the signs of their outcomes chosen so that it is largest."""
    E = [[correlation(quantum, x, y) for y in (b, b2)] for x in (a, a2)]
    candidates = [
        (E[0][0] * v + E[0][1] * w + u * (E[1][0] * v - E[1][1] * w), (1, u, v, w))
        for u, v, w in product((1, -1), repeat=3)
    ]
    value, signs = max(candidates, key=lambda one: one[0])
    return Chsh(value, (a, a2, b, b2), signs)


def _chosen(quantum: QuantumState, query: Mapping[str, str]) -> Chsh:
    a, a2, b, b2 = (quantum.name(query[name][:8]) for name in SETTINGS)
    if {a, a2} & {b, b2}:
        shared = ", ".join(sorted({a, a2} & {b, b2}))
        raise UsageError(f"{shared} for both parties: want Alice's points to differ from Bob's")
    return named(quantum, a, a2, b, b2)


def _table(quantum: QuantumState, setup: Chsh) -> list[list[float]]:
    """E of each of Alice's questions with each of Bob's, with the signs of their outcomes."""
    (a, a2, b, b2), (s, s2, t, t2) = setup.settings, setup.signs
    return [
        [0.0 + u * v * correlation(quantum, x, y) for y, v in ((b, t), (b2, t2))]  # no -0.0
        for x, u in ((a, s), (a2, s2))
    ]


# The experiment


def experiment(quantum: QuantumState, setup: Chsh, n: int, seed: int) -> Json:
    """``n`` boards collapsed by Born's rule, with all four questions answered in each.

    The 95 % interval of S follows from that of the share of +2 (Wilson, 1927).
    """
    answers = sample(quantum, setup.settings, n, seed) * np.array(setup.signs)
    a, a2, b, b2 = answers.T
    values = a * b + a * b2 + a2 * b - a2 * b2
    plus = int(np.count_nonzero(values == 2))
    low, high = wilson(plus, n)
    return {
        "n": n,
        "seed": seed,
        "S": float(values.mean()),
        "low": 4 * low - 2,
        "high": 4 * high - 2,
        "plus": plus,
        "minus": n - plus,
        "correlations": [
            [float((a * b).mean()), float((a * b2).mean())],
            [float((a2 * b).mean()), float((a2 * b2).mean())],
        ],
        "first": [
            {"answers": answers[i].tolist(), "value": int(values[i])} for i in range(min(n, SHOWN))
        ],
    }


def sample(
    quantum: QuantumState, names: tuple[str, ...], n: int, seed: int
) -> npt.NDArray[np.int64]:
    """The outcomes at some points in ``n`` collapses: +1 a stone, -1 none; shape (n, points)."""
    random = np.random.default_rng(seed)
    outcomes = np.empty((n, len(names)), np.int64)
    for i, name in enumerate(names):
        outcomes[:, i] = 1 if name in quantum.singles else -1
    for group in quantum.groups:
        # Drawn for every group, so that a seed means the same whatever points are inspected.
        stays = random.choice(len(group.points), size=n, p=group.probabilities)
        for i, name in enumerate(names):
            if name in group.points:
                outcomes[stays == group.points.index(name), i] = 1
    return outcomes


def wilson(successes: int, n: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of a probability."""
    share, z = successes / n, _NORMAL
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    return max(0.0, centre - half), min(1.0, centre + half)


# For comparison


def real_qubits(alpha: float) -> Json:
    """S of two real qubits in the pair's state, by the angle of Bob's instruments.

    This is NOT part of the game. Alice asks "present?" and "present plus absent?" (0 and 90
    degrees), Bob turns his two instruments by +t and -t.
    """
    beta = math.sqrt(max(0.0, 1 - alpha * alpha))
    t = math.atan(2 * alpha * beta)
    angles = (0.0, math.pi / 2, t, -t)

    def s(turned: float) -> float:
        at = (0.0, math.pi / 2, math.radians(turned), -math.radians(turned))
        return abs(chsh_of_real_qubits(at, alpha, beta))

    def e(x: float, y: float) -> float:
        return chsh_of_real_qubits((x, x, y, y), alpha, beta) / 2

    return {
        "S": abs(chsh_of_real_qubits(angles, alpha, beta)),
        "most": TSIRELSON_BOUND,
        "degrees": [math.degrees(angle) for angle in angles],
        "correlations": [[e(x, y) for y in angles[2:]] for x in angles[:2]],
        "turned": [[degrees, s(degrees)] for degrees in range(0, 91, _TURN_STEP)],
    }


def _whole(query: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    text = query.get(name, "").strip()
    if not text:
        return default
    try:
        value = int(text) if text.isascii() and len(text) <= 12 else least - 1
    except ValueError:
        value = least - 1
    if not least <= value <= most:
        raise UsageError(f"{name}={text[:20]}: want a whole number from {least} to {most}")
    return value
