"""The forward pass of a residual network, by PyTorch, for legal actions alone.

Norms are folded into convolutions.  On a CPU the convolutions are PyTorch's, with
channels last, and the layers above them our own compiled ones: matrix products
of a library add in an order that depends on how many rows there are, and so
would a row's answer, in its last bits, on its neighbours.  A GPU makes no such
promise: there the last digits may depend on the batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from playproof.core.batch import LegalLists
from playproof.core.errors import PlayproofError, UsageError
from playproof.nets import mlp
from playproof.nets.forward.mlp import Answer, Forward, softmax
from playproof.nets.resnet import (
    POLICY_FEW,
    VALUE_HIDDEN,
    VALUE_PLANES,
    ResNetArchitecture,
    build,
    load_vector,
    parts_of,
)

if TYPE_CHECKING:
    from playproof.nets.mlp import Vector

DEVICES = ("cpu", "cuda", "auto")
_LEAST = 2  # rows: for one alone the convolutions add in another order
_MOST = {"cpu": 256, "cuda": 8192}  # rows at once, so that memory is bounded

Floats = npt.NDArray[np.float32]


def chosen_device(wanted: str) -> str:
    """``cpu`` or ``cuda``; ``auto`` is a GPU where there is one."""
    if wanted not in DEVICES:
        raise UsageError(f"device={wanted}: want {', '.join(DEVICES[:-1])} or {DEVICES[-1]}")
    if wanted == "cpu":
        return wanted
    _need_torch()
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if wanted == "cuda":
        raise PlayproofError("device=cuda: PyTorch sees no GPU here; want device=cpu")
    return "cpu"


class ResNetForward:
    """A residual network made ready on a device; ``half`` computes in 16 bits on a GPU."""

    def __init__(
        self,
        architecture: ResNetArchitecture,
        vector: Vector,
        *,
        device: str = "cpu",
        half: bool = False,
    ) -> None:
        if vector.shape != (architecture.parameters,):
            raise UsageError(
                f"a network of {architecture.parameters:,} parameters cannot have weights of "
                f"shape {vector.shape}"
            )
        self.device = chosen_device(device)
        _need_torch()
        import torch
        from numba import get_num_threads

        from playproof.nets.torch_modules.resnet import fold

        self.architecture = architecture
        self._threads = get_num_threads()  # one, in a process among many
        module = build(architecture)
        load_vector(module, architecture, vector)
        self._kind = torch.bfloat16 if half and self.device == "cuda" else torch.float32
        ready: Any = fold(module)  # PyTorch's types know nothing of memory formats here
        self._module = ready.to(self.device, self._kind, memory_format=torch.channels_last)
        self._heads = _Heads(architecture, vector) if self.device == "cpu" else None

    def logits(self, observations: Floats, legal: LegalLists) -> Answer:
        """Logits of the legal actions alone, from observations (n, ...), and values -1 ... 1."""
        a, rows = self.architecture, len(legal.offsets) - 1
        if observations.shape[0] != rows or observations.size != rows * a.inputs:
            raise UsageError(
                f"want {a.inputs} inputs for each of {rows} rows, not observations of shape "
                f"{observations.shape}"
            )
        most = a.actions - 1
        if len(legal.actions) and not 0 <= legal.actions.min() <= legal.actions.max() <= most:
            raise UsageError(f"a network with actions 0 to {most} was asked for others")
        seen = np.ascontiguousarray(observations, np.float32)
        seen = seen.reshape(rows, a.planes, a.height, a.width)
        policy, values = np.empty(len(legal.actions), np.float32), np.empty(rows, np.float32)
        for begin in range(0, rows, _MOST[self.device]):
            end = min(begin + _MOST[self.device], rows)
            edges = slice(legal.offsets[begin], legal.offsets[end])
            part = LegalLists(
                legal.offsets[begin : end + 1] - legal.offsets[begin], legal.actions[edges]
            )
            compute = self._on_cpu if self._heads else self._on_gpu
            policy[edges], values[begin:end] = compute(seen[begin:end], part)
        return Answer(policy, values)

    def policy(
        self, observations: Floats, legal: LegalLists, *, temperature: float = 1.0
    ) -> Answer:
        """Probabilities of the legal actions alone."""
        logits, values = self.logits(observations, legal)
        return Answer(softmax(legal, logits, temperature=temperature), values)

    def _on_cpu(self, seen: Floats, legal: LegalLists) -> Answer:
        import torch

        assert self._heads is not None
        rows = len(seen)
        if rows < _LEAST:
            seen = np.repeat(seen, _LEAST, axis=0)
        if torch.get_num_threads() != self._threads:
            torch.set_num_threads(self._threads)
        net = self._module
        with torch.inference_mode():
            x = torch.from_numpy(seen).contiguous(memory_format=torch.channels_last)
            x = torch.relu(net.stem(x))
            for block in net.blocks:
                x = block(x)
            below = [torch.relu(head.mixed(x)) for head in (net.policy, net.value)]
            if self.architecture.policy_planes is not None:
                below[0] = net.policy.out(below[0])
            few, value = (tensor.flatten(1)[:rows].numpy() for tensor in below)
        return Answer(self._heads.policy(few, legal), self._heads.value(value))

    def _on_gpu(self, seen: Floats, legal: LegalLists) -> Answer:
        import torch

        rows = np.repeat(np.arange(len(seen)), np.diff(legal.offsets))
        flat = torch.from_numpy(rows * self.architecture.actions + legal.actions)
        with torch.inference_mode():
            x = torch.from_numpy(seen).to(self.device, self._kind)
            logits, values = self._module(x.contiguous(memory_format=torch.channels_last))
            picked = logits.float().reshape(-1)[flat.to(self.device)]
            return Answer(picked.cpu().numpy(), values.float().cpu().numpy())


class _Heads:
    """The layers above the convolutions, compiled, each row's sums in a fixed order."""

    def __init__(self, a: ResNetArchitecture, vector: Vector) -> None:
        parts = parts_of(a, vector)
        hidden = [parts[f"value.hidden.{kind}"] for kind in ("weight", "bias")]
        out = [parts[f"value.out.{kind}"] for kind in ("weight", "bias")]
        # As a small network whose one action is never asked for.
        unused = np.zeros(VALUE_HIDDEN + 1, np.float32)
        sizes = mlp.Architecture(VALUE_PLANES * a.squares, (VALUE_HIDDEN,), 1)
        self._value = Forward(sizes, _joined(*hidden, unused, *out))
        self._policy = None
        if a.policy_planes is None:
            weights = [parts[f"policy.out.{kind}"] for kind in ("weight", "bias")]
            head = mlp.Architecture(POLICY_FEW * a.squares, (), a.actions, value=False)
            self._policy = Forward(head, _joined(*weights))

    def value(self, below: Floats) -> Floats:
        nothing = LegalLists(np.zeros(len(below) + 1, np.int64), np.zeros(0, np.int32))
        return np.tanh(self._value.logits(below, nothing).values)

    def policy(self, below: Floats, legal: LegalLists) -> Floats:
        if self._policy is not None:
            return self._policy.logits(below, legal).policy
        rows = np.repeat(np.arange(len(below)), np.diff(legal.offsets))
        found: Floats = below[rows, legal.actions]
        return found


def _joined(*parts: Vector) -> Vector:
    return np.concatenate([part.ravel() for part in parts])


def _need_torch() -> None:
    try:
        import torch  # noqa: F401
    except ImportError:
        raise PlayproofError(
            "residual networks need PyTorch: pip install 'playproof[learn]'"
        ) from None
