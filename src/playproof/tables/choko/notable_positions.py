"""Positions that a full solve shows: the longest wins, and the few against the odds."""

from __future__ import annotations

from typing import Any

from playproof.core.game import Game
from playproof.tables.choko.build import Line
from playproof.tables.choko.store import Files, Memory
from playproof.tables.choko.value_codes import DRAW, loss_in, win_in
from playproof.tables.choko.verify import example

_FEW = 1e-3  # a share of positions that makes an exception


def examples(store: Files | Memory, game: Game, lines: list[Line]) -> dict[str, Any]:
    """For each size of hand the longest win, and slices in which the side with fewer pieces wins
    or the one with more loses, though hardly ever: with one such position each."""
    longest: dict[str, Any] = {}
    for line in lines:
        known = longest.get(str(line.slice.hands))
        if line.longest_win and (known is None or line.longest_win > known["actions"]):
            longest[str(line.slice.hands)] = {"actions": line.longest_win, "slice": line.slice}
    for found in longest.values():
        one = found.pop("slice")
        found["position"] = example(store, game, one, win_in(found["actions"]))
    upsets = []
    for line in lines:
        one = line.slice
        for count, odd, code in (
            (line.wins, one.own < one.other, _quickest_win(line)),
            (line.losses, one.own > one.other, _slowest_loss(line)),
        ):
            if odd and 0 < count < _FEW * one.raw:
                upsets.append(
                    {
                        "slice": one.name, "positions": count, "of": one.raw,
                        "example": example(store, game, one, code),
                    }
                )  # fmt: skip
    return {"longest": longest, "upsets": upsets}


def _quickest_win(line: Line) -> int:
    return max((code for code in range(DRAW + 1, 256) if line.counts[code]), default=0)


def _slowest_loss(line: Line) -> int:
    return int(loss_in(line.longest_loss))
