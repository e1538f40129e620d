"""The trainer of AlphaZero: Adam minimises the loss of AlphaZero.

    loss = (z - v)^2 - pi . log p + c |weights|^2 (Silver et al., 2017)

The network gives the value v and the policy p, a softmax over the legal actions only.  The targets
are z and pi.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.learning.algorithms.alphazero.replay import Minibatch
from playproof.learning.optim.torch_trainer import TorchTrainer

if TYPE_CHECKING:
    import torch

    from playproof.core.game import Game

_FIELDS = ("observations", "actions", "policy", "counts", "values")  # of a minibatch


class Trainer(TorchTrainer):
    """A network that learns from self-play."""

    def action_width(self, game: Game) -> int:
        """The least width of a minibatch's lists of actions: a CUDA graph needs one shape."""
        return game.max_actions if self._cuda else 1

    def train_step(self, minibatch: Minibatch, rate: float) -> tuple[torch.Tensor, ...]:
        """Take one step of Adam with the learning rate ``rate``.

        Returns (policy loss, value loss, entropy of the target policy), each a scalar tensor.
        """
        return self.step({name: getattr(minibatch, name) for name in _FIELDS}, rate)

    def losses(
        self, minibatch: dict[str, torch.Tensor]
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        logits, values = self.predict(minibatch["observations"])
        policy_loss, value_loss, entropy = losses(logits, values, minibatch)
        return policy_loss + value_loss, (policy_loss, value_loss, entropy)


def losses(
    logits: torch.Tensor, values: torch.Tensor, minibatch: dict[str, torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(policy loss, value loss, entropy of the target policy), means over the minibatch.

    ``logits`` has shape (n, actions of the game) and ``values`` (n,).  ``minibatch`` has the fields
    of ``Minibatch`` as tensors.
    """
    import torch

    actions, policy, counts = minibatch["actions"], minibatch["policy"], minibatch["counts"]
    is_legal = torch.arange(actions.shape[1], device=actions.device) < counts[:, None]
    legal_logits = logits.gather(1, actions).masked_fill(~is_legal, -1e9)
    log_policy = torch.log_softmax(legal_logits, dim=1)
    policy_loss = -(policy * log_policy).sum(dim=1).mean()
    value_loss = ((minibatch["values"] - values) ** 2).mean()
    entropy = -(policy * torch.log(policy.clamp(min=1e-12))).sum(dim=1).mean()
    return policy_loss, value_loss, entropy
