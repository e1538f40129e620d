"""Unpacks positions into planes with PyTorch, on the device that they are on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

_EMPTY = 12  # the code of a square without a piece


def planes_of(words: torch.Tensor, observation: str) -> torch.Tensor:
    """The planes of (n, 5) int64 words, (n, 13 or 21, 8, 8) float32, as in ``observe_packed``."""
    import torch

    n, device = len(words), words.device
    squares = torch.arange(64, device=device)
    occupied = words[:, :1] >> squares & 1
    # Pieces are listed in the order of their squares: count the occupied squares up to each.
    place = (occupied.cumsum(1) - 1).clamp(min=0)
    pieces = torch.where(place < 16, words[:, 1:2], words[:, 2:3])
    code = pieces >> ((place & 15) << 2) & 15
    code = torch.where(occupied > 0, code, _EMPTY)
    board = (code[:, None, :] == torch.arange(13, device=device)[:, None]).float()
    if observation == "paper-13":
        return board.reshape(n, 13, 8, 8)
    last = words[:, 4:5]
    rights = last >> 8
    castling = (rights >> torch.arange(4, device=device) & 1).float()
    passant = (squares == 40 + (rights >> 5 & 7)) & (rights >> 4 & 1 > 0)
    times = last >> 16 & 255
    rest = [times > 1, times > 2, (last & 255).clamp(max=100) / 100.0]
    filled = torch.cat([castling, *(plane.float() for plane in rest)], 1)[:, :, None]
    filled = filled.expand(n, 7, 64)
    parts = [board, filled[:, :4], passant.float()[:, None], filled[:, 4:]]
    return torch.cat(parts, 1).reshape(n, 21, 8, 8)
