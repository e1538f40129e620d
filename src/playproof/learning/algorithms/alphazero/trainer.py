"""A network taught by lessons, in PyTorch: the loss of AlphaZero, and Adam.

loss = (v - v')^2 - policy . log p + c |weights|^2 (Silver et al., 2017), the softmax
over legal actions alone.  ``c`` is on weights, not on biases and norms.

On a GPU a step is recorded as a CUDA graph after a few, and replayed: started one by one
from Python, its hundreds of small kernels would take longer than they run, and hold up the
games that are played beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import PlayproofError, UsageError
from playproof.learning.algorithms.alphazero.replay import Lessons
from playproof.nets.architectures import AnyArchitecture
from playproof.nets.mlp import Vector
from playproof.nets.torch_modules.vectors import load_vector, module_of, vector_from

if TYPE_CHECKING:
    import torch

    from playproof.core.game import Game

_EAGER = 3  # steps before one may be recorded
_PARTS = ("observations", "actions", "policy", "counts", "values")


def check_device(device: str) -> None:
    """A UsageError where PyTorch has no such device."""
    import torch

    if device.startswith("cuda") and not torch.cuda.is_available():
        raise UsageError("--device cuda: PyTorch finds no CUDA device here; use --device cpu")
    try:
        torch.device(device)
    except RuntimeError:
        raise UsageError(f"--device {device}: want cpu or cuda") from None


class Teacher:
    """A network, and Adam on it."""

    def __init__(
        self,
        architecture: AnyArchitecture,
        weights: Vector,
        *,
        decay: float,
        norm: float,
        device: str = "cpu",
    ) -> None:
        import torch

        check_device(device)
        self.architecture, self.device, self._norm = architecture, device, norm
        self._cuda = device.startswith("cuda")
        self.module = module_of(architecture)
        load_vector(self.module, architecture, weights)
        self.module.to(device)
        if self._cuda:
            self.module.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        parameters = list(self.module.parameters())
        heavy = [p for p in parameters if p.ndim > 1]
        light = [p for p in parameters if p.ndim <= 1]
        # The gradient of c |w|^2 is 2 c w.
        groups: list[dict[str, Any]] = [
            {"params": heavy, "weight_decay": 2 * decay},
            {"params": light},
        ]
        if self._cuda:
            rate = torch.zeros((), device=device)
            self.adam = torch.optim.Adam(groups, lr=rate, fused=True, capturable=True)
        else:
            self.adam = torch.optim.Adam(groups, lr=1e-3, foreach=False)
        self.steps = 0
        self._graph: Any = None
        self._stream: Any = None
        self._brought: Any = None
        self._eager = 0  # steps taken one kernel after the other, before a graph is recorded
        self._lessons: dict[str, torch.Tensor] = {}
        self._pinned: dict[str, torch.Tensor] = {}
        self._losses: tuple[torch.Tensor, ...] = ()

    @property
    def weights(self) -> Vector:
        self.settle()
        return vector_from(self.module, self.architecture)

    def wide(self, game: Game) -> int:
        """For how many legal actions lessons have room at least: a graph wants one shape."""
        return game.max_actions if self._cuda else 1

    @property
    def recorded(self) -> bool:
        """Whether steps are replayed from a graph, where they can be."""
        return self._graph is not None or not self._cuda

    def teach(self, lessons: Lessons, rate: float) -> tuple[torch.Tensor, ...]:
        """One step of Adam; (policy loss, value loss, entropy of what is learned)."""
        import torch

        self.steps += 1
        if not self._cuda:
            for group in self.adam.param_groups:
                group["lr"] = rate
            return self._step({name: torch.from_numpy(getattr(lessons, name)) for name in _PARTS})
        if self._stream is None:
            self._stream = torch.cuda.Stream()
        with torch.cuda.stream(self._stream):
            self._bring(lessons)
            for group in self.adam.param_groups:
                group["lr"].fill_(rate)
            if self._graph is not None:
                self._graph.replay()
            elif self._eager < _EAGER:
                self._eager += 1
                self._losses = self._step(self._lessons)
            else:
                self._record()
            return tuple(loss.clone() for loss in self._losses)

    def settle(self) -> None:
        """Wait for the steps that were begun: nobody else waits for their stream."""
        if self._stream is not None:
            self._stream.synchronize()

    def _step(self, lessons: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        import torch

        self.module.train()
        self.adam.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=self._cuda, cache_enabled=False):
            logits, values = self.module(lessons["observations"])
        policy_loss, value_loss, entropy = losses(logits.float(), values.float(), lessons)
        (policy_loss + value_loss).backward()
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), self._norm)
        self.adam.step()
        return policy_loss.detach(), value_loss.detach(), entropy

    # The graph of a step

    def _forget_graph(self) -> None:
        """Tensors were exchanged: a graph of the old ones would change those."""
        self._graph = self._stream = self._brought = None
        self._eager, self._lessons, self._pinned, self._losses = 0, {}, {}, ()

    def _bring(self, lessons: Lessons) -> None:
        """Copy lessons to the places that a graph knows, through page-locked memory."""
        import torch

        arrays = {name: torch.from_numpy(getattr(lessons, name)) for name in _PARTS}
        if any(self._lessons[name].shape != a.shape for name, a in arrays.items() if self._lessons):
            self._forget_graph()
            self._stream = torch.cuda.current_stream()
        if not self._lessons:
            self._lessons = {name: a.to(self.device) for name, a in arrays.items()}
            self._pinned = {name: a.pin_memory() for name, a in arrays.items()}
            self._brought = torch.cuda.Event()
        self._brought.synchronize()  # the copies before have left the page-locked memory
        for name, array in arrays.items():
            self._pinned[name].copy_(array)
            self._lessons[name].copy_(self._pinned[name], non_blocking=True)
        self._brought.record()

    def _record(self) -> None:
        import torch

        torch.cuda.synchronize()
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, stream=self._stream, capture_error_mode="thread_local"):
            self._losses = self._step(self._lessons)
        self._graph.replay()  # recording takes no step

    def check(self, losses: npt.NDArray[np.float64]) -> None:
        """A PlayproofError if something is no number."""
        if not np.isfinite(losses).all() or not np.isfinite(self.weights).all():
            raise PlayproofError(
                f"a loss or a weight after step {self.steps} is not finite: the last checkpoint is "
                "kept; want a lower rate"
            )

    # Checkpoints

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Weights and Adam's moments as vectors, by the order of the module's parameters."""
        moments: dict[str, npt.NDArray[Any]] = {}
        for name in ("exp_avg", "exp_avg_sq"):
            parts = [
                self.adam.state[p][name].cpu().numpy().ravel()
                if p in self.adam.state
                else np.zeros(p.numel(), np.float32)
                for p in self.module.parameters()
            ]
            moments[f"adam.{name}"] = np.concatenate(parts)
        steps = np.array([self.steps], np.int64)
        return {"weights": self.weights, "adam.steps": steps, **moments}

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        import torch

        self.settle()
        self._forget_graph()
        load_vector(self.module, self.architecture, arrays["weights"])
        self.steps, at = int(arrays["adam.steps"][0]), 0
        self.adam.state.clear()
        for p in self.module.parameters() if self.steps else ():
            end = at + p.numel()
            mine = {
                name: torch.empty_like(p, requires_grad=False).copy_(
                    torch.from_numpy(arrays[f"adam.{name}"][at:end].copy()).reshape(p.shape)
                )
                for name in ("exp_avg", "exp_avg_sq")
            }
            where = self.device if self._cuda else "cpu"
            self.adam.state[p] = {"step": torch.tensor(float(self.steps), device=where), **mine}
            at = end
        if self._cuda:
            torch.cuda.synchronize()


def losses(
    logits: torch.Tensor, values: torch.Tensor, lessons: dict[str, torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(policy loss, value loss, entropy of the policy that is learned), means over lessons."""
    import torch

    actions, policy, counts = lessons["actions"], lessons["policy"], lessons["counts"]
    inside = torch.arange(actions.shape[1], device=actions.device) < counts[:, None]
    legal = logits.gather(1, actions).masked_fill(~inside, -1e9)
    logs = torch.log_softmax(legal, dim=1)
    policy_loss = -(policy * logs).sum(dim=1).mean()
    value_loss = ((lessons["values"] - values) ** 2).mean()
    entropy = -(policy * torch.log(policy.clamp(min=1e-12))).sum(dim=1).mean()
    return policy_loss, value_loss, entropy
