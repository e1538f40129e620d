"""How fast a network learns from a folder, beside the same network on numbers in memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from playproof.learning.algorithms.imitation.learner import Imitation
from playproof.learning.algorithms.imitation.loss import losses
from playproof.learning.algorithms.imitation.minibatches import Ahead
from playproof.learning.algorithms.imitation.settings import ImitationSettings

_WARM = 10  # steps before the clock starts
_MOVES = 48  # legal ones, about as wide as those of a batch


@dataclass(frozen=True)
class Speed:
    """Positions a second."""

    fed: float  # from the folder: read, listed, unpacked, learned
    bare: float  # planes and targets out of a hat, on the device all the time
    data: float  # the folder's batches made ready, and nothing learned

    @property
    def share(self) -> float:
        return self.fed / self.bare


def measure(settings: ImitationSettings, device: str, seconds: float) -> Speed:
    """Each of the three for about ``seconds``."""
    made = Imitation(settings, device=device)
    made.module.train()
    bare = _steps(made, _bare(made), seconds)
    endless = Ahead(made.sources, 0, 1 << 40, settings.batch, 1, pinned=made.device == "cuda")
    with closing(endless) as ahead:
        lessons = iter(ahead)

        def fed() -> None:
            lesson = [tensor.to(made.device, non_blocking=True) for tensor in next(lessons)]
            made.step(lesson, settings.rate)

        own = _steps(made, fed, seconds)
    with closing(Ahead(made.sources, 0, 1 << 40, settings.batch, 1, pinned=False)) as ahead:
        lessons = iter(ahead)
        data = _steps(made, lambda: next(lessons), seconds)
    return Speed(own, bare, data)


def _bare(made: Imitation) -> Callable[[], None]:
    """A step on random numbers that are there already."""
    import torch

    s, a, device = made.settings, made.architecture, made.device
    x = torch.rand(s.batch, a.planes, a.height, a.width, device=device)
    x = (x < 0.1).float().contiguous(memory_format=torch.channels_last)
    legal = torch.randint(0, a.actions, (s.batch, _MOVES), device=device)
    slots = torch.randint(0, _MOVES, (s.batch, 1), device=device)
    wanted = torch.rand(s.batch, device=device) * 2 - 1
    lesson = [x, legal, slots, torch.ones(s.batch, 1, device=device), wanted]

    def step() -> None:
        with torch.autocast(device, torch.bfloat16, enabled=made.half):
            logits, values = made.module(x)
        logs = torch.log_softmax(logits.float().gather(1, legal), dim=1)
        policy, value = losses(logs, values.float(), lesson)
        made.optimiser.zero_grad(set_to_none=True)
        (policy + value).backward()
        made.optimiser.step()

    return step


def _steps(made: Imitation, step: Callable[[], Any], seconds: float) -> float:
    """Positions a second of a step, over and over."""
    for _ in range(_WARM):
        step()
    _settle(made.device)
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        for _ in range(5):
            step()
        count += 5
        if count % 50 == 0:
            _settle(made.device)  # or the clock would see the asking alone
    _settle(made.device)
    return count * made.settings.batch / (time.perf_counter() - began)


def _settle(device: str) -> None:
    if device == "cuda":
        import torch

        torch.cuda.synchronize()
