"""Residual networks with two heads (He et al., 2016; Silver et al., 2017): sizes and parameters.

A stem of 3x3 convolutions is followed by blocks of two convolutions with a skip connection, with
batch norm (Ioffe and Szegedy, 2015) after each convolution. The heads are a policy and a value in
-1 ... 1. As in small networks, all numbers are in one vector, tensor by tensor, and a tensor has
the name that it has in PyTorch's module. PyTorch is needed to train or play such a network, but not
to read or write it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.core.errors import UsageError
from playproof.nets.mlp import Vector

if TYPE_CHECKING:
    from playproof.core.game import Game

EPSILON = 1e-5  # added to a variance before taking its square root
POLICY_REDUCED_PLANES = 4  # planes before the linear layer of a policy
VALUE_PLANES = 8
VALUE_HIDDEN = 128
CHESS_PLANES = 73

Shape = tuple[int, ...]


@dataclass(frozen=True)
class PairPlanes:
    """The planes of a policy whose moves name one square, or a square, a direction and a second.

    The actions of a board of s squares are, in this order, s placements, 4 s steps (square,
    direction), and 4 s * s jumps (square, direction, second square). A linear layer for so many
    actions would hold most of the weights of a small network. Here the logit of a jump is

        jump[square, direction] + after[second] + sum over r of q[r, square, direction] k[r, second]

    where each term is a plane of the board: 1 of placements, 4 of steps, 4 of jumps, 1 after
    them, 4 ``rank`` planes q and ``rank`` planes k.
    """

    rank: int

    @property
    def count(self) -> int:
        return 10 + 5 * self.rank

    @staticmethod
    def actions(squares: int) -> int:
        return squares + 4 * squares + 4 * squares * squares


@dataclass(frozen=True)
class ResNetArchitecture:
    """The sizes of a residual network.

    With ``policy_planes``, 1x1 convolutions compute the policy as this many planes of the board,
    which fits the numbering of moves in chess. With ``policy_rank``, they compute it for moves that
    may name two squares, as in Choko (see ``PairPlanes``). Without either, a linear layer computes
    it.
    """

    planes: int  # of the observation
    height: int
    width: int
    blocks: int
    filters: int
    actions: int
    policy_planes: int | None = None
    policy_rank: int | None = None

    def __post_init__(self) -> None:
        sizes = (self.planes, self.height, self.width, self.filters, self.actions)
        if min(sizes) < 1 or self.blocks < 0:
            raise UsageError(f"a residual network of {self.blocks} blocks and sizes {sizes}")
        if self.policy_planes is not None and self.policy_planes * self.squares != self.actions:
            raise UsageError(
                f"{self.policy_planes} planes of {self.squares} squares make no {self.actions} "
                "actions"
            )
        if self.policy_rank is not None:
            if self.policy_planes is not None:
                raise UsageError("a policy is made of planes or of pairs of squares, not of both")
            if self.policy_rank < 1 or self.pair_planes.actions(self.squares) != self.actions:
                raise UsageError(
                    f"pairs of {self.squares} squares with rank {self.policy_rank} make no "
                    f"{self.actions} actions"
                )

    value = True  # there is always a value head

    @property
    def squares(self) -> int:
        return self.height * self.width

    @property
    def pair_planes(self) -> PairPlanes:
        assert self.policy_rank is not None
        return PairPlanes(self.policy_rank)

    @property
    def inputs(self) -> int:
        return self.planes * self.squares

    @property
    def parameters(self) -> int:
        return sum(int(np.prod(shape)) for _, shape in self.parts())

    def parts(self) -> Iterator[tuple[str, Shape]]:
        """(name, shape) of every tensor in the order of the vector."""
        f = self.filters
        yield from _convolution("stem", self.planes, f, 3)
        for block in range(self.blocks):
            yield from _convolution(f"blocks.{block}.first", f, f, 3)
            yield from _convolution(f"blocks.{block}.second", f, f, 3)
        planes = self.policy_planes
        if self.policy_rank is not None:
            planes = self.pair_planes.count
        if planes is None:
            yield from _convolution("policy.mixed", f, POLICY_REDUCED_PLANES, 1)
            yield from _linear("policy.out", POLICY_REDUCED_PLANES * self.squares, self.actions)
        else:
            yield from _convolution("policy.mixed", f, f, 1)
            yield "policy.out.weight", (planes, f, 1, 1)
            yield "policy.out.bias", (planes,)
        yield from _convolution("value.mixed", f, VALUE_PLANES, 1)
        yield from _linear("value.hidden", VALUE_PLANES * self.squares, VALUE_HIDDEN)
        yield from _linear("value.out", VALUE_HIDDEN, 1)


def _convolution(name: str, inputs: int, outputs: int, size: int) -> Iterator[tuple[str, Shape]]:
    """A convolution and its norm; only the norm has a bias."""
    yield f"{name}.conv.weight", (outputs, inputs, size, size)
    for part in ("weight", "bias", "running_mean", "running_var"):
        yield f"{name}.norm.{part}", (outputs,)


def _linear(name: str, inputs: int, outputs: int) -> Iterator[tuple[str, Shape]]:
    yield f"{name}.weight", (outputs, inputs)
    yield f"{name}.bias", (outputs,)


def architecture_for(
    game: Game, observation: str, blocks: int, filters: int, policy_rank: int = 0
) -> ResNetArchitecture:
    """The residual network for a game; the policy is a stack of planes in chess only.

    With a ``policy_rank`` it is computed from pairs of squares, which is for Choko.
    """
    shape = game.observations.get(observation)
    if shape is None or len(shape) != 3:
        boards = [name for name, sizes in game.observations.items() if len(sizes) == 3]
        raise UsageError(
            f"{observation} of {game.name} is no stack of boards: want "
            f"{' or '.join(boards) or 'another game'}"
        )
    planes, height, width = shape
    chess = game.num_actions == CHESS_PLANES * height * width
    if policy_rank and game.num_actions != PairPlanes.actions(height * width):
        raise UsageError(
            f"policy_rank={policy_rank}: want 0, since the moves of {game.name} are no steps and "
            "jumps of four directions"
        )
    return ResNetArchitecture(
        planes, height, width, blocks, filters, game.num_actions, CHESS_PLANES if chess else None,
        policy_rank or None,
    )  # fmt: skip


def parts_of(architecture: ResNetArchitecture, vector: Vector) -> dict[str, Vector]:
    """The tensors of a vector by name, as views."""
    out: dict[str, Vector] = {}
    at = 0
    for name, shape in architecture.parts():
        end = at + int(np.prod(shape))
        out[name] = vector[at:end].reshape(shape)
        at = end
    return out


def vector_of(architecture: ResNetArchitecture, parts: dict[str, Any]) -> Vector:
    """The vector of tensors by name, the inverse of ``parts_of``."""
    ordered = [np.asarray(parts[name], np.float32).ravel() for name, _ in architecture.parts()]
    return np.concatenate(ordered)


def starting_weights(architecture: ResNetArchitecture, seed: int) -> Vector:
    """Random weights to start training with.

    Convolutions and linear layers are initialised as in He et al. (2015), norms to the identity.
    The second norm of a block starts at 0, so that a block starts as the identity (Goyal et al.,
    2017).
    """
    chooser = np.random.default_rng(seed)
    out = []
    for name, shape in architecture.parts():
        if len(shape) > 1:
            inputs = int(np.prod(shape[1:]))
            gain = 1.0 if name in ("policy.out.weight", "value.out.weight") else 2.0
            part = chooser.standard_normal(shape) * np.sqrt(gain / inputs)
        elif name.endswith("norm.weight"):
            part = np.zeros(shape) if name.endswith("second.norm.weight") else np.ones(shape)
        else:
            part = np.ones(shape) if name.endswith("running_var") else np.zeros(shape)
        out.append(part.ravel())
    return np.concatenate(out).astype(np.float32)
