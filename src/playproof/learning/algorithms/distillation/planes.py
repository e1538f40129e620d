"""Turns rows of Choko into the planes of ``position``, on the device that they are on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.rules.choko import PIECES

if TYPE_CHECKING:
    import torch

_SIDE = 5  # squares of a side of the board
_FORCED, _BLUE_HAND, _RED_HAND = 1, 4, 8  # where they start in the ledger, in bits


def planes_of(words: torch.Tensor) -> torch.Tensor:
    """The planes of (n, 3) int64 rows, (n, 5, 5, 5) float32, as ``Batch.observe`` gives them."""
    import torch

    squares = torch.arange(_SIDE * _SIDE, device=words.device)
    ledger = words[:, 2:]
    is_red = (ledger & 1) == 1
    boards = torch.where(is_red, words[:, :2].flip(1), words[:, :2])
    pieces = boards[:, :, None] >> squares & 1
    hands = torch.cat([ledger >> _BLUE_HAND & 15, ledger >> _RED_HAND & 15], 1)
    hands = torch.where(is_red, hands.flip(1), hands).float() / PIECES
    whole = torch.cat([hands, (ledger >> _FORCED & 1).float()], 1)
    planes = torch.cat([pieces.float(), whole[:, :, None].expand(-1, -1, len(squares))], 1)
    return planes.reshape(-1, 5, _SIDE, _SIDE)
