"""The coin game, registered where games are played."""

from __future__ import annotations

import multiprocessing

from playproof import register
from tests.support.toys.coin import Coin

if multiprocessing.parent_process() is not None:
    register(Coin)
