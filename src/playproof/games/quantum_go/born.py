"""The chance kernel of Quantum Go: collapse by Born's rule."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import int64, uint64

from playproof.core.compiling import kernel
from playproof.core.kernels import CHANCE_SIGNATURE
from playproof.games.go import rows
from playproof.games.quantum_go import rows as q
from playproof.games.quantum_go.kernels import KERNELS, actions
from playproof.rules import quantum_go as law

FRACTION = 2.0**-32  # the unit of LATER_STAYS, which is a probability as a whole number


@kernel(CHANCE_SIGNATURE)
def chance(options, tables, state, history, out, probabilities):
    """Born's rule, conditioned on the outcomes that leave a legal turn."""
    ledger = state[q.ledger_at(options)]
    step = q.step_of(ledger)
    n = actions(options, tables, state, history, out)
    group = state[q.ledger_at(options) + q.NEW]
    if step != law.NEW_GROUP:
        group = q.group_at(options, state, q.cursor_of(ledger))
    members = law.size(group)
    points = int64(options[rows.WIDTH] * options[rows.HEIGHT])
    width = int64(options[rows.WIDTH])
    later = law.later(law.member(group, 0), law.member(group, 1), width)
    total = 0.0
    for i in range(n):
        probability = 1.0 / float(members)
        if options[q.W_TYPE] != uint64(0):
            if int64(out[i]) != points:  # measured as absent; the action ``points`` means present
                probability = 1.0 - probability
        elif members == 2:
            stays = float(int64(options[q.LATER_STAYS])) * FRACTION
            probability = stays if int64(out[i]) == later else 1.0 - stays
        probabilities[i] = probability
        total += probability
    for i in range(n):
        probabilities[i] /= total
    return n


BORN_KERNELS = KERNELS._replace(chance=chance)
