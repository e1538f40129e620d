"""A network as the evaluator of a tree search: priors and values of its leaves.

:func:`evaluator` is for networks of this house, :func:`network_evaluator` for any other.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.core.errors import UsageError
from playproof.core.kernels import CHANCE
from playproof.nets.files import Net
from playproof.nets.kinds import forward
from playproof.search.evaluators import (
    Evaluation,
    Evaluator,
    as_numbers,
    legal_entries,
    read_pair,
    read_values,
)

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch

    from playproof.core.batch import Batch, LegalLists
    from playproof.core.game import Game

# Observations (n, *shape) to logits (n, num_actions) and the movers' values (n,).
Predict = Callable[["npt.NDArray[np.float32]"], tuple[Any, Any]]


def evaluator(net: Net, game: Game, *, device: str = "cpu") -> Evaluator:
    """Priors by the network's softmax over legal actions, and its values.

    ``device`` is cpu, cuda or auto; a GPU computes in 16 bits."""
    net.check(game)
    ready = forward(net, device=device, half=True)

    def evaluate(batch: Batch, legal: LegalLists) -> Evaluation:
        priors, values = ready.policy(batch.observe(net.observation), legal)
        return Evaluation(priors, for_first_player(batch, values, net.win))

    return evaluate


def for_first_player(
    batch: Batch, values: npt.NDArray[np.floating[Any]], win: float
) -> npt.NDArray[np.float64]:
    """Values of the movers, turned to the first player's side; ``win`` is worth 1.

    A linear head learns returns that rewards on the way may carry beyond a win
    or a loss: they are cut to -1 ... 1.  Chance is nobody's side, and no network is
    trained on its turns: 0.
    """
    players = batch.players()
    signs = np.where(players == CHANCE, 0.0, np.where(players == 1, -1.0, 1.0))
    return np.clip(values.astype(np.float64) / win, -1.0, 1.0) * signs


def network_evaluator(
    network: Predict | torch.nn.Module, *, observation: str | None = None
) -> Evaluator:
    """Any network as an evaluator: a function of arrays, or a module of PyTorch.

    It gets observations of positions, (n, *shape) float32, of the kind that
    ``observation`` names (the game's first if None), and gives a pair: logits of all
    actions, (n, num_actions), whose softmax over the legal ones makes the priors, and
    values, (n,) or (n, 1), from -1 to 1.  Both are from the side of the player to move,
    as observations are.

    A module gets a tensor on its own device and of its own floats, and is asked in eval mode under
    ``torch.no_grad``; afterwards it is in the mode it was in.

    >>> import numpy as np, playproof
    >>> def network(observations):
    ...     n = len(observations)
    ...     return np.zeros((n, 65)), np.zeros(n)  # every move alike, nobody ahead
    >>> evaluator = playproof.network_evaluator(network)
    >>> agent = playproof.make_agent("mcts:simulations=20", "othello", evaluator=evaluator)
    >>> agent.decide(playproof.make("othello").start()).value
    0.0
    """
    if isinstance(network, type) or not callable(network):
        raise UsageError(
            f"network_evaluator({_shown(network)}): want a module of PyTorch, or a function of "
            "observations"
        )
    predict: Predict = _module_predict(network) if _is_module(network) else network

    def evaluate(batch: Batch, legal: LegalLists) -> Evaluation:
        logits, own = read_pair(predict(batch.observe(observation)), "(logits, values)")
        values = read_values(own, len(batch), "the mover loses", "the mover wins")
        return Evaluation(_soft(logits, batch, legal), for_first_player(batch, values, 1.0))

    return evaluate


def as_evaluator(given: object, game: Game) -> Evaluator:
    """An evaluator out of what an agent may be given: one, a module of PyTorch, or a Net."""
    if isinstance(given, Net):
        return evaluator(given, game)
    if _is_module(given):
        return network_evaluator(given)  # type: ignore[arg-type]
    if callable(given) and not isinstance(given, type) and _takes_two(given):
        return given  # type: ignore[no-any-return]
    raise UsageError(
        f"evaluator={_shown(given)}: want a function of (batch, legal), a module of PyTorch, or "
        "network_evaluator(...) of a function of observations"
    )


def _shown(given: object) -> str:
    """What somebody gave, for an error line."""
    if isinstance(given, type):
        return f"{given.__name__}, a class and not an object of it ({given.__name__}())"
    if isinstance(given, Mapping):
        return f"a {type(given).__name__}"
    return getattr(given, "__name__", None) or f"{given!r:.40} ({type(given).__name__})"


def _soft(given: object, batch: Batch, legal: LegalLists) -> npt.NDArray[np.float32]:
    """The softmax of the legal actions' logits, out of those of all."""
    from playproof.nets.forward.mlp import softmax

    whole, wanted = as_numbers(given, "logits"), (len(batch), batch.game.num_actions)
    if whole.shape != wanted:
        raise UsageError(
            f"the evaluator's logits have shape {whole.shape}: want {wanted}, "
            f"one for each action of {batch.game.spec}"
        )
    logits = np.ascontiguousarray(legal_entries(whole, legal), np.float32)
    wrong = np.isnan(logits) | (logits == np.inf)  # -inf is an action that is never played
    if wrong.any():
        first = int(np.argmax(wrong))
        row = int(np.searchsorted(legal.offsets, first, side="right")) - 1
        raise UsageError(
            f"the evaluator's logits have {logits[first]} in row {row}: want finite numbers"
        )
    most = np.maximum.reduceat(logits, legal.offsets[:-1])
    if (most == -np.inf).any():
        raise UsageError(
            f"the evaluator's logits of row {int(np.argmin(most))} are all -inf for legal "
            "actions: want one of them finite"
        )
    return softmax(legal, logits)


def _module_predict(module: Any) -> Predict:
    import torch

    def predict(observations: npt.NDArray[np.float32]) -> tuple[Any, Any]:
        one = next(module.parameters(), None)
        seen = torch.from_numpy(observations)
        if one is not None:
            floats = one.dtype if one.is_floating_point() else seen.dtype
            seen = seen.to(one.device, floats)
        with torch.no_grad(), _evaluating(module):
            return module(seen)  # type: ignore[no-any-return]

    return predict


@contextmanager
def _evaluating(module: Any) -> Iterator[None]:
    """A module and all its parts in eval mode; each part is left as it was."""
    learning = [part for part in module.modules() if part.training]
    for part in learning:
        part.training = False
    try:
        yield
    finally:
        for part in learning:
            part.training = True


def _is_module(given: object) -> bool:
    """Whether it is a module of PyTorch; who has one has imported it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(given, torch.nn.Module)


def _takes_two(given: Callable[..., object]) -> bool:
    try:
        inspect.signature(given).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # compiled code may not say
        return True
    return True
