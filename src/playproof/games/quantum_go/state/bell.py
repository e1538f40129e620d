"""The CHSH inequality on a board of Quantum Go: it is never violated.

The game has only one measurement at a point: is a stone there?  All these
measurements have a joint distribution, so their correlations are classical and
obey |S| <= 2 (Clauser, Horne, Shimony and Holt, 1969), as Ranchin (2016) notes.
``chsh_of_real_qubits`` is for comparison: it measures in rotated bases, that is,
superpositions of "present" and "absent", which no move of the game can do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.core.errors import UsageError
from playproof.games.quantum_go.state.quantum_state import PointLike, PointsLike, QuantumState

CLASSICAL_BOUND = 2.0
TSIRELSON_BOUND = 2 * math.sqrt(2)  # the maximum for quantum states (Tsirelson, 1980)
# In radians; with these the singlet reaches the Tsirelson bound.
BEST_ANGLES = (0.0, math.pi / 2, math.pi / 4, -math.pi / 4)


@dataclass(frozen=True)
class Chsh:
    """S = E(a,b) + E(a,b') + E(a',b) - E(a',b'), with Alice's settings a, a' and Bob's b, b'.

    ``signs`` has +1 or -1 for each setting; -1 exchanges its two outcomes.
    """

    value: float
    settings: tuple[str, str, str, str]  # a, a', b, b'
    signs: tuple[int, int, int, int] = (1, 1, 1, 1)


def correlation(state: QuantumState, one: PointLike, other: PointLike) -> float:
    """E: the mean of the product of two points' outcomes, +1 for present and -1 for absent."""
    present, also = state.probability(one), state.probability(other)
    return 4 * state.both_present(one, other) - 2 * present - 2 * also + 1


def correlations(
    state: QuantumState, alice: PointsLike, bob: PointsLike
) -> npt.NDArray[np.float64]:
    """E of each of Alice's points with each of Bob's, shape (Alice's points, Bob's points)."""
    rows, columns = _parties(state, alice, bob)
    return np.array([[correlation(state, a, b) for b in columns] for a in rows])


def chsh(state: QuantumState, a: PointLike, a2: PointLike, b: PointLike, b2: PointLike) -> Chsh:
    """S for four settings.  The two of Alice may be equal, and so may those of Bob."""
    names = tuple(state.name(place) for place in (a, a2, b, b2))
    alice, bob = list(dict.fromkeys(names[:2])), list(dict.fromkeys(names[2:]))
    E = correlations(state, alice, bob)
    i, i2, j, j2 = 0, len(alice) - 1, 0, len(bob) - 1
    value = E[i, j] + E[i, j2] + E[i2, j] - E[i2, j2]
    return Chsh(float(value), (names[0], names[1], names[2], names[3]))


def largest_chsh(state: QuantumState, alice: PointsLike, bob: PointsLike) -> Chsh:
    """The largest S over all settings of both parties and all signs of their outcomes."""
    rows, columns = _parties(state, alice, bob)
    E = correlations(state, rows, columns)
    best = Chsh(-math.inf, ("", "", "", ""))
    # For given a and a' the best b and b' are independent: S = (E + E')(b) + (E - E')(b').
    for i, a in enumerate(rows):
        for i2, a2 in enumerate(rows):
            for sign in (1, -1):
                total, difference = E[i] + sign * E[i2], E[i] - sign * E[i2]
                j, j2 = int(np.argmax(np.abs(total))), int(np.argmax(np.abs(difference)))
                value = float(abs(total[j]) + abs(difference[j2]))
                if value > best.value + 1e-12:
                    signs = 1, sign, _sign(total[j]), _sign(difference[j2])
                    best = Chsh(value, (a, a2, columns[j], columns[j2]), signs)
    return best


def chsh_of_real_qubits(
    angles: tuple[float, float, float, float] = BEST_ANGLES,
    alpha: complex = math.sqrt(0.5),
    beta: complex = math.sqrt(0.5),
) -> float:
    """S of two real qubits in the state alpha|01> - beta|10>, by quantum theory.

    This is NOT a value of the game.  ``angles`` (radians) are those of a, a', b, b'; the
    observable at angle t is cos t Z + sin t X.  The singlet, alpha = beta, has
    |S| = 2 sqrt 2 at the best angles.
    """
    if not abs(abs(alpha) ** 2 + abs(beta) ** 2 - 1) < 1e-9:
        raise UsageError("the squares of alpha and beta do not add up to 1: want a state")
    psi = np.array([0, alpha, -beta, 0], np.complex128)
    z, x = np.diag([1.0, -1.0]), np.array([[0.0, 1.0], [1.0, 0.0]])
    a, a2, b, b2 = (math.cos(t) * z + math.sin(t) * x for t in angles)
    operator = np.kron(a, b) + np.kron(a, b2) + np.kron(a2, b) - np.kron(a2, b2)
    return float((psi.conj() @ operator @ psi).real)


def _sign(value: float) -> int:
    return -1 if value < 0 else 1


def _parties(
    state: QuantumState, alice: PointsLike, bob: PointsLike
) -> tuple[list[str], list[str]]:
    rows, columns = state.names(alice), state.names(bob)
    shared = set(rows) & set(columns)
    if shared or not rows or not columns:
        names = ", ".join(sorted(shared))
        problem = f"{names} for both parties" if shared else "a party without a point"
        raise UsageError(f"{problem}: want one or more points for each, none of them shared")
    return rows, columns
