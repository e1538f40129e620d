"""The forward pass of a residual network in PyTorch, which returns legal actions only.

Norms are folded into convolutions. On a CPU the convolutions are PyTorch's, with channels last, and
the layers above them are the compiled ones of ``forward.mlp``: the matrix products of a library add
in an order that depends on the number of rows, so that the last bits of a row would depend on the
other rows of a batch. On a GPU they may.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from playproof.core.batch import LegalLists
from playproof.core.errors import PlayproofError, UsageError
from playproof.nets import mlp
from playproof.nets.forward.mlp import Forward, NetOutput, softmax
from playproof.nets.forward.pair_logits import pair_logits
from playproof.nets.resnet import (
    POLICY_REDUCED_PLANES,
    VALUE_HIDDEN,
    VALUE_PLANES,
    ResNetArchitecture,
    parts_of,
)
from playproof.nets.torch_modules.vectors import load_vector, module_of

if TYPE_CHECKING:
    from playproof.nets.mlp import Vector

DEVICES = ("cpu", "cuda", "auto")
_MIN_ROWS = 2  # with a single row the convolutions add in another order
_MAX_ROWS = {"cpu": 256, "cuda": 8192}  # rows at once, to bound memory

Floats = npt.NDArray[np.float32]


def resolve_device(device: str) -> str:
    """``cpu`` or ``cuda``; ``auto`` is a GPU if there is one."""
    if device not in DEVICES:
        raise UsageError(f"device={device}: want {', '.join(DEVICES[:-1])} or {DEVICES[-1]}")
    if device == "cpu":
        return device
    _require_torch()
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if device == "cuda":
        raise PlayproofError("device=cuda: PyTorch sees no GPU here; want device=cpu")
    return "cpu"


class ResNetForward:
    """The forward pass of a residual network on a device; ``half`` computes in 16 bits on a GPU."""

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
        self.device = resolve_device(device)
        _require_torch()
        import torch
        from numba import get_num_threads

        from playproof.nets.torch_modules.resnet import fold

        self.architecture = architecture
        self._threads = get_num_threads()  # 1 in each of many worker processes
        module = module_of(architecture)
        load_vector(module, architecture, vector)
        self._dtype = torch.bfloat16 if half and self.device == "cuda" else torch.float32
        folded: Any = fold(module)  # Any, because PyTorch's types lack memory_format here
        self._module = folded.to(self.device, self._dtype, memory_format=torch.channels_last)
        self._heads = _Heads(architecture, vector) if self.device == "cpu" else None

    def logits(self, observations: Floats, legal: LegalLists) -> NetOutput:
        """Logits of the legal actions, and values -1 ... 1, from observations (n, ...)."""
        a, rows = self.architecture, len(legal.offsets) - 1
        if observations.shape[0] != rows or observations.size != rows * a.inputs:
            raise UsageError(
                f"want {a.inputs} inputs for each of {rows} rows, not observations of shape "
                f"{observations.shape}"
            )
        most = a.actions - 1
        if len(legal.actions) and not 0 <= legal.actions.min() <= legal.actions.max() <= most:
            raise UsageError(f"a network with actions 0 to {most} was asked for others")
        inputs = np.ascontiguousarray(observations, np.float32)
        inputs = inputs.reshape(rows, a.planes, a.height, a.width)
        policy, values = np.empty(len(legal.actions), np.float32), np.empty(rows, np.float32)
        for start in range(0, rows, _MAX_ROWS[self.device]):
            end = min(start + _MAX_ROWS[self.device], rows)
            listed = slice(legal.offsets[start], legal.offsets[end])
            part = LegalLists(
                legal.offsets[start : end + 1] - legal.offsets[start], legal.actions[listed]
            )
            compute = self._on_cpu if self._heads else self._on_gpu
            policy[listed], values[start:end] = compute(inputs[start:end], part)
        return NetOutput(policy, values)

    def policy(
        self, observations: Floats, legal: LegalLists, *, temperature: float = 1.0
    ) -> NetOutput:
        """Probabilities of the legal actions, and values -1 ... 1."""
        logits, values = self.logits(observations, legal)
        return NetOutput(softmax(legal, logits, temperature=temperature), values)

    def _on_cpu(self, inputs: Floats, legal: LegalLists) -> NetOutput:
        import torch

        assert self._heads is not None
        rows = len(inputs)
        if rows < _MIN_ROWS:
            inputs = np.repeat(inputs, _MIN_ROWS, axis=0)
        if torch.get_num_threads() != self._threads:
            torch.set_num_threads(self._threads)
        net = self._module
        with torch.inference_mode():
            x = torch.from_numpy(inputs).contiguous(memory_format=torch.channels_last)
            x = torch.relu(net.stem(x))
            for block in net.blocks:
                x = block(x)
            features = [torch.relu(head.mixed(x)) for head in (net.policy, net.value)]
            if self._heads.wants_planes:
                features[0] = net.policy.out(features[0])
            policy, value = (tensor.flatten(1)[:rows].numpy() for tensor in features)
        return NetOutput(self._heads.policy(policy, legal), self._heads.value(value))

    def _on_gpu(self, inputs: Floats, legal: LegalLists) -> NetOutput:
        import torch

        rows = np.repeat(np.arange(len(inputs)), np.diff(legal.offsets))
        flat = torch.from_numpy(rows * self.architecture.actions + legal.actions)
        with torch.inference_mode():
            x = torch.from_numpy(inputs).to(self.device, self._dtype)
            logits, values = self._module(x.contiguous(memory_format=torch.channels_last))
            gathered = logits.float().reshape(-1)[flat.to(self.device)]
            return NetOutput(gathered.cpu().numpy(), values.float().cpu().numpy())


class _Heads:
    """The layers above the convolutions, compiled, each row's sums in a fixed order."""

    def __init__(self, a: ResNetArchitecture, vector: Vector) -> None:
        parts = parts_of(a, vector)
        hidden = [parts[f"value.hidden.{kind}"] for kind in ("weight", "bias")]
        out = [parts[f"value.out.{kind}"] for kind in ("weight", "bias")]
        # The value head is a small network whose one action is never used.
        unused = np.zeros(VALUE_HIDDEN + 1, np.float32)
        sizes = mlp.Architecture(VALUE_PLANES * a.squares, (VALUE_HIDDEN,), 1)
        self._value = Forward(sizes, _joined(*hidden, unused, *out))
        self._policy, self._rank, self._squares = None, a.policy_rank, a.squares
        self.wants_planes = a.policy_planes is not None or a.policy_rank is not None
        if not self.wants_planes:
            weights = [parts[f"policy.out.{kind}"] for kind in ("weight", "bias")]
            head = mlp.Architecture(POLICY_REDUCED_PLANES * a.squares, (), a.actions, value=False)
            self._policy = Forward(head, _joined(*weights))

    def value(self, features: Floats) -> Floats:
        no_actions = LegalLists(np.zeros(len(features) + 1, np.int64), np.zeros(0, np.int32))
        return np.tanh(self._value.logits(features, no_actions).values)

    def policy(self, features: Floats, legal: LegalLists) -> Floats:
        if self._policy is not None:
            return self._policy.logits(features, legal).policy
        if self._rank is None:
            rows = np.repeat(np.arange(len(features)), np.diff(legal.offsets))
            logits: Floats = features[rows, legal.actions]
        else:
            logits = np.empty(len(legal.actions), np.float32)
            planes = features.reshape(len(features), -1, self._squares)
            pair_logits(planes, self._rank, legal.offsets, legal.actions, logits)
        return logits


def _joined(*parts: Vector) -> Vector:
    return np.concatenate([part.ravel() for part in parts])


def _require_torch() -> None:
    try:
        import torch  # noqa: F401
    except ImportError:
        raise PlayproofError(
            "residual networks need PyTorch: pip install 'playproof[learn]'"
        ) from None
