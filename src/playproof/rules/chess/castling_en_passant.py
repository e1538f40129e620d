"""Castling and en passant."""

from numba import uint64
from numba.extending import register_jitable

from playproof.rules.chess.attacks import attackers
from playproof.rules.chess.board import A1, H1, NOT_A, NOT_H, NOTHING, RANK_1, RANK_6

_F1_G1, _B1_TO_D1 = uint64(0x60), uint64(0x0E)  # must be empty
E1_TO_G1, C1_TO_E1 = uint64(0x70), uint64(0x1C)  # must not be attacked, castling short and long


@register_jitable
def open_castling(p, occupied):
    """The mover's rooks that may castle and have no piece between them and the king."""
    castling = p.rights & RANK_1
    if occupied & _F1_G1 != NOTHING:
        castling &= ~H1
    if occupied & _B1_TO_D1 != NOTHING:
        castling &= ~A1
    return castling


@register_jitable
def en_passant_takers(t, p, king, occupied):
    """The mover's pawns that may take en passant.

    Each capture is tried out, because two pawns leave a rank at once: neither of them is pinned,
    and yet the king may be in check afterwards.
    """
    target = p.rights & RANK_6
    victim = target >> uint64(8)
    near = ((victim << uint64(1)) & NOT_A | (victim >> uint64(1)) & NOT_H) & p.pawns & p.own
    takers = NOTHING
    enemy = occupied ^ p.own ^ victim
    while near != NOTHING:
        taker = near & (~near + uint64(1))
        near ^= taker
        after = occupied ^ taker ^ victim ^ target
        if attackers(t, p, king, after, enemy) == NOTHING:
            takers |= taker
    return takers
