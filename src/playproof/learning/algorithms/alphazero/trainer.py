"""The trainer of AlphaZero, in PyTorch: its loss, minimised by Adam.

loss = (v - v')^2 - policy . log p + c |weights|^2 (Silver et al., 2017), with the softmax over
legal actions only.  ``c`` applies to weights, not to biases and norms.

On a GPU a step is recorded as a CUDA graph after a few ordinary steps, and then replayed.  Python
would need longer to launch its hundreds of small kernels than the GPU needs to run them, and would
hold up the games that are played at the same time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import PlayproofError, UsageError
from playproof.learning.algorithms.alphazero.replay import Minibatch
from playproof.nets.architectures import AnyArchitecture
from playproof.nets.mlp import Vector
from playproof.nets.torch_modules.vectors import load_vector, module_of, vector_from

if TYPE_CHECKING:
    import torch

    from playproof.core.game import Game

_EAGER = 3  # ordinary steps before one is recorded
_PARTS = ("observations", "actions", "policy", "counts", "values")


def check_device(device: str) -> None:
    """Raise a UsageError if PyTorch has no such device."""
    import torch

    if device.startswith("cuda") and not torch.cuda.is_available():
        raise UsageError("--device cuda: PyTorch finds no CUDA device here; use --device cpu")
    try:
        torch.device(device)
    except RuntimeError:
        raise UsageError(f"--device {device}: want cpu or cuda") from None


class Trainer:
    """A network, and Adam on its weights."""

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
        self._copied: Any = None
        self._eager = 0  # ordinary steps taken since the last graph was dropped
        self._inputs: dict[str, torch.Tensor] = {}
        self._pinned: dict[str, torch.Tensor] = {}
        self._losses: tuple[torch.Tensor, ...] = ()

    @property
    def weights(self) -> Vector:
        self.synchronize()
        return vector_from(self.module, self.architecture)

    def width(self, game: Game) -> int:
        """The least width of a minibatch's lists of actions: a CUDA graph needs one shape."""
        return game.max_actions if self._cuda else 1

    @property
    def recorded(self) -> bool:
        """Whether the graph of a step is recorded; true on devices without graphs."""
        return self._graph is not None or not self._cuda

    def train_step(self, minibatch: Minibatch, rate: float) -> tuple[torch.Tensor, ...]:
        """One step of Adam; (policy loss, value loss, entropy of the target policy)."""
        import torch

        self.steps += 1
        if not self._cuda:
            for group in self.adam.param_groups:
                group["lr"] = rate
            return self._step({name: torch.from_numpy(getattr(minibatch, name)) for name in _PARTS})
        if self._stream is None:
            self._stream = torch.cuda.Stream()
        with torch.cuda.stream(self._stream):
            self._copy_to_device(minibatch)
            for group in self.adam.param_groups:
                group["lr"].fill_(rate)
            if self._graph is not None:
                self._graph.replay()
            elif self._eager < _EAGER:
                self._eager += 1
                self._losses = self._step(self._inputs)
            else:
                self._record()
            return tuple(loss.clone() for loss in self._losses)

    def synchronize(self) -> None:
        """Wait until the steps taken so far are done."""
        if self._stream is not None:
            self._stream.synchronize()

    def _step(self, minibatch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        import torch

        self.module.train()
        self.adam.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=self._cuda, cache_enabled=False):
            logits, values = self.module(minibatch["observations"])
        policy_loss, value_loss, entropy = losses(logits.float(), values.float(), minibatch)
        (policy_loss + value_loss).backward()
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), self._norm)
        self.adam.step()
        return policy_loss.detach(), value_loss.detach(), entropy

    # The graph of a step

    def _forget_graph(self) -> None:
        """Drop the graph: it would write to tensors that have been replaced."""
        self._graph = self._stream = self._copied = None
        self._eager, self._inputs, self._pinned, self._losses = 0, {}, {}, ()

    def _copy_to_device(self, minibatch: Minibatch) -> None:
        """Copy a minibatch to the tensors that the graph reads, through page-locked memory."""
        import torch

        arrays = {name: torch.from_numpy(getattr(minibatch, name)) for name in _PARTS}
        if any(self._inputs[name].shape != a.shape for name, a in arrays.items() if self._inputs):
            self._forget_graph()
            self._stream = torch.cuda.current_stream()
        if not self._inputs:
            self._inputs = {name: a.to(self.device) for name, a in arrays.items()}
            self._pinned = {name: a.pin_memory() for name, a in arrays.items()}
            self._copied = torch.cuda.Event()
        self._copied.synchronize()  # the previous copies have left the page-locked memory
        for name, array in arrays.items():
            self._pinned[name].copy_(array)
            self._inputs[name].copy_(self._pinned[name], non_blocking=True)
        self._copied.record()

    def _record(self) -> None:
        import torch

        torch.cuda.synchronize()
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, stream=self._stream, capture_error_mode="thread_local"):
            self._losses = self._step(self._inputs)
        self._graph.replay()  # recording itself takes no step

    def check(self, losses: npt.NDArray[np.float64]) -> None:
        """Raise a PlayproofError if a loss or a weight is not finite."""
        if not np.isfinite(losses).all() or not np.isfinite(self.weights).all():
            raise PlayproofError(
                f"a loss or a weight after step {self.steps} is not finite: the last checkpoint is "
                "kept; want a lower rate"
            )

    # Checkpoints

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Weights and Adam's moments as vectors, in the order of the module's parameters."""
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

        self.synchronize()
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
    logits: torch.Tensor, values: torch.Tensor, minibatch: dict[str, torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(policy loss, value loss, entropy of the target policy), means over the minibatch."""
    import torch

    actions, policy, counts = minibatch["actions"], minibatch["policy"], minibatch["counts"]
    inside = torch.arange(actions.shape[1], device=actions.device) < counts[:, None]
    legal = logits.gather(1, actions).masked_fill(~inside, -1e9)
    logs = torch.log_softmax(legal, dim=1)
    policy_loss = -(policy * logs).sum(dim=1).mean()
    value_loss = ((minibatch["values"] - values) ** 2).mean()
    entropy = -(policy * torch.log(policy.clamp(min=1e-12))).sum(dim=1).mean()
    return policy_loss, value_loss, entropy
