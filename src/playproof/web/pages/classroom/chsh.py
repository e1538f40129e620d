"""The CHSH demonstration: two far apart parties, four questions, and a sum that stays within 2.

In the game every point can be looked at in every collapse, so each collapse
gives a value to all four questions at once, and a(b + b') + a'(b - b') is +2
or -2 whatever they are.  Their mean cannot leave this range; that is the whole
proof (Clauser, Horne, Shimony and Holt, 1969), and the sampled experiment
shows it collapse by collapse.  Ranchin (2016) says that his game obeys it.
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
SHOWN = 8  # collapses that are listed one by one
MOST_COLLAPSES = 100_000
MOST_SEED = 2**32 - 1
_NORMAL = 1.959963984540054  # two-sided, 95 %
_TRIED = 6  # of a party's points, where four different questions are looked for
_TURN_STEP = 5  # degrees between the points of the real qubits' curve


def demonstration(state: State, query: Mapping[str, str]) -> Json:
    """S of a position, its four correlations, a sampled experiment, and real qubits beside it.

    ``query``: a, a2 (Alice's points) and b, b2 (Bob's), all or none; n collapses and their seed.
    """
    quantum = quantum_of(state)
    n = _whole(query, "n", 1000, 1, MOST_COLLAPSES)
    seed = _whole(query, "seed", 1, 0, MOST_SEED)
    chosen = [name for name in SETTINGS if query.get(name, "").strip()]
    if chosen and len(chosen) < len(SETTINGS):
        raise UsageError(f"{', '.join(chosen)} given alone: want all of a, a2, b, b2, or none")
    found = _chosen(quantum, query) if chosen else best(quantum)
    table = _table(quantum, found)
    alpha = math.sqrt(game_of(state).later_stays)
    return {
        "settings": dict(zip(SETTINGS, found.settings, strict=True)),
        "signs": list(found.signs),
        "best": not chosen,
        "correlations": table,
        "S": table[0][0] + table[0][1] + table[1][0] - table[1][1],
        "bound": CLASSICAL_BOUND,
        "parties": dict(zip(("alice", "bob"), parties(quantum), strict=True)),
        "experiment": experiment(quantum, found, n, seed),
        "real": real_qubits(alpha),
    }


def parties(quantum: QuantumState) -> tuple[list[str], list[str]]:
    """One stone of each group for Alice, the others for Bob: they share all entanglement.

    Without a group, the left half of the board and the right one.
    """
    alice = [group.points[0] for group in quantum.groups]
    bob = [point for group in quantum.groups for point in group.points[1:]]
    if not alice:
        names = quantum.in_order(quantum.points.names)
        alice, bob = names[: len(names) // 2], names[len(names) // 2 :]
    return alice, bob


def best(quantum: QuantumState) -> Chsh:
    """The largest S with points of the two parties.

    Of equal ones the first with four different points is taken, if there is one: it looks less
    like a trick than asking the same question twice.
    """
    alice, bob = parties(quantum)
    found = largest_chsh(quantum, alice, bob)
    for a, a2 in combinations(alice[:_TRIED], 2):
        for b, b2 in permutations(bob[:_TRIED], 2):
            other = named(quantum, a, a2, b, b2)
            if other.value > found.value - 1e-9:
                return other
    return found


def named(quantum: QuantumState, a: str, a2: str, b: str, b2: str) -> Chsh:
    """S for four points, with their outcomes named so that it is as large as it can be."""
    E = [[correlation(quantum, x, y) for y in (b, b2)] for x in (a, a2)]
    tried = [
        (E[0][0] * v + E[0][1] * w + u * (E[1][0] * v - E[1][1] * w), (1, u, v, w))
        for u, v, w in product((1, -1), repeat=3)
    ]
    value, signs = max(tried, key=lambda one: one[0])
    return Chsh(value, (a, a2, b, b2), signs)


def _chosen(quantum: QuantumState, query: Mapping[str, str]) -> Chsh:
    a, a2, b, b2 = (quantum.name(query[name][:8]) for name in SETTINGS)
    if {a, a2} & {b, b2}:
        shared = ", ".join(sorted({a, a2} & {b, b2}))
        raise UsageError(f"{shared} for both parties: want Alice's points to differ from Bob's")
    return named(quantum, a, a2, b, b2)


def _table(quantum: QuantumState, found: Chsh) -> list[list[float]]:
    """E of each of Alice's questions with each of Bob's, with their outcomes' names."""
    (a, a2, b, b2), (s, s2, t, t2) = found.settings, found.signs
    return [
        [0.0 + u * v * correlation(quantum, x, y) for y, v in ((b, t), (b2, t2))]  # no -0.0
        for x, u in ((a, s), (a2, s2))
    ]


# The experiment


def experiment(quantum: QuantumState, found: Chsh, n: int, seed: int) -> Json:
    """``n`` boards collapsed by Born's rule; all four questions are answered in each of them.

    The interval holds S with 95 % confidence (Wilson, 1927, for the share of +2).
    """
    answers = sample(quantum, found.settings, n, seed) * np.array(found.signs)
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
    """What is found on some points in ``n`` collapses: +1 a stone, -1 none; (n, points)."""
    random = np.random.default_rng(seed)
    found = np.empty((n, len(names)), np.int64)
    for i, name in enumerate(names):
        found[:, i] = 1 if name in quantum.singles else -1
    for group in quantum.groups:
        # Drawn for every group, so that a seed means the same whichever points are looked at.
        stays = random.choice(len(group.points), size=n, p=group.probabilities)
        for i, name in enumerate(names):
            if name in group.points:
                found[stays == group.points.index(name), i] = 1
    return found


def wilson(successes: int, n: int) -> tuple[float, float]:
    """A 95 % interval of a probability, from so many successes."""
    share, z = successes / n, _NORMAL
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    return max(0.0, centre - half), min(1.0, centre + half)


# For comparison


def real_qubits(alpha: float) -> Json:
    """S of two real qubits in the pair's state, as Bob's instruments are turned.

    NOT of this game.  Alice asks "present?" and "present plus absent?" (0 and 90 degrees), Bob
    turns his two instruments by +t and -t.
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
